import type { Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { type PlaneAxis, planeAxes } from './plane-axes.ts';
import { scaleFor } from './ticks.ts';

/** Formats a float32 sample with all its digits and no more: 0.1, not 0.10000000149011612. */
export function formatSample(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  return minus(String(shortest(value)));
}

/** Returns the shortest decimal that converts to the same float32. */
export function shortest(value: number): number {
  if (Number.isInteger(value)) return value;
  for (let digits = 6; digits < 10; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

/**
 * Formats a position on an axis in the unit of its whole length, with enough digits to distinguish neighboring samples.
 */
export function formatAxisValue(value: number, axis: Pick<PlaneAxis, 'unit' | 'step' | 'size'>): string {
  const { unit, factor } = scaleFor(axis.unit, axis.step * axis.size);
  if (unit === '') return minus(String(Number(value.toPrecision(6))));
  const decimals = Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(axis.step * factor))));
  return `${minus((value * factor).toFixed(decimals))} ${unit}`;
}

/** Formats a length or duration in a suitable unit with `digits` significant digits: `1.17 ms`. */
export function formatQuantity(value: number, unit: string, digits = 4): string {
  const scale = scaleFor(unit, value);
  const text = minus(String(Number((value * scale.factor).toPrecision(digits))));
  return scale.unit === '' ? text : `${text} ${scale.unit}`;
}

/** Returns the row and column of the sample at a point; null outside of the plane. */
export function sampleAt({ row, column }: PlanePoint, [rows, columns]: readonly [number, number]): PlanePoint | null {
  const at = { row: Math.floor(row), column: Math.floor(column) };
  return at.row >= 0 && at.row < rows && at.column >= 0 && at.column < columns ? at : null;
}

interface CursorSample {
  readonly row: number;
  readonly column: number;
  /** `line 5 · pixel 12`, or `y 5 · x 12` when the image is not a line scan. */
  readonly position: string;
  /** Middle of the sample in the units of the calibrated axes: `5.85 ms · 3.41 µm`; empty without calibration. */
  readonly calibrated: string;
  /** Value of each channel; null while it is not loaded. */
  readonly values: readonly { readonly index: number; readonly name: string; readonly value: string | null }[];
}

/** Describes the sample under the cursor; null when there is none. */
export function cursorSample(pane: Pane): CursorSample | null {
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  if (!at) return null;
  const { row, column } = planeAxes(pane);
  const [vertical, horizontal] = pane.lineScan ? ['line', 'pixel'] : [row.quantity, 'x'];
  // Time and position have different units; two positions need their letters.
  const letter = (axis: PlaneAxis) => (pane.lineScan ? '' : `${axis.quantity} `);
  const calibrated = [
    row.calibrated ? letter(row) + formatAxisValue((at.row + 0.5) * row.step, row) : '',
    column.calibrated ? letter(column) + formatAxisValue((at.column + 0.5) * column.step, column) : '',
  ];
  return {
    ...at,
    position: `${vertical} ${at.row} · ${horizontal} ${at.column}`,
    calibrated: calibrated.filter(Boolean).join(' · '),
    values: pane.channels.map(({ index, name, data }) => {
      const value = data.value?.[at.row * pane.shape[1] + at.column];
      return { index, name, value: value === undefined ? null : formatSample(value) };
    }),
  };
}

/** Returns the heading of a pane: `30000×38 px · 1.17 ms/line × 0.284 µm/px`. */
export function paneHeading(pane: Pick<Pane, 'plane' | 'lineScan' | 'shape'>): string {
  const axes = planeAxes(pane);
  const size = `${pane.shape[0]}×${pane.shape[1]} px`;
  const step = ({ step, unit, calibrated, sample }: PlaneAxis) =>
    calibrated ? `${stepQuantity(step, unit)}/${sample === 'line' ? 'line' : 'px'}` : 'no calibration';
  const [row, column] = [step(axes.row), step(axes.column)];
  return `${size} · ${row === column ? row : `${row} × ${column}`}`;
}

/** Formats a step. Pixel sizes are given in µm down to 0.01, as is usual. */
function stepQuantity(step: number, unit: string): string {
  if (unit === 'micrometer' && step >= 0.01 && step < 1) return `${Number(step.toPrecision(4))} µm`;
  return formatQuantity(step, unit);
}

function minus(text: string): string {
  return text.replace('-', '−').replace('e−', 'e-');
}
