import { endianness } from 'node:os';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../samples/plane-target.js';

/** Bytes of one read: large enough for the disk, small beside a plane. */
const BAND_BYTES = 4 * 2 ** 20;

/** Rows and the bytes that hold them. */
export interface Band {
  row: number;
  rows: number;
  offset: number;
  length: number;
}

/** Reads of a plane, in file order. All channels of a cycle lie together, so every channel needs all bytes. */
export function planBands(rows: number, columns: number, channels: number, bandBytes = BAND_BYTES): Band[] {
  const rowBytes = columns * channels * 2;
  const perBand = Math.max(1, Math.floor(bandBytes / rowBytes));
  const bands: Band[] = [];
  for (let row = 0; row < rows; row += perBand) {
    const count = Math.min(perBand, rows - row);
    bands.push({ row, rows: count, offset: row * rowBytes, length: count * rowBytes });
  }
  return bands;
}

/** One channel of the interleaved little-endian int16 samples: channel fastest, then sample, then cycle. */
export function readChannel(
  source: ByteSource,
  channel: number,
  channels: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  for (const band of planBands(target.rows, target.columns, channels)) {
    signal?.throwIfAborted();
    const bytes = source.read(band.offset, band.length);
    if (endianness() === 'BE') Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).swap16();
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
    const block = { samples, offset: channel, rowStride: target.columns * channels, columnStride: channels };
    target.put(block, band.row, 0, band.rows, target.columns);
  }
}
