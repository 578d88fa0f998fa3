/** Orders stacks whose positions are beside each plane, so that they are read only where they are needed. */
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import { type DepthOrder, orderByDepth } from './depth-order.js';

export interface VolumePositions {
  T: number;
  Z: number;
  /** Time points whose first section is looked at. */
  times: readonly number[];
  /** Returns the position of a plane in µm; `undefined` where it is unknown. */
  at(t: number, z: number): number | undefined;
  /** The positions, in the plural, for messages. */
  what: string;
  /** Distance of the sections that was set, in µm. */
  set?: number | undefined;
  /** Planes whose positions may be read. */
  max: number;
}

export interface VolumeOrder {
  /** Absent when the planes are in order, or may not be read. */
  order?: DepthOrder;
  warnings: readonly string[];
}

/**
 * Reads all positions only when the first sections of some time points are elsewhere than at the first one: stacks that
 * are scanned back and forth, or that drift. With too many planes, that is only said.
 */
export function orderVolumes(volumes: VolumePositions): VolumeOrder {
  const { T, Z, times, what, set, max } = volumes;
  if (T < 2 || Z < 2) return { warnings: [] };
  const at = (t: number, z: number) => volumes.at(t, z) ?? Number.NaN;
  const stack = (t: number) => Array.from({ length: Z }, (_, z) => at(t, z));
  const later = times.filter((t) => t > 0);
  const reference = stack(0);
  const seen = orderByDepth([reference, ...later.map((t) => [at(t, 0)])], what, set);
  if (seen.warnings.length === 0) return { warnings: [] };
  if (T * Z <= max) {
    const order = orderByDepth([reference, ...Array.from({ length: T - 1 }, (_, i) => stack(i + 1))], what, set);
    return { order, warnings: order.warnings };
  }
  const moved = later.find((t) => orderByDepth([reference, [at(t, 0)]], what, set).warnings.length > 0)!;
  const distance = Math.abs(at(moved, 0) - reference[0]!);
  return {
    warnings: [
      asInconsistent(
        `Stacks of some time points are at other depths or run in another order: by the ${what}, Z = 0 at T = ` +
          `${grouped(moved)} is ${Number(distance.toPrecision(4))} µm from where it was first. With so many planes they are ` +
          'shown by their numbers, so an index Z may be at different depths.',
      ),
    ],
  };
}
