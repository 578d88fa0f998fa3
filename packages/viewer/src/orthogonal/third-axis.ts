/** The third axis of orthogonal views: where its sections or time points lie, and which rows of a picture they fill. */
import { type StackAxis, type StackDim, stackDims } from '../stack/place.ts';

export interface ThirdAxis {
  readonly dim: StackDim;
  /** Sections or time points. */
  readonly size: number;
  /** Rows of a cross-section; more than `size` where sections are not evenly spaced. */
  readonly rows: number;
  /** The index that each row shows. */
  readonly indexOf: Int32Array;
  /** First row of each index, and the row after its last; equal for one that is too thin to be drawn. */
  readonly from: Int32Array;
  readonly end: Int32Array;
  /** Unit of `step` and `start`; `Pixels` when the step is not known. */
  readonly unit: string;
  /** Height of a row in `unit`. */
  readonly step: number;
  /** Position of the upper edge of the first row; for time points, and without a step, the number that counting starts with. */
  readonly start: number;
  /** True when the measured places are not evenly spaced. Sections are drawn there, time points are not. */
  readonly uneven: boolean;
}

/** Rows of a cross-section whose sections are not evenly spaced, at most. */
const MAX_ROWS = 8192;
/** Rows for the smallest distance of two sections. */
const FINE = 4;

/** Returns the dimension in place of z: the chosen one, else the sections, else the time points; null without any. */
export function thirdDim(info: Parameters<typeof stackDims>[0], along: StackDim | null): StackDim | null {
  const dims = stackDims(info);
  if (along !== null && dims.includes(along)) return along;
  return dims.includes('Z') ? 'Z' : (dims[0] ?? null);
}

export function thirdAxis(axis: StackAxis): ThirdAxis {
  const { dim, size, step, unit, measured } = axis;
  if (step === null) return evenAxis(dim, size, { unit: 'Pixels', step: 1, start: 1 });
  // Rows of time points are equally high; measured times label them.
  if (dim === 'T') return { ...evenAxis(dim, size, { unit, step, start: 0 }), uneven: measured?.uneven ?? false };
  const height = Math.abs(step);
  if (measured === null) return evenAxis(dim, size, { unit, step: height, start: -height / 2 });
  return measuredAxis(size, measured.filled, measured.uneven, unit);
}

type ThirdScale = Pick<ThirdAxis, 'unit' | 'step' | 'start'>;

function evenAxis(dim: StackDim, size: number, scale: ThirdScale, reversed = false): ThirdAxis {
  const indexOf = Int32Array.from({ length: size }, (_, row) => (reversed ? size - 1 - row : row));
  const from = Int32Array.from(indexOf, (_, index) => indexOf[index]!);
  return { dim, size, rows: size, indexOf, from, end: from.map((row) => row + 1), uneven: false, ...scale };
}

/** Sections at measured depths, the lowest value first. Each is as high as half way to its neighbors. */
function measuredAxis(size: number, at: Float64Array, uneven: boolean, unit: string): ThirdAxis {
  const reversed = at[size - 1]! < at[0]!;
  if (!uneven) {
    const step = Math.abs(at[size - 1]! - at[0]!) / (size - 1);
    return evenAxis('Z', size, { unit, step, start: Math.min(at[0]!, at[size - 1]!) - step / 2 }, reversed);
  }
  const order = Int32Array.from({ length: size }, (_, i) => (reversed ? size - 1 - i : i));
  const edges = cellEdges(Array.from(order, (index) => at[index]!));
  const [start, last] = [edges[0]!, edges[size]!];
  const gaps = edges.slice(1).map((edge, i) => edge - edges[i]!);
  const smallest = Math.min(...gaps.filter((gap) => gap > 0));
  const rows = Math.min(MAX_ROWS, Math.max(size, Math.ceil(((last - start) * FINE) / smallest)));
  const step = (last - start) / rows;
  const row = (edge: number) => Math.min(rows, Math.max(0, Math.round((edge - start) / step)));
  const from = new Int32Array(size);
  const end = new Int32Array(size);
  const indexOf = new Int32Array(rows);
  for (const [i, index] of order.entries()) {
    from[index] = row(edges[i]!);
    end[index] = row(edges[i + 1]!);
    indexOf.fill(index, from[index], end[index]);
  }
  return { dim: 'Z', size, rows, indexOf, from, end, unit, step, start, uneven: true };
}

/** Returns the edges of cells around ascending positions: half way to the neighbors; the outer ones are symmetric. */
function cellEdges(at: readonly number[]): number[] {
  const size = at.length;
  const middle = (i: number) => (at[i - 1]! + at[i]!) / 2;
  const inner = Array.from({ length: size - 1 }, (_, i) => middle(i + 1));
  return [2 * at[0]! - inner[0]!, ...inner, 2 * at[size - 1]! - inner[size - 2]!];
}

/** Samples of a cross-section at most: 64 MiB of float32. */
const MAX_SECTION = 2 ** 24;

/** True for more sections or time points than a picture is made of. */
export function isTooDeep({ rows }: Pick<ThirdAxis, 'rows'>, shape: readonly [number, number]): boolean {
  return rows * Math.max(...shape) > MAX_SECTION;
}

/** Returns the middle row of an index, as a coordinate. */
export function rowOf({ from, end }: Pick<ThirdAxis, 'from' | 'end'>, index: number): number {
  return (from[index]! + end[index]!) / 2;
}

/** Returns the index at a coordinate, the nearest one outside of the axis. */
export function indexAt({ rows, indexOf }: Pick<ThirdAxis, 'rows' | 'indexOf'>, row: number): number {
  return indexOf[Math.min(rows - 1, Math.max(0, Math.floor(row)))]!;
}

/** Returns which of `size` samples are in a slab around one of them. */
export function slabAround(index: number, slab: number, size: number): readonly [first: number, end: number] {
  const first = index - Math.floor((slab - 1) / 2);
  return [Math.max(0, first), Math.min(size, first + slab)];
}
