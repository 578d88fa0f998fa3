import { type Signal, signal } from '@preact/signals';
import type { Shape } from '../model/geometry.ts';
import { isFloat, type Samples } from '../model/samples.ts';
import { yieldToPage } from '../model/yield-to-page.ts';
import { type CellSource, type Cells, createCells, isCells, lengthOf, reduceCells } from './cells.ts';
import { type Level, planLevels } from './levels.ts';
import { shownValues } from './shown-value.ts';
import type { PlaneTexture, TextureArea } from './types.ts';
import type { ViewPlan } from './view-plan.ts';

/** Samples that are reduced in one task, in a few milliseconds. */
const SLICE_SAMPLES = 1 << 20;
/** A plane of at most so many samples is reduced when a picture needs a level, and not at all when none does. */
const SMALL = 1 << 22;
/** Milliseconds between two updates of the progress. */
const PROGRESS_INTERVAL = 100;

/** Values of the cells of a picture. Rows that have not been reduced yet are missing. */
export interface ShownCells {
  readonly columns: number;
  /** NaN where no sample is finite. */
  readonly values: Float32Array;
  /** First row that cannot be drawn yet. */
  readonly absentFrom: number;
}

/** A plane for drawing without WebGL. Its reductions are computed in slices. */
export class CanvasPlane implements PlaneTexture {
  readonly shape: Shape;
  readonly levels: readonly Level[];
  readonly progress: Signal<number>;
  readonly ready: Promise<void>;
  readonly part: TextureArea | undefined;
  readonly overview: boolean;
  readonly #source: CellSource;
  readonly #areIntegers: boolean;
  readonly #onRelease: (plane: CanvasPlane) => void;
  readonly #reduced: (Cells & { present: number })[] = [];
  #released = false;
  #version = 0;
  #last: { readonly key: string; readonly shown: ShownCells }[] = [];

  constructor(
    data: Samples | Cells,
    shape: Shape,
    part: TextureArea | undefined,
    onRelease: (plane: CanvasPlane) => void,
  ) {
    this.shape = shape;
    this.part = part;
    this.overview = isCells(data);
    this.#source = isCells(data) ? data : { samples: data, columns: shape[1] };
    this.#areIntegers = !isCells(data) && !isFloat(data);
    this.#onRelease = onRelease;
    this.levels = planLevels(shape);
    const later = lengthOf(data) <= SMALL;
    this.progress = signal(later ? 1 : 0);
    this.ready = later ? Promise.resolve() : this.#reduceAll();
  }

  #createLevels(): void {
    const [rows, columns] = this.shape;
    for (const level of this.levels.slice(1)) {
      const cells = createCells(Math.ceil(rows / level.rows), Math.ceil(columns / level.columns));
      this.#reduced.push(Object.assign(cells, { present: 0 }));
    }
  }

  async #reduceAll(): Promise<void> {
    const [rows, columns] = this.shape;
    this.#createLevels();
    let reported = performance.now();
    const first = this.levels[1]?.rows ?? 1;
    const slice = first * Math.max(1, Math.floor(SLICE_SAMPLES / columns / first));
    for (let row = 0; row < rows && this.#reduced.length > 0; row += slice) {
      await yieldToPage();
      if (this.#released) return;
      this.#reduce(Math.min(rows, row + slice));
      if (performance.now() - reported > PROGRESS_INTERVAL) {
        reported = performance.now();
        this.progress.value = Math.min(1, (row + slice) / rows);
      }
    }
    this.progress.value = 1;
  }

  /** Reduces the rows before `end` on all levels as far as possible. */
  #reduce(end: number): void {
    const [rows, columns] = this.shape;
    let source = this.#source;
    let [present, size] = [end, { rows, columns }];
    this.#reduced.forEach((cells, i) => {
      const [finer, level] = [this.levels[i]!, this.levels[i + 1]!];
      const factor = level.rows / finer.rows;
      const whole = end === rows ? cells.rows : Math.floor(present / factor);
      const regular = (count: number, by: number, limit: number) =>
        Int32Array.from({ length: count + 1 }, (_, k) => Math.min(limit, k * by));
      const bounds = {
        rows: regular(cells.rows, factor, size.rows),
        columns: regular(cells.columns, level.columns / finer.columns, size.columns),
      };
      reduceCells(source, bounds, cells, cells.present, whole);
      cells.present = whole;
      [source, present, size] = [cells, whole, cells];
    });
    this.#version++;
  }

  /** Returns the values of a picture. A minified pixel of labels shows the highest one, because means are other labels. */
  shown(plan: ViewPlan, labels: boolean): ShownCells {
    if (plan.level > this.#reduced.length && !this.#released) {
      this.#createLevels();
      this.#reduce(this.shape[0]);
    }
    const key = `${plan.key} ${plan.level > 0 ? this.#version : ''}${labels ? ' labels' : ''}`;
    const cached = this.#last.find((entry) => entry.key === key);
    if (cached) return cached.shown;
    const shown = this.#compute(plan, labels);
    this.#last = [{ key, shown }, ...this.#last].slice(0, 3);
    return shown;
  }

  #compute({ level, rows, columns, minified }: ViewPlan, labels: boolean): ShownCells {
    const reduced = this.#reduced[level - 1];
    const source = reduced ?? this.#source;
    let absentFrom = rows.cells;
    if (reduced) while (absentFrom > 0 && rows.bounds[absentFrom]! > reduced.present) absentFrom--;
    const cells = createCells(rows.cells, columns.cells);
    reduceCells(source, { rows: rows.bounds, columns: columns.bounds }, cells, 0, absentFrom);
    if (minified && !labels) {
      const values = shownValues(cells, absentFrom, this.#areIntegers);
      return { columns: columns.cells, values, absentFrom };
    }
    const values = labels ? cells.high : cells.mean;
    for (let i = 0; i < values.length; i++) if (cells.count[i] === 0) values[i] = Number.NaN;
    return { columns: columns.cells, values, absentFrom };
  }

  release(): void {
    this.#released = true;
    this.#reduced.length = 0;
    this.#last = [];
    this.#onRelease(this);
  }
}
