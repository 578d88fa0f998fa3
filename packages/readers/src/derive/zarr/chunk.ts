/** Cuts chunks out of planes and their reduced levels. Pure. */
import type { SampleArray } from '../../model/samples/types.js';
import { chunkByteLength, chunkShape, type ZarrImage } from './images.js';
import type { ChunkAddress } from './keys.js';
import { countLevelSamples, type LevelShape } from './levels.js';

/** Samples in row-major order: the rows of a plane, or one run of levels with a single column. */
export interface SampleRows {
  columns: number;
  /** In order, without gaps. */
  segments: readonly { firstRow: number; samples: SampleArray }[];
}

/** Returns samples that are in one piece of memory. */
export function inOnePiece(samples: SampleArray): SampleRows {
  return { columns: 1, segments: [{ firstRow: 0, samples }] };
}

/** Returns the samples of levels 1 to `level` − 1: the offset of a level in a run of all reduced levels. */
export function levelOffset(levels: readonly LevelShape[], level: number): number {
  return countLevelSamples(levels.slice(0, Math.max(1, level)));
}

/** Returns how many bytes of a chunk `readChunk` copies or fills. */
export function copiedBytes(image: ZarrImage, { level, row }: ChunkAddress): number {
  const whole = image.levels[level]!;
  const chunk = chunkShape(whole);
  const byteLength = chunkByteLength(image, level);
  if (chunk.columns < whole.columns) return byteLength;
  const rows = Math.min(chunk.rows, whole.rows - row * chunk.rows);
  return byteLength * (1 - rows / chunk.rows);
}

/**
 * Returns the bytes of a chunk, as views one after the other. Full rows are views of the samples, other chunks copies.
 * Outside of the image, chunks have zeros.
 * @param source samples of the plane, in the sample type of the image
 * @param offset first sample of the level in `source`
 */
export function readChunk(image: ZarrImage, place: ChunkAddress, source: SampleRows, offset = 0): Uint8Array[] {
  const whole = image.levels[place.level]!;
  const chunk = chunkShape(whole);
  const row = place.row * chunk.rows;
  const column = place.column * chunk.columns;
  const rows = Math.min(chunk.rows, whole.rows - row);
  const columns = Math.min(chunk.columns, whole.columns - column);
  const byteLength = chunkByteLength(image, place.level);
  const sampleBytes = byteLength / (chunk.rows * chunk.columns);
  const reader = new ByteReader(source, sampleBytes);
  const start = (offset + row * whole.columns + column) * sampleBytes;
  if (columns === whole.columns) {
    const length = rows * columns * sampleBytes;
    const views = reader.views(start, length);
    return length < byteLength ? [...views, new Uint8Array(byteLength - length)] : views;
  }
  const out = new Uint8Array(byteLength);
  for (let i = 0; i < rows; i++) {
    let to = i * chunk.columns * sampleBytes;
    for (const view of reader.views(start + i * whole.columns * sampleBytes, columns * sampleBytes)) {
      out.set(view, to);
      to += view.length;
    }
  }
  return [out];
}

/** Returns the bytes `start` … `end` (exclusive) of consecutive views, without copying. */
export function sliceViews(views: readonly Uint8Array[], start: number, end: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const view of views) {
    const from = Math.max(0, start - offset);
    const to = Math.min(view.length, end - offset);
    if (from < to) parts.push(view.subarray(from, to));
    offset += view.length;
  }
  return parts;
}

class ByteReader {
  private readonly parts: { offset: number; bytes: Uint8Array }[];
  /** Part of the last read: rows are read in order. */
  private current = 0;

  constructor({ columns, segments }: SampleRows, sampleBytes: number) {
    this.parts = segments.map(({ firstRow, samples: { buffer, byteOffset, byteLength } }) => ({
      offset: firstRow * columns * sampleBytes,
      bytes: new Uint8Array(buffer, byteOffset, byteLength),
    }));
  }

  /** Returns views of some bytes. @throws RangeError when they are not all there */
  views(start: number, length: number): Uint8Array[] {
    const views: Uint8Array[] = [];
    const end = start + length;
    while (this.current > 0 && this.parts[this.current]!.offset > start) this.current--;
    for (let at = start; at < end; ) {
      const part = this.parts[this.current];
      if (!part) throw new RangeError(`bytes ${start} to ${end} are outside the samples`);
      const from = at - part.offset;
      if (from >= part.bytes.length) {
        this.current++;
        continue;
      }
      const view = part.bytes.subarray(from, Math.min(part.bytes.length, end - part.offset));
      views.push(view);
      at += view.length;
    }
    if (this.current >= this.parts.length) this.current = 0;
    return views;
  }
}
