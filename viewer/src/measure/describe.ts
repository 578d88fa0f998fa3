/** Describes a profile for headings, files and screen readers. */
import type { Along } from '../analysis/profile.ts';
import { type PlaneAxis, planeAxes } from '../image/plane-axes.ts';
import { formatAxisValue } from '../image/readout.ts';
import type { Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import type { Subject } from './curves.ts';

/** Returns the axis along which a profile runs and the axis across it. */
export function profileAxes(pane: Pane, along: Along): { readonly along: PlaneAxis; readonly across: PlaneAxis } {
  const { row, column } = planeAxes(pane);
  return along === 'row' ? { along: column, across: row } : { along: row, across: column };
}

/** Returns `Time profile at pixel 12 (3.41 µm)` or `Position profile over lines 10–19 (region 2)`. */
export function profileTitle(pane: Pane, along: Along, subject: Subject): string {
  const axes = profileAxes(pane, along);
  const { quantity } = axes.along;
  const name =
    quantity === 'time' || quantity === 'position' ? `${capital(quantity)} profile` : `Profile along ${quantity}`;
  const noun = axes.across.sample === 'line' ? 'line' : `${pane.lineScan ? 'pixel' : axes.across.quantity}`;
  if (subject.kind === 'region') {
    return `${name} over ${noun}s ${formatNumber(subject.from)}–${formatNumber(subject.to - 1)} (region ${subject.mark.id})`;
  }
  const place = axes.across.calibrated
    ? ` (${formatAxisValue((subject.index + 0.5) * axes.across.step, axes.across)})`
    : '';
  return `${name} at ${noun} ${formatNumber(subject.index)}${place}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
