import type { SourceData } from '../../model/samples/plane-data.js';
import type { KernelHost } from '../../simd/kernels.js';
import { PARTS, RowReducer } from './row-reducer.js';
import { SLICE_SAMPLES } from './slices.js';
import { wholePlane } from './window.js';

/** Rows that become one group: three rows of the plane of groups. */
export const GROUP_ROWS = 16;

/** Returns the rows of the plane of groups; rows of the plane after the last whole group have none. */
export function groupPlaneRows(rows: number): number {
  return PARTS * Math.floor(rows / GROUP_ROWS);
}

/**
 * Reduces every 16 rows of a plane. A group with a sample that is not finite is NaN.
 * @param put receives each row of the plane of groups, valid until it returns
 */
export function* reduceToGroups(
  data: SourceData,
  put: (row: number, samples: Float32Array) => void,
): Generator<void, void> {
  const reducer = new GroupReducer(data);
  const count = Math.floor(data.rows / GROUP_ROWS);
  let passed = 0;
  for (let group = 0; group < count; group++) {
    reducer.reduce(group, put);
    passed += GROUP_ROWS * data.columns;
    if (passed < SLICE_SAMPLES) continue;
    passed = 0;
    yield;
  }
}

/** Reduces groups of a plane one by one. */
export class GroupReducer {
  private readonly reducer: RowReducer;
  private readonly columns: number;
  private readonly unusable: Float32Array;

  /** @param host see `OverviewRun` */
  constructor(data: SourceData, host?: KernelHost) {
    this.reducer = new RowReducer(data, wholePlane(data), host);
    this.columns = data.columns;
    this.unusable = new Float32Array(data.columns).fill(Number.NaN);
  }

  /** @param put see `reduceToGroups` */
  reduce(group: number, put: (row: number, samples: Float32Array) => void): void {
    const { unusable } = this;
    const reduced = this.reducer.reduce(group * GROUP_ROWS, GROUP_ROWS);
    const parts = reduced ? [reduced.min, reduced.max, reduced.sum] : [unusable, unusable, unusable];
    for (const [i, part] of parts.entries()) put(PARTS * group + i, part.subarray(0, this.columns));
  }
}
