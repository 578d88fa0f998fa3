import { toHostWords, viewAs } from '../model/samples/host-words.js';
import { lendRows } from '../model/samples/lent-rows.js';
import { float16ToFloat32 } from '../model/samples/narrow-floats.js';
import type { PlaneTarget } from '../model/samples/plane-target.js';
import { type SampleType, storedBytes } from '../model/samples/types.js';
import type { ByteSource } from './byte-source.js';

/** Bytes of one read: large enough for the disk, small beside a plane. */
const BAND_BYTES = 4 * 2 ** 20;

/** Rows of uncompressed samples at fixed places in a file. */
export interface RawRows {
  /** Byte of the first sample. */
  offset: number;
  sampleType: SampleType;
  littleEndian: boolean;
  /** Samples from one column to the next: the channels that are stored together. 1 when omitted. */
  interleaved?: number;
}

/**
 * Reads a plane whose rows follow each other, a few megabytes at a time: into its own memory where the target lends some.
 * Rows that the target does not want are skipped.
 * @param bandBytes of one read
 * @throws AcqError `decode_failed` when the file ends before the plane
 */
export function readRows(
  source: Pick<ByteSource, 'readInto'>,
  { offset, sampleType, littleEndian, interleaved = 1 }: RawRows,
  target: PlaneTarget,
  signal?: AbortSignal,
  bandBytes = BAND_BYTES,
): void {
  const { rows, columns } = target;
  const size = storedBytes(sampleType);
  const rowStride = columns * interleaved;
  const rowsPerBand = Math.max(1, Math.floor(bandBytes / (rowStride * size)));
  let buffer: Uint8Array | undefined;
  for (let row = 0, count: number; row < rows; row += count) {
    signal?.throwIfAborted();
    count = Math.min(rowsPerBand, rows - row);
    if (target.wants?.(row, count) === false) continue;
    const from = offset + row * rowStride * size;
    const lent = interleaved === 1 ? lendRows(target, { sampleType, littleEndian }, row, count) : undefined;
    if (lent) {
      source.readInto(lent.bytes, from);
      lent.put();
      count = lent.rows;
      continue;
    }
    // Not the other channels behind the last sample, which may be those of another plane or beyond the end.
    const length = (count - 1) * rowStride + (columns - 1) * interleaved + 1;
    buffer ??= new Uint8Array(length * size);
    const bytes = buffer.subarray(0, length * size);
    source.readInto(bytes, from);
    const words = toHostWords(bytes, 8 * size, length, littleEndian);
    const samples = sampleType === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, sampleType);
    target.put({ samples, offset: 0, rowStride, columnStride: interleaved }, row, 0, count, columns);
  }
}
