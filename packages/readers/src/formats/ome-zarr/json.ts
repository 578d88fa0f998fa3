/** Reads the JSON of a store without assumptions about its shape. */
import { decodeFailed } from '../../base/errors.js';
import { type JsonObject, objectOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { about } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';

/** Reads a metadata document. @throws AcqError `decode_failed` */
export function parseDocument(source: ByteSource): JsonObject {
  return about(source.name, () => parse(source));
}

function parse(source: ByteSource): JsonObject {
  if (source.size > LIMITS.zarrMetadataBytes) {
    throw decodeFailed(`${grouped(source.size)} bytes of metadata; the limit is ${grouped(LIMITS.zarrMetadataBytes)}`);
  }
  const document = objectOf(parseJson(decodeText(source.read(0, source.size))));
  if (!document) throw decodeFailed('is not a JSON object');
  return document;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      return JSON.parse(withoutBareNumbers(text));
    } catch {
      throw decodeFailed(`is not valid JSON (${(error as Error).message})`, error);
    }
  }
}

/** Python writes `NaN` and `Infinity`, which are not JSON. As strings they mean the same in a fill value. */
function withoutBareNumbers(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    parts.push(text.slice(at, end).replace(/-?\b(?:NaN|Infinity)\b/g, '"$&"'));
    at = quote < 0 ? end : findTextEnd(text, quote);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
}

/** Returns the index after the closing quote. A regular expression could take very long on a text without an end. */
function findTextEnd(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code === 0x5c) at += 1;
  }
  return text.length;
}

/** Returns a list of integers ≥ 1; `undefined` for anything else. */
export function sizesOf(value: unknown): number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((size) => Number.isSafeInteger(size) && size >= 1) ? (value as number[]) : undefined;
}
