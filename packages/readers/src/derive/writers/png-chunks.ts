/** The parts that PNG files are made of (PNG specification, third edition). */
import { concat, toLatin1, toUtf8 } from '../../base/bytes.js';
import { crc32 } from '../../base/crc32.js';

export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const COLOR_TYPES = { gray: 0, rgb: 2 } as const;
const METER = 1;

/** Returns a chunk: its length, type, content and checksum. @param checksum a faster CRC-32, where there is one */
export function pngChunk(type: string, data: Uint8Array, checksum = crc32): Uint8Array<ArrayBuffer> {
  const named = concat([toLatin1(type), data]);
  return concat([bigEndian(data.length), named, bigEndian(checksum(named))]);
}

export function imageHeader(width: number, height: number, bits: 8 | 16, color: 'gray' | 'rgb') {
  return pngChunk('IHDR', concat([bigEndian(width), bigEndian(height), [bits, COLOR_TYPES[color], 0, 0, 0]]));
}

/** @param x pixels per meter, a whole number below 2³¹ */
export function physicalSize(x: number, y: number) {
  return pngChunk('pHYs', concat([bigEndian(x), bigEndian(y), [METER]]));
}

/** Returns international text: keyword, not compressed, no language, no translated keyword. */
export function pngText(keyword: string, text: string) {
  return pngChunk('iTXt', toUtf8(`${keyword}\0\0\0\0\0${text}`));
}

export function pngEnd() {
  return pngChunk('IEND', new Uint8Array());
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
