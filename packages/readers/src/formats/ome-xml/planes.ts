import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { decodeDeflate } from '../../codecs/deflate.js';
import { Base64Decoder } from '../../io/base64.js';
import type { ByteSource } from '../../io/byte-source.js';
import { gridSize, planeNumber, splitChannel } from '../../model/metadata/mixed-radix.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import { bytesPerElement } from '../../model/samples/types.js';
import { blockBytes, isShort, type PixelBlock, type PixelPlan } from './metadata.js';

/** Bytes of base64 of one read; a multiple of 4. */
const READ_BYTES = 2 ** 20;

/** Reads one plane of an image. A block that is missing or empty is zeros. */
export function readPlane(
  source: ByteSource,
  plan: PixelPlan,
  { channel, t, z }: { channel: number; t: number; z: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const read = (time: number, part: PlaneTarget) => {
    signal?.throwIfAborted();
    readBlock(source, plan, { channel, t: time, z }, part);
  };
  if (!plan.areLines) read(t, target);
  else for (let line = 0; line < target.rows; line++) read(line, new RowsTarget(target, line, 1));
}

/** Returns the bytes that reading a plane takes beside its target. */
export function scratchBytes(plan: PixelPlan): number {
  const text = plan.blocks.reduce(
    (max, { compression, length }) => (compression === 'none' ? max : Math.max(max, length)),
    0,
  );
  return READ_BYTES * 2 + blockBytes(plan, Math.max(...plan.samples)) * (plan.isOneBlock ? 2 : 1) + text * 2;
}

/** @throws AcqError `unsupported_format` for compressions that cannot be decoded */
export function checkPlan({ blocks }: PixelPlan): void {
  for (const { compression } of blocks) checkCompression(compression);
}

function checkCompression(compression: string): void {
  if (compression !== 'none' && compression !== 'zlib' && compression !== '')
    throw unsupported(
      `the pixels are compressed with ${compression.slice(0, 20)}, which is not supported in OME-XML. Export them as OME-TIFF.`,
    );
}

function readBlock(
  source: ByteSource,
  plan: PixelPlan,
  address: { channel: number; t: number; z: number },
  target: PlaneTarget,
): void {
  const { channel, sample } = splitChannel(plan.samples, address.channel);
  const number = planeNumber(plan.axes, { ...address, scene: 0, channel });
  const samples = plan.samples[channel]!;
  const bytes = blockBytes(plan, samples);
  const block = plan.blocks[plan.isOneBlock ? 0 : number];
  if (!block || (block.length === 0 && !plan.isOneBlock)) {
    putZeros(target, plan.sampleType);
    return;
  }
  checkCompression(block.compression);
  if (bytes > LIMITS.chunkBytes)
    throw unsupported(`a plane of ${grouped(bytes)} bytes inside XML is not supported. Export it as OME-TIFF.`);
  const skip = plan.isOneBlock ? number * bytes : 0;
  const whole = plan.isOneBlock ? bytes * gridSize(plan.axes) : bytes;
  const decoded =
    block.compression === 'zlib'
      ? inflateBlock(source, block, { skip, bytes, whole })
      : decodeBase64(source, block, { skip, bytes: plan.isOneBlock ? bytes : bytes + 1 });
  if (decoded.length > bytes || (decoded.length < bytes && !isShort(block, whole))) {
    const size = decoded.length > bytes ? `more than ${grouped(bytes)}` : grouped(decoded.length);
    throw decodeFailed(`a block of pixels has ${size} bytes; a plane has ${grouped(bytes)}`);
  }
  putSamples(decoded, { plan, samples, sample, littleEndian: block.littleEndian }, target);
}

interface PlaneBytes {
  /** Bytes before the plane. */
  skip: number;
  bytes: number;
}

function inflateBlock(
  source: ByteSource,
  block: PixelBlock,
  { skip, bytes, whole }: PlaneBytes & { whole: number },
): Uint8Array {
  if (whole > LIMITS.chunkBytes)
    throw unsupported(`a block of ${grouped(whole)} bytes inside XML is not supported. Export it as OME-TIFF.`);
  const data = decodeBase64(source, block, { skip: 0, bytes: Math.ceil((block.length * 3) / 4) });
  return decodeDeflate(data, { expected: whole, limit: whole }).subarray(skip, skip + bytes);
}

/** Decodes a part of the text of a block. White space may be anywhere. Returns fewer bytes where the text ends. */
function decodeBase64(source: ByteSource, { offset, length }: PixelBlock, { skip, bytes }: PlaneBytes): Uint8Array {
  const decoded = new Uint8Array(Math.min(bytes, Math.ceil((length * 3) / 4)));
  const decoder = new Base64Decoder();
  let [at, position] = [0, 0];
  while (at < length && position < skip + decoded.length) {
    const count = Math.min(READ_BYTES, length - at);
    const text = source.read(offset + at, count);
    at += count;
    const part = decoder.decode(text, at >= length);
    const from = Math.max(0, skip - position);
    const to = Math.min(part.length, skip + decoded.length - position);
    if (to > from) decoded.set(part.subarray(from, to), position + from - skip);
    position += part.length;
  }
  return decoded.subarray(0, Math.max(0, Math.min(decoded.length, position - skip)));
}

interface Samples {
  plan: PixelPlan;
  samples: number;
  sample: number;
  littleEndian: boolean;
}

/** Puts the rows that are complete, and zeros below them. */
function putSamples(decoded: Uint8Array, { plan, samples, sample, littleEndian }: Samples, target: PlaneTarget): void {
  const { sampleType, isBits, width, height, interleaved } = plan;
  const bytes = isBits ? unpackBits(decoded, width * height * samples) : decoded;
  const size = bytesPerElement(sampleType);
  const count = Math.floor(bytes.length / size);
  const words = viewAs(toHostWords(bytes, size * 8, count, littleEndian), sampleType);
  const [offset, step, row] = interleaved ? [sample, samples, width * samples] : [sample * width * height, 1, width];
  const available = Math.floor((count - (interleaved ? 0 : offset)) / row);
  const rows = Math.max(0, Math.min(height, available));
  if (rows > 0) target.put({ samples: words, offset, rowStride: row, columnStride: step }, 0, 0, rows, width);
  if (rows < height) putZeros(target, sampleType, { row: rows, rows: height - rows });
}

function unpackBits(bytes: Uint8Array, pixels: number): Uint8Array {
  return Uint8Array.from(
    { length: Math.min(pixels, bytes.length * 8) },
    (_, i) => (bytes[i >> 3]! >> (7 - (i & 7))) & 1,
  );
}
