/**
 * The memory of planes, and the planes that decodes build in it. Buffers are resizable: their memory goes back to the system
 * the moment it is no longer needed, not when the garbage collector runs, and until then the next decode finds memory that
 * is mapped already. Nothing else allocates planes.
 */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { bytesPerElement, type SampleType, viewSamples } from '@acquisition-store/readers/model/samples/types.js';
import type { BlockMemory, PlaneMemory } from '../decode/types.js';

/** A decoded plane that stays in memory until it is released. */
export interface PinnedPlane {
  data: SourceData;
  /** May be called more than once. */
  release(): void;
}

const PAGE_BYTES = 4096;
/**
 * Smaller blocks are ordinary buffers, and so are those beyond the limit: each resizable one takes two of the 65,530
 * mappings that Linux gives a process.
 */
const MIN_RESIZABLE_BYTES = 128 * 2 ** 10;
const MAX_RESIZABLE = 16_384;
/** Free buffers are emptied when nobody asked for their size for so long. */
const KEPT_MS = 5_000;
/** These bytes stay: who opens small files, one every few seconds, would get new memory each time, which takes longer to fill. */
const KEPT_BYTES = 8 * 2 ** 20;
const TRIM_INTERVAL_MS = 1_000;
/** The system clears memory that it takes back, on this thread: a few buffers at a time keep requests from waiting. */
const TRIMMED_AT_ONCE = 2;
const TRIM_PAUSE_MS = 5;
/**
 * Bytes of a block. Large planes are kept in many, so that few of their bytes are on their way between threads at a time,
 * and memory is used again for planes of other sizes.
 */
const BLOCK_BYTES = 2 * 2 ** 20;

export class PlaneArena {
  /** Bytes that all states together may take. */
  readonly budget: number;
  private readonly now: () => number;
  /** Buffers by their capacity. */
  private readonly buffers = new Map<
    number,
    {
      /** With the memory of an earlier plane. */
      free: ArrayBuffer[];
      /** Without memory, only addresses. */
      empty: ArrayBuffer[];
      /** When one of them was last taken or given back, in milliseconds. */
      usedAt: number;
    }
  >();
  /** Bytes by state, and what happened since the start. */
  private readonly counts = {
    /** Bytes that decodes fill or that planes are held in. */
    outBytes: 0,
    /** Bytes kept for the next decode. */
    freeBytes: 0,
    /** Bytes that running decodes may take beside their planes. */
    scratchBytes: 0,
    /** Blocks that took new memory, or memory kept from an earlier plane. */
    fresh: 0,
    reused: 0,
    /** Buffers whose memory went back to the system. */
    emptied: 0,
    /** Buffers that ended with the worker that was filling them. */
    lost: 0,
  };
  private readonly maxResizable: number;
  private readonly keptBytes: number;
  private resizable = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param options `now` returns milliseconds that never go back; `maxResizable` are resizable buffers at a time; `keptBytes` of
   * free buffers stay however long nobody asks for them
   */
  constructor(budget: number, options: { now?: () => number; maxResizable?: number; keptBytes?: number } = {}) {
    this.budget = budget;
    this.now = options.now ?? (() => performance.now());
    this.maxResizable = options.maxResizable ?? MAX_RESIZABLE;
    this.keptBytes = options.keptBytes ?? KEPT_BYTES;
  }

  get state(): Readonly<PlaneArena['counts']> {
    return this.counts;
  }

  /**
   * Memory for `byteLength` bytes: detached while a decode worker fills it, and for good when that worker ends. The caller has made
   * sure that the budget has room for them.
   * @throws AcqError `capacity_exceeded` when the system has no memory left
   */
  take(byteLength: number): BlockMemory {
    const reused = byteLength < MIN_RESIZABLE_BYTES ? undefined : this.takeFree(byteLength);
    this.counts.outBytes += byteLength;
    this.makeRoom();
    if (reused) {
      this.counts.reused++;
      return { buffer: reused, byteLength, isUsed: true };
    }
    try {
      const buffer = this.allocate(byteLength);
      this.counts.fresh++;
      return { buffer, byteLength, isUsed: false };
    } catch (error) {
      this.counts.outBytes -= byteLength;
      throw outOfMemory(byteLength, error);
    }
  }

  /** Takes back a block whose content nobody needs any more. */
  give({ buffer, byteLength }: BlockMemory): void {
    this.counts.outBytes -= byteLength;
    if (buffer.byteLength < byteLength) {
      this.counts.lost++;
      if (buffer.resizable) this.resizable--;
    } else if (buffer.resizable) {
      const kept = this.buffersOf(buffer.maxByteLength);
      kept.free.push(buffer);
      kept.usedAt = this.now();
      this.counts.freeBytes += byteLength;
      this.timer ??= setTimeout(() => this.trimLater(), TRIM_INTERVAL_MS).unref();
    }
  }

  /** Counts memory that a decode takes beside its planes, until the returned function is called, once. */
  reserve(byteLength: number): () => void {
    this.counts.scratchBytes += byteLength;
    this.makeRoom();
    return () => {
      this.counts.scratchBytes -= byteLength;
    };
  }

  /**
   * Empties free buffers of sizes that nobody asked for lately, those not asked for longest first, as long as there are too many.
   * @returns whether there may be more
   */
  trim(max = Number.POSITIVE_INFINITY): boolean {
    const since = this.now() - KEPT_MS;
    let left = max;
    for (const [capacity, { usedAt }] of this.byAge()) {
      if (usedAt > since) break;
      while (left > 0 && this.hasTooMany && this.emptyOne(capacity)) left--;
    }
    return left === 0;
  }

  /** Empties the free buffers, a few at a time, unless their sizes are asked for meanwhile. */
  emptySoon(): void {
    for (const kept of this.buffers.values()) kept.usedAt -= KEPT_MS;
    this.stopTimer();
    this.trimLater();
  }

  /** Empties every free buffer. */
  close(): void {
    for (const capacity of this.buffers.keys()) while (this.emptyOne(capacity));
    this.stopTimer();
  }

  private takeFree(byteLength: number): ArrayBuffer | undefined {
    const kept = this.buffersOf(capacityFor(byteLength));
    kept.usedAt = this.now();
    const buffer = kept.free.pop();
    if (!buffer) return undefined;
    this.counts.freeBytes -= buffer.byteLength;
    buffer.resize(byteLength);
    return buffer;
  }

  private allocate(byteLength: number): ArrayBuffer {
    if (byteLength < MIN_RESIZABLE_BYTES) return new ArrayBuffer(byteLength);
    const capacity = capacityFor(byteLength);
    const empty = this.buffersOf(capacity).empty.pop();
    if (empty) {
      empty.resize(byteLength);
      return empty;
    }
    if (this.resizable >= this.maxResizable) return new ArrayBuffer(byteLength);
    const buffer = new ArrayBuffer(byteLength, { maxByteLength: capacity });
    this.resizable++;
    return buffer;
  }

  /** Empties free buffers, those not asked for longest first, until everything fits the budget. */
  private makeRoom(): void {
    if (this.counts.freeBytes === 0 || !this.isOverBudget) return;
    for (const [capacity] of this.byAge()) while (this.isOverBudget && this.emptyOne(capacity));
  }

  private byAge() {
    return [...this.buffers].sort(([, a], [, b]) => a.usedAt - b.usedAt);
  }

  private get hasTooMany(): boolean {
    return this.counts.freeBytes > this.keptBytes;
  }

  private get isOverBudget(): boolean {
    const { outBytes, scratchBytes, freeBytes } = this.counts;
    return outBytes + scratchBytes + freeBytes > this.budget;
  }

  /** @returns whether there was one */
  private emptyOne(capacity: number): boolean {
    const kept = this.buffersOf(capacity);
    const buffer = kept.free.pop();
    if (!buffer) return false;
    this.counts.freeBytes -= buffer.byteLength;
    this.counts.emptied++;
    buffer.resize(0);
    kept.empty.push(buffer);
    return true;
  }

  private buffersOf(capacity: number) {
    let kept = this.buffers.get(capacity);
    if (!kept) {
      kept = { free: [], empty: [], usedAt: this.now() };
      this.buffers.set(capacity, kept);
    }
    return kept;
  }

  private trimLater(): void {
    const pause = this.trim(TRIMMED_AT_ONCE) ? TRIM_PAUSE_MS : TRIM_INTERVAL_MS;
    this.timer = this.hasTooMany ? setTimeout(() => this.trimLater(), pause).unref() : undefined;
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** The next power of √2, in whole pages: a buffer is reused for planes of up to 41 % more or less. */
export function capacityFor(byteLength: number): number {
  const step = Math.ceil(2 * Math.log2(Math.max(PAGE_BYTES, byteLength)));
  const capacity = Math.ceil(2 ** (step / 2) / PAGE_BYTES) * PAGE_BYTES;
  // Logarithms round: a power of two may land a hair below itself.
  return Math.max(capacity, Math.ceil(byteLength / PAGE_BYTES) * PAGE_BYTES);
}

function outOfMemory(byteLength: number, cause: unknown): AcqError {
  const message = `This machine has no memory left for ${byteLength} bytes of a plane. Try again later.`;
  return new AcqError('capacity_exceeded', message, { cause });
}

/** Returns a function that copies one row of float32 into the memory of a plane. */
export function rowWriter(
  { rowsPerBlock, blocks }: PlaneMemory,
  columns: number,
): (row: number, samples: Float32Array) => void {
  const views = blocks.map(({ buffer }) => new Float32Array(buffer));
  return (row, samples) => views[Math.floor(row / rowsPerBlock)]!.set(samples, (row % rowsPerBlock) * columns);
}

/** A plane to come. Its rows may arrive from several workers, in any order; each part keeps the memory it arrives in. */
export class PlaneBuilder {
  readonly rows: number;
  readonly columns: number;
  /** Rows of a block; bands of whole blocks make the same blocks as the plane as one. */
  readonly rowsPerBlock: number;
  /** Resolves when the last row has arrived. Whoever builds a plane must handle its rejection. */
  readonly plane: Promise<PinnedPlane>;
  readonly sampleType: SampleType;
  private readonly arena: PlaneArena;
  private readonly parts: { firstRow: number; block: BlockMemory }[] = [];
  private missing: number;
  private isOver = false;
  private resolve: (plane: PinnedPlane) => void = () => {};
  private reject: (error: unknown) => void = () => {};

  constructor(arena: PlaneArena, rows: number, columns: number, sampleType: SampleType = 'float32') {
    this.arena = arena;
    this.sampleType = sampleType;
    this.rows = rows;
    this.columns = columns;
    this.rowsPerBlock = Math.max(1, Math.floor(BLOCK_BYTES / (columns * bytesPerElement(sampleType))));
    this.missing = rows;
    this.plane = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /**
   * Takes memory for some rows and keeps it when `decode` has filled it. Rows must not overlap those of other calls.
   * @throws what `decode` throws; `capacity_exceeded` without memory
   */
  async fill(
    { first, count }: { first: number; count: number },
    decode: (memory: PlaneMemory) => Promise<void>,
  ): Promise<void> {
    const rowBytes = this.columns * bytesPerElement(this.sampleType);
    const { rowsPerBlock } = this;
    const blocks: BlockMemory[] = [];
    try {
      for (let row = 0; row < count; row += rowsPerBlock) {
        blocks.push(this.arena.take(Math.min(rowsPerBlock, count - row) * rowBytes));
      }
      await decode({ rowsPerBlock, blocks });
    } catch (error) {
      this.giveBack(blocks);
      throw error;
    }
    if (this.isOver) {
      this.giveBack(blocks);
      return;
    }
    for (const [i, block] of blocks.entries()) this.parts.push({ firstRow: first + i * rowsPerBlock, block });
    this.missing -= count;
    if (this.missing === 0) this.finish();
  }

  /** Ends an unfinished plane: its memory is free again, and `plane` rejects with `error`. */
  giveUp(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.giveBack(this.parts.map(({ block }) => block));
    this.reject(error);
  }

  private giveBack(blocks: readonly BlockMemory[]): void {
    for (const block of blocks) this.arena.give(block);
  }

  private finish(): void {
    this.isOver = true;
    const { sampleType, rows, columns } = this;
    this.parts.sort((a, b) => a.firstRow - b.firstRow);
    const blocks = this.parts.map(({ block }) => block);
    const segments = this.parts.map(({ firstRow, block: { buffer, byteLength } }) => {
      const samples = viewSamples(sampleType, buffer, byteLength / bytesPerElement(sampleType));
      return { firstRow, rowCount: samples.length / columns, samples };
    });
    const roundings = blocks.flatMap((block) => block.rounding ?? []);
    const rounding = roundings.find(({ isInfinite }) => isInfinite) ?? roundings[0];
    const data = { sampleType, rows, columns, segments, ...(rounding ? { rounding } : {}) };
    // Once: from then on, the memory is that of other planes.
    const release = () => this.giveBack(blocks.splice(0));
    this.resolve({ data, release });
  }
}
