import { planeByteLength, type SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { PlaneUser } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { type PinnedPlane, PlaneBuilder, rowWriter } from '../planes/plane-memory.js';

/** Makes a plane of as many columns from a plane. */
export interface Reduction {
  /** Name of the result, for its key. */
  name: string;
  /** Returns the rows of the result. */
  rows: (rows: number) => number;
  /** Puts every row of the result, which is float32. */
  run: (data: SourceData, put: (row: number, samples: Float32Array) => void, signal: AbortSignal) => Promise<void>;
}

export interface ReducedPlane {
  /** The plane that is reduced, and its key in the cache. */
  plane: { key: string; rows: number; columns: number };
  read: (stop: AbortSignal) => Promise<PinnedPlane>;
  reduction: Reduction;
}

/** Returns a plane that is computed from another one, once for all who read it. @throws what `read` and `cache.read` throw */
export async function reducePlane(
  cache: PlaneCache,
  { plane: { key, rows, columns }, read, reduction }: ReducedPlane,
  reader: PlaneUser,
): Promise<PinnedPlane> {
  const count = reduction.rows(rows);
  const reduce = async (stop: AbortSignal) => {
    const source = await read(stop);
    try {
      const builder = new PlaneBuilder(cache.arena, count, columns);
      await builder.fill({ first: 0, count }, (memory) => reduction.run(source.data, rowWriter(memory, columns), stop));
      return await builder.plane;
    } finally {
      source.release();
    }
  };
  const bytes = planeByteLength({ rows: count, columns, sampleType: 'float32' });
  return cache.read(`${key}/${reduction.name}`, bytes, reduce, reader);
}
