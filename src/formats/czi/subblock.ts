/** Subblock segments: where their data lie, and how compressed data become samples. */
import { BYTE_CODECS, IMAGE_CODECS } from '../../codecs/index.js';
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { SAMPLE_ARRAYS, type SampleArray } from '../../samples/types.js';
import { type BlockShape, entryBytesAt } from './blocks.js';
import type { PixelType } from './pixel-types.js';
import { samplesOf } from './plan.js';
import { int64, parseSegment, SEGMENT_HEADER, viewOf } from './segments.js';

/** Segment header, three sizes, and the fixed part of the entry. */
export const SUBBLOCK_HEAD = SEGMENT_HEADER + 16 + 32;

export interface RawSubblock {
  /** Bytes from the start of the segment to the pixels. */
  dataStart: number;
  dataSize: number;
}

/** @param head at least `SUBBLOCK_HEAD` bytes of the segment */
export function parseSubblock(name: string, head: Uint8Array, position: number): RawSubblock {
  const { id } = parseSegment(head, position);
  if (id !== 'ZISRAWSUBBLOCK') throw decodeFailed(`${name}: has no subblock at offset ${position}; it is damaged`);
  const view = viewOf(head);
  const metadataSize = view.getInt32(SEGMENT_HEADER, true);
  const dataSize = int64(view, SEGMENT_HEADER + 8);
  const entryBytes = entryBytesAt(head, view, SEGMENT_HEADER + 16);
  if (metadataSize < 0 || dataSize < 0 || entryBytes < 32) {
    throw decodeFailed(`${name}: the head of the subblock at offset ${position} is damaged`);
  }
  // The entry grows with its dimensions; what follows starts behind it, but never before byte 256.
  return { dataStart: SEGMENT_HEADER + Math.max(256, 16 + entryBytes) + metadataSize, dataSize };
}

export function readSubblock(source: ByteSource, position: number): RawSubblock {
  return parseSubblock(source.name, source.read(position, SUBBLOCK_HEAD), position);
}

export type Compression = 'raw' | 'jpeg' | 'jpegxr' | 'zstd0' | 'zstd1';

const COMPRESSIONS = new Map<number, Compression>([
  [0, 'raw'],
  [1, 'jpeg'],
  [4, 'jpegxr'],
  [5, 'zstd0'],
  [6, 'zstd1'],
]);
/** JPEG and JPEG XR. */
export const IMAGE_COMPRESSIONS: ReadonlySet<number> = new Set([1, 4]);
const NOT_READ = new Map([
  [2, 'LZW'],
  [3, 'lossless JPEG'],
]);
/** Data that are as long as the raw pixels are the raw pixels, unless they start like this. */
const STARTS: Record<Exclude<Compression, 'raw'>, RegExp> = {
  jpeg: /^ffd8ff/,
  jpegxr: /^4949bc/,
  zstd0: /^28b52ffd/,
  zstd1: /^(01|0301..)28b52ffd/,
};

/**
 * How the data of a subblock are to be read. Writers leave a compressed subblock raw without changing its mark when
 * compression would not help: the size decides.
 * @throws AcqError `unsupported_format`
 */
export function compressionOf(shape: BlockShape, dataSize: number, rawSize: number, start: Uint8Array): Compression {
  const id = shape.compression;
  const known = COMPRESSIONS.get(id);
  if (known === 'raw') return known;
  if (dataSize === rawSize && !(known && STARTS[known].test(hex(start)))) return 'raw';
  if (known) return known;
  const name = NOT_READ.get(id) ?? (id >= 100 && id < 1000 ? `a camera's own format (${id})` : `method ${id}`);
  throw unsupported(
    `is compressed with ${name}, which is not read here; convert the file to Zstd or to no compression`,
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 8)).toString('hex');
}

/** Samples of a decoded subblock, and whether a pixel's samples are in the order B, G, R. */
export interface DecodedBlock {
  samples: SampleArray;
  bgr: boolean;
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export async function decodeBlock(
  data: Uint8Array,
  compression: Exclude<Compression, 'raw'>,
  shape: BlockShape,
  type: PixelType,
): Promise<DecodedBlock> {
  const count = samplesOf(shape, type);
  const bytes = count * SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
  if (bytes > LIMITS.chunkBytes) throw decodeFailed(`claims ${bytes} bytes of pixels, more than any real subblock`);
  if (compression === 'jpeg' || compression === 'jpegxr') {
    return { samples: await decodeImage(data, compression, shape, type), bgr: false };
  }
  const { start, packed } = compression === 'zstd1' ? parseZstd1(data) : { start: 0, packed: false };
  const decode = await BYTE_CODECS.zstd();
  const raw = decode(data.subarray(start), { expected: bytes, limit: bytes });
  if (raw.length !== bytes) throw decodeFailed(`decodes to ${raw.length} bytes instead of ${bytes}; it is damaged`);
  const wide = SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT === 2;
  return { samples: packed && wide ? unpackHiLo(raw) : asSamples(raw, type), bgr: true };
}

/** Own memory of a codec, or a copy where its start is not aligned. */
export function asSamples(bytes: Uint8Array, type: PixelType): SampleArray {
  const Samples = SAMPLE_ARRAYS[type.sample];
  const aligned = bytes.byteOffset % Samples.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Samples(aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.length / Samples.BYTES_PER_ELEMENT);
}

/**
 * Header of the second Zstd method: its own length as a variable-length integer (7 bits a byte), then chunks of options.
 * The only chunk known is 1 with one byte of flags: bit 0 says that low and high bytes are stored apart.
 */
function parseZstd1(data: Uint8Array): { start: number; packed: boolean } {
  let start = 0;
  let at = 0;
  for (let shift = 0; ; shift += 7, at++) {
    const byte = data[at];
    if (byte === undefined || shift > 14) throw decodeFailed('has a damaged Zstd header');
    start |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) break;
  }
  at++;
  let packed = false;
  if (start > at) {
    if (start !== at + 2 || data[at] !== 1) throw unsupported('has a Zstd header with options that are not read here');
    packed = ((data[at + 1] as number) & 1) !== 0;
  }
  if (start < at) throw decodeFailed('has a damaged Zstd header');
  return { start, packed };
}

/** All low bytes, then all high bytes. Four samples at a time where the halves allow it: half the time. */
function unpackHiLo(bytes: Uint8Array): Uint16Array {
  const half = bytes.length / 2;
  const samples = new Uint16Array(half);
  if (bytes.byteOffset % 4 === 0 && half % 4 === 0) {
    unpackWords(bytes, samples);
    return samples;
  }
  for (let i = 0, high = half; i < half; i++, high++)
    samples[i] = (bytes[i] as number) | ((bytes[high] as number) << 8);
  return samples;
}

function unpackWords(bytes: Uint8Array, samples: Uint16Array): void {
  const { buffer, byteOffset } = bytes;
  const groups = samples.length / 4;
  const low = new Uint32Array(buffer, byteOffset, groups);
  const high = new Uint32Array(buffer, byteOffset + samples.length, groups);
  const pairs = new Uint32Array(samples.buffer);
  for (let i = 0, p = 0; i < groups; i++, p += 2) {
    const l = low[i] as number;
    const h = high[i] as number;
    pairs[p] = (l & 0xff) | ((h & 0xff) << 8) | ((l & 0xff00) << 8) | ((h & 0xff00) << 16);
    pairs[p + 1] = ((l >>> 16) & 0xff) | ((h >>> 8) & 0xff00) | ((l >>> 8) & 0xff0000) | (h & 0xff000000);
  }
}

async function decodeImage(
  data: Uint8Array,
  codec: 'jpeg' | 'jpegxr',
  shape: BlockShape,
  type: PixelType,
): Promise<SampleArray> {
  const pixels = samplesOf(shape, type) / type.samples;
  const decode = await IMAGE_CODECS[codec]();
  const image = decode(data, { maxPixels: pixels, components: type.samples });
  const Wanted = SAMPLE_ARRAYS[type.sample];
  const { samples } = image;
  const floats = samples instanceof Float32Array;
  const fits =
    image.width === shape.stored.X &&
    image.width * image.height === pixels &&
    image.components === type.samples &&
    samples.BYTES_PER_ELEMENT === Wanted.BYTES_PER_ELEMENT &&
    floats === (type.sample === 'float32');
  if (!fits) {
    throw decodeFailed(
      `decodes to ${image.width} × ${image.height} pixels of ${image.components} × ` +
        `${samples.BYTES_PER_ELEMENT * 8} bits, not to ${pixels} of ${type.name}`,
    );
  }
  return new Wanted(samples.buffer as ArrayBuffer, samples.byteOffset, samples.length);
}
