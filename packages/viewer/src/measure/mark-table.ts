/** Measurements of marks as text. */
import { endValue, placeValue, planeAxes } from '../image/plane-axes.ts';
import type { Mark, Pane } from '../model/document.ts';
import { isArea, isBox } from '../model/mark-kind.ts';
import { formatNumber, formatQuantity } from '../model/number-text.ts';
import { areaUnit, markArea } from './mark-area.ts';
import { markBounds } from './mark-region.ts';
import { lineSummary, measureMark } from './summary.ts';

interface Measurement {
  readonly name: string;
  readonly value: string;
}

/** Returns a short text for lists: the velocity of a line or the size of a region. */
export function markWords(mark: Mark, pane: Pane): string {
  if (mark.kind === 'point') return '';
  if (!isArea(mark.kind)) return lineSummary(measureMark(mark, pane));
  if (!isBox(mark.kind)) return areaText(mark, pane);
  const { rows, columns } = markBounds(mark, pane.shape);
  const [down, across] = [rows, columns].map(([first, end]) => formatNumber(end - first));
  // The width of an image comes first, as in its size.
  return pane.lineScan ? `${down} lines × ${across} px` : `${across} × ${down} px`;
}

/** Returns measurements that need no samples: extents, durations, velocity. */
export function markDetails(mark: Mark, pane: Pane): Measurement[] {
  const details = mark.kind === 'point' ? [] : isArea(mark.kind) ? regionDetails(mark, pane) : lineDetails(mark, pane);
  const plane = planeText(mark);
  return plane === '' ? details : [...details, { name: 'Plane', value: plane }];
}

/** Returns the plane on which ImageJ shows a mark: `C 2 · T 3`; empty for all. */
function planeText({ plane = {} }: Mark): string {
  return (['c', 'z', 't'] as const)
    .flatMap((dim) => (plane[dim] === undefined ? [] : [`${dim.toUpperCase()} ${formatNumber(plane[dim])}`]))
    .join(' · ');
}

function lineDetails(mark: Mark, pane: Pane): Measurement[] {
  const measure = measureMark(mark, pane);
  const { seconds, micrometers, velocity, lengthUnit, length } = measure;
  const [down, across] = pane.lineScan ? ['Lines', 'Pixels'] : ['Rows', 'Columns'];
  return [
    { name: down, value: formatNumber(measure.lines) },
    { name: across, value: formatNumber(measure.pixels) },
    ...(seconds === null ? [] : [{ name: 'Time', value: formatQuantity(seconds, 'seconds') }]),
    ...(micrometers === null ? [] : [{ name: 'Distance', value: formatQuantity(micrometers, 'micrometer') }]),
    ...(velocity === null ? [] : [{ name: 'Velocity', value: `${formatNumber(velocity)} µm/s` }]),
    ...(micrometers === null ? [{ name: 'Length', value: `${formatNumber(length)} px` }] : []),
    ...(lengthUnit === 'micrometer' ? [{ name: 'Angle', value: `${formatNumber(angle(measure))}°` }] : []),
  ];
}

/** Returns the angle from the horizontal, counterclockwise, in the image as it is stored. */
function angle({ lines, pixels }: { lines: number; pixels: number }): number {
  return (Math.atan2(-lines, pixels) * 180) / Math.PI;
}

function areaText(mark: Mark, pane: Pane): string {
  return `${formatNumber(markArea(mark, pane) ?? 0)} ${areaUnit(pane)}`;
}

function regionDetails(mark: Mark, pane: Pane): Measurement[] {
  const region = markBounds(mark, pane.shape);
  const axes = planeAxes(pane);
  const [down, across] = pane.lineScan ? ['Lines', 'Pixels'] : ['Rows', 'Columns'];
  const extent = (name: string, [first, end]: readonly [number, number], axis: (typeof axes)['row']) => {
    const size = axis.calibrated
      ? ` = ${formatQuantity(endValue(axis, end) - placeValue(axis, first), axis.unit)}`
      : '';
    return { name, value: `${formatNumber(first)}–${formatNumber(end - 1)}: ${formatNumber(end - first)}${size}` };
  };
  return [
    extent(down!, region.rows, axes.row),
    extent(across!, region.columns, axes.column),
    { name: 'Area', value: areaText(mark, pane) },
  ];
}
