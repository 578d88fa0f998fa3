/** The values at a point, for a spreadsheet. */
import { planeAxes, sampleValue } from '../image/plane-axes.ts';
import { sampleAt } from '../image/readout.ts';
import type { Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { shortest } from '../model/number-text.ts';
import { SIDES, sideTitle } from './mark-positions.ts';

/**
 * Returns a line of titles and a line of values, separated by tabs: line and pixel, their middle in seconds and µm, and
 * the sample of each channel. Null outside of the plane.
 */
export function valuesAt(pane: Pane, point: PlanePoint): string | null {
  const at = sampleAt(point, pane.shape);
  if (at === null) return null;
  const axes = planeAxes(pane);
  const calibrated = SIDES.filter((side) => axes[side].calibrated);
  const cells: [string, string | number][] = [
    [pane.lineScan ? 'line' : 'row', at.row],
    [pane.lineScan ? 'pixel' : 'column', at.column],
    ...calibrated.map((side): [string, number] => [sideTitle(pane, side), sampleValue(axes[side], at[side])]),
    ...pane.channels.map(({ name, data, far }): [string, string | number] => {
      const value = data.value?.[at.row * pane.shape[1] + at.column] ?? far.value?.sampleAt(at.row, at.column);
      return [name.replaceAll(/[\t\r\n]/g, ' '), value === undefined ? '' : shortest(value)];
    }),
  ];
  return [0, 1].map((i) => cells.map((cell) => cell[i]).join('\t')).join('\n');
}
