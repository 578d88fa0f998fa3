import type { Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { formatFixed, formatNumber, formatQuantity, formatSample } from '../model/number-text.ts';
import { scaleFor } from '../model/units.ts';
import type { CursorSample } from './cursor-sample.ts';
import { paneState } from './pane-state.ts';
import { type PlaneAxis, planeAxes, rowsOf, sampleValue } from './plane-axes.ts';

/**
 * Formats a position on an axis in the unit of its whole length, with enough digits to distinguish neighboring samples.
 */
export function formatAxisValue(value: number, axis: Pick<PlaneAxis, 'unit' | 'step' | 'size'>): string {
  const { unit, factor } = scaleFor(axis.unit, axis.step * axis.size);
  if (unit === '') return formatNumber(value, 6);
  return `${formatFixed(value * factor, 2 - Math.floor(Math.log10(axis.step * factor)))} ${unit}`;
}

/** Returns the row and column of the sample at a point; null outside of the plane. */
export function sampleAt({ row, column }: PlanePoint, [rows, columns]: readonly [number, number]): PlanePoint | null {
  const at = { row: Math.floor(row), column: Math.floor(column) };
  return at.row >= 0 && at.row < rows && at.column >= 0 && at.column < columns ? at : null;
}

/** Describes the sample under the cursor; null when there is none. */
export function cursorSample(pane: Pane): CursorSample | null {
  const orthogonal = paneState(pane).orthogonal.value;
  if (orthogonal !== null) return orthogonal.read();
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  if (!at) return null;
  const { row, column } = planeAxes(pane);
  const [vertical, horizontal] = pane.lineScan ? ['line', 'pixel'] : [row.quantity, 'x'];
  // Time and position have different units; two positions need their letters.
  const letter = (axis: PlaneAxis) => (pane.lineScan ? '' : `${axis.quantity} `);
  const calibrated = [
    row.calibrated ? letter(row) + formatAxisValue(sampleValue(row, at.row), row) : '',
    column.calibrated ? letter(column) + formatAxisValue(sampleValue(column, at.column), column) : '',
  ];
  return {
    ...at,
    position: `${vertical} ${formatNumber(at.row)} · ${horizontal} ${formatNumber(at.column)}`,
    calibrated: calibrated.filter(Boolean).join(' · '),
    values: pane.channels.map(({ index, name, data, far }) => {
      const value = data.value?.[at.row * pane.shape[1] + at.column] ?? far.value?.sampleAt(at.row, at.column);
      return { index, name, value: value === undefined ? null : formatSample(value) };
    }),
  };
}

/**
 * Returns the heading of a pane: `30,000 lines × 38 px · 1.17 ms/line × 0.284 µm/px`; the width of an image comes first,
 * as everywhere: `640 × 480 px · 0.284 µm/px`. `byHand` says that the user has entered a step. Lines with uneven times have
 * the median of their periods, and the length of all pauses between them.
 */
export function paneHeading(
  pane: Pick<Pane, 'plane' | 'lineScan' | 'shape'> & Partial<Pick<Pane, 'rowTimes'>>,
  byHand = false,
): string {
  const axes = planeAxes(pane);
  const [rows, columns] = pane.shape.map((size) => formatNumber(size));
  const size = pane.lineScan ? `${rows} lines × ${columns} px` : `${columns} × ${rows} px`;
  const lying = rowsOf(pane);
  const step = ({ step, unit, calibrated, sample, measured }: PlaneAxis) => {
    if (!calibrated) return 'no calibration';
    if (lying && measured) return `median ${stepQuantity(lying.axis.typical, unit)}/line`;
    return `${stepQuantity(step, unit)}/${sample === 'line' ? 'line' : 'px'}`;
  };
  const [row, column] = [step(axes.row), step(axes.column)];
  const steps = pane.lineScan ? `${row} × ${column}` : `${column} × ${row}`;
  const paused = lying?.gaps.reduce((sum, { from, to }) => sum + to - from, 0) ?? 0;
  const pauses = paused > 0 ? ` · ${formatQuantity(paused, 'seconds', 3)} not recorded` : '';
  return `${size} · ${row === column ? row : steps}${byHand ? ', entered by hand' : ''}${pauses}`;
}

/** Formats a step. Pixel sizes are given in µm down to 0.01, as is usual. */
function stepQuantity(step: number, unit: string): string {
  if (unit === 'micrometer' && step >= 0.01 && step < 1) return `${formatNumber(step)} µm`;
  return formatQuantity(step, unit);
}
