import { LIMITS } from '../../base/limits.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { type GridAxis, gridSize } from '../../model/metadata/mixed-radix.js';

/** Page axes that match the pages of a file, and a warning when the file describes others. */
export interface FittedGrid {
  axes: GridAxis[];
  note?: string;
}

/**
 * Returns the described axes if they match the number of pages. Otherwise the slowest axis gets as many steps as there
 * are complete sets of pages, or, if the axes cannot match at all, every page is a time point.
 */
export function fitGrid(described: readonly GridAxis[], pages: number): FittedGrid {
  const planes = gridSize(described);
  const used = described.filter(({ size }) => size > 1);
  const slowest = used.at(-1);
  const pagesPerStep = slowest ? planes / slowest.size : 1;
  const complete = Math.floor(pages / pagesPerStep);
  const axes = used.map((axis) => (axis === slowest ? { kind: axis.kind, size: complete } : axis));
  const withinLimits = gridSize(axes, 'S') <= LIMITS.scenes && gridSize(axes, 'C') <= LIMITS.channels;
  if (planes === pages && withinLimits) return { axes: used };
  const mismatch = `The file says ${plural(planes, 'plane')}, but has ${plural(pages, 'page')}`;
  if (!slowest || complete < 1 || !withinLimits) {
    return {
      axes: [{ kind: 'T', size: pages }],
      note: asInconsistent(`${mismatch}. Showing the pages as time points.`),
    };
  }
  const left = pages - complete * pagesPerStep;
  const skipped =
    left > 0
      ? ` The last ${left === 1 ? 'page' : plural(left, 'page')}, of an incomplete step, ${left === 1 ? 'was' : 'were'} skipped.`
      : '';
  return {
    axes,
    note: asInconsistent(
      `${mismatch}. Showing ${grouped(complete)} of ${grouped(slowest.size)} along ${slowest.kind}.${skipped}`,
    ),
  };
}
