/** Reads the parameters of analysis requests against the plane that they are about. */

import { type Span, toWindow } from '@acquisition-store/client/answers/windows.js';
import { type AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';

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
  return invalidRequest(['query', name], `\`${name}\` ${rule}`, type);
}
