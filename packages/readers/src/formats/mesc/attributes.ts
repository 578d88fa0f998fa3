/** Attributes of a unit: numbers, and texts in any of the forms in which MESc writes them. */

import { decodeFailed, ignoreCorrupted } from '../../base/errors.js';
import { type JsonObject, objectOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import { decodeText } from '../../io/text.js';

/** Reads the attributes of one unit. Those that are missing, or cannot be read, are `undefined`. */
export class Attributes {
  readonly names: readonly string[];
  private readonly object: Hdf5Object;
  private readonly budget: TextBudget;

  constructor(object: Hdf5Object, budget: TextBudget) {
    this.object = object;
    this.names = object.attributeNames;
    this.budget = budget;
  }

  number(name: string): number | undefined {
    const value = ignoreCorrupted(() => this.object.number(name));
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  }

  numbers(name: string): readonly number[] {
    return ignoreCorrupted(() => this.object.attribute(name)?.numbers) ?? [];
  }

  /** Returns the text of an attribute without white space around it: a string, or an array of character codes. */
  text(name: string): string | undefined {
    const value = ignoreCorrupted(() => this.object.attribute(name));
    if (value?.texts) return ignoreCorrupted(() => this.object.text(name))?.trim();
    if (!value?.numbers || value.shape.length === 0) return undefined;
    const end = value.numbers.indexOf(0);
    const codes = end < 0 ? value.numbers : value.numbers.slice(0, end);
    this.budget.spend(codes.length);
    return fromCodes(codes).trim();
  }

  json(name: string): JsonObject | undefined {
    try {
      return objectOf(JSON.parse(this.text(name) ?? ''));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** Counts the characters of texts: many units may share the bytes of one. */
export class TextBudget {
  private left: number = LIMITS.hdf5TextBytes;

  /** @throws AcqError `decode_failed` */
  spend(characters: number): void {
    this.left -= characters;
    if (this.left >= 0) return;
    throw decodeFailed(
      `contains more than ${grouped(LIMITS.hdf5TextBytes)} characters of texts; the file is corrupted`,
    );
  }
}

/** Codes above 255 are UTF-16; others are bytes, of signed numbers too. */
function fromCodes(codes: readonly number[]): string {
  if (codes.every((code) => code >= -128 && code < 256))
    return decodeText(Uint8Array.from(codes, (code) => code & 255));
  return codes.map((code) => String.fromCharCode(code)).join('');
}
