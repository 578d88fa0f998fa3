/** OME-Zarr hierarchies, sample by sample: Zarr 2 and 3, shards, any order of axes. Files by their keys. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { compress } from '@bokuweb/zstd-wasm';
import Blosc from 'numcodecs/blosc';
import LZ4 from 'numcodecs/lz4';
import { wasmDecoder } from '../../packages/readers/src/codecs/zstd.js';
import type { SampleType } from '../../packages/readers/src/model/samples/types.js';
import { writeZip, type ZipOptions } from './zip.js';

export type StoreFiles = Map<string, Uint8Array>;

/** A codec from bytes to bytes: what the metadata of both versions say, and the encoder. */
export interface ByteCodec {
  v2: Record<string, unknown>;
  v3: Record<string, unknown>;
  encode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const plain = (bytes: ArrayLike<number>) => Uint8Array.from(bytes);

export const GZIP: ByteCodec = {
  v2: { id: 'gzip', level: 1 },
  v3: { name: 'gzip', configuration: { level: 1 } },
  encode: (bytes) => plain(gzipSync(bytes)),
};
export const ZLIB: ByteCodec = {
  v2: { id: 'zlib', level: 1 },
  v3: { name: 'numcodecs.zlib', configuration: { level: 1 } },
  encode: (bytes) => plain(deflateSync(bytes)),
};
export const ZSTD: ByteCodec = {
  v2: { id: 'zstd', level: 1 },
  v3: { name: 'zstd', configuration: { level: 1, checksum: false } },
  encode: async (bytes) => {
    // The library must be initialised once: by the decoder that may be in use beside it.
    await wasmDecoder();
    return plain(compress(bytes, 3));
  },
};
export const LZ4_BLOCK: ByteCodec = {
  v2: { id: 'lz4', acceleration: 1 },
  v3: { name: 'numcodecs.lz4', configuration: { acceleration: 1 } },
  encode: async (bytes) => plain(await LZ4.fromConfig({ id: 'lz4' }).encode(bytes)),
};
export const CRC32C: ByteCodec = {
  v2: { id: 'crc32c' },
  v3: { name: 'crc32c' },
  encode: (bytes) => joined([bytes, u32(crc32cOf(bytes))]),
};
export function blosc(cname = 'lz4', shuffle = 1): ByteCodec {
  const configuration = { cname, clevel: 5, shuffle, blocksize: 0 };
  const word = ['noshuffle', 'shuffle', 'bitshuffle'][shuffle];
  return {
    v2: { id: 'blosc', ...configuration },
    v3: { name: 'blosc', configuration: { ...configuration, shuffle: word, typesize: 4 } },
    encode: async (bytes) => plain(await Blosc.fromConfig({ id: 'blosc', ...configuration }).encode(bytes)),
  };
}

export interface ArraySpec {
  version: 2 | 3;
  /** Below the root; empty for an array that is the root. */
  path: string;
  type: SampleType | 'bool';
  shape: number[];
  /** Of the files: shards, when there is an inner chunk. */
  chunks: number[];
  /** Value of a sample by its index. */
  value(index: readonly number[]): number | bigint;
  fill?: unknown;
  codecs?: ByteCodec[];
  bigEndian?: boolean;
  /** Stored axes; `[…, 1, 0]` is order F of Zarr 2, a transposition in Zarr 3. */
  order?: number[];
  /** As the metadata say it. */
  separator?: '/' | '.';
  /** As the files have it. */
  realSeparator?: '/' | '.';
  inner?: { chunks: number[]; atStart?: boolean; unchecked?: boolean };
  /** Chunks, inner ones of shards, that are not stored. */
  missing?: (index: readonly number[]) => boolean;
  filters?: Record<string, unknown>[];
  /** Replaces members of the metadata. */
  over?: Record<string, unknown>;
}

const CODES: Record<string, string> = {
  bool: 'b1',
  uint8: 'u1',
  int8: 'i1',
  uint16: 'u2',
  int16: 'i2',
  uint32: 'u4',
  int32: 'i4',
  uint64: 'u8',
  int64: 'i8',
  float16: 'f2',
  float32: 'f4',
  float64: 'f8',
};

/** The metadata and the chunks of one array. */
export async function arrayFiles(spec: ArraySpec): Promise<StoreFiles> {
  const files: StoreFiles = new Map();
  const key = (name: string) => (spec.path === '' ? name : `${spec.path}/${name}`);
  const document = spec.version === 2 ? document2(spec) : document3(spec);
  files.set(key(spec.version === 2 ? '.zarray' : 'zarr.json'), json({ ...document, ...spec.over }));
  const between = spec.realSeparator ?? spec.separator ?? (spec.version === 2 ? '.' : '/');
  for (const index of gridOf(spec.shape, spec.chunks)) {
    const bytes = await fileOf(spec, index);
    if (!bytes) continue;
    const name = index.join(between);
    files.set(key(spec.version === 2 ? name : `c${between}${name}`), bytes);
  }
  return files;
}

function document2(spec: ArraySpec): Record<string, unknown> {
  const code = CODES[spec.type]!;
  return {
    zarr_format: 2,
    shape: spec.shape,
    chunks: spec.chunks,
    dtype: `${code.endsWith('1') ? '|' : spec.bigEndian ? '>' : '<'}${code}`,
    compressor: spec.codecs?.at(-1)?.v2 ?? null,
    filters: spec.filters ?? null,
    fill_value: spec.fill ?? 0,
    order: spec.order ? 'F' : 'C',
    ...(spec.separator ? { dimension_separator: spec.separator } : {}),
  };
}

function document3(spec: ArraySpec): Record<string, unknown> {
  const bytes = { name: 'bytes', ...(CODES[spec.type]?.endsWith('1') ? {} : endian(spec)) };
  const transpose = spec.order ? [{ name: 'transpose', configuration: { order: spec.order } }] : [];
  const chain = [...transpose, bytes, ...(spec.codecs ?? []).map(({ v3 }) => v3)];
  const { inner } = spec;
  const index_codecs = [
    { name: 'bytes', configuration: { endian: 'little' } },
    ...(inner?.unchecked ? [] : [CRC32C.v3]),
  ];
  const shard = {
    name: 'sharding_indexed',
    configuration: {
      chunk_shape: inner?.chunks,
      codecs: chain,
      index_codecs,
      ...(inner?.atStart ? { index_location: 'start' } : {}),
    },
  };
  return {
    zarr_format: 3,
    node_type: 'array',
    shape: spec.shape,
    data_type: spec.type,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: spec.chunks } },
    chunk_key_encoding: { name: 'default', configuration: { separator: spec.separator ?? '/' } },
    fill_value: spec.fill ?? 0,
    codecs: inner ? [shard] : chain,
    attributes: {},
  };
}

function endian(spec: ArraySpec) {
  return { configuration: { endian: spec.bigEndian ? 'big' : 'little' } };
}

async function fileOf(spec: ArraySpec, index: readonly number[]): Promise<Uint8Array | undefined> {
  const start = index.map((n, axis) => n * spec.chunks[axis]!);
  const { inner } = spec;
  if (!inner) return spec.missing?.(index) ? undefined : encoded(spec, start, spec.chunks);
  const parts: (Uint8Array | undefined)[] = [];
  for (const at of gridOf(spec.chunks, inner.chunks)) {
    const innerStart = at.map((n, axis) => start[axis]! + n * inner.chunks[axis]!);
    const number = innerStart.map((n, axis) => n / inner.chunks[axis]!);
    parts.push(spec.missing?.(number) ? undefined : await encoded(spec, innerStart, inner.chunks));
  }
  return parts.every((part) => part === undefined) ? undefined : shardOf(parts, inner);
}

function shardOf(
  parts: (Uint8Array | undefined)[],
  { atStart, unchecked }: NonNullable<ArraySpec['inner']>,
): Uint8Array {
  const indexSize = parts.length * 16 + (unchecked ? 0 : 4);
  const index = new DataView(new ArrayBuffer(parts.length * 16));
  let at = atStart ? indexSize : 0;
  parts.forEach((part, i) => {
    index.setBigUint64(i * 16, part ? BigInt(at) : 2n ** 64n - 1n, true);
    index.setBigUint64(i * 16 + 8, part ? BigInt(part.length) : 2n ** 64n - 1n, true);
    at += part?.length ?? 0;
  });
  const bytes = new Uint8Array(index.buffer);
  const whole = unchecked ? bytes : joined([bytes, u32(crc32cOf(bytes))]);
  const data = parts.filter((part) => part !== undefined);
  return joined(atStart ? [whole, ...data] : [...data, whole]);
}

async function encoded(spec: ArraySpec, start: number[], shape: readonly number[]): Promise<Uint8Array> {
  let bytes = samplesOf(spec, start, shape);
  for (const codec of spec.codecs ?? []) bytes = await codec.encode(bytes);
  return bytes;
}

/** Samples of a chunk in the order of storage; those outside the array are 99. */
function samplesOf(spec: ArraySpec, start: number[], shape: readonly number[]): Uint8Array {
  const size = Number(CODES[spec.type]?.slice(1));
  const order = spec.order ?? shape.map((_, axis) => axis);
  const stored = order.map((axis) => shape[axis]!);
  const view = new DataView(new ArrayBuffer(size * stored.reduce((product, n) => product * n, 1)));
  const place = stored.map(() => 0);
  const index = [...start];
  for (let at = 0; at < view.byteLength; at += size) {
    const inside = index.every((n, axis) => n < spec.shape[axis]!);
    put(view, at, spec, inside ? spec.value(index) : 99);
    for (let i = stored.length - 1; i >= 0; i--) {
      const axis = order[i]!;
      place[i] = (place[i]! + 1) % stored[i]!;
      index[axis] = start[axis]! + place[i]!;
      if (place[i] !== 0) break;
    }
  }
  return new Uint8Array(view.buffer);
}

function put(view: DataView, at: number, { type, bigEndian }: ArraySpec, value: number | bigint): void {
  const little = !bigEndian;
  if (type === 'uint64') view.setBigUint64(at, BigInt(value), little);
  else if (type === 'int64') view.setBigInt64(at, BigInt(value), little);
  else if (type === 'float64') view.setFloat64(at, Number(value), little);
  else if (type === 'float32') view.setFloat32(at, Number(value), little);
  // The value of a float16 is given by its bits.
  else if (type === 'uint16' || type === 'float16') view.setUint16(at, Number(value), little);
  else if (type === 'int16') view.setInt16(at, Number(value), little);
  else if (type === 'uint32') view.setUint32(at, Number(value), little);
  else if (type === 'int32') view.setInt32(at, Number(value), little);
  else if (type === 'int8') view.setInt8(at, Number(value));
  else view.setUint8(at, Number(value));
}

/** Indices of the chunks that cover a shape, the last axis fastest. */
function gridOf(shape: readonly number[], chunks: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size, axis) =>
      all.flatMap((index) => Array.from({ length: Math.ceil(size / chunks[axis]!) }, (_, n) => [...index, n])),
    [[]],
  );
}

export interface AxisSpec {
  name: string;
  type?: string;
  unit?: string;
}

export interface ImageSpec extends Omit<ArraySpec, 'path'> {
  /** Group of the image; empty for the root. */
  path?: string;
  axes?: (AxisSpec | string)[];
  scale?: number[];
  /** More members of the metadata of OME. */
  ome?: Record<string, unknown>;
  level?: string;
}

const TYPES: Record<string, string> = { t: 'time', c: 'channel', z: 'space', y: 'space', x: 'space' };

/** `y` in micrometer, `t` in seconds: the axis as 0.4 and 0.5 have it. */
export function axis(name: string, unit?: string): AxisSpec {
  return { name, ...(TYPES[name] ? { type: TYPES[name] } : {}), ...(unit ? { unit } : {}) };
}

/** An image group with one level. */
export async function imageFiles(spec: ImageSpec): Promise<StoreFiles> {
  const { path = '', axes, scale, ome = {}, level = '0' } = spec;
  const multiscales = [
    {
      ...(spec.version === 2 ? { version: '0.4' } : {}),
      ...(axes ? { axes } : {}),
      datasets: [{ path: level, ...(scale ? { coordinateTransformations: [{ type: 'scale', scale }] } : {}) }],
    },
  ];
  const files = groupFiles(spec.version, path, { multiscales, ...ome });
  const array = await arrayFiles({ ...spec, path: path === '' ? level : `${path}/${level}` });
  return new Map([...files, ...array]);
}

/** A group with metadata of OME. */
export function groupFiles(version: 2 | 3, path: string, ome: Record<string, unknown>): StoreFiles {
  const key = (name: string) => (path === '' ? name : `${path}/${name}`);
  if (version === 2) {
    return new Map([
      [key('.zgroup'), json({ zarr_format: 2 })],
      [key('.zattrs'), json(ome)],
    ]);
  }
  const attributes = { ome: { version: '0.5', ...ome } };
  return new Map([[key('zarr.json'), json({ zarr_format: 3, node_type: 'group', attributes })]]);
}

/** Writes a store as a folder; returns its path. */
export function writeStore(folder: string, files: StoreFiles): string {
  for (const [key, bytes] of files) {
    const path = join(folder, ...key.split('/'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return folder;
}

/** A store as a zip archive. */
export function zipStore(
  files: StoreFiles,
  options: ZipOptions & { top?: string; deflate?: boolean } = {},
): Uint8Array {
  const { top = '', deflate = false } = options;
  return writeZip(
    [...files].map(([key, bytes]) => ({ name: top + key, bytes, deflate })),
    options,
  );
}

export function json(value: unknown): Uint8Array {
  return plain(Buffer.from(JSON.stringify(value)));
}

function joined(parts: Uint8Array[]): Uint8Array {
  return plain(Buffer.concat(parts));
}

function u32(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return new Uint8Array(view.buffer);
}

/** Bit by bit, from the definition. */
function crc32cOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}
