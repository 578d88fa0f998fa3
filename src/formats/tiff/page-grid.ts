import type { PlaneAddress } from '../../acquisition.js';
import { LIMITS } from '../../io/limits.js';
import { plural } from '../../wording.js';

/** One axis of a stack of pages. Several axes may be of one kind; the first listed is then the faster one. */
export interface GridAxis {
  kind: 'S' | 'C' | 'T' | 'Z';
  size: number;
}

/** Index of the page of a plane; `axes` in the order of the pages, fastest first. */
export function pageInGrid(axes: readonly GridAxis[], address: PlaneAddress): number {
  const rest = { S: address.scene, C: address.channel, T: address.t, Z: address.z };
  let stride = 1;
  let page = 0;
  for (const { kind, size } of axes) {
    page += (rest[kind] % size) * stride;
    rest[kind] = Math.floor(rest[kind] / size);
    stride *= size;
  }
  return page;
}

/** Index along the axes of a kind that page number `page` lies at: the inverse of `pageInGrid`. */
export function indexInGrid(axes: readonly GridAxis[], kind: GridAxis['kind'], page: number): number {
  let rest = page;
  let index = 0;
  let stride = 1;
  for (const axis of axes) {
    if (axis.kind === kind) {
      index += (rest % axis.size) * stride;
      stride *= axis.size;
    }
    rest = Math.floor(rest / axis.size);
  }
  return index;
}

/** Product of the sizes of a kind, of all axes by default. */
export function gridSize(axes: readonly GridAxis[], kind?: GridAxis['kind']): number {
  return axes.reduce((product, axis) => (kind === undefined || axis.kind === kind ? product * axis.size : product), 1);
}

/**
 * The announced axes fitted to the pages that are there: the slowest axis is made as long as whole sets of pages allow,
 * with a warning. Axes that do not fit at all give way to one axis of time.
 */
export function fitGrid(axes: readonly GridAxis[], pages: number, warnings: string[]): GridAxis[] {
  const announced = gridSize(axes);
  const used = axes.filter(({ size }) => size > 1);
  const slowest = used.at(-1);
  const perStep = slowest ? announced / slowest.size : 1;
  const whole = Math.floor(pages / perStep);
  const fitted = used.map((axis) => (axis === slowest ? { kind: axis.kind, size: whole } : axis));
  const sane = gridSize(fitted, 'S') <= LIMITS.scenes && gridSize(fitted, 'C') <= LIMITS.channels;
  if (announced === pages && sane) return used;
  const told = `the file says ${plural(announced, 'plane')} but has ${plural(pages, 'page')}`;
  if (!slowest || whole < 1 || !sane) {
    warnings.push(`${told}; the pages are shown as time points`);
    return [{ kind: 'T', size: pages }];
  }
  const left = pages - whole * perStep;
  warnings.push(
    `${told}; ${whole} of ${slowest.size} along ${slowest.kind} are shown` +
      `${left > 0 ? `; the last ${plural(left, 'page')} of an unfinished one skipped` : ''}`,
  );
  return fitted;
}
