import { BlockTarget } from '../../packages/readers/src/model/samples/block-target.js';
import type { SourceData } from '../../packages/readers/src/model/samples/plane-data.js';
import { createScratch } from '../../packages/readers/src/model/samples/plane-target.js';
import type { PlaneMemory } from '../../packages/server/src/decode/types.js';
import type { PinnedPlane } from '../../packages/server/src/planes/plane-memory.js';

/** A copy of a plane's samples, row-major, whatever segments it is kept in. */
export function samplesOf({ rows, columns, segments }: SourceData): Float32Array {
  const all = new Float32Array(rows * columns);
  // 64-bit integers are never served as they are.
  for (const { firstRow, samples } of segments) all.set(samples as Float32Array, firstRow * columns);
  return all;
}

/** A copy of the samples; the plane is released. */
export function takeSamples({ data, release }: PinnedPlane): Float32Array {
  const samples = samplesOf(data);
  release();
  return samples;
}

/** A plane of one row in memory that no arena gave. */
export function planeOf(samples: ArrayLike<number>): PinnedPlane {
  const row = Float32Array.from(samples);
  return {
    data: {
      sampleType: 'float32',
      rows: 1,
      columns: row.length,
      segments: [{ firstRow: 0, rowCount: 1, samples: row }],
    },
    release() {},
  };
}

/** Memory of one block that no arena gave. */
export function memoryOf(buffer: ArrayBuffer, { rows = 1, isUsed = false } = {}): PlaneMemory {
  return { rowsPerBlock: rows, blocks: [{ buffer, byteLength: buffer.byteLength, isUsed }] };
}

/** A target of some rows of a plane, in one block that holds the samples of another plane. */
export function bandTarget(
  rows: number,
  columns: number,
  band: { first: number; count: number } = { first: 0, count: rows },
): { target: BlockTarget; data: Float32Array } {
  const data = new Float32Array(band.count * columns).fill(-77);
  let content: 'used' | 'kept' = 'used';
  const take = () => {
    const block = { samples: data, content };
    content = 'kept';
    return block;
  };
  const source = { rowsPerBlock: band.count, take, give: () => {} };
  return { target: new BlockTarget({ rows, columns, band }, source, createScratch()), data };
}
