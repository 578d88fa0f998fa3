/** How the numbers of one channel become light. Display only: data are never changed. */
export interface ChannelDisplay {
  /** Id of a table in `luts/`. */
  readonly lut: string;
  readonly invert: boolean;
  /** Data values shown as the two ends of the table; `min < max`. */
  readonly min: number;
  readonly max: number;
  /** Exponent of the normalized value; 1 is linear. */
  readonly gamma: number;
  /** Part of the composite, or shown as a card of its own. */
  readonly visible: boolean;
  /** Share in the composite, 0 to 1. */
  readonly opacity: number;
}

/** Marks that a pane puts on samples that its tables cannot show. */
export interface PixelMarks {
  /** Samples below min and above max are shown in colors of their own. */
  readonly clipping: boolean;
}

/** Of NaN and infinities; [red, green, blue] 0–255. */
export const NAN_COLOR: readonly [number, number, number] = [255, 0, 220];
/** Of samples below min, and above max, while clipping is marked. */
export const LOW_COLOR: readonly [number, number, number] = [40, 90, 255];
export const HIGH_COLOR: readonly [number, number, number] = [255, 60, 30];

/** Facts of all finite samples of a plane. */
export interface ChannelStats {
  readonly count: number;
  /** Samples that are NaN or infinite. */
  readonly nonFinite: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly standardDeviation: number;
  /** Every sample is a whole number. */
  readonly integer: boolean;
  /** Counts of equal bins from min on, of every sample, not of some; a whole number of values each when `integer`. */
  readonly bins: Uint32Array;
  readonly binWidth: number;
  /** Finer counts of the middle 99.9 % when outliers press them into few bins. */
  readonly core: { readonly start: number; readonly width: number; readonly counts: Uint32Array } | null;
  /** Exact to one bin of a fine histogram: the value at or below which `fraction` (0–1) of the samples lie. */
  percentile(fraction: number): number;
  /** Finite samples smaller, and greater, than a value; exact to one bin. */
  countBelow(value: number): number;
  countAbove(value: number): number;
}
