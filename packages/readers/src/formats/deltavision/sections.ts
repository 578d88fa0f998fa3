/** What the extended header says of each plane. */

import type { ByteSource } from '../../io/byte-source.js';
import { shortestDecimal } from '../../model/metadata/float32.js';
import { HEADER_BYTES } from './magic.js';
import type { RawDeltaVision } from './parse.js';

/** Floats of a section, by their place. */
const FIELDS = { time: 1, x: 2, y: 3, z: 4, exposure: 8, excitationNm: 10, emissionNm: 11 } as const;
export type SectionField = keyof typeof FIELDS;

/** Returns a value of a plane, by its number in the file; `undefined` without one. */
export type SectionValue = (plane: number, field: SectionField) => number | undefined;

/**
 * Reads the extended header when a value is asked for. Some files say how long an entry is and have none: then there are no
 * values, because samples follow in its place.
 */
export function sectionValues(source: ByteSource, raw: RawDeltaVision): SectionValue {
  const { integers, floats, extendedBytes, littleEndian } = raw;
  const entryBytes = 4 * (integers + floats);
  if (entryBytes === 0 || entryBytes * raw.size[2] > extendedBytes) return () => undefined;
  return (plane, field) => {
    if (FIELDS[field] >= floats) return undefined;
    const bytes = source.read(HEADER_BYTES + plane * entryBytes + 4 * (integers + FIELDS[field]), 4);
    const value = new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, littleEndian);
    return Number.isFinite(value) ? shortestDecimal(value) : undefined;
  };
}
