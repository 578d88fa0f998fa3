/** The facts of marks as words and as rows of a file. */
import { lineMeasure } from '../analysis/line.ts';
import { regionBetween } from '../analysis/region.ts';
import { planeAxes } from '../image/plane-axes.ts';
import { formatQuantity } from '../image/readout.ts';
import type { Mark, Pane } from '../model/document.ts';
import { lineSummary, measureText } from './summary.ts';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** In a list: the velocity of a line, the size of a region. */
export function markWords(mark: Mark, pane: Pane): string {
  if (mark.kind === 'line') return lineSummary(lineMeasure(mark.from, mark.to, pane.plane.axes));
  const { rows, columns } = regionBetween(mark.from, mark.to, pane.shape);
  return `${rows[1] - rows[0]} × ${columns[1] - columns[0]} px`;
}

/** What is measured without any sample: extents, durations, velocity. */
export function markFacts(mark: Mark, pane: Pane): Fact[] {
  return mark.kind === 'line' ? lineFacts(mark, pane) : regionFacts(mark, pane);
}

function lineFacts({ from, to }: Mark, pane: Pane): Fact[] {
  const measure = lineMeasure(from, to, pane.plane.axes);
  const { seconds, micrometers, velocity, lengthUnit, length } = measure;
  const [down, across] = pane.lineScan ? ['Lines', 'Pixels'] : ['Rows', 'Columns'];
  return [
    { name: down, value: measureText(measure.lines) },
    { name: across, value: measureText(measure.pixels) },
    ...(seconds === null ? [] : [{ name: 'Time', value: formatQuantity(seconds, 'seconds') }]),
    ...(micrometers === null ? [] : [{ name: 'Distance', value: formatQuantity(micrometers, 'micrometer') }]),
    ...(velocity === null ? [] : [{ name: 'Velocity', value: `${measureText(velocity)} µm/s` }]),
    ...(micrometers === null ? [{ name: 'Length', value: `${measureText(length)} px` }] : []),
    ...(lengthUnit === 'micrometer' ? [{ name: 'Angle', value: `${measureText(angle(measure))}°` }] : []),
  ];
}

/** From the horizontal, counter-clockwise, of the image as it is stored. */
function angle({ lines, pixels }: { lines: number; pixels: number }): number {
  return (Math.atan2(-lines, pixels) * 180) / Math.PI;
}

function regionFacts({ from, to }: Mark, pane: Pane): Fact[] {
  const region = regionBetween(from, to, pane.shape);
  const axes = planeAxes(pane);
  const [down, across] = pane.lineScan ? ['Lines', 'Pixels'] : ['Rows', 'Columns'];
  const extent = (name: string, [first, end]: readonly [number, number], axis: (typeof axes)['row']) => {
    const size = axis.calibrated ? ` = ${formatQuantity((end - first) * axis.step, axis.unit)}` : '';
    return { name, value: `${first}–${end - 1}: ${end - first}${size}` };
  };
  return [extent(down!, region.rows, axes.row), extent(across!, region.columns, axes.column)];
}
