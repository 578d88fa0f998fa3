/** How FluoView shows the channels of an export, from the ImageDescription. */
import { type ChannelDisplay, rampColor } from '../../../metadata/colors.js';

const ENTRIES = 256;
const MAX_CHANNELS = 64;

/**
 * Parses `[LUT Ch0]` with `RGB 0=000\t001\t000` …, `Map Ch0: Range=00000 to 01046`, `Channel 1=Transmitted Light`. Channels
 * of the file count from 0, those of the microscope from 1. Stops at the first channel without a table and a range.
 */
export function parseFluoViewDisplays(text: string): ChannelDisplay[] {
  const displays: ChannelDisplay[] = [];
  const lights = [...text.matchAll(/^Channel (\d{1,2})=([^\r\n]{0,200})/gm)].map(([, , light = '']) => light);
  for (let i = 0; i < MAX_CHANNELS; i++) {
    const color = parseColor(text, i);
    const window = parseRange(text, i);
    if (color === undefined && window === undefined && !text.includes(`[LUT Ch${i}]`)) break;
    displays.push({ color, window, role: /^\s*transmitted/i.test(lights[i] ?? '') ? 'transmitted' : undefined });
  }
  return displays;
}

function parseColor(text: string, channel: number): string | undefined {
  const start = text.indexOf(`[LUT Ch${channel}]`);
  const end = text.indexOf(`[LUT Ch${channel} End]`, start);
  if (start < 0 || end < 0) return undefined;
  const entries = new Map<number, [number, number, number]>();
  for (const [, index, red, green, blue] of text
    .slice(start, end)
    .matchAll(/^RGB (\d{1,3})=(\d{1,3})\t(\d{1,3})\t(\d{1,3})/gm)) {
    entries.set(Number(index), [Number(red), Number(green), Number(blue)]);
  }
  if (entries.size !== ENTRIES) return undefined;
  return rampColor(ENTRIES, (i, component) => entries.get(i)?.[component] ?? Number.NaN);
}

function parseRange(text: string, channel: number): ChannelDisplay['window'] {
  const match = new RegExp(`^Map Ch${channel}: Range=\\s*(-?\\d{1,9}) to (-?\\d{1,9})`, 'm').exec(text);
  return match ? { start: Number(match[1]), end: Number(match[2]) } : undefined;
}
