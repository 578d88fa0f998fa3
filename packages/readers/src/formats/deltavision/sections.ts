/** What the extended header says of each plane. */

import type { ByteSource } from '../../io/byte-source.js';
import { shortestDecimal } from '../../model/metadata/float32.js';
import { HEADER_BYTES } from './magic.js';
import type { RawDeltaVision } from './parse.js';

/** Floats of a section, by their place. */
const FIELDS = { time: 1, x: 2, y: 3, z: 4, exposure: 8, excitationNm: 10, emissionNm: 11 } as const;

/** Entries are read so many bytes at a time, and the last of them are kept. */
const BLOCK_BYTES = 65_536;

export type SectionField = keyof typeof FIELDS;

/** Returns a value of a plane, by its number in the file; `undefined` without one. */
export type SectionValue = (plane: number, field: SectionField) => number | undefined;

/**
 * Reads the extended header in blocks, when a value is asked for. Some files say how long an entry is and have none: then there are no
 * values, because samples follow in its place.
 */
export function sectionValues(source: ByteSource, raw: RawDeltaVision): SectionValue {
  const { integers, floats, extendedBytes, littleEndian } = raw;
  const entryBytes = 4 * (integers + floats);
  if (entryBytes === 0 || entryBytes * raw.size[2] > extendedBytes) return () => undefined;
  const inBlock = Math.max(1, Math.floor(BLOCK_BYTES / entryBytes));
  let block = -1;
  let view: DataView = new DataView(new ArrayBuffer(0));
  return (plane, field) => {
    if (FIELDS[field] >= floats) return undefined;
    const wanted = Math.floor(plane / inBlock);
    if (wanted !== block) {
      const first = wanted * inBlock;
      const count = Math.min(inBlock, raw.size[2] - first);
      const bytes = source.read(HEADER_BYTES + first * entryBytes, count * entryBytes);
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      block = wanted;
    }
    const value = view.getFloat32((plane % inBlock) * entryBytes + 4 * (integers + FIELDS[field]), littleEndian);
    return Number.isFinite(value) ? shortestDecimal(value) : undefined;
  };
}
