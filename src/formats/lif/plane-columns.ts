/** Finds the times of single planes among the time stamps of an image. Pure. */
import type { PlaneColumns } from '../../acquisition.js';
import { countEntries, type ImageLayout } from './layout.js';
import type { RawImage } from './parse.js';
import { toTicks } from './times.js';

/** There is a stamp for each frame, or for each channel of each frame, in the order of T, then Z. */
export function planeColumns({ stamps, channels }: RawImage, layout: ImageLayout): PlaneColumns {
  const { t, z } = layout;
  const [T, Z, C] = [t.count, z.count, layout.channels.length];
  const isOrdered = t.count === 1 || z.count === 1 || t.increment > z.increment;
  const isPlain = layout.rowAxis === 'Y' && countEntries(layout.wavelengthAxes) * countEntries(layout.sceneAxes) === 1;
  const perZ = stamps.length / ((t.raw?.count ?? 1) * (z.raw?.count ?? 1));
  const first = toTicks(stamps[0]);
  if (!isOrdered || !isPlain || first === undefined || (perZ !== 1 && perZ !== channels.length)) return {};
  const perT = perZ * (z.raw?.count ?? 1);
  const time = Float64Array.from({ length: T * Z * C }, (_, row) => {
    const frame = Math.floor(row / (Z * C)) * perT + (Math.floor(row / C) % Z) * perZ;
    const ticks = toTicks(stamps[perZ === 1 ? frame : frame + layout.channels[row % C]!.index]);
    return ticks === undefined ? Number.NaN : Number(ticks - first) / 1e7;
  });
  return { time };
}
