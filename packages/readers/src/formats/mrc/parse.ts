/** Parses the header of MRC2014 and its predecessors. Names are those of https://www.ccpem.ac.uk/mrc_format/mrc2014.php. */

import { latin1 } from '../../base/bytes.js';
import { decodeFailed } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type MrcHeader, type MrcTriple, parseMrcHeader } from '../../io/mrc-header.js';
import { findByteOrder, HEADER_BYTES } from './magic.js';

/** Bytes 152 to 155 of files of IMOD, which tell in bit 0 of the next word whether 8-bit samples are signed. */
const IMOD_STAMP = 1_146_047_817;

/** Lengths of the cell are in Å. */
export interface RawMrc extends MrcHeader {
  littleEndian: boolean;
  /** `MAPC`, `MAPR`, `MAPS`: axis of the cell along columns, rows and sections: 0 is x. */
  axes: MrcTriple;
  /** `ISPG`: 0 for single images, 401 and above for several volumes. */
  spaceGroup: number;
  /** `EXTTYP`: what is in them, such as `CCP4` or `FEI1`. */
  extendedType: string;
  /** IMOD says that 8-bit samples are unsigned. */
  hasUnsignedBytes: boolean;
}

/** @throws AcqError `decode_failed` */
export function parseMrc(source: ByteSource): RawMrc {
  const head = source.read(0, HEADER_BYTES);
  const littleEndian = findByteOrder(head);
  if (littleEndian === undefined) throw decodeFailed('the header contains no valid sizes, mode and axes.');
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const int = (at: number) => view.getInt32(at, littleEndian);
  const header = parseMrcHeader(head, littleEndian, source);
  const [c, r, s] = [int(64), int(68), int(72)];
  return {
    ...header,
    littleEndian,
    axes: c === 0 ? [0, 1, 2] : [c - 1, r - 1, s - 1],
    spaceGroup: int(88),
    extendedType: latin1(head.subarray(104, 108)).replaceAll('\0', '').trim(),
    hasUnsignedBytes: int(152) === IMOD_STAMP && (int(156) & 1) === 0,
    labels: header.labels.map((label) => label.replaceAll('\0', '').trim()).filter((label) => label !== ''),
  };
}
