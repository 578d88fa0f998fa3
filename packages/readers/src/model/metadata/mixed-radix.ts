import type { PlaneAddress } from '../acquisition.js';

/** What an axis of stored planes runs along: scenes (S), channels (C), time points (T), sections (Z). */
export type AxisKind = 'S' | 'C' | 'T' | 'Z';

/** One axis of the order in which a file stores its planes. */
export interface GridAxis {
  kind: AxisKind;
  size: number;
}

/** An index along each kind of axis, 0-based. */
export type GridIndices = Record<AxisKind, number>;

/**
 * Returns the number of a plane in storage order, like a number whose digits have different bases. `axes` are listed
 * fastest first. Several axes of one kind share the index of that kind; the first one listed counts faster. An index
 * beyond the product of its axes wraps around.
 */
export function toLinear(axes: readonly GridAxis[], indices: Readonly<Partial<GridIndices>>): number {
  const rest: GridIndices = { S: 0, C: 0, T: 0, Z: 0, ...indices };
  let stride = 1;
  let linear = 0;
  for (const { kind, size } of axes) {
    linear += (rest[kind] % size) * stride;
    rest[kind] = Math.floor(rest[kind] / size);
    stride *= size;
  }
  return linear;
}

/** Returns the indices of plane number `linear`: the inverse of `toLinear`. Kinds without an axis have index 0. */
export function toIndices(axes: readonly GridAxis[], linear: number): GridIndices {
  const indices: GridIndices = { S: 0, C: 0, T: 0, Z: 0 };
  const strides: GridIndices = { S: 1, C: 1, T: 1, Z: 1 };
  let rest = linear;
  for (const { kind, size } of axes) {
    indices[kind] += (rest % size) * strides[kind];
    strides[kind] *= size;
    rest = Math.floor(rest / size);
  }
  return indices;
}

/** Returns the product of the sizes of one kind, or of all axes when `kind` is absent. */
export function gridSize(axes: readonly GridAxis[], kind?: AxisKind): number {
  return axes.reduce((product, axis) => (kind === undefined || axis.kind === kind ? product * axis.size : product), 1);
}

/** Returns the number of the plane at an address. */
export function planeNumber(axes: readonly GridAxis[], { scene, channel, t, z }: PlaneAddress): number {
  return toLinear(axes, { S: scene, C: channel, T: t, Z: z });
}

/**
 * Returns the index along each axis of entry `linear` of their product. Unlike elsewhere in this module, `sizes` are
 * listed slowest first, in the order in which digits are written.
 */
export function toDigits(sizes: readonly number[], linear: number): number[] {
  const digits = new Array<number>(sizes.length);
  let rest = linear;
  for (let i = sizes.length - 1; i >= 0; i--) {
    digits[i] = rest % sizes[i]!;
    rest = Math.floor(rest / sizes[i]!);
  }
  return digits;
}

/** Splits a channel of a scene into a channel that is stored by itself and one of its samples. */
export function splitChannel(samples: readonly number[], sceneChannel: number): { channel: number; sample: number } {
  let [channel, sample] = [0, sceneChannel];
  while (sample >= (samples[channel] ?? 1)) sample -= samples[channel++] ?? 1;
  return { channel, sample };
}
