/** Color images: three channels are the red, green and blue samples of the same pixels. */
import type { Channel } from '@acquisition-store/client/contract/open.js';

const COLORS = ['#FF0000', '#00FF00', '#0000FF'];
const NAMES = [
  ['R', 'G', 'B'],
  ['Red', 'Green', 'Blue'],
] as const;

/**
 * Returns the indices of the red, green and blue channels; null for other acquisitions. Pure colors alone are not
 * enough: fluorescence channels may have them as well.
 */
export function findColorChannels(
  channels: readonly Pick<Channel, 'index' | 'name' | 'color'>[],
): readonly number[] | null {
  const colored = channels.filter(({ color }) => color !== undefined);
  const matches = NAMES.some((names) => {
    const prefix = colored[0]?.name.slice(0, -names[0].length) ?? '';
    return colored.every(({ name, color }, i) => name === `${prefix}${names[i]}` && color === COLORS[i]);
  });
  return matches && colored.length === COLORS.length ? colored.map(({ index }) => index) : null;
}

/** Largest values of samples of 2, 4 and 8 to 16 bits: cameras write 9 or 13 of them into files of 16. */
const FULL = [2, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((bits) => 2 ** bits - 1);

interface Extremes {
  readonly min: number;
  readonly max: number;
  /** True when every sample is a whole number. */
  readonly integer: boolean;
}

/**
 * Returns the one range in which the channels of a color image are shown: the full range of the smallest sample size
 * that holds all values, at least 0–255 when any value is above 15; 0 to 1 for fractions; otherwise that of the values.
 */
export function colorRange(channels: readonly Extremes[]): { min: number; max: number } {
  const min = Math.min(...channels.map((channel) => channel.min));
  const max = Math.max(...channels.map((channel) => channel.max));
  if (!(min <= max)) return { min: 0, max: 1 };
  const full = channels.every(({ integer }) => integer) ? FULL.find((value) => value >= max) : max <= 1 ? 1 : undefined;
  if (min >= 0 && full !== undefined) return { min: 0, max: full };
  return { min, max: max > min ? max : min + 1 };
}
