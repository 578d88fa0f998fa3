import type { Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { type PlaneAxis, planeAxes } from './plane-axes.ts';
import { scaleFor } from './ticks.ts';

/** A served sample (a float32) with all its digits and no more: 0.1, not 0.10000000149011612. */
export function formatSample(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  return minus(String(shortest(value)));
}

/** The shortest decimal that is the same float32 again. */
export function shortest(value: number): number {
  if (Number.isInteger(value)) return value;
  for (let digits = 6; digits < 10; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

/** Place along an axis, in the unit that its whole length is told in, with the digits that tell neighbors apart. */
export function formatAxisValue(value: number, axis: Pick<PlaneAxis, 'unit' | 'step' | 'size'>): string {
  const { unit, factor } = scaleFor(axis.unit, axis.step * axis.size);
  if (unit === '') return minus(String(Number(value.toPrecision(6))));
  const decimals = Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(axis.step * factor))));
  return `${minus((value * factor).toFixed(decimals))} ${unit}`;
}

/** A length or duration by itself, in the unit that suits it, to `digits` digits: `1.17 ms`. */
export function formatQuantity(value: number, unit: string, digits = 4): string {
  const scale = scaleFor(unit, value);
  const text = minus(String(Number((value * scale.factor).toPrecision(digits))));
  return scale.unit === '' ? text : `${text} ${scale.unit}`;
}

/** Index of the sample that a point is in; null beyond the plane. */
export function sampleAt({ row, column }: PlanePoint, [rows, columns]: readonly [number, number]): PlanePoint | null {
  const at = { row: Math.floor(row), column: Math.floor(column) };
  return at.row >= 0 && at.row < rows && at.column >= 0 && at.column < columns ? at : null;
}

export interface CursorFacts {
  readonly row: number;
  readonly column: number;
  /** `line 5 · pixel 12`; in an image that is no line scan `y 5 · x 12`. */
  readonly place: string;
  /** Where the sample begins, in the units of the calibrated axes: `5.85 ms · 3.41 µm`; empty without calibration. */
  readonly calibrated: string;
  /** Of each channel: null while it is not loaded. */
  readonly values: readonly { readonly index: number; readonly name: string; readonly value: string | null }[];
}

/** What the page says of the sample under the cursor; null when there is none. */
export function cursorFacts(pane: Pane): CursorFacts | null {
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  if (!at) return null;
  const { row, column } = planeAxes(pane);
  const [vertical, horizontal] = pane.lineScan ? ['line', 'pixel'] : [row.quantity, 'x'];
  // Time and position are told apart by their units, two positions are not.
  const letter = (axis: PlaneAxis) => (pane.lineScan ? '' : `${axis.quantity} `);
  const calibrated = [
    row.calibrated ? letter(row) + formatAxisValue(at.row * row.step, row) : '',
    column.calibrated ? letter(column) + formatAxisValue(at.column * column.step, column) : '',
  ];
  return {
    ...at,
    place: `${vertical} ${at.row} · ${horizontal} ${at.column}`,
    calibrated: calibrated.filter(Boolean).join(' · '),
    values: pane.channels.map(({ index, name, data }) => {
      const value = data.value?.[at.row * pane.shape[1] + at.column];
      return { index, name, value: value === undefined ? null : formatSample(value) };
    }),
  };
}

/** Of a pane: `30000×38 px · 1.17 ms/line × 0.284 µm/px`. */
export function paneHeading(pane: Pick<Pane, 'plane' | 'lineScan' | 'shape'>): string {
  const axes = planeAxes(pane);
  const size = `${pane.shape[0]}×${pane.shape[1]} px`;
  const step = ({ step, unit, calibrated, sample }: PlaneAxis) =>
    calibrated ? `${stepQuantity(step, unit)}/${sample === 'line' ? 'line' : 'px'}` : 'no calibration';
  const [row, column] = [step(axes.row), step(axes.column)];
  return `${size} · ${row === column ? row : `${row} × ${column}`}`;
}

/** Sizes of pixels are told in µm down to 0.01, as is the habit. */
function stepQuantity(step: number, unit: string): string {
  if (unit === 'micrometer' && step >= 0.01 && step < 1) return `${Number(step.toPrecision(4))} µm`;
  return formatQuantity(step, unit);
}

function minus(text: string): string {
  return text.replace('-', '−').replace('e−', 'e-');
}
