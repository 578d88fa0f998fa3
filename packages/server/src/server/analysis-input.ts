/** Reads the parameters of analysis requests against the plane that they are about. */

import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { validationFailed } from './validation.js';

type Span = readonly [first: number, end: number];

/**
 * Returns the window that a query names; the whole plane without one.
 * @throws AcqError `region_out_of_range`
 */
export function readWindow(
  { rows, columns }: { rows?: string; columns?: string },
  plane: Pick<PlaneData, 'rows' | 'columns'>,
): Window {
  const show = (name: string, [first, end]: Span) => `\`${name}=${first}:${end}\``;
  return toWindow({ rows: parseSpan(rows), columns: parseSpan(columns) }, plane, show);
}

function parseSpan(text: string | undefined): Span | undefined {
  return text?.split(':').map(Number) as unknown as Span | undefined;
}

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

/**
 * Returns numbers that are separated by commas.
 * @throws AcqError `request_validation_failed`
 */
export function readNumbers(
  name: string,
  text: string | undefined,
  { min = -Infinity, max = Infinity, maxCount = Infinity } = {},
): number[] {
  if (text === undefined) return [];
  const numbers = text.split(',').map(Number);
  if (numbers.length > maxCount) throw invalid(name, `must have at most ${grouped(maxCount)} entries`, 'too_long');
  if (!numbers.every((number) => Number.isFinite(number) && number >= min && number <= max)) {
    const range = Number.isFinite(min) ? ` from ${min} to ${max}` : '';
    throw invalid(name, `must have finite numbers${range}`, 'out_of_range');
  }
  return numbers;
}

/** Returns the fault of a query parameter. */
export function invalid(name: string, rule: string, type: string): AcqError {
  return validationFailed([{ location: ['query', name], message: `\`${name}\` ${rule}`, type }]);
}
