/** The grid of chunks that a dataset is divided into. */
import type { ChunkedLayout } from './layout.js';

/** Where a chunk is stored. */
export interface ChunkLocation {
  address: number;
  /** Size in bytes as stored. */
  size: number;
  /** Bit i is set when filter i was not applied. */
  mask: number;
}

/** What the chunk index needs to know about a dataset. */
export interface ChunkGrid {
  layout: ChunkedLayout;
  shape: readonly number[];
  maxShape: readonly number[];
}

/** Returns the key of a chunk: its row-major index in the grid of the dataset's current shape. */
export function gridKey(grid: ChunkGrid, at: readonly number[]): number {
  return linearIndex(at, chunksAlong(grid, 'current'));
}

/** Returns the number of chunks along each dimension, for the current shape or for the largest one it may grow to. */
export function chunksAlong({ layout, shape, maxShape }: ChunkGrid, extent: 'current' | 'maximum'): number[] {
  return shape.map((size, i) => {
    const limit = maxShape[i] ?? size;
    const length = extent === 'maximum' && Number.isFinite(limit) ? Math.max(limit, size) : size;
    return Math.ceil(length / layout.chunk[i]!);
  });
}

/** Returns the row-major index of a position in a grid of `along` chunks. */
export function linearIndex(at: readonly number[], along: readonly number[]): number {
  return at.reduce((index, position, i) => index * along[i]! + position, 0);
}
