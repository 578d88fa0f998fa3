/** A small picture of a plane, in gray: what a list shows. */
import { deflateSync } from 'node:zlib';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { platform } from '@acquisition-store/readers/base/platform.js';
import { imageHeader, PNG_SIGNATURE, pngChunk, pngEnd } from '@acquisition-store/readers/derive/writers/png-chunks.js';
import type { Acquisition, PlaneAddress } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTarget, SamplePiece } from '@acquisition-store/readers/model/samples/plane-target.js';

/** Pixels along the longer side. */
const SIDE = 96;
/** Share of the samples that are shown as black, and as white. */
const CLIPPED = 0.005;
/** Planes with more samples take too long for a list. */
const MAX_SAMPLES = 2 ** 28;

/** Returns the address of a PNG image of a plane; null when it cannot be read, or is too large. */
export async function thumbnailOf(acquisition: Acquisition, address: PlaneAddress): Promise<string | null> {
  const { sizes } = acquisition.info.scenes[address.scene]!;
  if (sizes.Y * sizes.X > MAX_SAMPLES) return null;
  const target = new SampledTarget(sizes.Y, sizes.X);
  try {
    await acquisition.readPlane(address, target);
  } catch (error) {
    if (error instanceof AcqError) return null;
    throw error;
  }
  return `data:image/png;base64,${toPng(target).toString('base64')}`;
}

/** Keeps a grid of samples of a plane, in few kilobytes. */
class SampledTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Float32Array;

  constructor(rows: number, columns: number) {
    const scale = Math.max(1, Math.max(rows, columns) / SIDE);
    this.rows = rows;
    this.columns = columns;
    this.height = Math.max(1, Math.round(rows / scale));
    this.width = Math.max(1, Math.round(columns / scale));
    this.samples = new Float32Array(this.width * this.height);
  }

  put(
    { samples, offset, rowStride, columnStride }: SamplePiece,
    row: number,
    column: number,
    rows: number,
    columns: number,
  ) {
    for (const [y, r] of this.pick(this.height, this.rows, row, rows)) {
      for (const [x, c] of this.pick(this.width, this.columns, column, columns)) {
        const value = samples[offset + (r - row) * rowStride + (c - column) * columnStride];
        this.samples[y * this.width + x] = Number(value);
      }
    }
  }

  putZeros(): void {}

  wants(row: number, rows: number): boolean {
    return !this.pick(this.height, this.rows, row, rows).next().done;
  }

  /** Yields the pixels of the picture whose samples are in a range, with the indices of these. */
  private *pick(pixels: number, size: number, from: number, count: number): Generator<[pixel: number, index: number]> {
    for (let pixel = Math.max(0, Math.floor((from * pixels) / size) - 1); pixel < pixels; pixel++) {
      const index = Math.floor(((pixel + 0.5) * size) / pixels);
      if (index >= from + count) return;
      if (index >= from) yield [pixel, index];
    }
  }
}

function toPng({ width, height, samples }: SampledTarget): Buffer {
  const sorted = samples.filter(Number.isFinite).sort();
  const black = sorted[Math.floor(CLIPPED * (sorted.length - 1))] ?? 0;
  const white = sorted[Math.ceil((1 - CLIPPED) * (sorted.length - 1))] ?? 1;
  const gray = Uint8ClampedArray.from(samples, (value) => (255 * (value - black)) / (white - black || 1));
  // A byte for the filter is in front of each row.
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) rows.set(gray.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const { crc32 } = platform().inflate;
  const header = imageHeader(width, height, 8, 'gray');
  return Buffer.concat([PNG_SIGNATURE, header, pngChunk('IDAT', deflateSync(rows), crc32), pngEnd()]);
}
