/** Reads planes of an array: only the chunks that a plane touches, and of uncompressed chunks only the parts that it needs. */
import { AcqError, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { type ByteSource, MemorySource } from '../../io/byte-source.js';
import { ByteCache } from '../../model/samples/byte-cache.js';
import { Pace } from '../../model/samples/pace.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { allocateSamples, type SampleArray } from '../../model/samples/types.js';
import { ChunkFiles } from './chunk-files.js';
import {
  chunkBytes,
  type Decoders,
  decodeSteps,
  loadDecoders,
  maxEncodedBytes,
  toSampleArray,
} from './decode-chunk.js';
import { isPlain } from './parse.js';
import { type ChunkPiece, locatePiece, type PlanePlace } from './piece.js';
import { createScratch, growScratch, NO_SCRATCH, readPlainChunk, type Scratch } from './plain-chunk.js';
import { chunkInShard, readShardIndex, type ShardIndex } from './shard.js';
import type { Store } from './store.js';
import type { Pipeline, Sharding, ZarrArray } from './types.js';

/** Bytes of the decoded chunks that contain several planes, of shards that were decoded whole, and of shard indices. */
export const KEPT_CHUNKS = 256 * 2 ** 20;
const KEPT_INDICES = 64 * 2 ** 20;

/** Caches of decoded data of all arrays of a store, by key. */
export class ChunkCaches {
  readonly samples = new ByteCache<string, SampleArray>(KEPT_CHUNKS, ({ byteLength }) => byteLength);
  readonly shards = new ByteCache<string, Uint8Array>(KEPT_CHUNKS, ({ byteLength }) => byteLength);
  readonly indices = new ByteCache<string, ShardIndex>(KEPT_INDICES, ({ bytes }) => bytes.length);
}
interface Job extends PlanePlace {
  target: PlaneTarget;
  decoders: Decoders;
  pace: Pace;
  scratch: Scratch;
}

type Fetch = (index: readonly number[]) => { key: string; source: ByteSource | undefined };

/** Reads planes of one array. */
export class ArrayPlanes {
  readonly array: ZarrArray;
  readonly files: ChunkFiles;
  private readonly label: string;
  private readonly memory: ChunkCaches;

  constructor(store: Store, array: ZarrArray, memory: ChunkCaches) {
    this.memory = memory;
    this.array = array;
    this.files = new ChunkFiles(store, array);
    this.label = store.name;
  }

  /** @throws AcqError `decode_failed`, `unsupported_format`, with the key of the chunk */
  async read(place: PlanePlace, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { pipeline, shape } = this.array;
    const decoders = await loadDecoders(pipeline);
    const job: Job = { ...place, target, decoders, pace: new Pace(signal), scratch: createScratch() };
    const fetch: Fetch = (index) => this.files.open(index) ?? { key: this.files.key(index), source: undefined };
    await this.readGrid(job, pipeline, new Array(shape.length).fill(0), shape, fetch);
  }

  /** Reads the chunks of a region that the plane crosses. `origin` and `end` are by axis. */
  private async readGrid(
    job: Job,
    pipeline: Pipeline,
    origin: readonly number[],
    end: readonly number[],
    fetch: Fetch,
  ): Promise<void> {
    const { rowAxis, columnAxis } = job;
    const { shape } = pipeline;
    const at = origin.map((start, axis) => Math.floor((job.index[axis]! - start) / shape[axis]!));
    const count = (axis: number) => Math.ceil((end[axis]! - origin[axis]!) / shape[axis]!);
    const down = rowAxis === undefined ? 1 : count(rowAxis);
    for (let r = 0; r < down; r++) {
      if (rowAxis !== undefined) at[rowAxis] = r;
      for (let c = 0; c < count(columnAxis); c++) {
        at[columnAxis] = c;
        const start = at.map((n, axis) => origin[axis]! + n * shape[axis]!);
        const piece = locatePiece(job, pipeline, start, end);
        if (job.target.wants?.(piece.row, piece.rows) === false) break;
        await this.readChunk(job, pipeline, start, end, piece, fetch(at));
        if (job.pace.due) await job.pace.rest();
      }
    }
  }

  private async readChunk(
    job: Job,
    pipeline: Pipeline,
    start: readonly number[],
    end: readonly number[],
    piece: ChunkPiece,
    { key, source }: ReturnType<Fetch>,
  ): Promise<void> {
    if (!source) {
      this.putFill(job.target, piece);
      return;
    }
    if (pipeline.shard) {
      const { inner } = pipeline.shard;
      const shard = this.withKey(key, () => this.openShard(job, pipeline, key, source));
      const last = start.map((n, axis) => Math.min(n + pipeline.shape[axis]!, end[axis]!));
      const order = pipeline.order;
      const fetch: Fetch = (index) => {
        const entry = findEntry(index, pipeline.shard!, order);
        return this.withKey(key, () => ({
          key: `${key} (chunk ${index.join('.')} of the shard)`,
          source: chunkInShard(shard.source, shard.index, pipeline.shard!, entry),
        }));
      };
      await this.readGrid(job, inner, start, last, fetch);
      return;
    }
    this.withKey(key, () => {
      if (isPlain(pipeline)) readPlainChunk({ array: this.array, pipeline, source }, piece, job.target, job.scratch);
      else
        job.target.put(
          { samples: this.decode(job, pipeline, key, source), ...piece },
          piece.row,
          piece.column,
          piece.rows,
          piece.columns,
        );
    });
  }

  private decode(job: Job, pipeline: Pipeline, key: string, source: ByteSource): SampleArray {
    const known = this.memory.samples.get(key);
    if (known) return known;
    const size = chunkBytes(pipeline, this.array.sampleBytes);
    const isKept = holdsSeveralPlanes(pipeline, job);
    // What is not kept is used up before the next chunk is read.
    const { encoded, bytes } = isKept ? NO_SCRATCH : growScratch(job.scratch, source.size, size);
    const stored = readEncoded(source, size, pipeline, encoded);
    const samples = toSampleArray(decodeSteps(stored, pipeline.steps, size, job.decoders, bytes), this.array, pipeline);
    if (isKept) this.memory.samples.put(key, samples);
    return samples;
  }

  private openShard(job: Job, pipeline: Pipeline, key: string, stored: ByteSource) {
    const shard = pipeline.shard!;
    const source = pipeline.steps.length === 0 ? stored : this.decodeShard(job, pipeline, key, stored);
    let index = this.memory.indices.get(key);
    if (!index) {
      index = readShardIndex(source, shard);
      this.memory.indices.put(key, index);
    }
    return { source, index };
  }

  /** A shard that was encoded as a whole must be decoded as a whole. */
  private decodeShard(job: Job, pipeline: Pipeline, key: string, stored: ByteSource): ByteSource {
    let bytes = this.memory.shards.get(key);
    if (!bytes) {
      const size = chunkBytes(pipeline, this.array.sampleBytes);
      bytes = decodeSteps(readEncoded(stored, size, pipeline), pipeline.steps, undefined, job.decoders);
      this.memory.shards.put(key, bytes);
    }
    return new MemorySource(stored.name, bytes);
  }

  private putFill(target: PlaneTarget, piece: ChunkPiece): void {
    const samples = allocateSamples(this.array.sampleType, piece.columns).fill(this.array.fill as never);
    const block = { samples, offset: 0, rowStride: 0, columnStride: 1 };
    target.put(block, piece.row, piece.column, piece.rows, piece.columns);
  }

  /** Adds the key of the chunk to errors. */
  private withKey<Result>(key: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      throw error.restated(`chunk ${key}: ${error.statement}`, this.label);
    }
  }
}

/** @param reuse memory that receives the bytes if it is large enough */
function readEncoded(source: ByteSource, decodedBytes: number, { steps }: Pipeline, reuse?: Uint8Array): Uint8Array {
  const limit = maxEncodedBytes(decodedBytes, steps);
  if (source.size > limit) {
    throw decodeFailed(
      `has ${grouped(source.size)} bytes; the limit for ${grouped(decodedBytes)} decoded bytes is ${grouped(limit)}`,
    );
  }
  if (!reuse || reuse.length < source.size) return source.read(0, source.size);
  const bytes = reuse.subarray(0, source.size);
  source.readInto(bytes, 0);
  return bytes;
}

/** Returns the entry of a chunk. The index lists chunks along the stored axes, the last one fastest. */
function findEntry(index: readonly number[], { counts }: Sharding, order: readonly number[]): number {
  let entry = 0;
  for (const axis of order) entry = entry * counts[axis]! + index[axis]!;
  return entry;
}

/** True when the chunks contain more than one plane. */
export function holdsSeveralPlanes(
  { shape }: Pipeline,
  { rowAxis, columnAxis }: Pick<PlanePlace, 'rowAxis' | 'columnAxis'>,
): boolean {
  return shape.some((size, axis) => size > 1 && axis !== rowAxis && axis !== columnAxis);
}
