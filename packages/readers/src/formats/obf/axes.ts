/** Which dimension of a stack is which axis. Pure. */

import type { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { shorten } from '../../base/wording.js';
import type { RawStack } from './parse.js';

export type ObfAxis = 'X' | 'Y' | 'Z' | 'T' | 'C';

export interface StackAxes {
  /** Of each dimension; nothing for one of a single entry. */
  axes: (ObfAxis | undefined)[];
  /** Dimensions of the columns and the rows; `undefined` for a single one. */
  columns: number | undefined;
  rows: number | undefined;
  /** What the rows are. */
  rowAxis: 'Y' | 'Z' | 'T' | undefined;
  /** Label of the dimension that is shown as channels, for their names. */
  extra: string | undefined;
}

const DEFAULTS: readonly ObfAxis[] = ['X', 'Y', 'Z', 'T'];
/** Arrival times of photons do not count the time of the recording. */
const LIFETIME = /spcm|tcspc|lifetime|\bdt\b/i;

export function axesOf({ sizes, footer }: RawStack, notes: Notes): StackAxes {
  const labels = footer?.labels ?? [];
  if (!footer)
    notes.add(asCorrupted('The description of the axes cannot be read. Dimensions were assumed to be X, Y, Z and T.'));
  const taken = new Set<ObfAxis>();
  const axes = sizes.map((size, k): ObfAxis | undefined => {
    if (size === 1) return undefined;
    const label = labels[k]?.trim() ?? '';
    const axis = label === '' ? DEFAULTS[k] : axisNamed(label);
    if (!axis || taken.has(axis)) return 'C';
    taken.add(axis);
    return axis;
  });
  const place = (axis: ObfAxis) => (axes.includes(axis) ? axes.indexOf(axis) : undefined);
  const columns = place('X');
  const rowAxis = (['Y', 'Z', 'T'] as const).find((axis) => place(axis) !== undefined);
  const extra = axes.flatMap((axis, k) => (axis === 'C' ? [labels[k]?.trim() || `dimension ${k + 1}`] : []));
  if (extra.length > 0) {
    notes.add(`The axis ${shorten(extra.join(', '))} is neither space nor time. Its entries are shown as channels.`);
  }
  return { axes, columns, rows: rowAxis && place(rowAxis), rowAxis, extra: extra.length === 1 ? extra[0] : undefined };
}

/** Returns the axis of a label such as `ExpControl X`. */
function axisNamed(label: string): ObfAxis | undefined {
  if (LIFETIME.test(label)) return undefined;
  const [, letter] = /(?:^|[\s_:/-])([XYZT])$/i.exec(label) ?? [];
  if (letter !== undefined) return letter.toUpperCase() as ObfAxis;
  return /^time$/i.test(label) ? 'T' : undefined;
}
