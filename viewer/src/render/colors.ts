import { lutTable } from '../luts/luts.ts';
import { type ChannelDisplay, HIGH_COLOR, LOW_COLOR, NAN_COLOR, type PixelMarks } from '../model/display.ts';
import type { Color } from './types.ts';

/** Returns the index of a finite value in its table: round(255 · ((v − min) / (max − min))^gamma), 0 to 255. */
export function tableIndex(value: number, { min, max, gamma }: Pick<ChannelDisplay, 'min' | 'max' | 'gamma'>): number {
  const [low, high] = [Math.fround(min), Math.fround(max)];
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return Math.floor(255 * (gamma === 1 ? share : share ** gamma) + 0.5);
}

/** Returns a pixel as a word of `ImageData`. All machines that run browsers are little-endian. */
export function word([red, green, blue]: Color): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export const BLACK = word([0, 0, 0]);

/** Colors of one channel, with its opacity applied. */
export interface Palette {
  /** The 256 colors of the table. */
  readonly words: Uint32Array;
  readonly display: ChannelDisplay;
  readonly clipping: boolean;
}

export function palette(display: ChannelDisplay, marks: PixelMarks): Palette {
  const table = lutTable(display.lut, display.invert);
  const byte = (at: number) => Math.floor(table[at]! * display.opacity + 0.5);
  const words = Uint32Array.from({ length: 256 }, (_, i) => word([byte(3 * i), byte(3 * i + 1), byte(3 * i + 2)]));
  return { words, display, clipping: marks.clipping };
}

/**
 * Returns the color that replaces that of the table, for samples that are not finite or are clipped; otherwise null.
 */
export function markColor(value: number, { display, clipping }: Palette): Color | null {
  if (!Number.isFinite(value)) return NAN_COLOR;
  if (!clipping) return null;
  if (value < Math.fround(display.min)) return LOW_COLOR;
  return value > Math.fround(display.max) ? HIGH_COLOR : null;
}
