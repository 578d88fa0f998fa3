/** Numbers as comma-separated text with a point for decimals, as every program but a localized Excel reads it. */
import type { Plane } from '../../../src/contract/open.js';
import { shortest } from '../image/readout.ts';
import type { Shape } from '../model/document.ts';
import { type Pause, pauseEvery } from '../model/yield-to-page.ts';

type Axis = Plane['axes'][number];

/** More than that is no use as text: 20 million samples are some 150 MB. */
export const CSV_SAMPLES = 20_000_000;

const SYMBOLS: Record<string, string> = { seconds: 's', micrometer: 'um' };

/** `time (s)`, `y (um)`, `z (um)`, or the plain count `line`, `pixel` without calibration. */
export function axisTitle(axis: Axis, lineScan: boolean): string {
  const symbol = SYMBOLS[axis.unit];
  if (axis.unit === 'seconds') return `time (${symbol})`;
  if (symbol !== undefined) return `${axis.label ?? (axis.arrayDimension === 0 ? 'y' : 'x')} (${symbol})`;
  if (axis.arrayDimension === 1) return 'pixel';
  return lineScan ? 'line' : 'row';
}

/** Where a sample lies along its axis, without the noise of binary fractions: 3 × 0.1 is 0.3. */
export function axisValue(axis: Axis, index: number): number {
  return SYMBOLS[axis.unit] === undefined ? index : Number((index * axis.step).toPrecision(12));
}

/** A sample as the shortest decimal that is the same float32 again. */
export function sampleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  return String(shortest(value));
}

interface CsvOptions {
  readonly lineScan?: boolean;
  readonly signal?: AbortSignal;
  /** Part done, 0 to 1. */
  readonly told?: (fraction: number) => void;
  readonly pause?: Pause;
}

/**
 * One line of text per row of the plane: first its place, then its samples; above them the places of the columns.
 * @throws RangeError above `CSV_SAMPLES`
 */
export async function planeCsvParts(
  data: Float32Array,
  [rows, columns]: Shape,
  axes: readonly [Axis, Axis],
  { lineScan = false, signal, told, pause = pauseEvery(8) }: CsvOptions = {},
): Promise<string[]> {
  if (data.length > CSV_SAMPLES) {
    throw new RangeError(`${data.length} samples are too many for text. Save the plane as .npy or TIFF.`);
  }
  const [y, x] = axes;
  const titles = Array.from({ length: columns }, (_, column) => axisValue(x, column));
  const parts = [`${quoted(`${axisTitle(y, lineScan)} \\ ${axisTitle(x, lineScan)}`)},${titles.join(',')}\n`];
  for (let row = 0; row < rows; row++) {
    const texts = [String(axisValue(y, row))];
    for (let i = row * columns; i < (row + 1) * columns; i++) texts.push(sampleText(data[i]!));
    parts.push(`${texts.join(',')}\n`);
    told?.((row + 1) / rows);
    await pause(signal);
  }
  return parts;
}

/** Columns of equal length under their titles. */
export function columnsCsv(columns: readonly { title: string; values: ArrayLike<number> }[]): string {
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const lines = [columns.map(({ title }) => quoted(title)).join(',')];
  for (let i = 0; i < length; i++) {
    lines.push(columns.map(({ values }) => (i < values.length ? numberText(values[i]!) : '')).join(','));
  }
  return `${lines.join('\n')}\n`;
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(12))) : sampleText(value);
}

/** Quotes what needs quotes. A name that a spreadsheet would run as a formula is text. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
