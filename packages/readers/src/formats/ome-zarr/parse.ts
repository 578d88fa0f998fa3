/** Parses the metadata of an array, Zarr 2 or 3, into one checked description. */
import { decodeFailed, unsupported } from '../../base/errors.js';
import { type JsonObject, listOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { about } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { byteStep, limited, parseChain } from './codec-chain.js';
import { type DataType, dataType2, dataType3, parseFillValue } from './data-type.js';
import { sizesOf } from './json.js';
import { clip, type ZarrNode } from './node.js';
import { joinPath } from './store.js';
import type { ByteStep, KeyEncoding, Pipeline, ZarrArray } from './types.js';

/** Microscopes have five; numpy long allowed 32. */
const MAX_AXES = 32;

/**
 * @param store name of the store, for messages
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function parseArray(store: string, node: ZarrNode): ZarrArray {
  return about(joinPath(store, node.path), () => parse(node));
}

function parse({ path, version, kind, array }: ZarrNode): ZarrArray {
  if (kind !== 'array') throw decodeFailed('expected an array, found a group');
  const shape = sizesOf(array['shape']);
  if (!shape || shape.length === 0 || shape.length > MAX_AXES) {
    throw decodeFailed(
      `the shape ${clip(array['shape'])} is invalid; expected 1 to ${grouped(MAX_AXES)} sizes of at least 1`,
    );
  }
  const parts = version === 2 ? parse2(array, shape) : parse3(array, shape);
  const { sampleType, sampleBytes, pipeline } = parts;
  checkChunks(pipeline, sampleBytes);
  const notes = new Notes();
  const fill = parseFillValue(array['fill_value'], sampleType, notes);
  return { path, shape, sampleType, sampleBytes, fill, pipeline, keys: parts.keys, notes };
}

/** True when samples can be read from a chunk without decoding it. */
export function isPlain({ steps, delta }: Pipeline): boolean {
  return steps.length === 0 && !delta;
}

interface ArrayCoding {
  sampleType: DataType['sampleType'];
  sampleBytes: number;
  pipeline: Pipeline;
  keys: KeyEncoding;
}

/** Parses Zarr 2: one compressor, filters before it, samples in C or F order. */
function parse2(array: JsonObject, shape: readonly number[]): ArrayCoding {
  const { sampleType, bytes, littleEndian } = dataType2(array['dtype']);
  const chunk = chunkShape(array['chunks'], shape);
  const axes = shape.map((_, axis) => axis);
  const filters = limited(array['filters']).map((filter) => objectOf(filter) ?? {});
  const delta = filters[0]?.['id'] === 'delta' && plainDelta(filters[0]);
  const steps: ByteStep[] = filters.slice(delta ? 1 : 0).map((filter) => stepOf(filter));
  const compressor = objectOf(array['compressor']);
  if (compressor) steps.push(stepOf(compressor));
  const order = array['order'] === 'F' ? axes.reverse() : axes;
  const separator = array['dimension_separator'] === '/' ? '/' : '.';
  return {
    sampleType,
    sampleBytes: bytes,
    pipeline: { shape: chunk, order, delta, littleEndian, steps, shard: undefined },
    keys: { prefix: '', separator, other: shape.length > 1 ? (separator === '/' ? '.' : '/') : undefined },
  };
}

function stepOf(codec: JsonObject): ByteStep {
  return byteStep(textOf(codec['id']) ?? '(codec without a name)', codec);
}

/** True when the differences have the type of the samples. */
function plainDelta(filter: JsonObject): boolean {
  return filter['astype'] === undefined || filter['astype'] === filter['dtype'];
}

/** Parses Zarr 3 (core specification 3). */
function parse3(array: JsonObject, shape: readonly number[]): ArrayCoding {
  const { sampleType, bytes } = dataType3(array['data_type']);
  const grid = objectOf(array['chunk_grid']);
  if (grid?.['name'] !== 'regular')
    throw unsupported(`the chunk grid ${clip(grid?.['name'])} is not supported (only "regular")`);
  if (listOf(array['storage_transformers']).length > 0) {
    throw unsupported('storage transformers are not supported');
  }
  const chunk = chunkShape(objectOf(grid['configuration'])?.['chunk_shape'], shape);
  const axes = shape.map((_, axis) => axis);
  return {
    sampleType,
    sampleBytes: bytes,
    pipeline: parseChain(array['codecs'], { shape: chunk, axes, sampleBytes: bytes, level: 0 }),
    keys: keyEncoding(objectOf(array['chunk_key_encoding'])),
  };
}

function keyEncoding(encoding: JsonObject | undefined): KeyEncoding {
  const name = encoding?.['name'] ?? 'default';
  const separator = objectOf(encoding?.['configuration'])?.['separator'];
  if (name === 'v2') return { prefix: '', separator: separator === '/' ? '/' : '.', other: undefined };
  if (name !== 'default') throw unsupported(`the chunk key encoding ${clip(name)} is not supported`);
  const between = separator === '.' ? '.' : '/';
  return { prefix: `c${between}`, separator: between, other: undefined };
}

function chunkShape(value: unknown, shape: readonly number[]): number[] {
  const chunk = sizesOf(value);
  if (chunk?.length !== shape.length) {
    throw decodeFailed(`the chunk shape ${clip(value)} does not match the shape ${shape.map(grouped).join('×')}`);
  }
  return chunk;
}

/** Checks the size of chunks that are decoded whole. */
function checkChunks(pipeline: Pipeline, sampleBytes: number): void {
  const { shape, shard } = pipeline;
  const bytes = shape.reduce((product, size) => product * size, sampleBytes);
  if (bytes > LIMITS.chunkBytes && !isPlain(pipeline)) {
    throw decodeFailed(
      `chunks of ${shape.map(grouped).join('×')} samples have ${grouped(bytes)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`,
    );
  }
  if (shard) checkChunks(shard.inner, sampleBytes);
}
