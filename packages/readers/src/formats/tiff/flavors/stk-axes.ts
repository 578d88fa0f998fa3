import { plural } from '../../../base/wording.js';
import type { AxisKind, GridAxis } from '../../../model/metadata/mixed-radix.js';

/** What differs between planes: wavelengths, stage positions, depths. */
export interface PlaneKey {
  kind: Exclude<AxisKind, 'T'>;
  /** One value per plane; equal ones belong together. */
  values: ArrayLike<number | string>;
  /** Singular, for messages: `wavelength`. */
  what: string;
}

interface Regular extends GridAxis {
  /** Planes until the value changes. */
  stride: number;
  /** For messages: `2 wavelengths`. */
  what: string;
}

/**
 * Returns the axes of the planes of a stack, fastest first. A key whose values repeat regularly is an axis: they change
 * with every plane, or in blocks. Planes that no key tells apart are on the axis `rest`.
 * @param keys the most important first: one that only changes together with an earlier key does not get an axis
 */
export function planeAxes(
  count: number,
  keys: readonly PlaneKey[],
  rest: 'Z' | 'T',
): { axes: GridAxis[]; notes: string[] } {
  const known: PlaneKey[] = [];
  const found: Regular[] = [];
  const irregular: string[] = [];
  for (const key of keys) {
    const distinct = new Set(Array.from(key.values)).size;
    if (key.values.length !== count || distinct < 2 || Array.from(key.values).some(Number.isNaN)) continue;
    if (known.some((other) => follows(key, other))) continue;
    const stride = findStride(key.values, distinct);
    const what = plural(distinct, key.what);
    if (stride === undefined) irregular.push(what);
    else found.push({ kind: key.kind, size: distinct, stride, what });
    if (stride !== undefined) known.push(key);
  }
  let axes = composeAxes(found, count, rest);
  // Together, they may leave no room for each other: give up the least important ones.
  while (!axes && found.length > 0) {
    irregular.push(found.pop()!.what);
    axes = composeAxes(found, count, rest);
  }
  const notes = irregular.map(
    (what) => `${what} over ${plural(count, 'plane')} do not repeat regularly. Showing the planes along ${rest}.`,
  );
  return { axes: axes ?? [{ kind: rest, size: count }], notes };
}

/** True if the values of a key follow from those of another: each position may have its own focus. */
function follows({ values }: PlaneKey, other: PlaneKey): boolean {
  const by = new Map<number | string, number | string>();
  for (let i = 0; i < values.length; i++) {
    const first = by.get(other.values[i]!);
    if (first === undefined) by.set(other.values[i]!, values[i]!);
    else if (first !== values[i]) return false;
  }
  return true;
}

function findStride(values: ArrayLike<number | string>, size: number): number | undefined {
  let stride = 1;
  while (stride < values.length && values[stride] === values[0]) stride++;
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== values[(Math.floor(i / stride) % size) * stride]) return undefined;
  }
  return stride;
}

/** Fills the gaps between regular axes with the axis `rest`, of which there can be only one. */
function composeAxes(regular: readonly Regular[], count: number, rest: 'Z' | 'T'): GridAxis[] | undefined {
  const axes: GridAxis[] = [];
  let planes = 1;
  const fill = (upTo: number) => {
    if (upTo > planes) axes.push({ kind: rest, size: upTo / planes });
    return Number.isInteger(upTo / planes);
  };
  for (const { kind, size, stride } of [...regular].sort((a, b) => a.stride - b.stride)) {
    if (!fill(stride)) return undefined;
    axes.push({ kind, size });
    planes = stride * size;
  }
  if (!fill(count)) return undefined;
  return axes.filter((axis) => axis.kind === rest).length > 1 ? undefined : axes;
}
