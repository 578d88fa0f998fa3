/** Parts of a plane, as requests name them. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';

export type Span = readonly [first: number, end: number];

/**
 * Returns the window of a region; a span that is missing is everything.
 * @param show names a span in the message
 * @throws AcqError `region_out_of_range` for a span that is empty or not inside the plane
 */
export function toWindow(
  { rows, columns }: { rows?: readonly number[] | undefined; columns?: readonly number[] | undefined },
  plane: Pick<PlaneData, 'rows' | 'columns'>,
  show: (name: 'rows' | 'columns', span: Span) => string,
): Window {
  const check = (name: 'rows' | 'columns', span: Span): Span => {
    const size = plane[name];
    const [first, end] = span;
    if (first < end && end <= size) return span;
    throw new AcqError(
      'region_out_of_range',
      `${show(name, span)} is outside the plane or empty: the first must be below the end, and the end at most ` +
        `${grouped(size)}.`,
    );
  };
  const [firstRow, endRow] = check('rows', (rows as Span | undefined) ?? [0, plane.rows]);
  const [firstColumn, endColumn] = check('columns', (columns as Span | undefined) ?? [0, plane.columns]);
  return { firstRow, endRow, firstColumn, endColumn };
}
