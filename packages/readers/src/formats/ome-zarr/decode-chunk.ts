/** Decodes the stored bytes of a chunk to samples. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { crc32c } from '../../codecs/crc32c.js';
import { BYTE_CODECS, type ByteCodecName } from '../../codecs/index.js';
import { type ByteDecoder, resultMemory } from '../../codecs/types.js';
import { unshuffle } from '../../codecs/unshuffle.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { float16ToFloat32 } from '../../model/samples/narrow-floats.js';
import type { SampleArray } from '../../model/samples/types.js';
import type { ByteStep, Pipeline, ZarrArray } from './types.js';

export type Decoders = ReadonlyMap<ByteCodecName, ByteDecoder>;

/** Bytes of a checksum after the data. */
const CHECKSUM_BYTES = 4;
/** Encoders enlarge incompressible data by at most 1/64 and some headers. */
const MAX_OVERHEAD = 65_536;

/** Loads the decoders for all levels of an array. */
export async function loadDecoders(pipeline: Pipeline): Promise<Decoders> {
  const decoders = new Map<ByteCodecName, ByteDecoder>();
  for (let level: Pipeline | undefined = pipeline; level; level = level.shard?.inner) {
    for (const step of level.steps) {
      if (step.kind === 'codec' && !decoders.has(step.codec)) {
        decoders.set(step.codec, await BYTE_CODECS[step.codec]());
      }
    }
  }
  return decoders;
}

/** Returns the decoded size of a chunk in bytes. */
export function chunkBytes({ shape }: Pipeline, sampleBytes: number): number {
  return shape.reduce((product, size) => product * size, sampleBytes);
}

/** Returns the maximum size of an encoded chunk. */
export function maxEncodedBytes(decodedBytes: number, steps: readonly ByteStep[]): number {
  return decodedBytes + (Math.ceil(decodedBytes / 64) + MAX_OVERHEAD) * steps.length;
}

/**
 * Decodes the steps, last one first.
 * @param size expected size of the result in bytes, if known
 * @param reuse memory that may receive the result
 * @throws AcqError `decode_failed`
 */
export function decodeSteps(
  encoded: Uint8Array,
  steps: readonly ByteStep[],
  size: number | undefined,
  decoders: Decoders,
  reuse?: Uint8Array,
): Uint8Array {
  let bytes = encoded;
  for (let i = steps.length - 1; i >= 0; i--) {
    const expected = sizeAfter(steps.slice(0, i), size);
    const step = steps[i]!;
    if (step.kind === 'crc32c') bytes = verifyChecksum(bytes);
    else if (step.kind === 'shuffle') {
      const place = { expected: bytes.length, limit: bytes.length, reuse: i === 0 ? reuse : undefined };
      const out = resultMemory(bytes.length, place);
      unshuffle(bytes, out, step.size);
      bytes = out;
    } else {
      const limit = expected ?? Math.min(LIMITS.chunkBytes, maxEncodedBytes(size ?? LIMITS.chunkBytes, steps));
      const decode = decoders.get(step.codec)!;
      bytes = decode(bytes, { expected: expected ?? limit, limit, reuse: i === 0 ? reuse : undefined });
    }
  }
  if (size !== undefined && bytes.length !== size) {
    throw decodeFailed(`decompressed to ${grouped(bytes.length)} bytes; expected ${grouped(size)}`);
  }
  return bytes;
}

/** Returns the size of `size` bytes after some steps; `undefined` after a compressor. */
function sizeAfter(steps: readonly ByteStep[], size: number | undefined): number | undefined {
  let after = size;
  for (const step of steps) {
    if (step.kind === 'codec') return undefined;
    if (step.kind === 'crc32c' && after !== undefined) after += CHECKSUM_BYTES;
  }
  return after;
}

/** Verifies a CRC-32C. Returns the bytes before it. @throws AcqError `decode_failed` */
export function verifyChecksum(bytes: Uint8Array): Uint8Array {
  const length = bytes.length - CHECKSUM_BYTES;
  if (length < 0) throw decodeFailed('is truncated before its checksum');
  const data = bytes.subarray(0, length);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + length, CHECKSUM_BYTES).getUint32(0, true);
  if (crc32c(data) !== stored) throw decodeFailed('checksum mismatch (CRC-32C); the data are corrupted');
  return data;
}

/** Returns the samples, in the same memory if possible. Consumes `bytes`. */
export function toSampleArray(
  bytes: Uint8Array,
  { sampleType, sampleBytes }: ZarrArray,
  { littleEndian, delta }: Pipeline,
): SampleArray {
  const words = toHostWords(bytes, sampleBytes * 8, bytes.length / sampleBytes, littleEndian);
  const samples = sampleType === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, sampleType);
  if (delta) undoDelta(samples);
  return samples;
}

/** Reverses the delta filter. Typed arrays wrap around and round like the type of the encoder. */
function undoDelta(samples: SampleArray): void {
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    for (let i = 1; i < samples.length; i++) samples[i] = samples[i]! + samples[i - 1]!;
    return;
  }
  for (let i = 1; i < samples.length; i++) samples[i] = samples[i]! + samples[i - 1]!;
}
