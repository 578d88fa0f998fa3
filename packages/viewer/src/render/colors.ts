import { isLabelLut, lutTable } from '../luts/luts.ts';
import type { ChannelDisplay, PixelMarks } from '../model/display.ts';
import type { Color } from './types.ts';

/** Values of the logarithmic scale from the first color to the last: three decades. */
const DECADES = 3;

/**
 * Returns the brightness, 0 to 1, of a value at `share` (0 to 1) of its range: t^gamma, where t is the share or, on the
 * logarithmic scale, log10(1 + 999 · share) / 3. That is defined for any range, also one that starts at 0 or below. The
 * shader COLOR does the same.
 */
export function tone(share: number, { scale, gamma }: Pick<ChannelDisplay, 'scale' | 'gamma'>): number {
  const scaled = scale === 'log' ? Math.log10(1 + (10 ** DECADES - 1) * share) / DECADES : share;
  return gamma === 1 ? scaled : scaled ** gamma;
}

/** Returns the index of a label: 0 below 1, else 1 to 255 in turn, so that neighbors differ. Fractions are dropped. */
export function labelIndex(value: number): number {
  const label = Math.floor(Math.min(MAX_LABEL, value));
  return label < 1 ? 0 : 1 + ((label - 1) % 255);
}

/** The largest float32 that fits a signed integer of 32 bits. */
const MAX_LABEL = 2_147_483_520;

type Tones = Pick<ChannelDisplay, 'lut' | 'min' | 'max' | 'scale' | 'gamma'>;

/** Returns the index of a finite value in its table, 0 to 255: round(255 · tone), or its label. */
export function tableIndex(value: number, display: Tones): number {
  if (isLabelLut(display.lut)) return labelIndex(value);
  const [low, high] = [Math.fround(display.min), Math.fround(display.max)];
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return Math.floor(255 * tone(share, display) + 0.5);
}

/** Returns a pixel as a word of `ImageData`. All machines that run browsers are little-endian. */
export function word([red, green, blue]: Color): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export const BLACK = word([0, 0, 0]);

/** Colors of one channel, with its opacity applied. */
export interface ChannelPalette {
  /** The 256 colors of the table. */
  readonly words: Uint32Array;
  readonly display: ChannelDisplay;
  readonly clipping: boolean;
}

export function palette(display: ChannelDisplay, marks: PixelMarks): ChannelPalette {
  const table = lutTable(display.lut, display.invert);
  const byte = (at: number) => Math.floor(table[at]! * display.opacity + 0.5);
  const words = Uint32Array.from({ length: 256 }, (_, i) => word([byte(3 * i), byte(3 * i + 1), byte(3 * i + 2)]));
  return { words, display, clipping: marks.clipping };
}
