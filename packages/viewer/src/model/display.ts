/** How the samples of one channel are displayed. The samples themselves never change. */
export interface ChannelDisplay {
  /** Id of a color table in `luts/`. */
  readonly lut: string;
  readonly invert: boolean;
  /** Values that are shown with the first and last color of the table; `min < max`. */
  readonly min: number;
  readonly max: number;
  /** `log` spreads the low values: see `tone` in `render/colors.ts`. */
  readonly scale: 'linear' | 'log';
  /** Exponent of the normalized value, after the scale; 1 is linear. */
  readonly gamma: number;
  /** True when the channel is part of the composite or has a card. */
  readonly visible: boolean;
  /** Weight in the composite, 0 to 1. */
  readonly opacity: number;
}

/** Smoothing and line phase of the display of a pane. Measured and saved values stay the samples. */
export interface Smoothing {
  /** `median` is that of 3 × 3 samples; along time, of 3 lines. */
  readonly kind: 'none' | 'median' | 'gaussian';
  /** Standard deviation of the Gaussian in samples, on both axes. */
  readonly sigma: number;
  /** Smooths each pixel of a line scan over its lines only. */
  readonly alongTime?: boolean;
  /** Samples by which every second line is moved to the left, before smoothing; absent for none. */
  readonly linePhase?: number;
}

export const MIN_SIGMA = 0.3;
export const MAX_SIGMA = 10;

/** Marks on samples that color tables cannot show. */
export interface PixelMarks {
  /** True when samples below min and above max have their own colors. */
  readonly clipping: boolean;
}

/** Color of NaN and infinite samples; [red, green, blue], 0–255. */
export const NAN_COLOR: readonly [number, number, number] = [255, 0, 220];
/** Colors of samples below min and above max when clipping is marked. */
export const LOW_COLOR: readonly [number, number, number] = [40, 90, 255];
export const HIGH_COLOR: readonly [number, number, number] = [255, 60, 30];

/** Values shown with the first and last color of a table; `min < max`. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
}

/** What the deviations in this page are, which differ from those of the API. */
export const DEVIATION_TITLE = 'Standard deviation with n − 1, as in ImageJ';

/** Statistics of all finite samples of a plane. */
export interface ChannelStats {
  readonly count: number;
  /** Number of NaN and infinite samples. */
  readonly nonFinite: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly standardDeviation: number;
  /** True when every sample is a whole number. */
  readonly integer: boolean;
  /** Counts of all samples in equal bins, starting at min. When `integer`, each bin covers a whole number of values. */
  readonly bins: Uint32Array;
  readonly binWidth: number;
  /** Finer counts of the middle 99.9 % when outliers squeeze them into a few bins. */
  readonly core: { readonly start: number; readonly width: number; readonly counts: Uint32Array } | null;
  /** Returns the value at or below which `fraction` (0–1) of the samples are, exact to one bin of a fine histogram. */
  percentile(fraction: number): number;
  /** Number of finite samples below and above a value, exact to one bin. */
  countBelow(value: number): number;
  countAbove(value: number): number;
}
