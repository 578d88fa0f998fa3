import type { PlaneTarget } from './plane-target.js';
import { swapBytes } from './swap.js';
import { bytesPerElement, type SampleType, storedBytes } from './types.js';

/** Memory of a plane for some of its rows. */
export interface LentRows {
  rows: number;
  /** To be filled with the rows as they are in the file. */
  bytes: Uint8Array;
  /** Puts the rows into the plane once `bytes` are filled, which may be gone afterwards: to the thread that serves the plane. */
  put(): void;
}

/** True when a plane keeps samples as they are stored, and lends its memory. */
export function lends(target: PlaneTarget, sampleType: SampleType): boolean {
  return target.lentType === sampleType && storedBytes(sampleType) === bytesPerElement(sampleType);
}

/**
 * Returns memory of a plane for rows that are in the file as the plane keeps them, one behind the other: a reader fills it
 * instead of a buffer whose samples would be copied. `undefined` when the plane keeps them in another type, or lends nothing.
 * @param row the first one
 * @param rows at most; as many are lent as follow each other in memory, one or more
 */
export function lendRows(
  target: PlaneTarget,
  { sampleType, littleEndian }: { sampleType: SampleType; littleEndian: boolean },
  row: number,
  rows: number,
): LentRows | undefined {
  const samples = lends(target, sampleType) ? target.lend?.(row, rows) : undefined;
  if (!samples) return undefined;
  const { columns } = target;
  const bytes = new Uint8Array(samples.buffer as ArrayBuffer, samples.byteOffset, samples.byteLength);
  const count = samples.length / columns;
  return {
    rows: count,
    bytes,
    put() {
      if (!littleEndian) swapBytes(bytes, samples.BYTES_PER_ELEMENT);
      target.put({ samples, offset: 0, rowStride: columns, columnStride: 1 }, row, 0, count, columns);
    },
  };
}
