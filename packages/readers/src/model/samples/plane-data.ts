import type { Rounding } from './rounding.js';
import { bytesPerElement, type SampleArray, type SampleType } from './types.js';

/** Some whole rows of a plane, row-major. */
export interface PlaneSegment<Samples extends SampleArray = Float32Array> {
  firstRow: number;
  rowCount: number;
  /** `rowCount` × the plane's columns. */
  samples: Samples;
}

/**
 * The samples of a plane: segments in order, without gaps. Workers fill them, answers send them, nobody joins them. Planes
 * are served as float32; planes of a source have its own type.
 */
export interface PlaneData<Samples extends SampleArray = Float32Array> {
  sampleType: SampleType;
  rows: number;
  columns: number;
  segments: readonly PlaneSegment<Samples>[];
  /** A sample of the file that float32 cannot hold. */
  rounding?: Rounding;
}

/** A plane in the type of its source. */
export type SourceData = PlaneData<SampleArray>;

/** Bytes of a plane in memory. */
export function planeByteLength({ rows, columns, sampleType }: Omit<SourceData, 'segments'>): number {
  return rows * columns * bytesPerElement(sampleType);
}

/** True for a plane as it is served. */
export function isFloat32(data: SourceData): data is PlaneData {
  return data.sampleType === 'float32';
}

/** Views, not copies, of the plane's bytes `start` … `end` (exclusive), in order. */
export function slicePlane({ columns, segments }: SourceData, start: number, end: number): Uint8Array[] {
  const views: Uint8Array[] = [];
  for (const { firstRow, samples } of segments) {
    const offset = firstRow * columns * samples.BYTES_PER_ELEMENT;
    const from = Math.max(0, start - offset);
    const to = Math.min(samples.byteLength, end - offset);
    if (from < to) views.push(new Uint8Array(samples.buffer, samples.byteOffset + from, to - from));
  }
  return views;
}

/** Copies samples from the one with index `first` on, row-major, and converts them to the type of `out`, which they fill. */
export function copySamples({ columns, segments }: SourceData, first: number, out: Float32Array): void {
  for (const { firstRow, samples } of segments) {
    const offset = firstRow * columns;
    const from = Math.max(first, offset);
    const to = Math.min(first + out.length, offset + samples.length);
    if (from < to) out.set(samples.subarray(from - offset, to - offset) as Float32Array, from - first);
  }
}
