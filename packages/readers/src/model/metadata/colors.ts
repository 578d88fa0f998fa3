import type { ChannelInfo } from '../acquisition.js';

/** How a file says that a channel is shown; `undefined` for what it does not say. */
export type ChannelDisplay = { [Key in Exclude<keyof ChannelInfo, 'name'>]?: ChannelInfo[Key] | undefined };

/** Displays of the red, green and blue samples of a color image. Further samples (opacity) have no color. */
export const SAMPLE_DISPLAYS: readonly ChannelDisplay[] = [
  { color: '#FF0000' },
  { color: '#00FF00' },
  { color: '#0000FF' },
];

/** Returns channels with their displays. Windows that are not a range are ignored. */
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

/** Makes a color from parts of 0 to 255. Returns `undefined` for other numbers, and for black, which hides the channel. */
export function rgbColor(red: number, green: number, blue: number): string | undefined {
  const parts = [red, green, blue];
  if (!parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)) return undefined;
  if (parts.every((part) => part === 0)) return undefined;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** Makes a color from parts of 0 to 1, each rounded to the nearest of 256 steps. */
export function fractionColor(red: number, green: number, blue: number): string | undefined {
  return rgbColor(Math.round(red * 255), Math.round(green * 255), Math.round(blue * 255));
}

/** Converts `0x00BBGGRR`, the color of Windows programs. The highest byte is 0 or, with opacity, 255. */
export function bgrColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value)) return undefined;
  const high = (value >>> 24) & 255;
  if (high !== 0 && high !== 255) return undefined;
  return rgbColor(value & 255, (value >>> 8) & 255, (value >>> 16) & 255);
}

/** Converts `0xAARRGGBB` as a signed integer, the color of Java programs. */
export function argbColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value)) return undefined;
  return rgbColor((value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** Parses `#RRGGBB`, `#AARRGGBB` or `RRGGBB`. Returns `undefined` for a fully transparent color (`AA` is 00). */
export function hexColor(text: string | undefined): string | undefined {
  const [, alpha, red = '', green = '', blue = ''] =
    /^#?([\da-f]{2})?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text?.trim() ?? '') ?? [];
  if (red === '' || alpha === '00') return undefined;
  return rgbColor(Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16));
}

const COLORS_BY_NAME = new Map([
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

/** Returns the color of a color table by its English name. Tables run from black to a pure color, and `Gray` to white. */
export function namedColor(name: string | undefined): string | undefined {
  return COLORS_BY_NAME.get(name?.trim().toLowerCase() ?? '');
}

/** Tables rise in steps of whole bytes, which some programs round and others truncate. */
const RAMP_TOLERANCE = 1.01;

/**
 * Returns the last color of a look-up table that runs from black to it in equal steps, or `undefined` for any other table,
 * which a single color cannot represent.
 * @param part returns red (0), green (1) or blue (2) of an entry, 0 to 255
 * @param checked indices of the entries that can be off the line; all by default
 */
export function rampColor(
  length: number,
  part: (index: number, component: number) => number,
  checked?: readonly number[],
): string | undefined {
  const last = length - 1;
  if (last < 1) return undefined;
  const count = checked?.length ?? length;
  for (let component = 0; component < 3; component++) {
    const step = part(last, component) / last;
    for (let k = 0; k < count; k++) {
      const i = checked ? checked[k]! : k;
      if (!(Math.abs(part(i, component) - step * i) <= RAMP_TOLERANCE)) return undefined;
    }
  }
  return rgbColor(part(last, 0), part(last, 1), part(last, 2));
}

/** Returns the indices at which runs of equal entries begin and end: between them, a run is nearer to any line. */
export function runEnds(entries: Uint32Array): number[] {
  if (entries.length === 0) return [];
  const ends = [0];
  let last = entries[0];
  for (let i = 1; i < entries.length; i++) {
    const entry = entries[i];
    if (entry !== last) ends.push(i - 1, i);
    last = entry;
  }
  ends.push(entries.length - 1);
  return ends;
}
