/**
 * Our Zarr reader against zarrita: arrays of random axes, chunks, codecs and type, written by zarrita and read by both, and
 * written by our own writer (shards, Zarr 2, missing chunks) and read by both.
 */

import { describe, expect, it } from 'vitest';
import * as zarr from 'zarrita';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import {
  DIFFERENTIAL_TIMEOUT,
  differential,
  expectSameBytes,
  fillSamples,
  PATTERNS,
  type Pattern,
  type PlaneOf,
  pickPlane,
  SAMPLE_CLASSES,
  type Samples,
} from '../../support/differential.js';
import fc from '../../support/fast-check.js';
import { openFiles } from '../../support/ome-zarr.js';
import {
  arrayFiles,
  axis,
  type ByteCodec,
  blosc,
  CRC32C,
  GZIP,
  groupFiles,
  LZ4_BLOCK,
  type StoreFiles,
  ZLIB,
  ZSTD,
} from '../../writers/ome-zarr.js';

const TYPES = { bool: Uint8Array, ...SAMPLE_CLASSES };
type TypeName = keyof typeof TYPES;

/** Chunks of an array: each is encoded, and read by both. */
const MAX_CHUNKS = 40;

interface ZarrCase {
  type: TypeName;
  /** Names of the axes in the order of the array. */
  axes: string[];
  shape: number[];
  chunks: number[];
  fill: number;
  pattern: Pattern;
  seed: number;
}

const zarrCase: fc.Arbitrary<ZarrCase> = fc
  .record({
    type: fc.constantFrom(...(Object.keys(TYPES) as TypeName[])),
    axes: fc
      .shuffledSubarray(['t', 'c', 'z', 'y', 'x'], { minLength: 2 })
      .filter((axes) => axes.includes('y') && axes.includes('x')),
    sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 5, maxLength: 5 }),
    chunks: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 5, maxLength: 5 }),
    fill: fc.constantFrom(0, 1, 7),
    pattern: fc.constantFrom(...PATTERNS),
    seed: fc.integer(),
  })
  .map(({ sizes, chunks, ...rest }) => ({
    ...rest,
    fill: rest.type === 'bool' ? rest.fill % 2 : rest.fill,
    // Frames of one row would be lines of a line scan.
    shape: rest.axes.map((name, i) => (name === 'y' ? sizes[i]! + 1 : sizes[i]!)),
    chunks: rest.axes.map((_, i) => chunks[i]!),
  }))
  .filter(
    ({ shape, chunks }) => shape.reduce((count, size, i) => count * Math.ceil(size / chunks[i]!), 1) <= MAX_CHUNKS,
  );

/** Codecs that zarrita can write, by the name in the metadata. */
const compressors: fc.Arbitrary<zarr.CodecMetadata[]> = fc.constantFrom(
  [],
  [{ name: 'zstd', configuration: { level: 1, checksum: false } }],
  [{ name: 'numcodecs.lz4', configuration: { acceleration: 1 } }],
  ...['lz4', 'zstd', 'blosclz', 'zlib', 'snappy', 'lz4hc'].flatMap((cname) =>
    [0, 1, 2].map((shuffle) => [
      { name: 'blosc', configuration: { cname, clevel: 5, shuffle, blocksize: 0, typesize: 4 } },
    ]),
  ),
);

describe('Zarr reader and zarrita', () => {
  const { seed, numRuns } = differential(50);

  it(
    `read the same ${numRuns} arrays of zarrita (seed ${seed})`,
    async () => {
      const arrays = fc.asyncProperty(
        zarrCase,
        compressors,
        fc.boolean(),
        fc.boolean(),
        fc.integer(),
        async (random, codecs, isBigEndian, isTransposed, order) => {
          const endian =
            random.type.endsWith('8') || random.type === 'bool' ? undefined : isBigEndian ? 'big' : 'little';
          const bytes = { name: 'bytes', configuration: endian ? { endian } : {} };
          const transpose = { name: 'transpose', configuration: { order: permutation(random.shape.length, order) } };
          const chain = [...(isTransposed ? [transpose] : []), bytes, ...codecs];
          const files = await writeWithZarrita(random, chain);
          const expected = await readWithZarrita(files);
          expectSameBytes(expected, samplesOf(random), 'zarrita itself');
          await expectSame(files, expected, random);
        },
      );
      await fc.assert(arrays, differential(50) as never);
    },
    DIFFERENTIAL_TIMEOUT,
  );

  it(
    `read the same ${numRuns} arrays of our writer (seed ${seed})`,
    async () => {
      const arrays = fc.asyncProperty(zarrCase, writerOptions, async (random, options) => {
        const files = await writeWithOurs(random, options);
        await expectSame(files, await readWithZarrita(files), random);
      });
      await fc.assert(arrays, differential(50) as never);
    },
    DIFFERENTIAL_TIMEOUT,
  );
});

async function writeWithZarrita(random: ZarrCase, codecs: zarr.CodecMetadata[]): Promise<StoreFiles> {
  const store = new Map<string, Uint8Array>();
  const array = await zarr.create(zarr.root(store as never).resolve('/0') as never, {
    shape: random.shape,
    chunkShape: random.chunks,
    dtype: random.type as 'uint16',
    codecs,
    fillValue: random.fill as never,
  });
  const samples = samplesOf(random);
  const data = random.type === 'bool' ? new zarr.BoolArray(samples.buffer) : samples;
  await zarr.set(array as never, null, { data, shape: random.shape, stride: stridesOf(random.shape) } as never);
  return withGroup(3, random, new Map([...store].map(([key, bytes]) => [key.slice(1), bytes])));
}

interface WriterOptions {
  version: 2 | 3;
  codecs: ByteCodec[];
  bigEndian: boolean;
  order: 'C' | 'F' | number;
  /** Inner chunks of a shard along each axis; Zarr 3 only. */
  shards: number[] | undefined;
  unchecked: boolean;
  /** One of this many chunks is not stored. */
  gaps: number;
  separator: '/' | '.';
}

const writerOptions: fc.Arbitrary<WriterOptions> = fc.record({
  version: fc.constantFrom(2, 3),
  codecs: fc.constantFrom(
    [],
    [GZIP],
    [ZLIB],
    [ZSTD],
    [LZ4_BLOCK],
    [CRC32C],
    [GZIP, CRC32C],
    ...['lz4', 'zstd', 'blosclz'].flatMap((cname) => [0, 1, 2].map((shuffle) => [blosc(cname, shuffle)])),
  ),
  bigEndian: fc.boolean(),
  order: fc.oneof(fc.constantFrom<'C' | 'F'>('C', 'F'), fc.integer()),
  shards: fc.option(fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 5, maxLength: 5 }), { nil: undefined }),
  unchecked: fc.boolean(),
  gaps: fc.constantFrom(2, 5, 1000),
  separator: fc.constantFrom('/', '.'),
});

async function writeWithOurs(random: ZarrCase, options: WriterOptions): Promise<StoreFiles> {
  const { type, shape, chunks, fill } = random;
  const { version, order, shards, gaps } = options;
  const samples = samplesOf(random);
  const strides = stridesOf(shape);
  const isV2 = version === 2;
  const reversed = shape.map((_, i) => shape.length - 1 - i);
  const stored = order === 'F' ? reversed : order === 'C' || isV2 ? undefined : permutation(shape.length, order);
  // zarrita reads no checksum in Zarr 2, and only one compressor.
  const codecs = isV2 ? options.codecs.filter((codec) => codec !== CRC32C) : options.codecs;
  const inner = !isV2 && shards ? { chunks, unchecked: options.unchecked } : undefined;
  const files = await arrayFiles({
    version,
    path: '0',
    type,
    shape,
    chunks: inner ? chunks.map((size, i) => size * shards![i]!) : chunks,
    value: (index) => samples[index.reduce((sum, at, i) => sum + at * strides[i]!, 0)]!,
    fill: type === 'bool' ? fill === 1 : fill,
    codecs,
    bigEndian: options.bigEndian,
    separator: options.separator,
    ...(stored && !inner ? { order: stored } : {}),
    ...(inner ? { inner } : {}),
    missing: (index) => index.reduce((hash, at) => hash * 31 + at, random.seed & 0xff) % gaps === 1,
  });
  return withGroup(version, random, files);
}

function withGroup(version: 2 | 3, { axes }: ZarrCase, files: StoreFiles): StoreFiles {
  const multiscales = [{ version: '0.4', axes: axes.map((name) => axis(name)), datasets: [{ path: '0' }] }];
  return new Map([...groupFiles(version, '', { multiscales }), ...files]);
}

async function readWithZarrita(files: StoreFiles): Promise<Samples> {
  const store = {
    get: (key: string) => Promise.resolve(files.get(key.slice(1))),
    getRange: (key: string, range: { suffixLength: number } | { offset: number; length: number }) => {
      const bytes = files.get(key.slice(1));
      const start = 'offset' in range ? range.offset : (bytes?.length ?? 0) - range.suffixLength;
      const length = 'offset' in range ? range.length : range.suffixLength;
      return Promise.resolve(bytes?.slice(start, start + length));
    },
  };
  const array = await zarr.open(zarr.root(store).resolve('/0'), { kind: 'array' });
  const { data, shape, stride } = await zarr.get(array);
  const samples = (data instanceof zarr.BoolArray ? new Uint8Array(data.buffer) : data) as Samples;
  return toRowMajor(samples, shape, stride);
}

/** zarrita leaves the samples in the order of the first chunk and returns its strides. */
function toRowMajor(samples: Samples, shape: readonly number[], strides: readonly number[]): Samples {
  const out = samples.slice() as Samples;
  const at = shape.map(() => 0);
  for (let i = 0; i < samples.length; i++) {
    out[i] = samples[at.reduce((sum, position, axis) => sum + position * strides[axis]!, 0)]!;
    for (let axis = at.length - 1; axis >= 0; axis--) {
      at[axis] = (at[axis]! + 1) % shape[axis]!;
      if (at[axis] !== 0) break;
    }
  }
  return out;
}

/** Every plane equals zarrita's values bit by bit. */
async function expectSame(files: StoreFiles, values: Samples, { axes, shape, type }: ZarrCase): Promise<void> {
  const acquisition = openFiles(files);
  const scene = acquisition.info.scenes[0]!;
  expect(scene.sampleType).toBe(type === 'bool' ? 'uint8' : type);
  const size = (name: string) => (axes.includes(name) ? shape[axes.indexOf(name)]! : 1);
  const [T, C, Z, Y, X] = ['t', 'c', 'z', 'y', 'x'].map(size) as [number, number, number, number, number];
  expect(scene.sizes).toEqual({ T, Z, Y, X });
  for (let n = 0; n < T * C * Z; n++) {
    const address = { scene: 0, t: n % T, channel: Math.floor(n / T) % C, z: Math.floor(n / (T * C)) };
    const target = new NativeTarget(scene.sampleType, Y, X);
    await acquisition.readPlane(address, target);
    const indices: Record<string, number> = { t: address.t, c: address.channel, z: address.z, y: 0, x: 0 };
    const at = axes.map((name) => indices[name]!);
    const plane: PlaneOf = { row: axes.indexOf('y'), column: axes.indexOf('x'), at, rows: Y, columns: X };
    expectSameBytes(target.data, pickPlane(values, shape, plane), JSON.stringify(address));
  }
}

function samplesOf({ type, shape, pattern, seed }: ZarrCase): Samples {
  const samples = new TYPES[type](shape.reduce((product, size) => product * size, 1));
  fillSamples(samples, pattern, seed);
  return type === 'bool' ? (samples as Uint8Array<ArrayBuffer>).map((value) => value & 1) : samples;
}

function stridesOf(shape: readonly number[]): number[] {
  return shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
}

/** One of the orders of `count` axes, by number. */
function permutation(count: number, number: number): number[] {
  const left = Array.from({ length: count }, (_, i) => i);
  let rest = number >>> 0;
  return Array.from({ length: count }, () => {
    const at = rest % left.length;
    rest = Math.floor(rest / (left.length + 1));
    return left.splice(at, 1)[0]!;
  });
}
