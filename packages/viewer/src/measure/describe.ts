/** Describes a profile for headings, files and screen readers. */
import type { Along } from '../analysis/profile.ts';
import { type PlaneAxis, planeAxes, sampleValue } from '../image/plane-axes.ts';
import { formatAxisValue } from '../image/readout.ts';
import type { Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import type { Subject } from './curves.ts';
import { markName } from './marks.ts';

/** Returns the axis along which a profile runs and the axis across it. */
function profileAxes(pane: Pane, along: Along): { readonly along: PlaneAxis; readonly across: PlaneAxis } {
  const { row, column } = planeAxes(pane);
  return along === 'row' ? { along: column, across: row } : { along: row, across: column };
}

/** Returns `Profile over time at pixel 12 (3.550 µm)` or `Profile along the line, mean of lines 10–19 (Region 2)`. */
export function profileTitle(pane: Pane, along: Along, subject: Subject): string {
  const axes = profileAxes(pane, along);
  const across = pane.lineScan ? axes.across.sample : axes.across.quantity;
  const several = pane.lineScan ? `${across}s` : across;
  const name = `Profile ${direction(pane, along)}`;
  if (subject.kind === 'region') {
    const { from, to, mark } = subject;
    return `${name}, mean of ${several} ${formatNumber(from)}–${formatNumber(to - 1)} (${markName(mark)})`;
  }
  const place = axes.across.calibrated
    ? ` (${formatAxisValue(sampleValue(axes.across, subject.index), axes.across)})`
    : '';
  return `${name} at ${across} ${formatNumber(subject.index)}${place}`;
}

/** The rows of a line scan are lines in time, also when the line period is not known. */
function direction(pane: Pane, along: Along): string {
  if (pane.lineScan) return along === 'row' ? 'along the line' : 'over time';
  return `along ${profileAxes(pane, along).along.quantity}`;
}
