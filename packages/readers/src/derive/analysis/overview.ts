import type { PlaneData, SourceData } from '../../model/samples/plane-data.js';
import { type KernelHost, kernelHost } from '../../simd/kernels.js';
import { CellLine } from './cell-line.js';
import { GROUP_ROWS } from './row-groups.js';
import { PARTS, RowReducer } from './row-reducer.js';
import { SLICE_SAMPLES } from './slices.js';
import { type Window, WindowReader } from './window.js';

/** Groups pay when a cell has this many rows. */
const MIN_CELL_ROWS = 32;
/** Samples of whole rows of the plane that one step passes, unless a group has more. */
const STEP_SAMPLES = 1 << 20;

/** A grid of cells over a window. */
export interface OverviewGrid {
  window: Window;
  /** 1 to the rows of the window. */
  height: number;
  /** 1 to the columns of the window. */
  width: number;
  /** Rows of cells that are wanted; all when omitted. */
  cells?: { first: number; count: number };
}

/** True when an overview of these sizes is faster with the plane of groups; see `reduceToGroups`. */
export function usesGroups({ firstRow, endRow }: Window, height: number): boolean {
  return endRow - firstRow >= MIN_CELL_ROWS * height;
}

/** Returns the first row of the plane that row `cell` of the cells has; the end of the window for `height`. */
export function firstRowOf({ window, height }: OverviewGrid, cell: number): number {
  return window.firstRow + Math.floor((cell * (window.endRow - window.firstRow)) / height);
}

/**
 * Reduces a window to `height` × `width` cells. Cell i of the rows has rows ⌊i·R/height⌋ … ⌊(i+1)·R/height⌋ − 1 of the
 * window, and columns likewise, so that every sample is in exactly one cell.
 * @param groups the plane of groups
 * @returns shape 3 × `height` × `width`: the smallest, the largest and the mean finite sample of each cell; `NaN` where
 * nothing is finite
 */
export function* overview(
  data: SourceData,
  window: Window,
  size: { height: number; width: number },
  groups?: PlaneData,
): Generator<void, Float32Array<ArrayBuffer>> {
  const run = new OverviewRun(data, { window, ...size }, { groups });
  while (!run.pass(window.endRow, SLICE_SAMPLES)) yield;
  return run.out;
}

/** An overview that is computed row by row. Rows before `row` are not read again. */
export class OverviewRun {
  /** The result: shape 3 × rows of cells × `width`. */
  readonly out: Float32Array<ArrayBuffer>;
  private readonly grid: OverviewGrid;
  private readonly first: number;
  private readonly count: number;
  private readonly line: CellLine;
  private readonly steps: OverviewSteps;
  private cell: number;
  private next: number;

  /** @param host another one than the readers have, when they put samples while rows are reduced */
  constructor(
    data: SourceData,
    grid: OverviewGrid,
    { groups, host = kernelHost }: { groups?: PlaneData | undefined; host?: KernelHost },
  ) {
    const { window, height, width, cells = { first: 0, count: height } } = grid;
    this.grid = grid;
    this.first = cells.first;
    this.count = cells.count;
    this.out = new Float32Array(3 * cells.count * width);
    this.line = new CellLine(window.endColumn - window.firstColumn, width);
    this.steps = new OverviewSteps(data, window, this.line, { groups, host });
    this.cell = cells.first;
    this.next = firstRowOf(grid, cells.first);
  }

  /** First row that was not passed yet. */
  get row(): number {
    return this.next;
  }

  /**
   * Passes rows of the plane, in steps that do not depend on how many are there.
   * @param end rows before it are there
   * @param maxSamples returns when more than these were passed
   * @returns whether all cells are complete
   */
  pass(end: number, maxSamples = Number.POSITIVE_INFINITY): boolean {
    const { grid, steps, line, count } = this;
    let passed = 0;
    for (; this.cell < this.first + count; this.cell++) {
      const cellEnd = firstRowOf(grid, this.cell + 1);
      while (this.next < cellEnd) {
        if (passed >= maxSamples || steps.reach(this.next, cellEnd) > end) return false;
        const step = steps.add(this.next, cellEnd);
        this.next += step.count;
        passed += step.cost;
      }
      line.flush(this.out, (this.cell - this.first) * grid.width, count * grid.width);
      steps.startCell();
    }
    return true;
  }
}

/** Adds rows to a line of cells, in the largest steps that are possible. */
class OverviewSteps {
  private readonly line: CellLine;
  private readonly reducer: RowReducer;
  private readonly reader: WindowReader;
  private readonly groups: { reducer: RowReducer; count: number; maxAtOnce: number } | undefined;
  private readonly maxRows: number;
  /** Groups that are added at a time. */
  private maxGroups = 1;

  constructor(
    data: SourceData,
    window: Window,
    line: CellLine,
    { groups, host }: { groups: PlaneData | undefined; host: KernelHost },
  ) {
    this.line = line;
    this.reducer = new RowReducer(data, window, host);
    this.reader = new WindowReader(data, window, { maxRows: this.reducer.maxRows, wholeRows: true });
    const stepRows = Math.max(1, Math.floor(STEP_SAMPLES / data.columns));
    this.maxRows = Math.min(this.reducer.maxRows, stepRows);
    if (!groups) return;
    const maxAtOnce = Math.min(Math.floor(this.reducer.maxRows / PARTS), Math.ceil(stepRows / GROUP_ROWS));
    this.groups = {
      reducer: new RowReducer(groups, window, host),
      count: Math.floor(data.rows / GROUP_ROWS),
      maxAtOnce,
    };
    this.maxGroups = maxAtOnce;
  }

  /** Begins another row of cells: the steps in it do not depend on those before it. */
  startCell(): void {
    if (this.groups) this.maxGroups = this.groups.maxAtOnce;
  }

  /** Returns the row before which all rows must be there for `add`. */
  reach(row: number, end: number): number {
    return row + (GROUP_ROWS * this.countGroups(row, end) || this.countRows(row, end));
  }

  /** Adds rows from `row` on, `end` excluded. Returns how many, and how many samples had to be passed for them. */
  add(row: number, end: number): { count: number; cost: number } {
    return this.addGroups(row, end) ?? this.addRows(row, this.countRows(row, end));
  }

  /** Returns the number of groups from `row` on; 0 when no group starts there and ends in time. */
  private countGroups(row: number, end: number): number {
    if (!this.groups || row % GROUP_ROWS !== 0) return 0;
    const first = row / GROUP_ROWS;
    return Math.max(0, Math.min(Math.floor(end / GROUP_ROWS), this.groups.count, first + this.maxGroups) - first);
  }

  private countRows(row: number, end: number): number {
    return Math.min((this.groups ? Math.min(end, nextGroup(row)) : end) - row, this.maxRows);
  }

  /** Returns nothing when there is no group, or one has a sample that is not finite. */
  private addGroups(row: number, end: number): { count: number; cost: number } | undefined {
    const groups = this.countGroups(row, end);
    if (!this.groups || groups === 0) return undefined;
    const { reducer } = this.groups;
    const reduced = reducer.combine((PARTS * row) / GROUP_ROWS, PARTS * groups);
    if (!reduced) {
      // One of them has a sample that is not finite, and others may too.
      this.maxGroups = 1;
      return groups > 1 ? this.addGroups(row, end) : undefined;
    }
    this.line.addReduced(reduced, groups * GROUP_ROWS);
    return { count: groups * GROUP_ROWS, cost: PARTS * groups * reducer.width };
  }

  private addRows(row: number, count: number): { count: number; cost: number } {
    const reduced = this.reducer.reduce(row, count);
    if (reduced) this.line.addReduced(reduced, count);
    else this.addEach(row, count);
    return { count, cost: count * this.reducer.width };
  }

  private addEach(row: number, count: number): void {
    for (let done = 0; done < count; ) {
      const read = Math.min(this.reader.read(row + done), count - done);
      for (let i = 0; i < read; i++) this.line.add(this.reader.samples, i * this.reader.width);
      done += read;
    }
  }
}

function nextGroup(row: number): number {
  return (Math.floor(row / GROUP_ROWS) + 1) * GROUP_ROWS;
}
