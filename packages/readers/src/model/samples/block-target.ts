import { checkPlacement, copyPiece, type PlaneTarget, type Rectangle, type SamplePiece } from './plane-target.js';
import { findRounding, type Rounding } from './rounding.js';
import { fillZeros, type SampleArray, type SampleType } from './types.js';

/** Memory for some whole rows of a plane. */
export interface RowBlock {
  samples: SampleArray;
  /** Samples of another plane, zeros, or what was put there before the block was given back. */
  content: 'used' | 'zeros' | 'kept';
}

/** Where the memory of a plane comes from, block by block. */
export interface BlockSource {
  /** Rows of each block; the last one may have fewer. */
  readonly rowsPerBlock: number;
  /** Type of the samples of all blocks; without it, readers are lent none of them. */
  readonly sampleType?: SampleType | undefined;
  /** Returns a block, which stays valid until it is given back. */
  take(index: number): RowBlock;
  /**
   * Gives back a block that is filled. It may be taken again.
   * @param rounding a sample of it that float32 cannot hold, if any
   */
  give(index: number, rounding?: Rounding): void;
}

/**
 * Some rows of a plane, in blocks that may contain samples of another plane. Rows outside the band are
 * ignored. Whatever is not put is zero after `finish`; only that is zeroed.
 */
export class BlockTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly first: number;
  private readonly last: number;
  private readonly source: BlockSource;
  private readonly scratch: ArrayBuffer | undefined;
  private readonly blocks: (OpenBlock | undefined)[];

  /**
   * @param band rows of the plane that are kept; block 0 starts with the first of them
   * @param scratch see `copyPiece`
   */
  constructor(
    { rows, columns, band }: { rows: number; columns: number; band: { first: number; count: number } },
    source: BlockSource,
    scratch?: ArrayBuffer,
  ) {
    this.rows = rows;
    this.columns = columns;
    this.first = band.first;
    this.last = band.first + band.count;
    this.source = source;
    this.scratch = scratch;
    this.blocks = new Array<undefined>(Math.ceil(band.count / source.rowsPerBlock)).fill(undefined);
  }

  wants(row: number, rows: number): boolean {
    return row < this.last && row + rows > this.first;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    for (const part of this.split(row, rows)) {
      const open = this.open(part.index);
      const offset = piece.offset + (part.from - row) * piece.rowStride;
      const source = part.rows === rows ? piece : { ...piece, offset };
      open.put(source, this.scratch, { row: part.row, column, rows: part.rows, columns }, this.columns);
      if (open.isComplete) this.close(part.index, open);
    }
  }

  get lentType(): SampleType | undefined {
    return this.source.sampleType;
  }

  lend(row: number, rows: number): SampleArray | undefined {
    checkPlacement(this, row, 0, rows, this.columns);
    const [part] = this.split(row, rows);
    return part?.from === row ? this.open(part.index).lend(part, this.columns) : undefined;
  }

  putZeros(_type: SampleType, { row, column, rows, columns }: Rectangle): void {
    checkPlacement(this, row, column, rows, columns);
    for (const part of this.split(row, rows)) {
      // A block that was never put to is zeroed at the end.
      if (this.blocks[part.index] === undefined) continue;
      this.open(part.index).zero({ row: part.row, column, rows: part.rows, columns }, this.columns);
    }
  }

  /** Zeroes what no reader has put, and gives back all blocks. */
  finish(): void {
    for (let index = 0; index < this.blocks.length; index++) {
      if (this.blocks[index]?.isGiven) continue;
      this.close(index, this.open(index));
    }
  }

  /** Yields the rows of the band among `row` … `row + rows`, split into blocks. */
  private *split(row: number, rows: number): Generator<{ index: number; from: number; row: number; rows: number }> {
    const { rowsPerBlock } = this.source;
    const end = Math.min(row + rows, this.last);
    for (let from = Math.max(row, this.first); from < end; ) {
      const index = Math.floor((from - this.first) / rowsPerBlock);
      const start = this.first + index * rowsPerBlock;
      const to = Math.min(end, start + rowsPerBlock);
      yield { index, from, row: from - start, rows: to - from };
      from = to;
    }
  }

  private open(index: number): OpenBlock {
    const known = this.blocks[index];
    if (known && !known.isGiven) return known;
    const rows = Math.min(this.source.rowsPerBlock, this.last - this.first - index * this.source.rowsPerBlock);
    const open = new OpenBlock(this.source.take(index), rows * this.columns);
    this.blocks[index] = open;
    return open;
  }

  private close(index: number, open: OpenBlock): void {
    open.zeroRest();
    open.isGiven = true;
    this.source.give(index, open.rounding);
  }
}

/** A block that is being filled. */
class OpenBlock {
  isGiven = false;
  /** A sample that float32 cannot hold. */
  rounding: Rounding | undefined;
  private readonly samples: SampleArray;
  private readonly size: number;
  /** A block that has come back may do so again: it stays until the end. */
  private readonly isBack: boolean;
  /** Samples from the start that were put or zeroed; those after them are not this plane's yet. */
  private defined: number;
  /** Samples that were put; one counts each time. */
  private count = 0;

  constructor({ samples, content }: RowBlock, size: number) {
    this.samples = samples;
    this.size = size;
    this.isBack = content === 'kept';
    this.defined = content === 'used' ? 0 : size;
  }

  /** True when as many samples were put as the block has. Unless some were put twice, it is full. */
  get isComplete(): boolean {
    return this.count >= this.size && !this.isBack;
  }

  put(piece: SamplePiece, scratch: ArrayBuffer | undefined, at: Rectangle, rowLength: number): void {
    const { row, column, rows, columns } = at;
    const start = row * rowLength + column;
    const end = start + (rows - 1) * rowLength + columns;
    if (end > this.defined) {
      // Rows without gaps between them need no zeros below.
      const isRun = columns === rowLength || rows === 1;
      if (!isRun || start > this.defined) fillZeros(this.samples, this.defined, isRun ? start : end);
      this.defined = end;
    }
    copyPiece(piece, this.samples, start, rowLength, rows, columns, scratch);
    if (this.samples instanceof Float32Array) this.rounding = findRounding(piece, rows, columns, this.rounding);
    this.count += rows * columns;
  }

  lend({ row, rows }: { row: number; rows: number }, rowLength: number): SampleArray {
    return this.samples.subarray(row * rowLength, (row + rows) * rowLength);
  }

  zero({ row, column, rows, columns }: Rectangle, rowLength: number): void {
    for (let r = row; r < row + rows; r++) {
      const start = r * rowLength + column;
      if (start >= this.defined) return;
      fillZeros(this.samples, start, Math.min(this.defined, start + columns));
    }
  }

  zeroRest(): void {
    fillZeros(this.samples, this.defined, this.size);
    this.defined = this.size;
  }
}
