import type { Channel } from '../../../src/contract/open.js';

/** What the server says about showing a channel. */
export type Shown = Pick<Channel, 'color' | 'role'>;

/** Tables from black to one color, by the place of this color on the color circle, in degrees. */
const HUES: readonly (readonly [lut: string, hue: number])[] = [
  ['red', 0],
  ['yellow', 60],
  ['green', 120],
  ['cyan', 180],
  ['blue', 240],
  ['magenta', 300],
];
/** For channels without a color, in this order. */
const ORDER = ['green', 'magenta', 'cyan', 'yellow', 'red', 'blue'];
/** A difference of the color's parts below this share of the largest is a shade of gray. */
const PALE = 0.2;

/**
 * Ids of the tables that channels start with: the table nearest to the color that the file gives the channel; gray for
 * transmitted light and for a single channel; for others the first color that no channel has.
 */
export function firstLuts(channels: readonly Shown[]): string[] {
  const given = channels.map(({ color, role }) =>
    color === undefined ? (role === 'transmitted' || channels.length === 1 ? 'grey' : undefined) : nearestLut(color),
  );
  const free = ORDER.filter((lut) => !given.includes(lut));
  return given.map((lut) => lut ?? free.shift() ?? 'grey');
}

/** @param color `#RRGGBB` */
export function nearestLut(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const largest = Math.max(red, green, blue);
  const range = largest - Math.min(red, green, blue);
  if (!(range > PALE * largest)) return 'grey';
  const hue = hueOf(red, green, blue, largest, range);
  const away = ([, place]: readonly [string, number]) => Math.min(Math.abs(hue - place), 360 - Math.abs(hue - place));
  return HUES.reduce((best, one) => (away(one) < away(best) ? one : best))[0];
}

function hueOf(red: number, green: number, blue: number, largest: number, range: number): number {
  if (largest === red) return (60 * ((green - blue) / range) + 360) % 360;
  return largest === green ? 120 + 60 * ((blue - red) / range) : 240 + 60 * ((red - green) / range);
}
