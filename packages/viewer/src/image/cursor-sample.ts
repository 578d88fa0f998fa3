/** The sample under the cursor, in words. */
export interface CursorSample {
  readonly row: number;
  readonly column: number;
  /** `line 5 · pixel 12`, or `y 5 · x 12` when the image is not a line scan. */
  readonly position: string;
  /** Middle of the sample, or its time stamp, in the units of the calibrated axes: `5.85 ms · 3.41 µm`; empty without calibration. */
  readonly calibrated: string;
  /** Value of each channel; null while it is not loaded. */
  readonly values: readonly { readonly index: number; readonly name: string; readonly value: string | null }[];
}
