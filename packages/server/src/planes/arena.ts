/**
 * The memory of planes. Buffers are resizable: their memory goes back to the system the moment it is no longer needed,
 * not when the garbage collector runs, and until then the next decode finds memory that is mapped already. Nothing else
 * allocates planes.
 */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';

/** Memory for some rows of a plane. */
export interface PlaneBlock {
  /** Holds `byteLength` bytes; detached while a decode worker fills it, and for good when that worker ends. */
  buffer: ArrayBuffer;
  readonly byteLength: number;
  /** Holds samples of an earlier plane: must be zeroed before a decode that may not reach every sample. */
  readonly isUsed: boolean;
  readonly isResizable: boolean;
  /** A sample in it that float32 cannot hold. */
  rounding?: Rounding;
}

/** Bytes by state, and what happened since the start. */
export interface ArenaCounts {
  /** Bytes that decodes fill or that planes are held in. */
  outBytes: number;
  /** Bytes kept for the next decode. */
  freeBytes: number;
  /** Bytes that running decodes may take beside their planes. */
  scratchBytes: number;
  /** Blocks that took new memory, or memory kept from an earlier plane. */
  fresh: number;
  reused: number;
  /** Buffers whose memory went back to the system. */
  emptied: number;
  /** Buffers that ended with the worker that was filling them. */
  lost: number;
}

/** Buffers of one capacity. */
interface SizeClass {
  /** With the memory of an earlier plane. */
  free: ArrayBuffer[];
  /** Without memory, only addresses. */
  empty: ArrayBuffer[];
  /** When one of them was last taken or given back, in milliseconds. */
  usedAt: number;
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
const TRIM_INTERVAL_MS = 1_000;
/** The system clears memory that it takes back, on this thread: a few buffers at a time keep requests from waiting. */
const TRIMMED_AT_ONCE = 2;
const TRIM_PAUSE_MS = 5;

export interface ArenaOptions {
  /** Milliseconds that never go back. */
  now?: () => number;
  /** Resizable buffers at a time. */
  maxResizable?: number;
}

export class PlaneArena {
  /** Bytes that all states together may take. */
  readonly budget: number;
  private readonly now: () => number;
  private readonly classes = new Map<number, SizeClass>();
  private readonly counts: ArenaCounts = {
    outBytes: 0,
    freeBytes: 0,
    scratchBytes: 0,
    fresh: 0,
    reused: 0,
    emptied: 0,
    lost: 0,
  };
  private readonly maxResizable: number;
  private resizable = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(budget: number, { now, maxResizable }: ArenaOptions = {}) {
    this.budget = budget;
    this.now = now ?? (() => performance.now());
    this.maxResizable = maxResizable ?? MAX_RESIZABLE;
  }

  get state(): Readonly<ArenaCounts> {
    return this.counts;
  }

  /**
   * Memory for `byteLength` bytes. The caller has made sure that the budget has room for them.
   * @throws AcqError `capacity_exceeded` when the system has no memory left
   */
  take(byteLength: number): PlaneBlock {
    const reused = byteLength < MIN_RESIZABLE_BYTES ? undefined : this.takeFree(byteLength);
    this.counts.outBytes += byteLength;
    this.makeRoom();
    if (reused) {
      this.counts.reused++;
      return { buffer: reused, byteLength, isUsed: true, isResizable: true };
    }
    try {
      const buffer = this.allocate(byteLength);
      this.counts.fresh++;
      return { buffer, byteLength, isUsed: false, isResizable: buffer.resizable };
    } catch (error) {
      this.counts.outBytes -= byteLength;
      throw outOfMemory(byteLength, error);
    }
  }

  /** Takes back a block whose content nobody needs any more. */
  give({ buffer, byteLength, isResizable }: PlaneBlock): void {
    this.counts.outBytes -= byteLength;
    if (buffer.byteLength < byteLength) {
      this.counts.lost++;
      if (isResizable) this.resizable--;
    } else if (isResizable) {
      const sizes = this.sizeClass(buffer.maxByteLength);
      sizes.free.push(buffer);
      sizes.usedAt = this.now();
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
   * Empties free buffers of sizes that nobody asked for lately.
   * @returns whether there may be more
   */
  trim(max = Number.POSITIVE_INFINITY): boolean {
    const since = this.now() - KEPT_MS;
    let left = max;
    for (const sizes of this.classes.values()) {
      if (sizes.usedAt > since) continue;
      while (left > 0 && this.emptyOne(sizes)) left--;
    }
    return left === 0;
  }

  /** Empties the free buffers, a few at a time, unless their sizes are asked for meanwhile. */
  emptySoon(): void {
    for (const sizes of this.classes.values()) sizes.usedAt = Number.NEGATIVE_INFINITY;
    this.stopTimer();
    this.trimLater();
  }

  /** Empties every free buffer. */
  close(): void {
    for (const sizes of this.classes.values()) this.emptyAll(sizes);
    this.stopTimer();
  }

  private takeFree(byteLength: number): ArrayBuffer | undefined {
    const sizes = this.sizeClass(capacityFor(byteLength));
    sizes.usedAt = this.now();
    const buffer = sizes.free.pop();
    if (!buffer) return undefined;
    this.counts.freeBytes -= buffer.byteLength;
    buffer.resize(byteLength);
    return buffer;
  }

  private allocate(byteLength: number): ArrayBuffer {
    if (byteLength < MIN_RESIZABLE_BYTES) return new ArrayBuffer(byteLength);
    const capacity = capacityFor(byteLength);
    const empty = this.sizeClass(capacity).empty.pop();
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
    const { counts } = this;
    if (counts.freeBytes === 0) return;
    const byAge = [...this.classes.values()].sort((a, b) => a.usedAt - b.usedAt);
    for (const sizes of byAge) {
      while (counts.outBytes + counts.scratchBytes + counts.freeBytes > this.budget && this.emptyOne(sizes));
    }
  }

  private emptyAll(sizes: SizeClass): void {
    while (this.emptyOne(sizes));
  }

  /** @returns whether there was one */
  private emptyOne(sizes: SizeClass): boolean {
    const buffer = sizes.free.pop();
    if (!buffer) return false;
    this.counts.freeBytes -= buffer.byteLength;
    this.counts.emptied++;
    buffer.resize(0);
    sizes.empty.push(buffer);
    return true;
  }

  private sizeClass(capacity: number): SizeClass {
    let sizes = this.classes.get(capacity);
    if (!sizes) {
      sizes = { free: [], empty: [], usedAt: this.now() };
      this.classes.set(capacity, sizes);
    }
    return sizes;
  }

  private trimLater(): void {
    const pause = this.trim(TRIMMED_AT_ONCE) ? TRIM_PAUSE_MS : TRIM_INTERVAL_MS;
    this.timer = this.counts.freeBytes > 0 ? setTimeout(() => this.trimLater(), pause).unref() : undefined;
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
