/** Parses the header of MRC2014 and its predecessors. Names are those of https://www.ccpem.ac.uk/mrc_format/mrc2014.php. */

import { latin1 } from '../../base/bytes.js';
import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';

export const HEADER_BYTES = 1024;
/** Bytes 152 to 155 of files of IMOD, which tell in bit 0 of the next word whether 8-bit samples are signed. */
const IMOD_STAMP = 1_146_047_817;
const LABEL_BYTES = 80;

type Triple = [number, number, number];

export interface RawMrc {
  littleEndian: boolean;
  /** `NX`, `NY`, `NZ`: columns, rows and sections. */
  size: Triple;
  mode: number;
  /** `MX`, `MY`, `MZ`: intervals of the cell along x, y and z. */
  intervals: Triple;
  /** `CELLA`: lengths of the cell in Å along x, y and z. */
  cell: Triple;
  /** `MAPC`, `MAPR`, `MAPS`: axis of the cell along columns, rows and sections: 0 is x. */
  axes: Triple;
  /** `ISPG`: 0 for single images, 401 and above for several volumes. */
  spaceGroup: number;
  /** `NSYMBT`: bytes between the header and the samples. */
  extendedBytes: number;
  /** `EXTTYP`: what is in them, such as `CCP4` or `FEI1`. */
  extendedType: string;
  /** IMOD says that 8-bit samples are unsigned. */
  hasUnsignedBytes: boolean;
  labels: string[];
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

/** @throws AcqError `decode_failed` */
export function parseMrc(source: ByteSource): RawMrc {
  const head = source.read(0, HEADER_BYTES);
  const littleEndian = findByteOrder(head);
  if (littleEndian === undefined) throw decodeFailed('the header contains no valid sizes, mode and axes.');
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const int = (at: number) => view.getInt32(at, littleEndian);
  const three = (at: number, get: (at: number) => number): Triple => [get(at), get(at + 4), get(at + 8)];
  const [c, r, s] = three(64, int);
  const extendedBytes = int(92);
  if (extendedBytes < 0 || HEADER_BYTES + extendedBytes > source.size) {
    throw decodeFailed(`the extended header has ${grouped(extendedBytes)} bytes, which falls outside the file.`);
  }
  const labels = Array.from({ length: 10 }, (_, i) =>
    latin1(head.subarray(224 + i * LABEL_BYTES, 304 + i * LABEL_BYTES)),
  );
  return {
    littleEndian,
    size: three(0, int),
    mode: int(12),
    intervals: three(28, int),
    cell: three(40, (at) => view.getFloat32(at, littleEndian)),
    axes: c === 0 ? [0, 1, 2] : [c! - 1, r! - 1, s! - 1],
    spaceGroup: int(88),
    extendedBytes,
    extendedType: latin1(head.subarray(104, 108)).replaceAll('\0', '').trim(),
    hasUnsignedBytes: int(152) === IMOD_STAMP && (int(156) & 1) === 0,
    labels: labels.map((label) => label.replaceAll('\0', '').trim()).filter((label) => label !== ''),
  };
}
