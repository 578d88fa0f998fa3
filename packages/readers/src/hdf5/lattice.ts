/** Plans the reads of a lattice of samples in unfiltered storage, with rows and columns at any distance. */

/** One direction of the lattice. */
export interface Direction {
  count: number;
  /** Bytes from one sample to the next; a multiple of the sample's size. */
  stride: number;
}

/** The part of a lattice that one read covers. */
export interface LatticePiece {
  /** Offset of the first byte from the first sample of the lattice. */
  offset: number;
  bytes: number;
  row: number;
  rows: number;
  column: number;
  columns: number;
  /** In samples. */
  rowStride: number;
  columnStride: number;
}

/** Bytes of one read. */
const READ_BYTES = 2 ** 19;
/** Runs closer than this are read together: a disk reads whole pages anyway. */
const MAX_GAP = 4096;

/** Yields the reads that cover a lattice. */
export function* planReads(rows: Direction, columns: Direction, size: number): Generator<LatticePiece> {
  const byRows = columns.count === 1 || (rows.count > 1 && columns.stride <= rows.stride);
  const [fast, slow] = byRows ? [columns, rows] : [rows, columns];
  const fastStride = fast.count === 1 ? size : fast.stride;
  const run = (fast.count - 1) * fastStride + size;
  const perRead = Math.max(1, Math.min(fast.count, Math.floor((READ_BYTES - size) / fastStride) + 1));
  const near = slow.stride >= run && slow.stride - run < MAX_GAP;
  const together = perRead < fast.count || !near ? 1 : Math.max(1, Math.floor((READ_BYTES - run) / slow.stride) + 1);
  for (let at = 0; at < slow.count; at += together) {
    const slowCount = Math.min(together, slow.count - at);
    for (let first = 0; first < fast.count; first += perRead) {
      const fastCount = Math.min(perRead, fast.count - first);
      const strides = [slowCount === 1 ? 0 : slow.stride / size, fastStride / size] as const;
      yield {
        offset: at * slow.stride + first * fastStride,
        bytes: (slowCount - 1) * slow.stride + (fastCount - 1) * fastStride + size,
        ...(byRows
          ? {
              row: at,
              rows: slowCount,
              column: first,
              columns: fastCount,
              rowStride: strides[0],
              columnStride: strides[1],
            }
          : {
              row: first,
              rows: fastCount,
              column: at,
              columns: slowCount,
              rowStride: strides[1],
              columnStride: strides[0],
            }),
      };
    }
  }
}
