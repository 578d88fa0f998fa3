import type { ByteSource } from '../../io/byte-source.js';
import { toHostWords, viewAs } from '../../samples/host-words.js';
import type { PlaneTarget } from '../../samples/plane-target.js';

/** Bytes of one read: large enough for the disk, small beside a plane. */
const BAND_BYTES = 4 * 2 ** 20;

/** Consecutive rows and the bytes that hold them. */
export interface Band {
  row: number;
  rows: number;
  offset: number;
  length: number;
}

/** Divides a plane into reads, in file order. The channels of a cycle are stored together, so each read has them all. */
export function planBands(rows: number, columns: number, channels: number, bandBytes = BAND_BYTES): Band[] {
  const rowBytes = columns * channels * 2;
  const rowsPerBand = Math.max(1, Math.floor(bandBytes / rowBytes));
  const bands: Band[] = [];
  for (let row = 0; row < rows; row += rowsPerBand) {
    const count = Math.min(rowsPerBand, rows - row);
    bands.push({ row, rows: count, offset: row * rowBytes, length: count * rowBytes });
  }
  return bands;
}

/**
 * Reads one of `channels` channels. Samples are little-endian int16; the channel changes fastest, then the sample, then
 * the cycle.
 */
export function readChannel(
  source: ByteSource,
  { channel, channels }: { channel: number; channels: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const { rows, columns } = target;
  for (const band of planBands(rows, columns, channels)) {
    signal?.throwIfAborted();
    const bytes = source.read(band.offset, band.length);
    const samples = viewAs(toHostWords(bytes, 16, bytes.length / 2, true), 'int16');
    const block = { samples, offset: channel, rowStride: columns * channels, columnStride: channels };
    target.put(block, band.row, 0, band.rows, columns);
  }
}
