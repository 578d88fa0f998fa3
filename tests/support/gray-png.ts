/** Decodes 8-bit grayscale PNG files whose rows have no filter. */
import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { crc32 } from '../../packages/readers/src/base/crc32.js';

export interface GrayImage {
  width: number;
  height: number;
  /** Row by row. */
  pixels: number[];
}

/** Checks the signature, the header and the checksum of each chunk. */
export function decodeGrayPng(file: Buffer): GrayImage {
  expect([...file.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  expect([...file.subarray(24, 29)]).toEqual([8, 0, 0, 0, 0]);
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, end));
  }
  const packed = inflateSync(Buffer.concat(parts));
  expect(packed.length).toBe(height * (1 + width));
  const rows = Array.from({ length: height }, (_, row) => packed.subarray(row * (1 + width), (row + 1) * (1 + width)));
  expect(rows.every(([filter]) => filter === 0)).toBe(true);
  return { width, height, pixels: rows.flatMap((row) => [...row.subarray(1)]) };
}
