import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import type { PlaneTarget, SamplePiece } from '../../model/samples/plane-target.js';
import type { ScanboxLayout } from './layout.js';

/** Reads a frame. The samples of all channels of a pixel follow each other, and are stored as 65,535 minus the signal. */
export function readFrame(
  source: ByteSource,
  { rows, columns, detectors, planes }: ScanboxLayout,
  { channel, t, z }: Omit<PlaneAddress, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const interleaved = detectors.length;
  const frame = t * planes + z;
  const offset = 2 * (frame * rows * columns * interleaved + channel);
  const rest = { sampleType: 'uint16', littleEndian: true, interleaved } as const;
  readRows(source, { offset, ...rest }, new InvertedTarget(target), signal);
}

/** Inverts samples on their way. The pieces are in memory that was read for them alone. */
class InvertedTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly inner: PlaneTarget;

  constructor(inner: PlaneTarget) {
    this.inner = inner;
    this.rows = inner.rows;
    this.columns = inner.columns;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    const samples = piece.samples as Uint16Array;
    for (let i = 0; i < samples.length; i++) samples[i] = 0xffff - samples[i]!;
    this.inner.put(piece, row, column, rows, columns);
  }

  wants(row: number, rows: number): boolean {
    return this.inner.wants?.(row, rows) ?? true;
  }
}
