/** Subblock segments: parses their heads and decodes their compressed pixels. */
import { hasBytesAt, toHex, toLatin1 } from '../../base/bytes.js';
import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { about } from '../../base/subject.js';
import { grouped, plural } from '../../base/wording.js';
import { BYTE_CODECS, IMAGE_CODECS } from '../../codecs/index.js';
import { unshuffle } from '../../codecs/unshuffle.js';
import type { ByteSource } from '../../io/byte-source.js';
import { SAMPLE_ARRAYS, type SampleArray } from '../../model/samples/types.js';
import type { BlockShape } from './blocks.js';
import { entryBytesAt } from './entries.js';
import type { PixelType } from './pixel-types.js';
import { countSamples } from './plan.js';
import { int64, SEGMENT_HEADER, viewOf } from './segments.js';

/** Segment header, three sizes, and the fixed part of the entry. */
export const SUBBLOCK_HEAD = SEGMENT_HEADER + 16 + 32;

const SUBBLOCK_ID = toLatin1('ZISRAWSUBBLOCK\0');

export interface RawSubblock {
  /** Bytes from the start of the segment to the pixels. */
  dataStart: number;
  dataSize: number;
}

/**
 * Parses the head of a subblock.
 * @param head at least `SUBBLOCK_HEAD` bytes of the segment
 * @throws AcqError `decode_failed`
 */
export function parseSubblock(head: Uint8Array, position: number): RawSubblock {
  if (!hasBytesAt(head, SUBBLOCK_ID)) {
    throw decodeFailed(`expected a subblock at offset ${grouped(position)}; the file is corrupted`);
  }
  const view = viewOf(head);
  const metadataSize = view.getInt32(SEGMENT_HEADER, true);
  const dataSize = int64(view, SEGMENT_HEADER + 8);
  const entryBytes = entryBytesAt(view, SEGMENT_HEADER + 16);
  if (metadataSize < 0 || dataSize < 0 || entryBytes < 32) {
    throw decodeFailed(`the header of the subblock at offset ${grouped(position)} is corrupted`);
  }
  // The entry grows with its dimensions. The metadata follow it, but never start before byte 256.
  return { dataStart: SEGMENT_HEADER + Math.max(256, 16 + entryBytes) + metadataSize, dataSize };
}

/** Reads and parses the head of a subblock. */
export function readSubblock(source: ByteSource, position: number): RawSubblock {
  return about(source.name, () => parseSubblock(source.read(position, SUBBLOCK_HEAD), position));
}

export type SubblockCompression = 'raw' | 'jpeg' | 'jpegxr' | 'zstd0' | 'zstd1';

const COMPRESSIONS = new Map<number, SubblockCompression>([
  [0, 'raw'],
  [1, 'jpeg'],
  [4, 'jpegxr'],
  [5, 'zstd0'],
  [6, 'zstd1'],
]);
/** JPEG and JPEG XR. */
export const IMAGE_COMPRESSIONS: ReadonlySet<number> = new Set([1, 4]);
const UNSUPPORTED = new Map([
  [2, 'LZW'],
  [3, 'lossless JPEG'],
]);
/** First bytes of compressed data, in hex. */
const SIGNATURES: Record<Exclude<SubblockCompression, 'raw'>, RegExp> = {
  jpeg: /^ffd8ff/,
  jpegxr: /^4949bc/,
  zstd0: /^28b52ffd/,
  zstd1: /^(01|0301..)28b52ffd/,
};

/**
 * Returns how the pixels of a subblock are compressed. Where compression would not help, writers store raw pixels but
 * keep the compression method in the entry. Data as long as the raw pixels are therefore raw, unless they have the
 * signature of the method.
 * @param data `size` of the data and their first bytes
 * @throws AcqError `unsupported_format`
 */
export function findCompression(
  method: number,
  data: { size: number; start: Uint8Array },
  rawSize: number,
): SubblockCompression {
  const compression = COMPRESSIONS.get(method);
  if (compression === 'raw') return compression;
  const hasSignature = compression !== undefined && SIGNATURES[compression].test(toHex(data.start.subarray(0, 8)));
  if (data.size === rawSize && !hasSignature) return 'raw';
  if (compression) return compression;
  const isCamera = method >= 100 && method < 1000;
  const name = UNSUPPORTED.get(method) ?? (isCamera ? `a camera-specific format (${method})` : `method ${method}`);
  throw unsupported(`compression with ${name} is not supported; save the file with Zstd or without compression`);
}

/** A decoded subblock. */
export interface DecodedBlock {
  samples: SampleArray;
  /** The samples of a pixel are in the order B, G, R. */
  bgr: boolean;
}

/**
 * Decodes the compressed pixels of a subblock.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export async function decodeBlock(
  data: Uint8Array,
  compression: Exclude<SubblockCompression, 'raw'>,
  shape: BlockShape,
  type: PixelType,
): Promise<DecodedBlock> {
  const count = countSamples(shape, type);
  const bytes = count * SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
  if (bytes > LIMITS.chunkBytes) {
    throw decodeFailed(`the pixels take ${grouped(bytes)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`);
  }
  if (compression === 'jpeg' || compression === 'jpegxr') {
    return { samples: await decodeImage(data, compression, shape, type), bgr: false };
  }
  const { start, hiLo } = compression === 'zstd1' ? parseZstd1(data) : { start: 0, hiLo: false };
  const decode = await BYTE_CODECS.zstd();
  const raw = decode(data.subarray(start), { expected: bytes, limit: bytes });
  if (raw.length !== bytes) {
    throw decodeFailed(`Zstd data decompressed to ${plural(raw.length, 'byte')}; expected ${grouped(bytes)}`);
  }
  const isWide = SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT === 2;
  return { samples: hiLo && isWide ? joinHiLo(raw) : toSamples(raw, type), bgr: true };
}

/** Views bytes as samples. Unaligned bytes are copied. */
export function toSamples(bytes: Uint8Array, type: PixelType): SampleArray {
  const Samples = SAMPLE_ARRAYS[type.sample];
  const aligned = bytes.byteOffset % Samples.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Samples(aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.length / Samples.BYTES_PER_ELEMENT);
}

/**
 * Parses the header of the second Zstd method: its own length as a variable-length integer (7 bits per byte), then chunks
 * of options. The only defined chunk is 1, with one byte of flags; bit 0 says that low and high bytes are stored apart.
 */
function parseZstd1(data: Uint8Array): { start: number; hiLo: boolean } {
  let start = 0;
  let at = 0;
  for (let shift = 0; ; shift += 7, at++) {
    const byte = data[at];
    if (byte === undefined || shift > 14) throw decodeFailed('the Zstd header is corrupted');
    start |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) break;
  }
  at++;
  let hiLo = false;
  if (start > at) {
    if (start !== at + 2 || data[at] !== 1) throw unsupported('the options in the Zstd header are not supported');
    hiLo = (data[at + 1]! & 1) !== 0;
  }
  if (start < at) throw decodeFailed('the Zstd header is corrupted');
  return { start, hiLo };
}

/** Joins low bytes with the high bytes that follow them all. */
function joinHiLo(bytes: Uint8Array): Uint16Array {
  const samples = new Uint16Array(bytes.length / 2);
  unshuffle(bytes, new Uint8Array(samples.buffer), 2);
  return samples;
}

async function decodeImage(
  data: Uint8Array,
  codec: 'jpeg' | 'jpegxr',
  shape: BlockShape,
  type: PixelType,
): Promise<SampleArray> {
  const pixels = countSamples(shape, type) / type.samples;
  const decode = await IMAGE_CODECS[codec]();
  const image = decode(data, { maxPixels: pixels, components: type.samples });
  const Samples = SAMPLE_ARRAYS[type.sample];
  const { samples } = image;
  const fits =
    image.width === shape.stored.X &&
    image.width * image.height === pixels &&
    image.components === type.samples &&
    samples.BYTES_PER_ELEMENT === Samples.BYTES_PER_ELEMENT &&
    samples instanceof Float32Array === (type.sample === 'float32');
  if (!fits) {
    throw decodeFailed(
      `the image decoded to ${grouped(image.width)} × ${grouped(image.height)} pixels of ${grouped(image.components)} × ` +
        `${samples.BYTES_PER_ELEMENT * 8} bits; expected ${grouped(pixels)} pixels of type ${type.name}`,
    );
  }
  return new Samples(samples.buffer as ArrayBuffer, samples.byteOffset, samples.length);
}
