import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const HEADER_BYTES = 1024;

/** Two bytes are a weak signature, so the sizes must make sense, and it must be neither a TIFF nor a map of MRC2014. */
export function sniff({ kind, head, size }: Probe): Sniff {
  if (kind !== 'file' || head.length < HEADER_BYTES || isTiff(head)) return false;
  const littleEndian = findByteOrder(head);
  if (littleEndian === undefined || latin1(head.subarray(208, 211)) === 'MAP') return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const [columns = 0, rows = 0, sections = 0, pixelType = -1] = [0, 4, 8, 12].map((at) =>
    view.getInt32(at, littleEndian),
  );
  const makesSense = Math.min(columns, rows, sections) > 0 && pixelType >= 0 && pixelType <= 8;
  return makesSense && HEADER_BYTES + columns * rows <= size ? 'sure' : false;
}

/** Returns whether the file is little-endian: −16224 at byte 96; `undefined` for another number. */
export function findByteOrder(head: Uint8Array): boolean | undefined {
  const [low, high] = [head[96], head[97]];
  if (low === 0xa0 && high === 0xc0) return true;
  return low === 0xc0 && high === 0xa0 ? false : undefined;
}

/** True for a TIFF or BigTIFF: its bytes at 96 may be any. */
function isTiff(head: Uint8Array): boolean {
  return /^(?:II[*+]\0|MM\0[*+])/.test(latin1(head.subarray(0, 4)));
}
