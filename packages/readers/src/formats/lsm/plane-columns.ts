/** Reads where the stage was for each position; the times of planes are those of the T axis. */

import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneColumns, SceneInfo } from '../../model/acquisition.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { readPositions } from './blocks.js';
import type { RawLsmInfo } from './parse.js';
import type { ImagePlan } from './plan.js';

/** Where tiles lie within a position is not known, and a single position at 0 means that none was stored. */
export function readColumns(
  source: ByteSource,
  { origin, offsets }: RawLsmInfo,
  { positions, tiles }: ImagePlan,
  { scene, info }: { scene: number; info: SceneInfo },
): PlaneColumns {
  const stored = tiles === 1 ? readPositions(source, offsets.positions, positions) : undefined;
  const position = stored?.some(({ x, y }) => x !== 0 || y !== 0) ? stored[scene] : undefined;
  if (!position) return {};
  const place = { x: micrometers(origin.X + position.x), y: micrometers(origin.Y + position.y) };
  return collectColumns(info, () => place, info.channels.length);
}

function micrometers(meters: number): number {
  return withoutNoise(meters * 1e6);
}
