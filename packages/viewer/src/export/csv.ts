/** Comma-separated text with decimal points, which every program except some localized versions of Excel can read. */

import type { Shape } from '../model/document.ts';
import type { MeasuredAxis } from '../model/measured-axis.ts';
import { formatNumber, shortest } from '../model/number-text.ts';
import type { ServedAxis } from '../model/plane.ts';
import type { Samples } from '../model/samples.ts';
import { type Pause, pauseEvery } from '../model/yield-to-page.ts';

/** Title of the column that says which steps were entered by hand. */
export const NOTE_TITLE = 'calibration';

/** Max samples of a CSV file: 20 million samples are about 150 MB of text. */
const MAX_CSV_SAMPLES = 20_000_000;

const SYMBOLS: Record<string, string> = { seconds: 's', micrometer: 'um' };

/** Returns `time (s)`, `y (um)` or `z (um)`; `line` or `pixel` without calibration. */
export function axisTitle(axis: ServedAxis, lineScan: boolean): string {
  const symbol = SYMBOLS[axis.unit];
  if (axis.unit === 'seconds') return `time (${symbol})`;
  if (symbol !== undefined) return `${axis.label ?? (axis.arrayDimension === 0 ? 'y' : 'x')} (${symbol})`;
  if (axis.arrayDimension === 1) return 'pixel';
  return lineScan ? 'line' : 'row';
}

/**
 * Returns the position of the middle of a sample on its axis, as the status line shows it; rounded, so that 2.5 × 0.2 is
 * 0.5. `measured` has the time stamps of an axis of time; NaN where the file has none.
 */
export function axisValue(axis: ServedAxis, index: number, measured: MeasuredAxis | null = null): number {
  if (SYMBOLS[axis.unit] === undefined) return index;
  const isMeasured = measured !== null && axis.unit === 'seconds';
  return Number((isMeasured ? measured.values[index]! : (index + 0.5) * axis.step).toPrecision(12));
}

/** Returns a sample as the shortest decimal that converts to the same float32. */
export function sampleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  return String(shortest(value));
}

interface CsvOptions {
  readonly lineScan?: boolean;
  /** What the first cell says besides the titles of the axes. */
  readonly note?: string | null;
  /** When each row was recorded. */
  readonly rowTimes?: MeasuredAxis | null;
  /** Row and column of the first sample, when this is a part of a plane. */
  readonly origin?: readonly [row: number, column: number];
  readonly signal?: AbortSignal;
  /** Called with the fraction done, 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
  readonly pause?: Pause;
}

/**
 * Returns one line of text per row of the plane: its position, then its samples. The first line has the positions of
 * the columns.
 * @throws RangeError above `MAX_CSV_SAMPLES`
 */
export async function planeCsvParts(
  data: Samples,
  [rows, columns]: Shape,
  axes: readonly [ServedAxis, ServedAxis],
  {
    lineScan = false,
    note = null,
    rowTimes = null,
    origin: [top, left] = [0, 0],
    signal,
    onProgress,
    pause = pauseEvery(8),
  }: CsvOptions = {},
): Promise<string[]> {
  if (data.length > MAX_CSV_SAMPLES) {
    throw new RangeError(
      `The plane has ${formatNumber(data.length)} samples; CSV is limited to ${formatNumber(MAX_CSV_SAMPLES)}. Save it as .npy or TIFF.`,
    );
  }
  const [y, x] = axes;
  const titles = Array.from({ length: columns }, (_, column) => axisValue(x, left + column));
  const corner = `${axisTitle(y, lineScan)} \\ ${axisTitle(x, lineScan)}${note === null ? '' : `; ${note}`}`;
  const parts = [`${quoted(corner)},${titles.join(',')}\n`];
  for (let row = 0; row < rows; row++) {
    const texts = [numberText(axisValue(y, top + row, rowTimes))];
    for (let i = row * columns; i < (row + 1) * columns; i++) texts.push(sampleText(data[i]!));
    parts.push(`${texts.join(',')}\n`);
    onProgress?.((row + 1) / rows);
    await pause(signal);
  }
  return parts;
}

export interface TableColumn {
  readonly title: string;
  readonly values: ArrayLike<number>;
}

/** Returns columns with their titles as CSV. A note is in the first row of a column of its own. */
export function columnsCsv(columns: readonly TableColumn[], note: string | null = null): string {
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const noted = (text: string) => (note === null ? [] : [quoted(text)]);
  const lines = [[...columns.map(({ title }) => quoted(title)), ...noted(NOTE_TITLE)].join(',')];
  for (let i = 0; i < length; i++) {
    const cells = columns.map(({ values }) => (i < values.length ? numberText(values[i]!) : ''));
    lines.push([...cells, ...noted(i === 0 ? (note ?? '') : '')].join(','));
  }
  return `${lines.join('\n')}\n`;
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(12))) : sampleText(value);
}

/** Quotes text where needed, and prevents that a spreadsheet runs a name as a formula. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
