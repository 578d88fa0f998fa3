import type { PlaneBlock } from '../../src/planes/arena.js';
import type { StoredPlane } from '../../src/planes/plane-builder.js';
import type { PinnedPlane } from '../../src/planes/plane-cache.js';
import { type PlaneData, planeByteLength, slicePlane } from '../../src/planes/plane-data.js';

/** A copy of a plane's samples, row-major, whatever segments it is kept in. */
export function samplesOf(data: PlaneData): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.concat(slicePlane(data, 0, planeByteLength(data)))).buffer);
}

/** A copy of the samples; the plane is released. */
export function takeSamples({ data, release }: PinnedPlane): Float32Array {
  const samples = samplesOf(data);
  release();
  return samples;
}

/** A plane of one row in memory that no arena gave. */
export function planeOf(samples: ArrayLike<number>, blocks: readonly PlaneBlock[] = []): StoredPlane {
  const row = Float32Array.from(samples);
  return {
    data: { rows: 1, columns: row.length, segments: [{ firstRow: 0, rowCount: 1, samples: row }] },
    blocks,
  };
}
