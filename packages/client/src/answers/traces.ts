/** Checks requests for traces: along the rows of one plane, or along the planes of a channel. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { ColumnRange, PlaneRegion } from '@acquisition-store/readers/derive/analysis/traces.js';
import type { Static } from 'typebox';
import type { TracesRequest } from '../contract/analysis.js';
import type { OpenResponse } from '../contract/open.js';
import { toWindow } from './windows.js';

export type Regions = Static<typeof TracesRequest>['regions'];

interface Shape {
  rows: number;
  columns: number;
}

/**
 * Returns the columns of regions that are followed along the rows.
 * @throws AcqError `region_out_of_range`
 */
export function toColumnRanges(regions: Regions, plane: Shape): ColumnRange[] {
  return regions.map((region, i) => {
    for (const name of ['rows', 'runs'] as const) {
      if (region[name] === undefined) continue;
      throw new AcqError(
        'region_out_of_range',
        `\`regions[${i}].${name}\`: along Y, a region has all rows. Omit \`${name}\`.`,
      );
    }
    const { firstColumn, endColumn } = toRegion(region, i, plane);
    return { first: firstColumn, end: endColumn };
  });
}

/**
 * Returns regions that are followed along planes.
 * @throws AcqError `region_out_of_range`
 */
export function toRegions(regions: Regions, { shape }: OpenResponse['plane']): PlaneRegion[] {
  const [rows = 0, columns = 0] = shape;
  return regions.map((region, i) => toRegion(region, i, { rows, columns }));
}

/**
 * Returns the number of planes of a channel along a dimension.
 * @throws AcqError `selection_out_of_range`
 */
export function countAlong(
  { header, projection }: Pick<OpenResponse, 'header' | 'projection'>,
  along: 'T' | 'Z',
): number {
  const count = header.sizes[along];
  if (count === undefined) {
    throw new AcqError('selection_out_of_range', `\`along\` is ${along}, but the file has no dimension ${along}.`);
  }
  if (projection?.[along] === undefined) return count;
  throw new AcqError(
    'selection_out_of_range',
    `\`along\` is ${along}, but the session is a projection along ${along}.`,
  );
}

function toRegion(region: Regions[number], index: number, plane: Shape): PlaneRegion {
  if (region.runs !== undefined) return toRuns(region, region.runs, index, plane);
  return toWindow(region, plane, (name, [first, end]) => `\`regions[${index}].${name}\` ${first}:${end}`);
}

/** Returns a region of runs with the window around them. */
function toRuns(
  { rows, columns }: Regions[number],
  runs: readonly number[][],
  index: number,
  plane: Shape,
): PlaneRegion {
  const refuse = (text: string) => new AcqError('region_out_of_range', `\`regions[${index}].runs\`: ${text}`);
  if (rows !== undefined || columns !== undefined) throw refuse('omit `rows` and `columns` beside `runs`.');
  let [firstColumn, endColumn] = [plane.columns, 0];
  let before = { row: 0, end: 0 };
  for (const run of runs) {
    const [row, first, end] = run as [number, number, number];
    if (row >= plane.rows || first >= end || end > plane.columns) {
      throw refuse(`the run ${row}, ${first}:${end} is empty or outside the plane.`);
    }
    if (row < before.row || (row === before.row && first < before.end)) {
      throw refuse(`the run ${row}, ${first}:${end} is not below or to the right of the run before it.`);
    }
    before = { row, end };
    firstColumn = Math.min(firstColumn, first);
    endColumn = Math.max(endColumn, end);
  }
  return { firstRow: runs[0]![0]!, endRow: before.row + 1, firstColumn, endColumn, runs };
}
