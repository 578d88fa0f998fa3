import type { PlaneSegment, SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import {
  bytesPerElement,
  type SampleArray,
  type SampleType,
  viewSamples,
} from '@acquisition-store/readers/model/samples/types.js';
import type { PlaneMemory, RowBand } from '../decode/types.js';
import type { PlaneArena, PlaneBlock } from './arena.js';

/** A decoded plane, and the memory that it lives in. */
export interface StoredPlane {
  data: SourceData;
  blocks: readonly PlaneBlock[];
}

/**
 * Bytes of a block. Large planes are kept in many, so that few of their bytes are on their way between threads at a time,
 * and memory is used again for planes of other sizes.
 */
const BLOCK_BYTES = 2 * 2 ** 20;

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
  readonly plane: Promise<StoredPlane>;
  readonly sampleType: SampleType;
  private readonly arena: PlaneArena;
  private readonly parts: { segment: PlaneSegment<SampleArray>; block: PlaneBlock }[] = [];
  private missing: number;
  private isOver = false;
  private resolve: (plane: StoredPlane) => void = () => {};
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
  async fill({ first, count }: RowBand, decode: (memory: PlaneMemory) => Promise<void>): Promise<void> {
    const rowBytes = this.columns * bytesPerElement(this.sampleType);
    const { rowsPerBlock } = this;
    const blocks: PlaneBlock[] = [];
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
    for (const [i, block] of blocks.entries()) this.keep(first + i * rowsPerBlock, block);
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

  private keep(firstRow: number, block: PlaneBlock): void {
    const length = block.byteLength / bytesPerElement(this.sampleType);
    const samples = viewSamples(this.sampleType, block.buffer, length);
    this.parts.push({ segment: { firstRow, rowCount: samples.length / this.columns, samples }, block });
  }

  private giveBack(blocks: readonly PlaneBlock[]): void {
    for (const block of blocks) this.arena.give(block);
  }

  private finish(): void {
    this.isOver = true;
    this.parts.sort((a, b) => a.segment.firstRow - b.segment.firstRow);
    const segments = this.parts.map(({ segment }) => segment);
    const roundings = this.parts.flatMap(({ block }) => block.rounding ?? []);
    const rounding = roundings.find(({ isInfinite }) => isInfinite) ?? roundings[0];
    const shape = { sampleType: this.sampleType, rows: this.rows, columns: this.columns };
    const data = { ...shape, segments, ...(rounding ? { rounding } : {}) };
    this.resolve({ data, blocks: this.parts.map(({ block }) => block) });
  }
}
