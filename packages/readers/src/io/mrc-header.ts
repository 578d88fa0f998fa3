/**
 * The header that MRC2014 and DeltaVision share: both come from the image format of the MRC laboratory. Names are those of
 * https://www.ccpem.ac.uk/mrc_format/mrc2014.php.
 */

import { latin1 } from '../base/bytes.js';
import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { ByteSource } from './byte-source.js';

const LABEL_BYTES = 80;
const LABELS = 10;

export type MrcTriple = [number, number, number];

export interface MrcHeader {
  /** `NX`, `NY`, `NZ`: columns, rows and sections. */
  size: MrcTriple;
  /** Type of the samples. */
  mode: number;
  /** `MX`, `MY`, `MZ`: intervals of the cell along x, y and z. */
  intervals: MrcTriple;
  /** Lengths of the cell along x, y and z, in the unit of the format. */
  cell: MrcTriple;
  /** Bytes between the header and the samples. */
  extendedBytes: number;
  /** Texts of 80 bytes, as they are in the file. */
  labels: string[];
}

/**
 * Parses what both formats have.
 * @param head the first 1,024 bytes of `source`
 * @throws AcqError `decode_failed` when the extended header is not inside the file
 */
export function parseMrcHeader(head: Uint8Array, littleEndian: boolean, source: ByteSource): MrcHeader {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const int = (at: number) => view.getInt32(at, littleEndian);
  const three = (at: number, get: (at: number) => number): MrcTriple => [get(at), get(at + 4), get(at + 8)];
  const extendedBytes = int(92);
  if (extendedBytes < 0 || head.length + extendedBytes > source.size) {
    throw decodeFailed(`the extended header has ${grouped(extendedBytes)} bytes, which falls outside the file.`);
  }
  return {
    size: three(0, int),
    mode: int(12),
    intervals: three(28, int),
    cell: three(40, (at) => view.getFloat32(at, littleEndian)),
    extendedBytes,
    labels: Array.from({ length: LABELS }, (_, i) => {
      const at = 224 + i * LABEL_BYTES;
      return latin1(head.subarray(at, at + LABEL_BYTES));
    }),
  };
}
