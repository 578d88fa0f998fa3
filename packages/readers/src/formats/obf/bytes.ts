/** Numbers and texts of an OBF file. All numbers are little-endian. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';

export interface TextPlace {
  at: number;
  bytes: number;
}

/** Returns a number of 64 bits. @throws AcqError `decode_failed` when it is beyond any file */
export function positionOf(view: DataView, at: number): number {
  const value = Number(view.getBigUint64(at, true));
  if (Number.isSafeInteger(value)) return value;
  throw decodeFailed('a position is beyond any file; the file is corrupted');
}

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length);

/** Reads a text; what reaches beyond the file is cut. */
export function readText(source: ByteSource, { at, bytes }: TextPlace): string {
  const length = Math.min(bytes, source.size - at, LIMITS.metadataBytes);
  return length > 0 ? decodeText(source.read(at, length)) : '';
}
