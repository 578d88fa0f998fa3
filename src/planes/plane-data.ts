/** Some whole rows of a plane, row-major float32. */
export interface PlaneSegment {
  firstRow: number;
  rowCount: number;
  /** `rowCount` × the plane's columns. */
  samples: Float32Array;
}

/** The samples of a plane: segments in order, without gaps. Workers fill them, answers send them, nobody joins them. */
export interface PlaneData {
  rows: number;
  columns: number;
  segments: readonly PlaneSegment[];
}

/** Bytes of the plane, as served. */
export function planeByteLength({ rows, columns }: PlaneData): number {
  return rows * columns * Float32Array.BYTES_PER_ELEMENT;
}

/** Views, not copies, of the plane's bytes `start` … `end` (exclusive), in order. */
export function slicePlane({ columns, segments }: PlaneData, start: number, end: number): Uint8Array[] {
  const views: Uint8Array[] = [];
  for (const { firstRow, samples } of segments) {
    const offset = firstRow * columns * samples.BYTES_PER_ELEMENT;
    const from = Math.max(0, start - offset);
    const to = Math.min(samples.byteLength, end - offset);
    if (from < to) views.push(new Uint8Array(samples.buffer, samples.byteOffset + from, to - from));
  }
  return views;
}
