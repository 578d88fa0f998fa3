/** How FluoView shows the channels of an export, from the ImageDescription. */
import { type ChannelDisplay, rampColor } from '../../../model/metadata/colors.js';

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
  const table = parseTable(text.slice(start, end));
  return table && rampColor(ENTRIES, (i, component) => table[3 * i + component]!);
}

const ENTRY = 'RGB ';
/** What follows the index, and each part of the color but the last one. */
const AFTER_NUMBER = ['=', '\t', '\t', ''];

/**
 * Parses the lines of a table: an index, and the parts of a color. Every export has hundreds of them, for which regular
 * expressions take longer than the rest of the file. Returns `undefined` unless the table has all entries.
 */
function parseTable(text: string): Float32Array | undefined {
  const colors = new Float32Array(3 * 1000).fill(Number.NaN);
  let count = 0;
  for (let at = text.indexOf(ENTRY); at >= 0; at = text.indexOf(ENTRY, at + 1)) {
    if (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') continue;
    const [index, ...color] = numbersAt(text, at + ENTRY.length) ?? [];
    if (index === undefined) continue;
    if (Number.isNaN(colors[3 * index])) count++;
    colors.set(color, 3 * index);
  }
  return count === ENTRIES ? colors : undefined;
}

/** Reads numbers of up to three digits, with what is between them; `undefined` for other text. */
function numbersAt(text: string, start: number): number[] | undefined {
  const numbers: number[] = [];
  let at = start;
  for (const after of AFTER_NUMBER) {
    const first = at;
    let value = 0;
    for (let digit = digitAt(text, at); digit >= 0 && at < first + 3; digit = digitAt(text, at)) {
      value = 10 * value + digit;
      at++;
    }
    if (at === first || !text.startsWith(after, at)) return undefined;
    numbers.push(value);
    at += after.length;
  }
  return numbers;
}

/** Returns -1 where there is no digit. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function parseRange(text: string, channel: number): ChannelDisplay['window'] {
  const match = new RegExp(`^Map Ch${channel}: Range=\\s*(-?\\d{1,9}) to (-?\\d{1,9})`, 'm').exec(text);
  return match ? { start: Number(match[1]), end: Number(match[2]) } : undefined;
}
