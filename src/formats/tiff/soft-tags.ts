import { AcqError } from '../../errors.js';
import type { TiffPage } from '../../tiff/types.js';

/** Text of a tag; empty when it is missing or damaged: descriptions are worth having, pixels do not need them. */
export function textOf(page: TiffPage, code: number): string {
  return unlessDamaged(() => page.text(code)) ?? '';
}

/** Raw value of a tag; `undefined` when it is missing or damaged. */
export function bytesOf(page: TiffPage, code: number): Uint8Array | undefined {
  return unlessDamaged(() => page.bytes(code));
}

/** First number of a tag; `undefined` when it is missing or damaged. */
export function numberOf(page: TiffPage, code: number): number | undefined {
  return unlessDamaged(() => page.number(code));
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
