/** Reads chunks without encoding, and of them only what a plane needs. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { chunkBytes, toSampleArray } from './decode-chunk.js';
import type { ChunkPiece } from './piece.js';
import type { Pipeline, ZarrArray } from './types.js';

/** Bytes of one read. */
const READ_BYTES = 2 ** 20;

export interface PlainChunk {
  array: ZarrArray;
  pipeline: Pipeline;
  source: ByteSource;
}

/** Memory that is reused for each chunk of a plane: as stored, and decoded. */
export interface Scratch {
  encoded: Uint8Array;
  bytes: Uint8Array;
}

/** Chunks above this are rare, and their size may be a lie. */
const MAX_SCRATCH = 32 * 2 ** 20;

export const NO_SCRATCH: { encoded: undefined; bytes: undefined } = { encoded: undefined, bytes: undefined };

export function createScratch(): Scratch {
  return { encoded: new Uint8Array(), bytes: new Uint8Array() };
}

/** Makes room for a chunk unless it is very large. */
export function growScratch(scratch: Scratch, encoded: number, bytes: number): Scratch {
  if (encoded <= bytes && bytes <= MAX_SCRATCH) {
    // Sizes of compressed chunks differ a little.
    if (scratch.encoded.length < encoded) scratch.encoded = new Uint8Array(Math.min(bytes, Math.ceil(encoded * 1.25)));
    if (scratch.bytes.length < bytes) scratch.bytes = new Uint8Array(bytes);
  }
  return scratch;
}

/**
 * Reads a chunk by rows, or by columns if these are closer together.
 * @throws AcqError `decode_failed` unless the chunk has exactly the expected size
 */
export function readPlainChunk(
  { array, pipeline, source }: PlainChunk,
  piece: ChunkPiece,
  target: PlaneTarget,
  scratch: Scratch,
): void {
  const { sampleBytes } = array;
  const expected = chunkBytes(pipeline, sampleBytes);
  if (source.size !== expected) throw decodeFailed(`has ${grouped(source.size)} bytes; expected ${grouped(expected)}`);
  const byRows = piece.rowStride >= piece.columnStride;
  const [slowStride, fastStride] = byRows
    ? [piece.rowStride, piece.columnStride]
    : [piece.columnStride, piece.rowStride];
  const [slow, fast] = byRows ? [piece.rows, piece.columns] : [piece.columns, piece.rows];
  const run = (fast - 1) * fastStride + 1;
  if (run * sampleBytes > LIMITS.chunkBytes) {
    throw decodeFailed(
      `the samples of a row span ${grouped(run * sampleBytes)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`,
    );
  }
  const each = slow === 1 ? 1 : Math.max(1, Math.floor((READ_BYTES / sampleBytes - run) / slowStride) + 1);
  for (let first = 0; first < slow; first += each) {
    const count = Math.min(each, slow - first);
    const place = byRows
      ? { row: piece.row + first, rows: count, column: piece.column, columns: fast }
      : { row: piece.row, rows: fast, column: piece.column + first, columns: count };
    if (target.wants?.(place.row, place.rows) === false) continue;
    const size = ((count - 1) * slowStride + run) * sampleBytes;
    if (scratch.bytes.length < size) scratch.bytes = new Uint8Array(size);
    const bytes = scratch.bytes.subarray(0, size);
    source.readInto(bytes, (piece.offset + first * slowStride) * sampleBytes);
    const samples = toSampleArray(bytes, array, pipeline);
    const { rowStride, columnStride } = piece;
    target.put({ samples, offset: 0, rowStride, columnStride }, place.row, place.column, place.rows, place.columns);
  }
}
