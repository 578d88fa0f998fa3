/** Pixels of a plane, by the increments of its rows and columns, whatever their order in the file. */
import type { PlaneAddress } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { toHostWords, viewAs } from '../../samples/host-words.js';
import { float16ToFloat32 } from '../../samples/narrow-floats.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import type { SampleArray, SampleType } from '../../samples/types.js';
import { type Axis, entriesOf, type ImageLayout, offsetAt, SAMPLE_BYTES } from './layout.js';

/** The bytes of one image: part of a file, or pages of several files one behind the other. */
export interface PixelBytes {
  /** For messages. */
  readonly name: string;
  /** Bytes that are there. */
  readonly size: number;
  /** Fills `target` with the bytes from `offset`. */
  readInto(target: Uint8Array, offset: number): void | Promise<void>;
}

/** Bytes of one read. */
const CHUNK = 2 ** 19;
/** Rows closer than this are read in one piece: a disk reads whole pages anyway. */
const GAP = 4096;

/** @throws AcqError `decode_failed` */
export async function readImagePlane(
  bytes: PixelBytes,
  layout: ImageLayout,
  folded: number,
  address: Omit<PlaneAddress, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const wavelengths = entriesOf(layout.lambdas);
  const channel = layout.channels[Math.floor(address.channel / wavelengths)];
  if (!channel) throw decodeFailed(`${bytes.name}: has no channel ${address.channel}`);
  const start =
    channel.offset +
    offsetAt(layout.lambdas, address.channel % wavelengths) +
    offsetAt(layout.folded, folded) +
    address.t * layout.t.increment +
    address.z * layout.z.increment;
  const { rows, columns } = layout;
  checkInside(bytes, layout, address, start, SAMPLE_BYTES[channel.type]);
  // The faster one of both is read in runs; with rows of one sample, or one row, either would do.
  const byRows = columns.count === 1 || rows.count === 1 || columns.increment <= rows.increment;
  const [fast, slow] = byRows ? [columns, rows] : [rows, columns];
  let buffer: Uint8Array | undefined;
  for (const piece of piecesOf(fast, slow, SAMPLE_BYTES[channel.type])) {
    signal?.throwIfAborted();
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

function checkInside(
  bytes: PixelBytes,
  { rows, columns }: ImageLayout,
  { channel, t, z }: Omit<PlaneAddress, 'scene'>,
  start: number,
  size: number,
): void {
  const end = start + (rows.count - 1) * rows.increment + (columns.count - 1) * columns.increment + size;
  if (end <= bytes.size) return;
  const have = Math.max(0, bytes.size - start);
  throw decodeFailed(
    `${bytes.name}: the plane of channel ${channel}, T ${t}, Z ${z} is not there whole: ${have} of its ${end - start} ` +
      'bytes are in the file; the recording was stopped or the file is cut off',
  );
}

/** A rectangle of samples that one read covers. */
interface Piece {
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

/** Covers the lattice of a plane with reads of at most `CHUNK` bytes (or one sample, if these lie further apart). */
function* piecesOf(fast: Axis, slow: Axis, size: number): Generator<Piece> {
  const fastIncrement = fast.count === 1 ? size : fast.increment;
  const run = (fast.count - 1) * fastIncrement + size;
  const whole = fastIncrement % size === 0;
  const perRead = whole ? Math.max(1, Math.min(fast.count, Math.floor((CHUNK - size) / fastIncrement) + 1)) : 1;
  const near = slow.increment % size === 0 && slow.increment - run < GAP && slow.increment >= run;
  const together = perRead < fast.count || !near ? 1 : Math.max(1, Math.floor((CHUNK - run) / slow.increment) + 1);
  for (let at = 0; at < slow.count; at += together) {
    const slowCount = Math.min(together, slow.count - at);
    for (let first = 0; first < fast.count; first += perRead) {
      const fastCount = Math.min(perRead, fast.count - first);
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

/** Little-endian samples as numbers, over the same memory where that is possible. */
function toSampleArray(raw: Uint8Array, type: SampleType): SampleArray {
  const size = SAMPLE_BYTES[type];
  const words = toHostWords(raw, size * 8, raw.length / size, true);
  return type === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, type);
}
