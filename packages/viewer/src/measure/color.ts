import { lutTable } from '../luts/luts.ts';
import type { ChannelDisplay } from '../model/display.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

/** Returns the color of a channel in plots: its table at three quarters, adjusted until it is readable on `ground`. */
export function channelColor({ lut }: Pick<ChannelDisplay, 'lut'>, ground: Rgb): string {
  const table = lutTable(lut, false);
  const color = [0, 1, 2].map((i) => table[192 * 3 + i]!) as unknown as Rgb;
  const [red, green, blue] = readableOn(color, ground).map(Math.round) as unknown as Rgb;
  return `rgb(${red} ${green} ${blue})`;
}

/** Mixes a color with black or white until it has the contrast of 3:1 that WCAG requires for graphics. */
export function readableOn(color: Rgb, ground: Rgb): Rgb {
  const end = luminance(ground) > 0.18 ? 0 : 255;
  let mixed = color;
  for (let part = 0; part < 1 && contrast(mixed, ground) < 3; part += 0.05) {
    mixed = color.map((value) => value + (end - value) * part) as unknown as Rgb;
  }
  return mixed;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Returns the relative luminance as defined by WCAG 2. */
export function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Parses a computed color, for example `rgb(29, 33, 37)`. */
export function parseRgb(text: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
