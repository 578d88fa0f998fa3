/** Pictures of planes: 8-bit grayscale PNG of a bounded size. */
import { deflateSync } from 'node:zlib';
import { concat } from '@acquisition-store/readers/base/bytes.js';
import { imageHeader, PNG_SIGNATURE, pngChunk, pngEnd } from '@acquisition-store/readers/derive/writers/png-chunks.js';

export interface Gray {
  width: number;
  height: number;
  samples: Float32Array;
  /** Sample that becomes black. */
  low: number;
  /** Sample that becomes white; above `low`. */
  high: number;
}

/** Returns a PNG image. Samples that are not a number become black. */
export function toPng({ width, height, samples, low, high }: Gray): Uint8Array {
  const rowBytes = 1 + width;
  const rows = new Uint8ClampedArray(rowBytes * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      rows[row * rowBytes + 1 + column] = ((samples[row * width + column]! - low) / (high - low)) * 255;
    }
  }
  const image = pngChunk('IDAT', deflateSync(rows));
  return concat([PNG_SIGNATURE, imageHeader(width, height, 8, 'gray'), image, pngEnd()]);
}
