import type { Channel } from '@acquisition-store/client/contract/open.js';
import { colorLut } from '../luts/luts.ts';

/** Display hints of the server for a channel. */
type DisplayHints = Pick<Channel, 'color' | 'role'>;

/** Tables from black to one color, with the hue of this color in degrees. */
const HUES: readonly (readonly [lut: string, hue: number])[] = [
  ['red', 0],
  ['yellow', 60],
  ['green', 120],
  ['cyan', 180],
  ['blue', 240],
  ['magenta', 300],
];
/** Tables for channels without a color, in this order. */
const ORDER = ['green', 'magenta', 'cyan', 'yellow', 'red', 'blue'];
/** A color is gray when its components differ by less than this fraction of the largest. */
const MAX_GRAY = 0.2;

/**
 * Returns the ids of the initial color tables: a ramp from black to the color in the file; gray for transmitted light
 * and for a single channel; for other channels the first color that is not near to one of the file.
 */
export function firstLuts(channels: readonly DisplayHints[]): string[] {
  const used = channels.map(({ color }) => (color === undefined ? undefined : nearestLut(color)));
  const free = ORDER.filter((lut) => !used.includes(lut));
  return channels.map(({ color, role }) => {
    if (color !== undefined) return colorLut(color);
    return role === 'transmitted' || channels.length === 1 ? 'grey' : (free.shift() ?? 'grey');
  });
}

/** Returns the id of the table nearest to a color `#RRGGBB`. */
export function nearestLut(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const largest = Math.max(red, green, blue);
  const range = largest - Math.min(red, green, blue);
  if (!(range > MAX_GRAY * largest)) return 'grey';
  const hue = computeHue(red, green, blue, largest, range);
  const distance = ([, other]: readonly [string, number]) =>
    Math.min(Math.abs(hue - other), 360 - Math.abs(hue - other));
  return HUES.reduce((best, entry) => (distance(entry) < distance(best) ? entry : best))[0];
}

function computeHue(red: number, green: number, blue: number, largest: number, range: number): number {
  if (largest === red) return (60 * ((green - blue) / range) + 360) % 360;
  return largest === green ? 120 + 60 * ((blue - red) / range) : 240 + 60 * ((red - green) / range);
}
