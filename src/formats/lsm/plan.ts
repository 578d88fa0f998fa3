import { LIMITS } from '../../io/limits.js';
import { grouped, plural } from '../../wording.js';
import type { RawLsmInfo } from './parse.js';

/** Which image holds which plane. Pure. */
export interface ImagePlan {
  /** What the rows of a page run along. */
  rows: 'Y' | 'Z' | 'T';
  positions: number;
  tiles: number;
  /** Positions of all tiles; fewer when the recording stopped before the last one. */
  scenes: number;
  T: number;
  Z: number;
  warnings: string[];
}

/**
 * Rows and further axes of each scan type, slow to fast. Positions and tiles come before all of them, tiles first.
 * Source: the axes that tifffile gives the types, with all channels on each page.
 */
const SCANS: Record<number, { rows: ImagePlan['rows']; axes: readonly ('T' | 'Z')[] }> = {
  0: { rows: 'Y', axes: ['Z'] },
  1: { rows: 'Z', axes: [] },
  2: { rows: 'T', axes: [] },
  3: { rows: 'Y', axes: ['T'] },
  4: { rows: 'Z', axes: ['T'] },
  5: { rows: 'T', axes: [] },
  6: { rows: 'Y', axes: ['T', 'Z'] },
  7: { rows: 'Y', axes: ['T', 'Z'] },
  8: { rows: 'Z', axes: [] },
  9: { rows: 'Z', axes: ['T'] },
  10: { rows: 'T', axes: [] },
};

/** The means of regions over time: columns are no distance. */
export const ROI_MEANS = 5;

/** Fits the announced axes to the `images` that are there. */
export function planImages(info: RawLsmInfo, images: number): ImagePlan {
  const warnings: string[] = [];
  const scan = SCANS[info.scanType];
  if (!scan) warnings.push(`The scan type ${info.scanType} is unknown; the pages are taken for frames.`);
  const { rows, axes } = scan ?? { rows: 'Y', axes: ['T', 'Z'] };
  const { dimensions } = info;
  const positions = Math.max(1, dimensions.P);
  const tiles = Math.max(1, dimensions.M);
  const size = (axis: 'T' | 'Z', listed: readonly string[]) =>
    listed.includes(axis) ? Math.max(1, dimensions[axis]) : 1;
  const announced = { positions, tiles, scenes: positions * tiles, T: size('T', axes), Z: size('Z', axes) };
  // Axes that the type does not name, but the header gives a size.
  const every = ['T', 'Z'].filter((axis) => axis !== rows);
  const wide = { ...announced, T: size('T', every), Z: size('Z', every) };
  const fitted = announced.scenes > LIMITS.scenes ? undefined : fitSizes(announced, wide, images);
  const told = `The file says ${plural(count(announced), 'plane')} but has ${grouped(images)}`;
  if (!fitted) {
    warnings.push(`${told}; all are shown as time points. Their positions, times and depths are unknown.`);
    return { rows, positions: 1, tiles: 1, scenes: 1, T: images, Z: 1, warnings };
  }
  if (count(announced) !== images) {
    const { scenes, T, Z } = fitted;
    const served = `${many(scenes, 'position')} × ${many(T, 'time point')} × ${many(Z, 'depth')}`;
    const left = images - count(fitted);
    const rest = left > 0 ? `; the last ${left} are part of an unfinished set and left out` : '';
    warnings.push(`${told}: ${served} are served${rest}.`);
  }
  return { rows, ...fitted, warnings };
}

function many(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

type Sizes = Pick<ImagePlan, 'positions' | 'tiles' | 'scenes' | 'T' | 'Z'>;

function count({ scenes, T, Z }: Sizes): number {
  return scenes * T * Z;
}

/** Sizes that the images fill, the slowest one as long as whole sets allow; `undefined` when none do. */
function fitSizes(announced: Sizes, wide: Sizes, images: number): Sizes | undefined {
  if (count(announced) === images) return announced;
  if (count(wide) === images) return wide;
  const { scenes, T, Z } = announced;
  // Depths come first in the file: these are the beginning of the first set.
  if (images < Z && count(announced) > Z) return { positions: 1, tiles: 1, scenes: 1, T: 1, Z: images };
  if (scenes > 1 && T === 1 && images < scenes * Z) {
    const whole = Math.floor(images / Z);
    return whole >= 1 ? { ...announced, scenes: whole } : undefined;
  }
  const perStep = scenes * (T > 1 ? Z : 1);
  const whole = Math.floor(images / perStep);
  if (T * Z === 1 || whole < 1 || (scenes > 1 && images % perStep !== 0)) return undefined;
  return T > 1 ? { ...announced, T: whole } : { ...announced, Z: whole };
}

/** Index of the image of a plane. */
export function imageOf(plan: ImagePlan, place: { scene: number; t: number; z: number }): number {
  return (place.scene * plan.T + place.t) * plan.Z + place.z;
}

/** Names of the scenes; a single one has none. */
export function sceneNames(plan: ImagePlan): string[] {
  const names: string[] = [];
  for (let tile = 1; tile <= plan.tiles; tile++) {
    for (let position = 1; position <= plan.positions; position++) {
      const parts = [
        ...(plan.positions > 1 ? [`Position ${position}`] : []),
        ...(plan.tiles > 1 ? [`Tile ${tile}`] : []),
      ];
      names.push(parts.join(', '));
    }
  }
  return names.slice(0, plan.scenes);
}
