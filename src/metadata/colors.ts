/** How a file wants its channels shown: colors in the notations of the vendors, ranges of values, roles. */
import type { ChannelInfo } from '../acquisition.js';

/** What a file says about showing a channel; undefined where it says nothing. */
export type ChannelDisplay = { [Key in Exclude<keyof ChannelInfo, 'name'>]?: ChannelInfo[Key] | undefined };

/** Red, green and blue samples of a color image; further samples (opacity) have no color. */
export const SAMPLE_DISPLAYS: readonly ChannelDisplay[] = [
  { color: '#FF0000' },
  { color: '#00FF00' },
  { color: '#0000FF' },
];

/** Channels with what the file says about showing each. What is no color or no range is dropped. */
export function channelsShown(
  channels: readonly ChannelInfo[],
  displays: readonly (ChannelDisplay | undefined)[],
): ChannelInfo[] {
  return channels.map((channel, i) => {
    const { window, color, role } = displays[i] ?? {};
    return {
      ...channel,
      ...(window && isWindow(window) ? { window } : {}),
      ...(color === undefined ? {} : { color }),
      ...(role === undefined ? {} : { role }),
    };
  });
}

function isWindow({ start, end }: { start: number; end: number }): boolean {
  return Number.isFinite(start) && Number.isFinite(end) && start < end;
}

/** From parts of 0 to 255. Undefined for anything else, and for black, in which no value could be seen. */
export function rgbColor(red: number, green: number, blue: number): string | undefined {
  const parts = [red, green, blue];
  if (!parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)) return undefined;
  if (parts.every((part) => part === 0)) return undefined;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** From parts of 0 to 1, each rounded to the nearest of 256 steps. */
export function fractionColor(red: number, green: number, blue: number): string | undefined {
  return rgbColor(Math.round(red * 255), Math.round(green * 255), Math.round(blue * 255));
}

/** `0x00BBGGRR`, the color of Windows programs; the highest byte is 0 or, with opacity, 255. */
export function bgrColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value)) return undefined;
  const high = (value >>> 24) & 255;
  if (high !== 0 && high !== 255) return undefined;
  return rgbColor(value & 255, (value >>> 8) & 255, (value >>> 16) & 255);
}

/** `0xAARRGGBB` as a signed integer, the color of Java programs. */
export function argbColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value)) return undefined;
  return rgbColor((value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** `#RRGGBB`, `#AARRGGBB` or `RRGGBB`. What is fully transparent (`AA` is 00) is no color. */
export function hexColor(text: string | undefined): string | undefined {
  const [, alpha, red = '', green = '', blue = ''] =
    /^#?([\da-f]{2})?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text?.trim() ?? '') ?? [];
  if (red === '' || alpha === '00') return undefined;
  return rgbColor(Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16));
}

const NAMED = new Map([
  ['red', '#FF0000'],
  ['green', '#00FF00'],
  ['blue', '#0000FF'],
  ['cyan', '#00FFFF'],
  ['magenta', '#FF00FF'],
  ['yellow', '#FFFF00'],
  ['gray', '#FFFFFF'],
  ['grey', '#FFFFFF'],
  ['white', '#FFFFFF'],
]);

/** From the English name of a color table that runs from black to a pure color; `Gray` runs to white. */
export function namedColor(name: string | undefined): string | undefined {
  return NAMED.get(name?.trim().toLowerCase() ?? '');
}

/** Tables rise in steps of whole bytes, which some round and others cut off. */
const RAMP_TOLERANCE = 1.01;

/**
 * The color of a look-up table that runs from black in equal steps to one color: that of its last entry. Undefined for
 * any other table: one color does not stand for it.
 * @param entry red, green and blue of an entry, 0 to 255
 */
export function rampColor(
  length: number,
  entry: (index: number) => readonly [number, number, number],
): string | undefined {
  if (length < 2) return undefined;
  const last = entry(length - 1);
  for (let i = 0; i < length; i++) {
    const parts = entry(i);
    for (const [c, full] of last.entries()) {
      const off = Math.abs((parts[c] as number) - (full * i) / (length - 1));
      if (!(off <= RAMP_TOLERANCE)) return undefined;
    }
  }
  return rgbColor(...last);
}
