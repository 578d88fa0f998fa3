import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const HEADER_BYTES = 1024;

/** Files from before 2000 have no signature: for those, the header must make sense and the extension must be one of MRC. */
export function sniff({ kind, name, head }: Probe): Sniff {
  if (kind !== 'file' || head.length < HEADER_BYTES || findByteOrder(head) === undefined) return false;
  if (latin1(head.subarray(208, 211)) === 'MAP') return 'sure';
  return /\.(mrc|map|rec)$/i.test(name) ? 'maybe' : false;
}

/** Returns whether a header is little-endian; `undefined` when it makes no sense in either order. */
export function findByteOrder(head: Uint8Array): boolean | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const makesSense = (littleEndian: boolean) => {
    const [columns, rows, sections, mode] = [0, 4, 8, 12].map((at) => view.getInt32(at, littleEndian)) as [
      number,
      number,
      number,
      number,
    ];
    const axes = [64, 68, 72]
      .map((at) => view.getInt32(at, littleEndian))
      .sort()
      .join();
    return Math.min(columns, rows, sections) > 0 && mode >= 0 && mode < 128 && (axes === '1,2,3' || axes === '0,0,0');
  };
  // Byte 212: 0x44 where the machine was little-endian, 0x11 where it was not. Some programs leave it empty.
  const orders = view.getUint8(212) === 0x11 ? [false, true] : [true, false];
  return orders.find(makesSense);
}
