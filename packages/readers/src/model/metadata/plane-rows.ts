/** What a file says of times and depths plane by plane, as evidence for the axes T and Z: see `docs/coordinates.md`. */

import { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { countAre, grouped } from '../../base/wording.js';
import { type AxisEvidence, type MeasuredValues, type ResolvedAxis, resolveAxis, UNEVEN } from './axes.js';
import { describeVolumes, type Volume } from './depth-order.js';

/**
 * Values of planes, in columns of one length, in the order of the file: there may be a million. Seconds and micrometers; `NaN`
 * where the file has none.
 */
export interface PlaneRows {
  t: number[];
  z: number[];
  c: number[];
  time: number[];
  depth: number[];
}

/** Sizes of a scene; `C` counts what the rows count. */
export interface RowSizes {
  T: number;
  Z: number;
  C: number;
}

/** At least one of so many indices has a value, so that a short document does not allocate long lists. */
const MIN_LISTED = 64;

/** The planes of one channel and section, or of one channel and time point. */
interface PlaneRow {
  channel: number;
  /** The section of times, the time point of depths. */
  other: number;
  /** By index along the axis. */
  at: Float64Array;
}

/** Planes that a file lists again with another value; the first counts. */
interface Repeated {
  count: number;
}

/**
 * Returns the times of the first channel and section that has some, and says where those of others contradict them.
 * @param what the values are, in the plural, for messages
 */
export function timesOfRows(rows: PlaneRows, sizes: RowSizes, what: string, notes: Notes): MeasuredValues | undefined {
  if (sizes.T < 2) return undefined;
  const repeated = { count: 0 };
  const stacks = stacksOf(rows, { axis: 'T', sizes, repeated });
  const reference = chooseStack(stacks);
  if (!reference) return undefined;
  describeRates(reference, stacks, what, notes);
  describeRepeated(repeated, what, notes);
  return { at: reference.at, what: nameStack(what, 'Z', reference) };
}

/**
 * Returns the depths of the first channel and time point that has some, and says where those of others contradict them.
 * @param what the values are, in the plural, for messages
 * @param set distance of sections that was set, in µm
 */
export function depthsOfRows(
  rows: PlaneRows,
  sizes: RowSizes,
  { what, set }: { what: string; set: number | undefined },
  notes: Notes,
): MeasuredValues | undefined {
  if (sizes.Z < 2) return undefined;
  const repeated = { count: 0 };
  const stacks = stacksOf(rows, { axis: 'Z', sizes, repeated });
  const reference = chooseStack(stacks);
  if (!reference) return undefined;
  const volumes = stacks.map(({ channel, other, at }): Volume => ({ channel, t: other, at }));
  notes.addAll(describeVolumes(volumes, what, { T: sizes.T, set }));
  describeRepeated(repeated, what, notes);
  return { at: reference.at, what: nameStack(what, 'T', reference) };
}

/** Returns the same depths without a word. */
export function positionsOfRows(rows: PlaneRows, sizes: RowSizes): Float64Array | undefined {
  return chooseStack(stacksOf(rows, { axis: 'Z', sizes, repeated: { count: 0 } }))?.at;
}

/** Resolves an axis. What is said of its evidence goes when the axis becomes another one. */
export function resolveNoted(
  axis: 'T' | 'Z' | 'Y' | 'X',
  size: number,
  evidenceOf: (notes: Notes) => AxisEvidence,
  notes: Notes,
): ResolvedAxis {
  const own = new Notes();
  const evidence = evidenceOf(own);
  notes.addAll(own);
  const resolved = resolveAxis(axis, size, evidence, notes);
  const said = own.list();
  return said.length > 0 ? { ...resolved, warnings: [...said, ...(resolved.warnings ?? [])] } : resolved;
}

/** Returns the stacks by channel, then by section or time point. */
function stacksOf(
  { t, z, c, time, depth }: PlaneRows,
  { axis, sizes, repeated }: { axis: 'T' | 'Z'; sizes: RowSizes; repeated: Repeated },
): PlaneRow[] {
  const [index, other, values] = axis === 'T' ? [t, z, time] : [z, t, depth];
  const otherSize = axis === 'T' ? sizes.Z : sizes.T;
  const members = new Map<number, number[]>();
  for (let row = 0; row < values.length; row++) {
    if (!isInside(t[row]!, sizes.T) || !isInside(z[row]!, sizes.Z) || !isInside(c[row]!, sizes.C)) continue;
    if (!Number.isFinite(values[row])) continue;
    const key = c[row]! * otherSize + other[row]!;
    const found = members.get(key);
    if (found) found.push(row);
    else members.set(key, [row]);
  }
  const listed = [...members].filter(([, { length }]) => length * MIN_LISTED >= sizes[axis]);
  return listed
    .sort(([a], [b]) => a - b)
    .map(([key, found]) => ({
      channel: Math.floor(key / otherSize),
      other: key % otherSize,
      at: arrange(found, { index, values, size: sizes[axis] }, repeated),
    }));
}

function isInside(index: number, size: number): boolean {
  return index >= 0 && index < size;
}

function arrange(
  found: readonly number[],
  { index, values, size }: { index: readonly number[]; values: readonly number[]; size: number },
  repeated: Repeated,
): Float64Array {
  const at = new Float64Array(size).fill(Number.NaN);
  for (const row of found) {
    const i = index[row]!;
    if (Number.isNaN(at[i])) at[i] = values[row]!;
    else if (at[i] !== values[row]) repeated.count++;
  }
  return at;
}

/** The first with two values that differ, else the first. */
function chooseStack(stacks: readonly PlaneRow[]): PlaneRow | undefined {
  const differs = ({ at }: PlaneRow) => {
    const first = at.find(Number.isFinite);
    return at.some((value) => Number.isFinite(value) && value !== first);
  };
  return stacks.find(differs) ?? stacks[0];
}

function nameStack(what: string, other: 'T' | 'Z', stack: PlaneRow): string {
  return stack.channel === 0 && stack.other === 0 ? what : `${what} of ${address(other, stack)}`;
}

function address(other: 'T' | 'Z', stack: PlaneRow): string {
  return `C = ${grouped(stack.channel)}, ${other} = ${grouped(stack.other)}`;
}

/** Says which channel or section was not taken at the rate of the one whose times are shown. */
function describeRates(reference: PlaneRow, stacks: readonly PlaneRow[], what: string, notes: Notes): void {
  let worst: { stack: PlaneRow; t: number; by: number } | undefined;
  for (const stack of stacks) {
    if (stack === reference) continue;
    const found = farthest(stack.at, reference.at);
    if (Math.abs(found.by) > Math.abs(worst?.by ?? 0)) worst = { stack, ...found };
  }
  if (!worst || !(Math.abs(worst.by) > UNEVEN * meanInterval(reference.at))) return;
  const { stack, t, by } = worst;
  notes.add(
    asInconsistent(
      `The ${what} of ${address('Z', stack)} do not run as those of ${address('Z', reference)}, which the T axis has: at ` +
        `T = ${grouped(t)} they are ${show(Math.abs(by))} s ${by > 0 ? 'later' : 'earlier'} than at first, against those. ` +
        '`…/planes` has the time of each plane.',
    ),
  );
}

/** Returns where the difference of two lists changed most since their first index with both, and by how much. */
function farthest(at: Float64Array, reference: Float64Array): { t: number; by: number } {
  const found = { t: 0, by: 0 };
  let first = Number.NaN;
  for (let t = 0; t < at.length; t++) {
    const difference = at[t]! - reference[t]!;
    if (Number.isNaN(first)) first = difference;
    const by = difference - first;
    if (Math.abs(by) > Math.abs(found.by)) Object.assign(found, { t, by });
  }
  return found;
}

function meanInterval(at: Float64Array): number {
  const [first, last] = [at.findIndex(Number.isFinite), at.findLastIndex(Number.isFinite)];
  return last > first ? Math.abs(at[last]! - at[first]!) / (last - first) : 0;
}

function describeRepeated({ count }: Repeated, what: string, notes: Notes): void {
  if (count === 0) return;
  notes.add(asInconsistent(`${countAre(count, 'plane')} listed again with other ${what}. The first of each was used.`));
}

function show(value: number): number {
  return Number(value.toPrecision(4));
}
