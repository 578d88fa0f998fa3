import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneAddress, SceneInfo } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import { HEADER_BYTES } from './magic.js';
import type { RawMrc } from './parse.js';

/** Reads a section. Volumes follow each other, then sections, then rows, the first one first. */
export function readSection(
  source: ByteSource,
  { extendedBytes, littleEndian }: RawMrc,
  { sampleType, sizes }: SceneInfo,
  { t, z }: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const sectionBytes = sizes.X * sizes.Y * storedBytes(sampleType);
  const offset = HEADER_BYTES + extendedBytes + (t * sizes.Z + z) * sectionBytes;
  readRows(source, { offset, sampleType, littleEndian }, target, signal);
}
