import { type Signal, signal } from '@preact/signals';
import type { Shape } from '../../model/geometry.ts';
import type { Samples } from '../../model/samples.ts';
import { yieldToPage } from '../../model/yield-to-page.ts';
import { type Cells, isCells } from '../cells.ts';
import type { TextureLimits } from '../layout.ts';
import { type Level, planLevels } from '../levels.ts';
import type { PlaneTexture, TextureArea } from '../types.ts';
import type { Device } from './device.ts';
import { LEVEL_TEXELS, PagedTexture, texelsOf } from './paged-texture.ts';

/** Bytes that are uploaded in one task, in a few milliseconds. */
const SLICE_BYTES = 4 << 20;
/** Milliseconds between two updates of the progress. */
const PROGRESS_INTERVAL = 100;

/** A plane and its reductions on the graphics card. */
export class GlPlane implements PlaneTexture {
  readonly shape: Shape;
  readonly levels: readonly Level[];
  readonly progress: Signal<number> = signal(0);
  readonly ready: Promise<void>;
  /** Changes whenever the drawn result could change. */
  version = 0;
  released = false;
  #textures: PagedTexture[] = [];
  #settle: () => void = () => undefined;
  readonly data: Samples | Cells;
  readonly part: TextureArea | undefined;
  readonly overview: boolean;
  readonly #stored: ReturnType<typeof texelsOf>;
  readonly #onRelease: (plane: GlPlane) => void;

  constructor(data: Samples | Cells, shape: Shape, part: TextureArea | undefined, onRelease: (plane: GlPlane) => void) {
    this.part = part;
    this.overview = isCells(data);
    this.shape = shape;
    this.levels = planLevels(shape);
    this.data = data;
    this.#stored = texelsOf(data);
    this.#onRelease = onRelease;
    this.ready = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Returns the texture of a level; null before the upload. */
  texture(level: number): PagedTexture | null {
    return this.#textures[level] ?? null;
  }

  /** Uploads in slices and reduces them. Stops early when `current` returns false or the plane is released. */
  async upload(device: Device, limits: TextureLimits, current: () => boolean): Promise<void> {
    if (this.released || !current()) return;
    const [rows, columns] = this.shape;
    this.forget();
    this.#textures = this.levels.map((level, i) => {
      const size = [Math.ceil(rows / level.rows), Math.ceil(columns / level.columns)] as const;
      return new PagedTexture(device, ...size, i === 0 ? this.#stored.texels : LEVEL_TEXELS, limits);
    });
    if (device.gl.getError() === device.gl.OUT_OF_MEMORY) throw new Error('the graphics card is out of memory');
    const rowsPerSlice = Math.max(1, Math.floor(SLICE_BYTES / (this.#stored.texels.bytes * columns)));
    let reported = performance.now();
    for (let row = 0; row < rows; row += rowsPerSlice) {
      this.#slice(row, Math.min(rows, row + rowsPerSlice));
      if (performance.now() - reported > PROGRESS_INTERVAL) {
        reported = performance.now();
        this.progress.value = (row + rowsPerSlice) / rows;
      }
      await yieldToPage();
      if (this.released || !current()) return;
    }
    this.progress.value = 1;
    this.#settle();
  }

  #slice(from: number, end: number): void {
    const [rows] = this.shape;
    this.#textures[0]?.upload(this.#stored.bits, from, end);
    for (let i = 1; i < this.levels.length; i++) {
      const [finer, coarser] = [this.#textures[i - 1]!, this.#textures[i]!];
      const [last, level] = [this.levels[i - 1]!, this.levels[i]!];
      const factor = { rows: level.rows / last.rows, columns: level.columns / last.columns };
      const complete = end === rows ? coarser.layout.rows : Math.floor(finer.present / factor.rows);
      if (complete > coarser.present) coarser.reduceFrom(finer, factor, complete);
    }
    this.version++;
  }

  /** Drops all textures, when the context was lost or before a new upload. */
  forget(): void {
    for (const texture of this.#textures) texture.release();
    this.#textures = [];
    this.version++;
    this.progress.value = 0;
  }

  /** Marks the plane as ready after another renderer has taken over. */
  detach(): void {
    this.forget();
    this.progress.value = 1;
    this.#settle();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    for (const texture of this.#textures) texture.release();
    this.#textures = [];
    this.#settle();
    this.#onRelease(this);
  }
}
