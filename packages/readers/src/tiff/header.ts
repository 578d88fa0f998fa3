import { decodeFailed, unsupported } from '../base/errors.js';
import { plural } from '../base/wording.js';
import type { ByteSource } from '../io/byte-source.js';

/** The first 8 (BigTIFF: 16) bytes of a file. */
export interface TiffHeader {
  littleEndian: boolean;
  bigTiff: boolean;
  firstIfd: number;
}

/**
 * Parses the header (TIFF 6.0 section 2; BigTIFF: version 43, offset size 8, constant 0, then the first IFD as u64).
 * @throws AcqError `unsupported_format` if the file is not a TIFF, `decode_failed` if it is truncated
 */
export function parseHeader(source: ByteSource): TiffHeader {
  const { size } = source;
  if (size < 8) throw decodeFailed(`is truncated; it has ${plural(size, 'byte')}, and a TIFF header has 8`);
  const view = new DataView(source.read(0, Math.min(16, size)).buffer);
  const mark = view.getUint16(0, false);
  const littleEndian = mark === 0x4949;
  const version = view.getUint16(2, littleEndian);
  if ((!littleEndian && mark !== 0x4d4d) || (version !== 42 && version !== 43)) {
    throw unsupported('is not a TIFF file (it does not start with II or MM and 42 or 43)');
  }
  if (version === 42) return { littleEndian, bigTiff: false, firstIfd: view.getUint32(4, littleEndian) };
  if (size < 16) throw decodeFailed('is truncated inside the BigTIFF header');
  const offsetSize = view.getUint16(4, littleEndian);
  if (offsetSize !== 8) throw unsupported(`is a BigTIFF with ${offsetSize}-byte offsets; expected 8`);
  return { littleEndian, bigTiff: true, firstIfd: readU64(view, 8, littleEndian) };
}

/** Reads a u64 as a number. Above 2^53 it is inexact, but then it is outside every file, and range checks refuse it. */
export function readU64(view: DataView, at: number, littleEndian: boolean): number {
  const first = view.getUint32(at, littleEndian);
  const second = view.getUint32(at + 4, littleEndian);
  return littleEndian ? second * 2 ** 32 + first : first * 2 ** 32 + second;
}
