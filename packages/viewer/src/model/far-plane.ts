/** Planes that are too large for the page: the server keeps them, and the page gets the parts that it shows. */
import type { ReadonlySignal } from '@preact/signals';
import type { Along, Profile } from '../analysis/profile.ts';
import type { PlaneRegion } from '../analysis/region.ts';
import type { RegionStats } from '../analysis/region-stats.ts';
import type { Cells } from '../render/cells.ts';
import type { ChannelStats } from './display.ts';
import type { Shape } from './geometry.ts';
import type { Samples } from './samples.ts';

/** A part of a far plane in this page: its samples, or cells of many samples. */
export interface FarRegion extends PlaneRegion {
  readonly data: Samples | Cells;
  /** Rows and columns of `data`. */
  readonly shape: Shape;
}

export interface FarPlane {
  /** Bytes of all its samples, as they are transferred. */
  readonly byteLength: number;
  /** The overview of the whole plane, then parts that were looked at, the newest last; at most a few. */
  readonly parts: ReadonlySignal<readonly FarRegion[]>;
  /** True while the picture on screen has single samples. */
  readonly exact: ReadonlySignal<boolean>;
  /**
   * Fetches what a picture of a region needs that has this many pixels along each axis, unless it is there. The newest
   * wish counts.
   */
  look(region: PlaneRegion, pixels: { readonly rows: number; readonly columns: number }): void;
  /** Returns the part that shows a region best. */
  best(region: PlaneRegion, ready?: (part: FarRegion) => boolean): FarRegion;
  /** Returns a sample; undefined until it has come. Reads signals. */
  sampleAt(row: number, column: number): number | undefined;
  /** Returns the samples along a whole row or column. */
  line(along: Along, index: number, signal: AbortSignal): Promise<Samples>;
  profile(region: PlaneRegion, along: Along, signal: AbortSignal): Promise<Profile>;
  regionStats(region: PlaneRegion, signal: AbortSignal): Promise<RegionStats>;
  stats(signal: AbortSignal): Promise<ChannelStats>;
  /** Returns the samples of a region, for files. */
  samples(region: PlaneRegion, signal: AbortSignal): Promise<Samples>;
  /** Stops all requests. */
  release(): void;
}

/** True when the whole region is in the part. */
export function covers(part: PlaneRegion, { rows, columns }: PlaneRegion): boolean {
  return (
    part.rows[0] <= rows[0] && part.rows[1] >= rows[1] && part.columns[0] <= columns[0] && part.columns[1] >= columns[1]
  );
}
