/** Reads PNG files that the viewer writes: 8 bits of red, green and blue, without interlace. */
import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';

export interface DecodedPng {
  readonly width: number;
  readonly height: number;
  /** Rows of red, green and blue. */
  readonly rgb: Uint8Array;
  /** Pixels per meter; null when the file does not say. */
  readonly perMeter: readonly [number, number] | null;
}

export function decodePng(file: Buffer): DecodedPng {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  expect([...file.subarray(24, 29)]).toEqual([8, 2, 0, 0, 0]);
  const parts: Buffer[] = [];
  let perMeter: DecodedPng['perMeter'] = null;
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
    if (type === 'pHYs' && file[at + 16] === 1) perMeter = [file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)];
  }
  const packed = inflateSync(Buffer.concat(parts));
  const stride = 3 * width;
  const rgb = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = packed[row * (stride + 1)];
    if (filter !== 0 && filter !== 1) throw new Error(`the viewer does not write filter ${filter}`);
    for (let i = 0; i < stride; i++) {
      const left = filter === 1 && i >= 3 ? (rgb[row * stride + i - 3] as number) : 0;
      rgb[row * stride + i] = (packed[row * (stride + 1) + 1 + i] as number) + left;
    }
  }
  return { width, height, rgb, perMeter };
}
