/** Stored bytes of a chunk → samples. */

import { crc32c } from '../../codecs/crc32c.js';
import { BYTE_CODECS, type ByteCodecName } from '../../codecs/index.js';
import type { ByteDecoder } from '../../codecs/types.js';
import { unshuffle } from '../../codecs/unshuffle.js';
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { toHostWords, viewAs } from '../../samples/host-words.js';
import { float16ToFloat32 } from '../../samples/narrow-floats.js';
import type { SampleArray } from '../../samples/types.js';
import type { ByteStep, Pipeline, ZarrArray } from './types.js';

export type Decoders = ReadonlyMap<ByteCodecName, ByteDecoder>;

/** A checksum behind the data. */
const CHECKSUM = 4;
/** What encoders add at most to data that they cannot pack: 1/64 and some headers. */
const OVERHEAD = 65_536;

/** The decoders that an array needs, on all levels. */
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

/** Bytes of the samples of a whole chunk. */
export function chunkBytes({ shape }: Pipeline, sampleBytes: number): number {
  return shape.reduce((product, size) => product * size, sampleBytes);
}

/** The most bytes that an encoded chunk can have; more are read only to be thrown away. */
export function mostEncodedBytes(decodedBytes: number, steps: readonly ByteStep[]): number {
  return decodedBytes + (Math.ceil(decodedBytes / 64) + OVERHEAD) * steps.length;
}

/**
 * Undoes the steps from the last one to the first.
 * @param size bytes that must come out, when that is known
 * @throws AcqError `decode_failed`
 */
export function decodeSteps(
  encoded: Uint8Array,
  steps: readonly ByteStep[],
  size: number | undefined,
  decoders: Decoders,
): Uint8Array {
  let bytes = encoded;
  for (let i = steps.length - 1; i >= 0; i--) {
    const expected = sizeAfter(steps.slice(0, i), size);
    const step = steps[i] as ByteStep;
    if (step.kind === 'crc32c') bytes = checked(bytes);
    else if (step.kind === 'shuffle') {
      const out = new Uint8Array(bytes.length);
      unshuffle(bytes, out, step.size);
      bytes = out;
    } else {
      const limit = expected ?? Math.min(LIMITS.chunkBytes, mostEncodedBytes(size ?? LIMITS.chunkBytes, steps));
      const decode = decoders.get(step.codec) as ByteDecoder;
      bytes = decode(bytes, { expected: expected ?? limit, limit });
    }
  }
  if (size !== undefined && bytes.length !== size) {
    throw decodeFailed(`holds ${bytes.length} bytes of samples instead of ${size}`);
  }
  return bytes;
}

/** Bytes that `size` bytes have after some steps; `undefined` behind a compressor. */
function sizeAfter(steps: readonly ByteStep[], size: number | undefined): number | undefined {
  let after = size;
  for (const step of steps) {
    if (step.kind === 'codec') return undefined;
    if (step.kind === 'crc32c' && after !== undefined) after += CHECKSUM;
  }
  return after;
}

/** The bytes before their CRC-32C. */
export function checked(bytes: Uint8Array): Uint8Array {
  const length = bytes.length - CHECKSUM;
  if (length < 0) throw decodeFailed('ends before its checksum');
  const data = bytes.subarray(0, length);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + length, CHECKSUM).getUint32(0, true);
  if (crc32c(data) !== stored) throw decodeFailed('its checksum (CRC-32C) is wrong');
  return data;
}

/** Samples over the same memory where that is possible; `bytes` is used up. */
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

/** Typed arrays wrap around and round as the encoder's type did. */
function undoDelta(samples: SampleArray): void {
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    for (let i = 1; i < samples.length; i++) samples[i] = (samples[i] as bigint) + (samples[i - 1] as bigint);
    return;
  }
  for (let i = 1; i < samples.length; i++) samples[i] = (samples[i] as number) + (samples[i - 1] as number);
}
