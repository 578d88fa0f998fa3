/** Reads the parameters of analysis requests against the plane that they are about. */
import type { Window } from '../analysis/window.js';
import { AcqError } from '../errors.js';
import type { PlaneData } from '../planes/plane-data.js';
import { grouped } from '../wording.js';
import { validationFailed } from './validation.js';

/**
 * Returns the window of a request; the whole plane without one.
 * @throws AcqError `region_out_of_range`
 */
export function readWindow(
  { rows, columns }: { rows?: string; columns?: string },
  plane: Pick<PlaneData, 'rows' | 'columns'>,
): Window {
  const [firstRow, endRow] = readSpan('rows', rows, plane.rows);
  const [firstColumn, endColumn] = readSpan('columns', columns, plane.columns);
  return { firstRow, endRow, firstColumn, endColumn };
}

function readSpan(name: string, text: string | undefined, size: number): [first: number, end: number] {
  if (text === undefined) return [0, size];
  const [first, end] = text.split(':').map(Number) as [number, number];
  return checkSpan(`\`${name}=${text}\``, first, end, size);
}

/** @throws AcqError `region_out_of_range` for a span that is empty or not inside `size` */
export function checkSpan(shown: string, first: number, end: number, size: number): [first: number, end: number] {
  if (first < end && end <= size) return [first, end];
  throw new AcqError(
    'region_out_of_range',
    `${shown} is outside the plane or empty: the first must be below the end, and the end at most ${grouped(size)}.`,
  );
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
