/** Reads the tables of the frames: when they were taken, for how long, and where the stage was. */

import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneColumns, SceneInfo } from '../../model/acquisition.js';
import { readChunk } from './chunk.js';
import type { ChunkIndex } from './index-map.js';
import type { PlannedScene } from './plan.js';
import { frameAt } from './plan.js';
import type { FrameTimes } from './times.js';

/** Tables of one double for each frame. `Z1` is the drive of the nosepiece, where no device is the main one. */
const TABLES = { x: ['X'], y: ['Y'], z: ['Z', 'Z1'], exposure: ['Camera_ExposureTime1'] } as const;

/** @param lines true when the frames are the lines of a plane: then the planes have no values */
export function readPlaneColumns(
  file: { source: ByteSource; index: ChunkIndex; lines: boolean },
  { plan, timeOf }: FrameTimes,
  scene: PlannedScene,
  { sizes, channels }: Pick<SceneInfo, 'sizes' | 'channels'>,
): PlaneColumns {
  if (file.lines) return {};
  const C = channels.length;
  const planes = sizes.T * sizes.Z;
  const frames = Array.from({ length: planes }, (_, i) =>
    frameAt(plan, { S: scene.position, T: Math.floor(i / sizes.Z), Z: i % sizes.Z }),
  );
  const last = frames.reduce((a, b) => Math.max(a, b), 0);
  const column = (read: (frame: number) => number | undefined) =>
    Float64Array.from({ length: planes * C }, (_, row) => read(frames[Math.floor(row / C)]!) ?? Number.NaN);
  const columns: PlaneColumns = { time: column((frame) => (timeOf(frame) ?? Number.NaN) / 1000) };
  for (const name of ['x', 'y', 'z', 'exposure'] as const) {
    // The channels of a frame may differ in their exposure; the table has only one.
    if (name === 'exposure' && C > 1) continue;
    const table = readTable(file, TABLES[name], last + 1);
    if (!table) continue;
    const divisor = name === 'exposure' ? 1000 : 1;
    columns[name] = column((frame) => (table[frame] ?? Number.NaN) / divisor);
  }
  return columns;
}

function readTable(
  { source, index }: { source: ByteSource; index: ChunkIndex },
  names: readonly string[],
  frames: number,
): Float64Array | undefined {
  for (const name of names) {
    const offset = index.named.get(`CustomData|${name}!`);
    const chunk = offset === undefined ? undefined : readChunk(source, offset);
    if (!chunk?.name.startsWith(`CustomData|${name}!`)) continue;
    const count = Math.floor(Math.min(chunk.length, source.size - chunk.payload, frames * 8) / 8);
    const values = new Float64Array(Math.max(0, count));
    source.readInto(new Uint8Array(values.buffer), chunk.payload);
    if (values.some((value) => value !== 0)) return values;
  }
  return undefined;
}
