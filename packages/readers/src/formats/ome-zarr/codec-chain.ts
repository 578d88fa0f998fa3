/** Turns the codecs in the metadata into pipelines (Zarr 3 core specification, and codecs that zarr-python adds). */
import { decodeFailed, unsupported } from '../../base/errors.js';
import { type JsonObject, listOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { sizesOf } from './json.js';
import { clip } from './node.js';
import type { ByteStep, Pipeline, Sharding } from './types.js';

/** Shards inside shards. Real ones have one level. */
const MAX_LEVELS = 4;
/** Codecs in a chain. Real ones have up to four. */
const MAX_CODECS = 32;

/** Returns the step of a compressor or byte filter. Zarr 3 uses the names of numcodecs. @throws AcqError `unsupported_format` */
export function byteStep(name: string, configuration: JsonObject): ByteStep {
  switch (name.replace(/^numcodecs\./, '')) {
    case 'blosc':
      return { kind: 'codec', codec: 'blosc' };
    case 'zstd':
    // Early versions of n5-zarr use this name.
    case 'zstandard':
      return { kind: 'codec', codec: 'zstd' };
    case 'gzip':
    case 'zlib':
      return { kind: 'codec', codec: 'gzip' };
    case 'lz4':
      return { kind: 'codec', codec: 'lz4' };
    case 'crc32c':
      return { kind: 'crc32c' };
    case 'shuffle': {
      const size = configuration['elementsize'] ?? 4;
      if (typeof size !== 'number' || !(size >= 1 && size <= 64))
        throw decodeFailed(`the shuffle filter has the invalid element size ${clip(size)}`);
      return { kind: 'shuffle', size: Math.floor(size) };
    }
    default:
      throw unsupported(
        `the codec ${clip(name)} is not supported ` +
          '(only blosc, zstd, gzip, zlib, lz4, crc32c, shuffle and plain delta)',
      );
  }
}

export interface ChainPlace {
  /** Size of this chunk along every axis of the array. */
  shape: readonly number[];
  /** Axis of the array for each axis of this chunk. */
  axes: readonly number[];
  sampleBytes: number;
  level: number;
}

/** Parses the `codecs` of an array, or of the chunks in a shard. @throws AcqError `unsupported_format`, `decode_failed` */
export function parseChain(codecs: unknown, place: ChainPlace): Pipeline {
  const { shape } = place;
  let order = place.axes;
  let delta = false;
  let littleEndian: boolean | undefined;
  let shard: Sharding | undefined;
  const steps: ByteStep[] = [];
  for (const codec of limited(codecs)) {
    const { name, configuration } = nameOf(codec);
    const toBytes = littleEndian !== undefined || shard !== undefined;
    if (name === 'transpose' && !toBytes) order = transposed(order, configuration['order']);
    else if (name === 'numcodecs.delta' && !toBytes) delta = true;
    else if (name === 'bytes' && !toBytes) littleEndian = configuration['endian'] !== 'big';
    else if (name === 'sharding_indexed' && !toBytes) shard = parseSharding(configuration, { ...place, axes: order });
    else if (toBytes) steps.push(byteStep(name, configuration));
    else if (name === 'transpose' || name === 'bytes' || name === 'sharding_indexed') throw misplaced(name);
    // When the `bytes` codec is missing, assume it in front of the first codec of bytes.
    else {
      littleEndian = true;
      steps.push(byteStep(name, configuration));
    }
  }
  if (littleEndian === undefined && !shard) throw decodeFailed(`the codec list has no \`bytes\` codec`);
  if (shard && delta) throw unsupported('the delta codec around shards is not supported');
  return { shape, order, delta, littleEndian: littleEndian ?? true, steps, shard };
}

/** Returns the entries of a list of codecs. @throws AcqError `decode_failed` above the limit */
export function limited(codecs: unknown): readonly unknown[] {
  const list = listOf(codecs);
  if (list.length > MAX_CODECS)
    throw decodeFailed(`lists ${grouped(list.length)} codecs; the limit is ${grouped(MAX_CODECS)}`);
  return list;
}

function nameOf(codec: unknown): { name: string; configuration: JsonObject } {
  const object = objectOf(codec);
  const name = textOf(codec) ?? textOf(object?.['name']);
  if (name === undefined) throw decodeFailed('lists a codec without a name');
  return { name, configuration: objectOf(object?.['configuration']) ?? {} };
}

function misplaced(name: string) {
  return decodeFailed(`the codec \`${name}\` is in an invalid position`);
}

function transposed(axes: readonly number[], order: unknown): readonly number[] {
  if (order === 'C') return axes;
  if (order === 'F') return [...axes].reverse();
  const list = listOf(order);
  const sound = list.length === axes.length && axes.every((_, i) => list.includes(i));
  if (!sound) throw decodeFailed(`the transpose order ${clip(order)} is invalid`);
  return list.map((i) => axes[i as number]!);
}

/** Parses the sharding codec 1.0. Its shapes follow the axes of the shard; ours follow those of the array. */
function parseSharding(configuration: JsonObject, place: ChainPlace): Sharding {
  const { shape, axes, sampleBytes, level } = place;
  if (level >= MAX_LEVELS) throw unsupported(`shards are nested more than ${grouped(MAX_LEVELS)} levels deep`);
  const given = sizesOf(configuration['chunk_shape']);
  const inner = [...shape];
  axes.forEach((axis, i) => {
    inner[axis] = given?.[i] ?? 0;
  });
  const sound = given?.length === axes.length && shape.every((size, axis) => size % inner[axis]! === 0);
  if (!sound) {
    throw decodeFailed(`shards of ${shape.map(grouped).join('×')} do not divide into chunks of ${clip(given)}`);
  }
  const counts = shape.map((size, axis) => size / inner[axis]!);
  const entries = counts.reduce((product, count) => product * count, 1);
  if (entries * 16 > LIMITS.metadataBytes)
    throw decodeFailed(`a shard has ${grouped(entries)} chunks; the limit is ${grouped(LIMITS.metadataBytes / 16)}`);
  const location = configuration['index_location'] ?? 'end';
  if (location !== 'end' && location !== 'start')
    throw decodeFailed(`the shard index location ${clip(location)} is invalid`);
  return {
    inner: parseChain(configuration['codecs'], { shape: inner, axes, sampleBytes, level: level + 1 }),
    counts,
    index: { entries, atStart: location === 'start', ...indexCodecs(configuration['index_codecs']) },
  };
}

/** Parses the codecs of the index, whose size must be known in advance. */
function indexCodecs(codecs: unknown): { checked: boolean; littleEndian: boolean } {
  const names = (Array.isArray(codecs) ? limited(codecs) : [{ name: 'bytes' }, { name: 'crc32c' }]).map((codec) =>
    nameOf(codec),
  );
  const [bytes, check, ...more] = names;
  const sound = bytes?.name === 'bytes' && (check === undefined || check.name === 'crc32c') && more.length === 0;
  if (!sound)
    throw unsupported(`a shard index encoded with ${names.map(({ name }) => name).join(', ')} is not supported`);
  return { checked: check !== undefined, littleEndian: bytes.configuration['endian'] !== 'big' };
}
