/** Parses the header of DeltaVision files. Names and offsets are those of the IVE and Priism documentation (UCSF). */

import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type MrcHeader, parseMrcHeader } from '../../io/mrc-header.js';
import { findByteOrder, HEADER_BYTES } from './magic.js';

/** Wavelengths that the header has room for. */
const WAVELENGTHS = 5;
/** File type of newer versions of softWoRx, whose header goes on where older ones have titles. */
const NEW_TYPE = 100;
/** Titles before these fields. */
const NEW_TITLES = 4;
/** Time points do not fit into 16 bits. */
const MANY_TIMES = 65_535;

/** Sections are all planes of the file. Lengths of the cell are in µm; its intervals are 1, or those of the volume. */
export interface RawDeltaVision extends MrcHeader {
  littleEndian: boolean;
  /** Integers and floats of each section in the extended header. */
  integers: number;
  floats: number;
  fileType: number;
  lens: number;
  times: number;
  /** Number of the order of planes: see `order.ts`. */
  sequence: number;
  waves: number;
  /** Emission in nm, of the first five waves. */
  wavelengths: number[];
  /** Of newer files; 1 for others. */
  panels: number;
  /** Seconds since 1970; `undefined` in older files. */
  seconds?: number;
}

/** @throws AcqError `decode_failed` */
export function parseDeltaVision(source: ByteSource): RawDeltaVision {
  const head = source.read(0, HEADER_BYTES);
  const littleEndian = findByteOrder(head);
  if (littleEndian === undefined) throw decodeFailed('the header has no number of DeltaVision at byte 96.');
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const int = (at: number) => view.getInt32(at, littleEndian);
  const short = (at: number) => view.getInt16(at, littleEndian);
  const header = parseMrcHeader(head, littleEndian, source);
  const { size, labels } = header;
  if (Math.min(...size) < 1) throw decodeFailed(`the header says ${size.map(grouped).join(' × ')} samples.`);
  const fileType = short(160);
  const isNew = fileType === NEW_TYPE;
  const times = view.getUint16(180, littleEndian);
  const titles = labels.slice(0, isNew ? NEW_TITLES : Math.max(0, short(222)));
  return {
    ...header,
    littleEndian,
    integers: Math.max(0, short(128)),
    floats: Math.max(0, short(130)),
    fileType,
    lens: short(162),
    times: Math.max(1, isNew && (times === 0 || times === MANY_TIMES) ? int(852) : times),
    sequence: short(182),
    waves: Math.max(1, short(196)),
    wavelengths: Array.from({ length: WAVELENGTHS }, (_, wave) => short(198 + 2 * wave)),
    panels: isNew ? Math.max(1, int(880)) : 1,
    ...(isNew ? { seconds: view.getFloat64(844, littleEndian) } : {}),
    labels: titles.map((title) => title.replace(/\0[\s\S]*/, '').trim()).filter((title) => title !== ''),
  };
}
