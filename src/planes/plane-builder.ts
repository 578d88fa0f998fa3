import type { RowBand } from '../decode/types.js';
import type { PlaneArena, PlaneBlock } from './arena.js';
import type { PlaneData, PlaneSegment } from './plane-data.js';

/** A decoded plane, and the memory that it lives in. */
export interface StoredPlane {
  data: PlaneData;
  blocks: readonly PlaneBlock[];
}

/** A plane to come. Its rows may arrive from several workers, in any order; each part keeps the memory it arrives in. */
export class PlaneBuilder {
  readonly rows: number;
  readonly columns: number;
  /** Resolves when the last row has arrived. Whoever builds a plane must handle its rejection. */
  readonly plane: Promise<StoredPlane>;
  private readonly arena: PlaneArena;
  private readonly parts: { segment: PlaneSegment; block: PlaneBlock }[] = [];
  private missing: number;
  private isOver = false;
  private resolve: (plane: StoredPlane) => void = () => {};
  private reject: (error: unknown) => void = () => {};

  constructor(arena: PlaneArena, rows: number, columns: number) {
    this.arena = arena;
    this.rows = rows;
    this.columns = columns;
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
  async fill({ first, count }: RowBand, decode: (block: PlaneBlock) => Promise<void>): Promise<void> {
    const block = this.arena.take(count * this.columns * Float32Array.BYTES_PER_ELEMENT);
    try {
      await decode(block);
    } catch (error) {
      this.arena.give(block);
      throw error;
    }
    if (this.isOver) {
      this.arena.give(block);
      return;
    }
    const samples = new Float32Array(block.buffer, 0, count * this.columns);
    this.parts.push({ segment: { firstRow: first, rowCount: count, samples }, block });
    this.missing -= count;
    if (this.missing === 0) this.finish();
  }

  /** Ends an unfinished plane: its memory is free again, and `plane` rejects with `error`. */
  giveUp(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const { block } of this.parts) this.arena.give(block);
    this.reject(error);
  }

  private finish(): void {
    this.isOver = true;
    this.parts.sort((a, b) => a.segment.firstRow - b.segment.firstRow);
    const segments = this.parts.map(({ segment }) => segment);
    const data = { rows: this.rows, columns: this.columns, segments };
    this.resolve({ data, blocks: this.parts.map(({ block }) => block) });
  }
}
