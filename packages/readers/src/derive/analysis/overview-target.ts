/** An overview computed while a reader puts the plane, of which only a few rows are in memory. */
import { type BlockSource, BlockTarget, type RowBlock } from '../../model/samples/block-target.js';
import type { PlaneData, PlaneSegment, SourceData } from '../../model/samples/plane-data.js';
import type { PlaneTarget, Rectangle, SamplePiece } from '../../model/samples/plane-target.js';
import {
  allocateSamples,
  bytesPerElement,
  heldType,
  type SampleArray,
  type SampleType,
} from '../../model/samples/types.js';
import type { KernelHost } from '../../simd/kernels.js';
import { firstRowOf, type OverviewGrid, OverviewRun, usesGroups } from './overview.js';
import { GROUP_ROWS, GroupReducer } from './row-groups.js';
import { PARTS } from './row-reducer.js';

/** Rows of a plane that wait for others: a plane that needs more is not put in order. */
const MAX_HELD_BYTES = 16 * 2 ** 20;
/** Samples of the rows that are reduced at a time: with what the reader has, they fit into the cache of a core. */
const PIECE_SAMPLES = 65_536;

/** Returns the bytes that an `OverviewTarget` may take. */
export function overviewBytes({ width, height, cells }: OverviewGrid): number {
  return 2 * MAX_HELD_BYTES + 12 * width * (cells?.count ?? height);
}

/** Receives a plane, and keeps its overview. Readers that put rows in order need memory for a few of them. */
export class OverviewTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly target: BlockTarget;
  private readonly stream: RowStream;

  /**
   * @param host not the one that readers decode with: they put samples from its memory
   * @param sampleType of all samples that are put; float32 when omitted
   */
  constructor(
    { rows, columns }: { rows: number; columns: number },
    grid: OverviewGrid,
    { host, sampleType = 'float32' }: { host: KernelHost; sampleType?: SampleType },
  ) {
    const { first: firstCell, count: cellCount } = grid.cells ?? { first: 0, count: grid.height };
    // Groups of rows start at multiples of 16, wherever the first cell starts.
    const first = Math.floor(firstRowOf(grid, firstCell) / GROUP_ROWS) * GROUP_ROWS;
    const band = { first, count: firstRowOf(grid, firstCell + cellCount) - first };
    this.rows = rows;
    this.columns = columns;
    this.stream = new RowStream({ rows, columns, band, type: heldType(sampleType) }, grid, host);
    this.target = new BlockTarget({ rows, columns, band }, this.stream);
  }

  wants(row: number, rows: number): boolean {
    return this.stream.isInOrder && this.target.wants(row, rows);
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    if (this.stream.isInOrder) this.target.put(piece, row, column, rows, columns);
  }

  putZeros(type: SampleType, at: Rectangle): void {
    if (this.stream.isInOrder) this.target.putZeros(type, at);
  }

  /** Max bytes of samples that were held at a time. */
  get peakBytes(): number {
    return this.stream.peakBytes;
  }

  /** Returns the cells, as `overview` does; `undefined` when the reader did not put rows in order. */
  finish(): Float32Array<ArrayBuffer> | undefined {
    if (this.stream.isInOrder) this.target.finish();
    return this.stream.isInOrder ? this.stream.run.out : undefined;
  }
}

interface Held {
  firstRow: number;
  rowCount: number;
  samples: SampleArray;
}

/** Hands rows on in order, and uses their memory again when they were passed. */
class RowStream implements BlockSource {
  readonly rowsPerBlock: number;
  readonly run: OverviewRun;
  isInOrder = true;
  peakBytes = 0;
  private readonly shape: { rows: number; columns: number; band: { first: number; count: number }; type: SampleType };
  private readonly rows: SourceData & { segments: PlaneSegment<SampleArray>[] };
  private readonly groups: (PlaneData & { segments: PlaneSegment[] }) | undefined;
  private readonly reducer: GroupReducer;
  private readonly open = new Map<number, Held>();
  private readonly complete = new Map<number, Held>();
  private readonly free: SampleArray[] = [];
  private readonly freeGroups: Float32Array[] = [];
  private allocated = 0;
  private next = 0;

  constructor(shape: RowStream['shape'], grid: OverviewGrid, host: KernelHost) {
    const { rows, columns, type } = shape;
    this.shape = shape;
    this.rowsPerBlock = GROUP_ROWS * Math.max(1, Math.floor(PIECE_SAMPLES / (GROUP_ROWS * columns)));
    this.rows = { sampleType: type, rows, columns, segments: [] };
    if (usesGroups(grid.window, grid.height)) this.groups = { sampleType: 'float32', rows, columns, segments: [] };
    this.reducer = new GroupReducer(this.rows, host);
    this.run = new OverviewRun(this.rows, grid, { groups: this.groups, host });
  }

  take(index: number): RowBlock {
    const { band, columns, type } = this.shape;
    const isNew = index >= this.next && !this.open.has(index) && !this.complete.has(index);
    if (!isNew || this.allocated + this.blockBytes > MAX_HELD_BYTES + this.free.length * this.blockBytes) {
      this.isInOrder = false;
      return { samples: allocateSamples(type, this.rowsPerBlock * columns), content: 'zeros' };
    }
    const used = this.free.pop();
    const samples = used ?? allocateSamples(type, this.rowsPerBlock * columns);
    if (!used) {
      this.allocated += this.blockBytes;
      this.peakBytes = Math.max(this.peakBytes, this.allocated);
    }
    const firstRow = band.first + index * this.rowsPerBlock;
    const rowCount = Math.min(this.rowsPerBlock, band.first + band.count - firstRow);
    this.open.set(index, { firstRow, rowCount, samples });
    return { samples, content: used ? 'used' : 'zeros' };
  }

  give(index: number): void {
    const held = this.open.get(index);
    if (!this.isInOrder || !held) return;
    this.open.delete(index);
    this.complete.set(index, held);
    for (let ready = this.complete.get(this.next); ready; ready = this.complete.get(this.next)) {
      this.complete.delete(this.next++);
      this.pass(ready);
    }
  }

  private get blockBytes(): number {
    return bytesPerElement(this.shape.type) * this.rowsPerBlock * this.shape.columns;
  }

  private pass(held: Held): void {
    this.rows.segments.push(held);
    if (this.groups) this.groups.segments.push(this.reduce(held));
    this.run.pass(held.firstRow + held.rowCount);
    const { segments } = this.rows;
    while (segments[0] && segments[0].firstRow + segments[0].rowCount <= this.run.row) {
      this.free.push(segments.shift()!.samples);
      const group = this.groups?.segments.shift();
      if (group) this.freeGroups.push(group.samples);
    }
  }

  /** Returns the groups of some rows; not of those after the last whole group. */
  private reduce({ firstRow, rowCount }: Held): PlaneSegment {
    const { columns } = this.shape;
    const first = firstRow / GROUP_ROWS;
    const count = Math.floor(rowCount / GROUP_ROWS);
    const samples = this.freeGroups.pop() ?? new Float32Array((PARTS * this.rowsPerBlock * columns) / GROUP_ROWS);
    for (let i = 0; i < count; i++) {
      this.reducer.reduce(first + i, (row, part) => samples.set(part, (row - PARTS * first) * columns));
    }
    return { firstRow: PARTS * first, rowCount: PARTS * count, samples };
  }
}
