import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { RawLsmInfo } from './parse.js';

/** Which image contains which plane. */
export interface ImagePlan {
  /** Axis of the rows of a page. */
  rows: 'Y' | 'Z' | 'T';
  positions: number;
  tiles: number;
  /** Positions of all tiles; fewer when the recording was stopped before the last one. */
  scenes: number;
  T: number;
  Z: number;
  warnings: string[];
}

/**
 * Rows and further axes of each scan type, slow to fast. Positions and tiles are slower than all of them, tiles slowest.
 * Source: the axes that tifffile gives to the types, with all channels on each page.
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

/** Means of regions over time: columns are not distances. */
export const ROI_MEANS = 5;

/** Fits the dimensions of the header to the number of images in the file. */
export function planImages(info: RawLsmInfo, images: number): ImagePlan {
  const warnings: string[] = [];
  const scan = SCANS[info.scanType];
  if (!scan) warnings.push(`Scan type ${info.scanType} is unknown. The pages are assumed to be frames.`);
  const { rows, axes } = scan ?? { rows: 'Y', axes: ['T', 'Z'] };
  const { dimensions } = info;
  const positions = Math.max(1, dimensions.P);
  const tiles = Math.max(1, dimensions.M);
  const size = (axis: 'T' | 'Z', listed: readonly string[]) =>
    listed.includes(axis) ? Math.max(1, dimensions[axis]) : 1;
  const expected = { positions, tiles, scenes: positions * tiles, T: size('T', axes), Z: size('Z', axes) };
  // Includes axes that have a size in the header although the scan type lacks them.
  const all = ['T', 'Z'].filter((axis) => axis !== rows);
  const extended = { ...expected, T: size('T', all), Z: size('Z', all) };
  const fitted = expected.scenes > LIMITS.scenes ? undefined : fitSizes(expected, extended, images);
  const mismatch = `The header says ${plural(countPlanes(expected), 'plane')}, but the file has ${grouped(images)}.`;
  if (!fitted) {
    warnings.push(`${mismatch} Showing all as time points, because their positions, times and depths are unknown.`);
    return { rows, positions: 1, tiles: 1, scenes: 1, T: images, Z: 1, warnings };
  }
  if (countPlanes(expected) !== images) {
    const { scenes, T, Z } = fitted;
    const shown = `${plural(scenes, 'position')} × ${plural(T, 'time point')} × ${plural(Z, 'depth')}`;
    const skipped = images - countPlanes(fitted);
    const last = skipped === 1 ? 'last plane' : `last ${grouped(skipped)} planes`;
    const rest = skipped > 0 ? ` Skipped the ${last}, from an incomplete set.` : '';
    warnings.push(`${mismatch} Showing ${shown}.${rest}`);
  }
  return { rows, ...fitted, warnings };
}

type Sizes = Pick<ImagePlan, 'positions' | 'tiles' | 'scenes' | 'T' | 'Z'>;

function countPlanes({ scenes, T, Z }: Sizes): number {
  return scenes * T * Z;
}

/** Returns sizes that the images fill, the slowest one shortened to complete sets; `undefined` when there are none. */
function fitSizes(expected: Sizes, extended: Sizes, images: number): Sizes | undefined {
  if (countPlanes(expected) === images) return expected;
  if (countPlanes(extended) === images) return extended;
  const { scenes, T, Z } = expected;
  // Depths change fastest, so these are the beginning of the first set.
  if (images < Z && countPlanes(expected) > Z) return { positions: 1, tiles: 1, scenes: 1, T: 1, Z: images };
  if (scenes > 1 && T === 1 && images < scenes * Z) {
    const whole = Math.floor(images / Z);
    return whole >= 1 ? { ...expected, scenes: whole } : undefined;
  }
  const perStep = scenes * (T > 1 ? Z : 1);
  const whole = Math.floor(images / perStep);
  if (T * Z === 1 || whole < 1 || (scenes > 1 && images % perStep !== 0)) return undefined;
  return T > 1 ? { ...expected, T: whole } : { ...expected, Z: whole };
}

/** Returns the index of the image of a plane. */
export function imageIndex(plan: ImagePlan, address: { scene: number; t: number; z: number }): number {
  return (address.scene * plan.T + address.t) * plan.Z + address.z;
}

/** Returns the names of the scenes; a single scene has none. */
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
