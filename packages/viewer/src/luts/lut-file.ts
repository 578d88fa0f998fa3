/**
 * Reads color tables as ImageJ does (`ij.plugin.LutLoader`, public domain): 768 bytes, the same after the header of NIH
 * Image, or lines of text.
 */
import { formatNumber } from '../model/number-text.ts';

/** Max size of a file in bytes. Text with four columns has about 4 kB. */
export const MAX_LUT_FILE = 65_536;

const COLORS = 256;
const HEADER = 32;
const FORMATS =
  'A color table has 768 bytes (256 red, 256 green, 256 blue), the same after the 32-byte header of NIH Image, or 256 ' +
  'lines of text with red, green and blue from 0 to 255';

/**
 * Returns 256 colors of red, green, blue, as `lutTable`.
 * @throws RangeError whose message names the file and what is wrong
 */
export function parseLutFile(name: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  checkSize(name, bytes.length);
  if (ascii(bytes.subarray(0, 4)) === 'ICOL') return parseNih(name, bytes);
  // Some programs append 202 bytes, which ImageJ ignores as well.
  if (bytes.length === 3 * COLORS || bytes.length === 970) return interleave(bytes, COLORS);
  const text = ascii(bytes);
  if (!/^[\t\n\r -~]*$/.test(text) || !/\d/.test(text)) {
    throw new RangeError(`${name}: not a color table (${formatNumber(bytes.length, 9)} bytes). ${FORMATS}.`);
  }
  return parseText(name, text);
}

/** Reads a file that the user has chosen. It is not read when it is too large. */
export async function readLutFile(file: File): Promise<Uint8Array<ArrayBuffer>> {
  checkSize(file.name, file.size);
  return parseLutFile(file.name, new Uint8Array(await file.arrayBuffer()));
}

function checkSize(name: string, size: number): void {
  if (size <= MAX_LUT_FILE) return;
  throw new RangeError(`${name}: the file has ${formatNumber(size, 9)} bytes; the limit is 65,536. ${FORMATS}.`);
}

/** The header has `ICOL`, the version, and the number of colors, as big-endian 16-bit numbers. */
function parseNih(name: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = bytes.length >= HEADER ? new DataView(bytes.buffer, bytes.byteOffset).getUint16(6) : 0;
  if (count < 2 || count > COLORS) {
    throw new RangeError(`${name}: the header of NIH Image says ${count} colors; expected 2 to 256.`);
  }
  const expected = HEADER + 3 * count;
  if (bytes.length < expected) {
    throw new RangeError(
      `${name}: truncated; ${count} colors take ${expected} bytes, but the file has ${formatNumber(bytes.length, 9)}.`,
    );
  }
  return interleave(bytes.subarray(HEADER), count);
}

/** Converts all red, then all green, then all blue bytes, and interpolates fewer than 256 colors. */
function interleave(bytes: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(3 * COLORS);
  for (let i = 0; i < COLORS; i++) {
    const at = (i * count) / COLORS;
    const low = Math.floor(at);
    const high = Math.min(count - 1, low + 1);
    for (let part = 0; part < 3; part++) {
      const [a, b] = [bytes[part * count + low]!, bytes[part * count + high]!];
      table[3 * i + part] = Math.trunc((1 - (at - low)) * a + (at - low) * b);
    }
  }
  return table;
}

function parseText(name: string, text: string): Uint8Array<ArrayBuffer> {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // The first line may have the names of the columns.
  if (lines[0] !== undefined && /^[a-z"]/i.test(lines[0])) lines.shift();
  if (lines.length !== COLORS) {
    throw new RangeError(`${name}: has ${formatNumber(lines.length, 9)} lines of text; expected 256. ${FORMATS}.`);
  }
  const table = new Uint8Array(3 * COLORS);
  lines.forEach((line, i) => {
    const numbers = line.split(/[\s,;]+/).map(Number);
    const color = numbers.slice(-3);
    const valid = color.length === 3 && color.every((value) => Number.isInteger(value) && value >= 0 && value <= 255);
    if (!valid || numbers.length > 4 || (numbers.length === 4 && numbers[0] !== i)) {
      throw new RangeError(
        `${name}: line ${i + 1} of the colors is "${line.slice(0, 40)}"; expected red, green and blue from 0 to 255, ` +
          `or the index ${i} before them.`,
      );
    }
    table.set(color, 3 * i);
  });
  return table;
}

function ascii(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
