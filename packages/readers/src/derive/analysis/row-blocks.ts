import type { SourceData } from '../../model/samples/plane-data.js';
import type { KernelHost } from '../../simd/kernels.js';
import { PARTS, RowReducer } from './row-reducer.js';
import { SLICE_SAMPLES } from './slices.js';
import { wholePlane } from './window.js';

/** Rows that become one block: three rows of the plane of blocks. */
export const BLOCK_ROWS = 16;

/** Returns the rows of the plane of blocks; rows of the plane after the last whole block have none. */
export function blockPlaneRows(rows: number): number {
  return PARTS * Math.floor(rows / BLOCK_ROWS);
}

/**
 * Reduces every 16 rows of a plane. A block with a sample that is not finite is NaN.
 * @param put receives each row of the plane of blocks, valid until it returns
 */
export function* reduceToBlocks(
  data: SourceData,
  put: (row: number, samples: Float32Array) => void,
): Generator<void, void> {
  const reducer = new BlockReducer(data);
  const count = Math.floor(data.rows / BLOCK_ROWS);
  let passed = 0;
  for (let block = 0; block < count; block++) {
    reducer.reduce(block, put);
    passed += BLOCK_ROWS * data.columns;
    if (passed < SLICE_SAMPLES) continue;
    passed = 0;
    yield;
  }
}

/** Reduces blocks of a plane one by one. */
export class BlockReducer {
  private readonly reducer: RowReducer;
  private readonly columns: number;
  private readonly unusable: Float32Array;

  /** @param host see `OverviewRun` */
  constructor(data: SourceData, host?: KernelHost) {
    this.reducer = new RowReducer(data, wholePlane(data), host);
    this.columns = data.columns;
    this.unusable = new Float32Array(data.columns).fill(Number.NaN);
  }

  /** @param put see `reduceToBlocks` */
  reduce(block: number, put: (row: number, samples: Float32Array) => void): void {
    const { unusable } = this;
    const reduced = this.reducer.reduce(block * BLOCK_ROWS, BLOCK_ROWS);
    const parts = reduced ? [reduced.min, reduced.max, reduced.sum] : [unusable, unusable, unusable];
    for (const [i, part] of parts.entries()) put(PARTS * block + i, part.subarray(0, this.columns));
  }
}
