import { AcqError } from '../../errors.js';
import type { TiffPage } from '../../tiff/types.js';

/** Text of a tag; empty when it is missing or damaged: descriptions are worth having, pixels do not need them. */
export function textOf(page: TiffPage, code: number): string {
  return softly(() => page.text(code)) ?? '';
}

/** Raw value of a tag; `undefined` when it is missing or damaged. */
export function bytesOf(page: TiffPage, code: number): Uint8Array | undefined {
  return softly(() => page.bytes(code));
}

/** First number of a tag; `undefined` when it is missing or damaged. */
export function numberOf(page: TiffPage, code: number): number | undefined {
  return softly(() => page.number(code));
}

/** `undefined` where a tag is damaged. */
export function softly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
