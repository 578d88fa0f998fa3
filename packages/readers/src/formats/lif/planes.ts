/** Reads one plane by the increments of its rows and columns, in any memory order. */

import { decodeFailed } from '../../base/errors.js';
import { grouped, plural } from '../../base/wording.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { float16ToFloat32 } from '../../model/samples/narrow-floats.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { type SampleArray, type SampleType, storedBytes } from '../../model/samples/types.js';
import { countEntries, type DataAxis, type ImageLayout, offsetAt } from './layout.js';
import { FileRange, type PixelBytes } from './pixel-bytes.js';
import type { LifImage } from './types.js';

/** Bytes of one read. */
const READ_BYTES = 2 ** 19;
/** Gaps between rows below this size are read along, because a disk reads whole pages anyway. */
const MAX_GAP = 4096;

/**
 * @param part index along the axes that become scenes
 * @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing`
 */
export async function readImagePlane(
  { bytes, layout }: LifImage,
  part: number,
  address: Omit<PlaneAddress, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const wavelengths = countEntries(layout.wavelengthAxes);
  const channel = layout.channels[Math.floor(address.channel / wavelengths)];
  if (!channel) throw bytes.locate(decodeFailed(`there is no channel ${address.channel}`));
  const start =
    channel.offset +
    offsetAt(layout.wavelengthAxes, address.channel % wavelengths) +
    offsetAt(layout.sceneAxes, part) +
    address.t * layout.t.increment +
    address.z * layout.z.increment;
  const { rows, columns } = layout;
  checkComplete(bytes, layout, address, start, storedBytes(channel.type));
  // The faster axis is read in runs. With a single row or column, either could be.
  const byRows = columns.count === 1 || rows.count === 1 || columns.increment <= rows.increment;
  const [fast, slow] = byRows ? [columns, rows] : [rows, columns];
  if (byRows && bytes instanceof FileRange && isContiguous(layout, channel.type)) {
    readRows(bytes, { offset: start, sampleType: channel.type, littleEndian: true }, target, signal, READ_BYTES);
    return;
  }
  let buffer: Uint8Array | undefined;
  for (const piece of splitPlane(fast, slow, storedBytes(channel.type))) {
    signal?.throwIfAborted();
    const [row, count] = byRows ? [piece.slow, piece.slowCount] : [piece.fast, piece.fastCount];
    if (target.wants?.(row, count) === false) continue;
    // The first piece is the largest.
    buffer ??= new Uint8Array(piece.bytes);
    const raw = buffer.subarray(0, piece.bytes);
    await bytes.readInto(raw, start + piece.offset);
    const block = {
      samples: toSampleArray(raw, channel.type),
      offset: 0,
      rowStride: byRows ? piece.slowStride : piece.fastStride,
      columnStride: byRows ? piece.fastStride : piece.slowStride,
    };
    if (byRows) target.put(block, piece.slow, piece.fast, piece.slowCount, piece.fastCount);
    else target.put(block, piece.fast, piece.slow, piece.fastCount, piece.slowCount);
  }
}

/** True when the samples of a plane follow each other, row by row, in rows that one read has room for. */
function isContiguous({ rows, columns }: ImageLayout, type: SampleType): boolean {
  const size = storedBytes(type);
  const rowBytes = columns.count * size;
  const isRun = columns.count === 1 || columns.increment === size;
  return isRun && rowBytes <= READ_BYTES && (rows.count === 1 || rows.increment === rowBytes);
}

function checkComplete(
  bytes: PixelBytes,
  { rows, columns }: ImageLayout,
  { channel, t, z }: Omit<PlaneAddress, 'scene'>,
  start: number,
  size: number,
): void {
  const end = start + (rows.count - 1) * rows.increment + (columns.count - 1) * columns.increment + size;
  if (end <= bytes.size) return;
  const available = Math.max(0, bytes.size - start);
  throw bytes.locate(
    decodeFailed(
      `the plane of channel ${channel}, T ${t}, Z ${z} is truncated: ${grouped(available)} of ` +
        `${plural(end - start, 'byte')} are in the file. The recording was probably interrupted.`,
    ),
  );
}

/** A rectangle of samples that one read covers. */
interface ReadPiece {
  /** Bytes after the start of the plane. */
  offset: number;
  bytes: number;
  /** First index and number of entries along the slower and the faster axis. */
  slow: number;
  slowCount: number;
  fast: number;
  fastCount: number;
  /** In samples. */
  slowStride: number;
  fastStride: number;
}

/** Splits a plane into reads of at most `READ_BYTES` bytes, or of one sample where samples are farther apart. */
function* splitPlane(fast: DataAxis, slow: DataAxis, size: number): Generator<ReadPiece> {
  const fastIncrement = fast.count === 1 ? size : fast.increment;
  const run = (fast.count - 1) * fastIncrement + size;
  const aligned = fastIncrement % size === 0;
  const maxFast = aligned ? Math.max(1, Math.min(fast.count, Math.floor((READ_BYTES - size) / fastIncrement) + 1)) : 1;
  const near = slow.increment % size === 0 && slow.increment - run < MAX_GAP && slow.increment >= run;
  const maxSlow = maxFast < fast.count || !near ? 1 : Math.max(1, Math.floor((READ_BYTES - run) / slow.increment) + 1);
  for (let at = 0; at < slow.count; at += maxSlow) {
    const slowCount = Math.min(maxSlow, slow.count - at);
    for (let first = 0; first < fast.count; first += maxFast) {
      const fastCount = Math.min(maxFast, fast.count - first);
      yield {
        offset: at * slow.increment + first * fastIncrement,
        bytes: (slowCount - 1) * slow.increment + (fastCount - 1) * fastIncrement + size,
        slow: at,
        slowCount,
        fast: first,
        fastCount,
        slowStride: slowCount === 1 ? 0 : slow.increment / size,
        fastStride: fastIncrement / size,
      };
    }
  }
}

/** Returns the samples in little-endian bytes, in the same memory when they are aligned. */
function toSampleArray(raw: Uint8Array, type: SampleType): SampleArray {
  const size = storedBytes(type);
  const words = toHostWords(raw, size * 8, raw.length / size, true);
  return type === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, type);
}
