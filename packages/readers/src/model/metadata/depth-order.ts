/** Puts the planes of stacks that are repeated in the order of their positions: see `docs/coordinates.md`. */
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';

/** Share of the distance of neighbors by which a section may move between time points before it is said. */
const MOVED = 0.5;
/** Positions closer than this, in µm, are readings of a stage that does not move. */
const MIN_DISTANCE = 0.01;
/** Sections whose positions run one way by chance rarely enough. */
const MIN_STEADY = 4;
/** Share of the distance that was set by which a few sections must be apart for their positions to count. */
const MIN_SHARE = 0.2;

export interface DepthOrder {
  /** Returns which plane of a time point, in the order of the file, is at a section; `undefined` if none is. */
  planeAt(t: number, z: number): number | undefined;
  /** Returns the section of a plane of a time point. */
  sectionOf(t: number, plane: number): number;
  warnings: string[];
}

/**
 * Orders planes by their positions: sections are in the order of the first time point. A stack that is scanned back and
 * forth lists every second time point from the other end; no section may be at two depths for that.
 * @param volumes positions of the planes of each time point in the order of the file, in µm; `NaN` where unknown
 * @param what the positions, in the plural, for messages
 * @param set distance of the sections that was set, in µm; readings that differ by far less are jitter of a stage that stays
 * where it is
 */
export function orderByDepth(volumes: readonly ArrayLike<number>[], what: string, set?: number): DepthOrder {
  const sections = volumes.reduce((max, { length }) => Math.max(max, length), 0);
  const reference = volumes.find(({ length }) => length === sections);
  const spacing = reference && findSpacing(reference, set);
  const orders = new Map<number, Int32Array>();
  let moved: Moved | undefined;
  for (const [t, at] of volumes.entries()) {
    if (!reference || spacing === undefined || at === reference) continue;
    const order = findOrder(at, reference, spacing);
    if (order) orders.set(t, order);
    moved = farther(moved, findMoved(at, reference, order, t));
  }
  const warnings: string[] = [];
  if (orders.size > 0) warnings.push(describeOrder([...orders.keys()], volumes.length, what));
  if (moved && spacing !== undefined && moved.distance > MOVED * spacing) warnings.push(describeMoved(moved, what));
  return {
    planeAt: (t, z) => {
      const order = orders.get(t);
      const plane = order ? order.indexOf(z) : z;
      return plane >= 0 && plane < (volumes[t]?.length ?? 0) ? plane : undefined;
    },
    sectionOf: (t, plane) => orders.get(t)?.[plane] ?? plane,
    warnings,
  };
}

/** The depths of the sections of one channel and time point. */
export interface Volume {
  channel: number;
  t: number;
  /** In µm, by section; `NaN` where unknown. */
  at: Float64Array;
}

/**
 * Says where volumes contradict the first one of their channel, and channels each other. For files that number their sections
 * themselves: planes stay where the file puts them.
 * @param volumes by channel, then by time point
 * @param what the positions, in the plural, for messages
 * @param set distance of the sections that was set, in µm
 */
export function describeVolumes(
  volumes: readonly Volume[],
  what: string,
  { T, set }: { T: number; set: number | undefined },
): string[] {
  const references = new Map<number, { at: Float64Array; spacing: number }>();
  const reordered = new Set<number>();
  let moved: Moved | undefined;
  for (const { channel, t, at } of volumes) {
    const reference = references.get(channel);
    if (!reference) {
      const spacing = findSpacing(at, set);
      if (spacing !== undefined) references.set(channel, { at, spacing });
      continue;
    }
    const order = findOrder(at, reference.at, reference.spacing);
    if (order) reordered.add(t);
    const found = findMoved(at, reference.at, order, t);
    if (found.distance > MOVED * reference.spacing) moved = farther(moved, found);
  }
  const warnings: string[] = [];
  const times = [...reordered].sort((a, b) => a - b);
  if (times.length > 0) {
    warnings.push(asInconsistent(`The ${what} of ${describeTimes(times, T)} run in another order. ${STAYS}`));
  }
  if (moved) warnings.push(describeMoved(moved, what));
  return [...warnings, ...describeChannels(references, what)];
}

const STAYS =
  'Planes stay in the sections that the file gives them, so a section is at several depths; `…/planes` has the depth of each plane.';

/** Says which channel has its sections at other depths than the first one. */
function describeChannels(
  references: ReadonlyMap<number, { at: Float64Array; spacing: number }>,
  what: string,
): string[] {
  const [first, ...others] = references;
  for (const [channel, { at }] of others) {
    const { distance, z } = findMoved(at, first![1].at, undefined, 0);
    if (!(distance > MOVED * first![1].spacing)) continue;
    return [
      asInconsistent(
        `Channels are at different depths: by the ${what}, Z = ${grouped(z)} of C = ${grouped(channel)} is ` +
          `${Number(distance.toPrecision(4))} µm from that of C = ${grouped(first![0])}. The Z axis has the depths of the latter.`,
      ),
    ];
  }
  return [];
}

/** Returns the section of each plane; `undefined` when they are in the order of the reference, or their order is unknown. */
function findOrder(at: ArrayLike<number>, reference: ArrayLike<number>, spacing: number): Int32Array | undefined {
  if (isNear(at, reference, spacing)) return undefined;
  return matchPositions(at, reference, spacing) ?? (runsOtherWay(at, reference) ? reversed(at.length) : undefined);
}

function isNear(at: ArrayLike<number>, reference: ArrayLike<number>, spacing: number): boolean {
  for (let i = 0; i < at.length; i++) if (!(Math.abs(at[i]! - reference[i]!) < spacing / 2)) return false;
  return true;
}

/** Returns the section whose position each plane has; `undefined` unless every plane has one of its own. */
function matchPositions(at: ArrayLike<number>, reference: ArrayLike<number>, spacing: number): Int32Array | undefined {
  const ascending = Array.from(reference, (position, section) => ({ position, section }));
  ascending.sort((a, b) => a.position - b.position);
  const order = new Int32Array(at.length);
  const taken = new Uint8Array(reference.length);
  for (let i = 0; i < at.length; i++) {
    const nearest = findNearest(ascending, at[i]!);
    if (!(Math.abs(nearest.position - at[i]!) < spacing / 2) || taken[nearest.section] === 1) return undefined;
    taken[nearest.section] = 1;
    order[i] = nearest.section;
  }
  return order;
}

interface Section {
  position: number;
  section: number;
}

function findNearest(ascending: readonly Section[], position: number): Section {
  let [low, high] = [0, ascending.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle]!.position <= position) low = middle;
    else high = middle;
  }
  const [before, after] = [ascending[low]!, ascending[high]!];
  return Math.abs(after.position - position) < Math.abs(before.position - position) ? after : before;
}

/** True for a whole stack that runs steadily in the opposite direction, at other depths. */
function runsOtherWay(at: ArrayLike<number>, reference: ArrayLike<number>): boolean {
  return at.length === reference.length && direction(at) * direction(reference) === -1;
}

/** Returns 1 for positions that ascend, −1 for those that descend, 0 for others. */
function direction(at: ArrayLike<number>): number {
  const sign = Math.sign(at[at.length - 1]! - at[0]!);
  for (let i = 1; i < at.length; i++) if (Math.sign(at[i]! - at[i - 1]!) !== sign) return 0;
  return sign;
}

function reversed(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => length - 1 - i);
}

/** Returns the smallest distance of two positions; `undefined` when they do not move, repeat, or are not all known. */
function findSpacing(at: ArrayLike<number>, set: number | undefined): number | undefined {
  const sorted = Float64Array.from(at).sort();
  let smallest = Infinity;
  for (let i = 1; i < sorted.length; i++) smallest = Math.min(smallest, sorted[i]! - sorted[i - 1]!);
  if (!(smallest >= MIN_DISTANCE && smallest < Infinity)) return undefined;
  const isSteady = at.length >= MIN_STEADY && direction(at) !== 0;
  return isSteady || set === undefined || smallest >= MIN_SHARE * set ? smallest : undefined;
}

interface Moved {
  t: number;
  z: number;
  distance: number;
}

function findMoved(
  at: ArrayLike<number>,
  reference: ArrayLike<number>,
  order: Int32Array | undefined,
  t: number,
): Moved {
  const moved: Moved = { t, z: 0, distance: 0 };
  for (let i = 0; i < at.length; i++) {
    const z = order?.[i] ?? i;
    const distance = Math.abs(at[i]! - reference[z]!);
    if (distance > moved.distance) Object.assign(moved, { z, distance });
  }
  return moved;
}

function farther(a: Moved | undefined, b: Moved): Moved {
  return a && a.distance >= b.distance ? a : b;
}

function describeOrder(times: readonly number[], count: number, what: string): string {
  const where = describeTimes(times, count);
  return `The ${what} of ${where} run in another order. Their planes were put in the order of the first time point.`;
}

function describeTimes(times: readonly number[], count: number): string {
  const first = grouped(times[0]!);
  if (times.length === 1) return `T = ${first}`;
  return `${grouped(times.length)} of ${grouped(count)} time points, the first T = ${first}`;
}

function describeMoved({ t, z, distance }: Moved, what: string): string {
  return (
    `Sections are at other depths at other time points: by the ${what}, Z = ${grouped(z)} at T = ${grouped(t)} is ` +
    `${Number(distance.toPrecision(4))} µm from where it was first.`
  );
}
