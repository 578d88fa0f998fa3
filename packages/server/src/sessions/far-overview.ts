/** Overviews of planes that are not in memory, read from their files. Those of whole planes are kept. */
import { basename } from 'node:path';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import { overviewBytes } from '@acquisition-store/readers/derive/analysis/overview-target.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { ChannelRequest, DecodeLease } from '../decode/types.js';
import type { PlaneUser } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { type PinnedPlane, PlaneBuilder, rowWriter } from '../planes/plane-memory.js';
import type { Watch } from '../storage/gate.js';
import { splitIntoBands } from './bands.js';
import { checkFiles, checkShape, type DecodeContext, fileAgain, withFile } from './decode-again.js';
import { countHelpers } from './decode-planes.js';
import type { PlaneOrder } from './plane-order.js';
import type { SessionRecord } from './record.js';

/** Parts of an overview per worker: whoever starts later, or has less of a core, takes fewer of them. */
const PARTS_PER_WORKER = 4;
/** As float32. Overviews of smaller planes are computed from the plane in memory, which is decoded for them. */
const MIN_FAR_BYTES = 64 * 2 ** 20;

/**
 * Reads a plane once, with every worker that is of use, and returns its overview; nothing when the file does not have its
 * rows in order.
 * @throws AcqError like `decodeAgain`
 */
export function readOverview(
  context: DecodeContext,
  record: SessionRecord,
  { order, grid }: { order: PlaneOrder; grid: OverviewGrid },
  watch: Watch,
): Promise<Float32Array<ArrayBuffer> | undefined> {
  const { scene } = order.request;
  return withFile(context, record, { scene, watch }, async (lease, opened) => {
    checkShape(opened, order);
    const maxHelpers = countHelpers(opened);
    const work = new OverviewWork(order.request as ChannelRequest, grid);
    const scratchBytes = opened.scratchBytes + overviewBytes(grid);
    const run = () => context.cache.withScratch(scratchBytes, () => work.drain(lease));
    const help = () =>
      context.options.decoder.tryLease({ label: basename(record.path), ...watch }, async (helper) => {
        await helper.open(fileAgain(record, scene, context.options));
        await checkFiles(helper, record, order.isKnown);
        await context.cache.withScratch(scratchBytes, () => work.drain(helper));
        await helper.close();
      });
    const helpers: Promise<unknown>[] = [];
    while (helpers.length < maxHelpers) {
      const helper = help();
      if (!helper) break;
      helpers.push(helper);
    }
    work.split(helpers.length + 1);
    // What a helper leaves, this worker does; if the file has changed, it notices.
    const [own] = await Promise.allSettled([run(), ...helpers]);
    if (own.status === 'rejected') throw own.reason;
    await run();
    await checkFiles(lease, record, order.isKnown);
    return work.cells;
  });
}

/** True for a plane whose overviews are read from the file. */
export function isFar({ rows, columns }: Pick<PlaneOrder, 'rows' | 'columns'>): boolean {
  return planeByteLength({ rows, columns, sampleType: 'float32' }) >= MIN_FAR_BYTES;
}

/** True for an overview of all samples of a plane. */
export function isWholeOverview(
  { window: { firstRow, endRow, firstColumn, endColumn } }: OverviewGrid,
  { rows, columns }: Pick<PlaneOrder, 'rows' | 'columns'>,
): boolean {
  return firstRow === 0 && firstColumn === 0 && endRow === rows && endColumn === columns;
}

/**
 * Returns an overview that is not kept as a plane: its quantities one below the other. Its memory counts until it is released.
 * @throws AcqError like `PlaneCache.makeRoom`, and what `read` throws
 */
export async function holdOverview(
  cache: PlaneCache,
  { height, width }: OverviewGrid,
  owner: string | undefined,
  read: () => Promise<Float32Array | undefined>,
): Promise<PinnedPlane | undefined> {
  const rows = 3 * height;
  const release = await cache.reserve(4 * rows * width, owner);
  const samples = await read().catch((error: unknown) => {
    release();
    throw error;
  });
  if (samples) {
    const segments = [{ firstRow: 0, rowCount: rows, samples }];
    return { data: { sampleType: 'float32', rows, columns: width, segments }, release };
  }
  release();
  return undefined;
}

/** The rows of a plane are not in order in its file. */
class OutOfOrder extends Error {}

/** Returns the key of the overview of a whole plane in the plane cache. @param key that of the plane */
export function overviewKey(key: string, { height, width }: OverviewGrid): string {
  return `${key}/overview/${height}/${width}`;
}

/**
 * Returns the overview of a whole plane, like `holdOverview`, which is read once for all who want it.
 * @param overview `key` is that of the plane
 * @throws what `read` throws
 */
export async function keepOverview(
  cache: PlaneCache,
  overview: {
    key: string;
    grid: OverviewGrid;
    read: (stop: AbortSignal) => Promise<Float32Array | undefined>;
  },
  reader: PlaneUser,
): Promise<PinnedPlane | undefined> {
  const { key, grid, read } = overview;
  const { height, width } = grid;
  const rows = 3 * height;
  const fill = async (stop: AbortSignal) => {
    const cells = await read(stop);
    if (!cells) throw new OutOfOrder();
    const builder = new PlaneBuilder(cache.arena, rows, width);
    await builder.fill({ first: 0, count: rows }, async (memory) => {
      const write = rowWriter(memory, width);
      for (let row = 0; row < rows; row++) write(row, cells.subarray(row * width, (row + 1) * width));
    });
    return builder.plane;
  };
  try {
    return await cache.read(overviewKey(key, grid), 4 * rows * width, fill, reader);
  } catch (error) {
    if (error instanceof OutOfOrder) return undefined;
    throw error;
  }
}

/** Rows of cells that workers take in turns. */
class OverviewWork {
  private readonly request: ChannelRequest;
  private readonly grid: OverviewGrid;
  private readonly queue: NonNullable<OverviewGrid['cells']>[] = [];
  private out: Float32Array<ArrayBuffer> | undefined;

  constructor(request: ChannelRequest, grid: OverviewGrid) {
    this.request = request;
    this.grid = grid;
    this.out = new Float32Array(3 * grid.height * grid.width);
  }

  /** The overview; nothing when a reader did not read rows in order. */
  get cells(): Float32Array<ArrayBuffer> | undefined {
    return this.out;
  }

  /** Fills the queue. */
  split(workers: number): void {
    const { height } = this.grid;
    this.queue.push(...splitIntoBands(height, workers === 1 ? 1 : Math.min(height, workers * PARTS_PER_WORKER)));
  }

  /** Computes parts until there are no more. */
  async drain(lease: DecodeLease): Promise<void> {
    for (let cells = this.queue.shift(); cells; cells = this.queue.shift()) {
      try {
        const part = await lease.overview(this.request, { ...this.grid, cells });
        if (!part) this.giveUp();
        else this.put(part, cells);
      } catch (error) {
        this.queue.push(cells);
        throw error;
      }
    }
  }

  private put(part: Float32Array, { first, count }: { first: number; count: number }): void {
    const { height, width } = this.grid;
    for (let quantity = 0; quantity < 3; quantity++) {
      const cells = part.subarray(quantity * count * width, (quantity + 1) * count * width);
      this.out?.set(cells, (quantity * height + first) * width);
    }
  }

  private giveUp(): void {
    this.queue.length = 0;
    this.out = undefined;
  }
}
