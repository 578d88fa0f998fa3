/** Codecs as the metadata list them → pipelines. Zarr 3 core specification, and what zarr-python adds to it. */
import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { type JsonObject, listOf, objectOf, sizesOf, textOf } from './json.js';
import { clip } from './node.js';
import type { ByteStep, Pipeline, Sharding } from './types.js';

/** Shards inside shards: real ones have one level. */
const MOST_LEVELS = 4;
/** Codecs one behind the other: real chains have up to four. */
const MOST_CODECS = 32;

/** Compressors and byte filters by the names of numcodecs, which those of Zarr 3 repeat. */
export function byteStep(label: string, name: string, configuration: JsonObject): ByteStep {
  switch (name.replace(/^numcodecs\./, '')) {
    case 'blosc':
      return { kind: 'codec', codec: 'blosc' };
    case 'zstd':
    // So called by early versions of n5-zarr.
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
        throw decodeFailed(`${label}: shuffles nothing sound`);
      return { kind: 'shuffle', size: Math.floor(size) };
    }
    default:
      throw unsupported(
        `${label}: its chunks are encoded with ${clip(name)}, which is not decoded here; ` +
          'blosc, zstd, gzip, zlib, lz4, crc32c, shuffle and plain delta are',
      );
  }
}

export interface ChainPlace {
  label: string;
  /** Size of this chunk along every axis of the array. */
  shape: readonly number[];
  /** Axis of the array that each axis of this chunk is. */
  axes: readonly number[];
  sampleBytes: number;
  level: number;
}

/** The `codecs` of an array, or of the chunks in a shard. @throws AcqError `unsupported_format`, `decode_failed` */
export function parseChain(codecs: unknown, place: ChainPlace): Pipeline {
  const { label, shape } = place;
  let order = place.axes;
  let delta = false;
  let littleEndian: boolean | undefined;
  let shard: Sharding | undefined;
  const steps: ByteStep[] = [];
  for (const codec of limited(label, codecs)) {
    const { name, configuration } = nameOf(label, codec);
    const toBytes = littleEndian !== undefined || shard !== undefined;
    if (name === 'transpose' && !toBytes) order = transposed(label, order, configuration['order']);
    else if (name === 'numcodecs.delta' && !toBytes) delta = true;
    else if (name === 'bytes' && !toBytes) littleEndian = configuration['endian'] !== 'big';
    else if (name === 'sharding_indexed' && !toBytes) shard = parseSharding(configuration, { ...place, axes: order });
    else if (toBytes) steps.push(byteStep(label, name, configuration));
    else if (name === 'transpose' || name === 'bytes' || name === 'sharding_indexed') throw misplaced(label, name);
    // Without a step to bytes of its own, the first codec of bytes stands for a plain one.
    else {
      littleEndian = true;
      steps.push(byteStep(label, name, configuration));
    }
  }
  if (littleEndian === undefined && !shard) throw decodeFailed(`${label}: does not say how its samples become bytes`);
  if (shard && delta) throw unsupported(`${label}: differences of whole shards are not decoded here`);
  return { shape, order, delta, littleEndian: littleEndian ?? true, steps, shard };
}

/** The entries of a list of codecs. @throws AcqError `decode_failed` for more than anyone chains */
export function limited(label: string, codecs: unknown): readonly unknown[] {
  const list = listOf(codecs);
  if (list.length > MOST_CODECS) throw decodeFailed(`${label}: lists ${list.length} codecs, more than any real array`);
  return list;
}

function nameOf(label: string, codec: unknown): { name: string; configuration: JsonObject } {
  const object = objectOf(codec);
  const name = textOf(codec) ?? textOf(object?.['name']);
  if (name === undefined) throw decodeFailed(`${label}: lists a codec without a name`);
  return { name, configuration: objectOf(object?.['configuration']) ?? {} };
}

function misplaced(label: string, name: string) {
  return decodeFailed(`${label}: has its codec ${name} at a place where it makes no sense`);
}

function transposed(label: string, axes: readonly number[], order: unknown): readonly number[] {
  if (order === 'C') return axes;
  if (order === 'F') return [...axes].reverse();
  const list = listOf(order);
  const sound = list.length === axes.length && axes.every((_, i) => list.includes(i));
  if (!sound) throw decodeFailed(`${label}: transposes its axes to ${clip(order)}, which is no order of them`);
  return list.map((i) => axes[i as number] as number);
}

/** Sharding codec 1.0. Shapes in it follow the axes of the shard, ours those of the array. */
function parseSharding(configuration: JsonObject, place: ChainPlace): Sharding {
  const { label, shape, axes, sampleBytes, level } = place;
  if (level >= MOST_LEVELS) throw unsupported(`${label}: has shards in shards in shards`);
  const given = sizesOf(configuration['chunk_shape']);
  const inner = [...shape];
  axes.forEach((axis, i) => {
    inner[axis] = given?.[i] ?? 0;
  });
  const sound = given?.length === axes.length && shape.every((size, axis) => size % (inner[axis] as number) === 0);
  if (!sound) {
    throw decodeFailed(`${label}: its shards of ${shape.join('×')} do not consist of chunks of ${clip(given)}`);
  }
  const counts = shape.map((size, axis) => size / (inner[axis] as number));
  const entries = counts.reduce((product, count) => product * count, 1);
  if (entries * 16 > LIMITS.metadataBytes) throw decodeFailed(`${label}: has ${entries} chunks in a shard`);
  const location = configuration['index_location'] ?? 'end';
  if (location !== 'end' && location !== 'start') throw decodeFailed(`${label}: has its index at ${clip(location)}`);
  return {
    inner: parseChain(configuration['codecs'], { label, shape: inner, axes, sampleBytes, level: level + 1 }),
    counts,
    index: { entries, atStart: location === 'start', ...indexCodecs(label, configuration['index_codecs']) },
  };
}

/** The index must have a size that is known beforehand. */
function indexCodecs(label: string, codecs: unknown): { checked: boolean; littleEndian: boolean } {
  const names = (Array.isArray(codecs) ? limited(label, codecs) : [{ name: 'bytes' }, { name: 'crc32c' }]).map(
    (codec) => nameOf(label, codec),
  );
  const [bytes, check, ...more] = names;
  const sound = bytes?.name === 'bytes' && (check === undefined || check.name === 'crc32c') && more.length === 0;
  if (!sound) throw unsupported(`${label}: the index of its shards is encoded with ${names.map(({ name }) => name)}`);
  return { checked: check !== undefined, littleEndian: bytes.configuration['endian'] !== 'big' };
}
