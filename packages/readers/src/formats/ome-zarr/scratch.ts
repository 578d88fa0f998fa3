import { decodeScratch } from '../../codecs/scratch.js';
import { chunkBytes } from './decode-chunk.js';
import { chunksOfPlane, innermost } from './metadata.js';
import type { AxisRoles } from './multiscales.js';
import { isPlain } from './parse.js';
import { holdsSeveralPlanes, KEPT_CHUNKS } from './planes.js';
import type { ZarrArray } from './types.js';

/**
 * Returns the bytes of memory that reading a plane takes beside its target: a chunk, a shard that is encoded as a whole,
 * and cached chunks that contain other planes. Uncompressed chunks are read in small pieces.
 */
export function scratchBytes(
  { pipeline, sampleBytes }: ZarrArray,
  roles: AxisRoles,
  sizes: { Y: number; X: number },
): number {
  const inner = innermost(pipeline);
  const shard =
    pipeline.shard && pipeline.steps.length > 0 ? decodeScratch(chunkBytes(pipeline, sampleBytes), 'bytes') : 0;
  if (isPlain(inner)) return shard;
  const chunk = chunkBytes(inner, sampleBytes);
  const isShared = holdsSeveralPlanes(inner, { rowAxis: roles.rows, columnAxis: roles.x });
  const kept = isShared ? Math.min(KEPT_CHUNKS, chunk * chunksOfPlane(pipeline, roles, sizes)) : 0;
  return shard + decodeScratch(chunk, 'bytes') + kept;
}
