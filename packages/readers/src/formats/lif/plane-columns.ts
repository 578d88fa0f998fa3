/** Finds the times of single planes among the time stamps of an image. Pure. */
import type { PlaneColumns } from '../../model/acquisition.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { countEntries, type ImageLayout } from './layout.js';
import type { RawLifImage } from './parse.js';
import { toTicks } from './times.js';

/** There is a stamp for each frame, or for each channel of each frame, in the order of T, then Z. */
export function planeColumns({ stamps, channels }: RawLifImage, layout: ImageLayout): PlaneColumns {
  const { t, z } = layout;
  const [T, Z] = [t.count, z.count];
  const isOrdered = t.count === 1 || z.count === 1 || t.increment > z.increment;
  const isPlain = layout.rowAxis === 'Y' && countEntries(layout.wavelengthAxes) * countEntries(layout.sceneAxes) === 1;
  const perZ = stamps.length / ((t.raw?.count ?? 1) * (z.raw?.count ?? 1));
  const first = toTicks(stamps[0]);
  if (!isOrdered || !isPlain || first === undefined || (perZ !== 1 && perZ !== channels.length)) return {};
  const perT = perZ * (z.raw?.count ?? 1);
  return collectColumns({ sizes: { T, Z }, channels: layout.channels }, ({ t: frame, z: section, channel }) => {
    const stamp = frame * perT + section * perZ + (perZ === 1 ? 0 : layout.channels[channel]!.index);
    const ticks = toTicks(stamps[stamp]);
    return { time: ticks === undefined ? undefined : Number(ticks - first) / 1e7 };
  });
}
