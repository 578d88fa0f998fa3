/**
 * Our HDF5 reader against the HDF5 library: arrays of random shape, chunks, filter and type, written by the library and read
 * by both, and written by our own writer and read by both.
 */

import { describe, expect, it } from 'vitest';
import { Hdf5File } from '../../../packages/readers/src/hdf5/file.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import {
  DIFFERENTIAL_TIMEOUT,
  differential,
  expectSameBytes,
  fillSamples,
  PATTERNS,
  type Pattern,
  pickPlane,
  randomPlane,
  SAMPLE_CLASSES,
  type Samples,
} from '../../support/differential.js';
import fc from '../../support/fast-check.js';
import { type LibraryArray, type LibVersion, readWithLibrary, writeWithLibrary } from '../../support/h5wasm.js';
import { type FilterName, type H5Dataset, writeHdf5 } from '../../writers/hdf5.js';

type TypeName = keyof typeof SAMPLE_CLASSES;
const TYPE_NAMES = Object.keys(SAMPLE_CLASSES) as TypeName[];

const VERSIONS: readonly LibVersion[] = ['earliest', 'v108', 'v110', 'v112', 'v114', 'v200'];
/** Elements of an array: enough for several chunks in each direction, few enough for thousands of arrays. */
const MAX_ELEMENTS = 3_000;

const FILTER_CHOICES = ['none', 'deflate', 'shuffle', 'fletcher32', 'szip', 'nbit', 'scale-offset'] as const;
type FilterChoice = (typeof FILTER_CHOICES)[number];

interface ArrayCase {
  type: TypeName;
  shape: number[];
  /** Chunk sizes before they are fitted to the shape; `undefined` for a contiguous array. */
  chunks: number[] | undefined;
  growth: ('fixed' | 'limited' | 'unlimited')[];
  /** By how much the array is resized in each direction once it is written. */
  resize: number[] | undefined;
  filter: FilterChoice;
  level: number;
  pattern: Pattern;
  seed: number;
}

const arrayCase: fc.Arbitrary<ArrayCase> = fc
  .record({
    type: fc.constantFrom(...TYPE_NAMES),
    shape: fc.oneof(
      { weight: 8, arbitrary: fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 900, max: MAX_ELEMENTS })) },
      { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 200, max: 1500 }), fc.integer({ min: 1, max: 2 })) },
    ),
    isChunked: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    chunks: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 4, maxLength: 4 }),
    growth: fc.array(fc.constantFrom('fixed', 'limited', 'unlimited'), { minLength: 4, maxLength: 4 }),
    resize: fc.option(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 }), { nil: undefined }),
    filter: fc.constantFrom<FilterChoice>(...FILTER_CHOICES),
    level: fc.integer({ min: 0, max: 9 }),
    pattern: fc.constantFrom(...PATTERNS),
    seed: fc.integer(),
  })
  .filter(({ shape }) => shape.reduce((product, size) => product * size, 1) <= MAX_ELEMENTS)
  .map(({ isChunked, chunks, ...rest }) => ({ ...rest, chunks: isChunked ? chunks : undefined }) as ArrayCase);

describe('our HDF5 reader and the HDF5 library', () => {
  const { seed, numRuns } = differential(60);
  const settings = differential<[unknown, unknown, unknown]>(60);

  it(
    `read the same ${numRuns} files of the library (seed ${seed})`,
    async () => {
      const files = fc.asyncProperty(
        fc.array(arrayCase, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...VERSIONS),
        fc.boolean(),
        async (cases, version, tracked) => {
          const arrays = cases.map(toLibraryArray);
          const bytes = writeOrSkip(arrays, version, tracked);
          const expected = readWithLibrary(
            bytes,
            arrays.map(({ name }) => name),
          );
          for (const [i, { name, data, resizedTo, shape }] of arrays.entries()) {
            const values = expected.get(name)!;
            if (!resizedTo && !isLossy(cases[i]!)) expectSameBytes(values, data, 'the library itself');
            await expectSame(bytes, name, values, resizedTo ?? shape, cases[i]!);
          }
        },
      );
      await fc.assert(files, settings as never);
    },
    DIFFERENTIAL_TIMEOUT,
  );

  it(
    `read the same ${numRuns} files of our writer (seed ${seed})`,
    async () => {
      const files = fc.asyncProperty(
        arrayCase,
        fc.constantFrom('old', 'new'),
        fc.subarray<FilterName>(['shuffle', 'gzip', 'fletcher32'], { minLength: 0 }),
        async (random, kind, filters) => {
          const node = toWriterDataset(random, kind as 'old' | 'new', filters);
          const bytes = writeHdf5({ members: { array: node } }, { kind: kind as 'old' | 'new' });
          const expected = readWithLibrary(bytes, ['array']).get('array')!;
          expectSameBytes(expected, node.data as Samples, 'the library');
          await expectSame(bytes, 'array', expected, random.shape, random);
        },
      );
      await fc.assert(files, settings as never);
    },
    DIFFERENTIAL_TIMEOUT,
  );
});

/** The library fails where szip data would be larger than the chunk; such a case is drawn again. */
function writeOrSkip(arrays: LibraryArray[], version: LibVersion, tracked: boolean): Uint8Array {
  try {
    return writeWithLibrary(arrays, version, tracked);
  } catch (error) {
    const isTooLarge = /filter returned failure/.test(String(error));
    fc.pre(!(isTooLarge && arrays.some(({ filter }) => filter?.id === FILTER_CHOICES.indexOf('szip'))));
    throw error;
  }
}

function toLibraryArray(random: ArrayCase, index: number): LibraryArray {
  const { shape, growth, chunks, resize, filter } = random;
  const maxShape = shape.map((size, i) =>
    growth[i] === 'unlimited' ? null : size + (growth[i] === 'limited' ? 7 : 0),
  );
  const fitted = chunks && shape.map((size, i) => Math.min(chunks[i]!, maxShape[i] ?? size + 5));
  const resizedTo = shape.map((size, i) => {
    const wanted = Math.max(1, size + (resize?.[i] ?? 0));
    return Math.min(wanted, maxShape[i] ?? wanted);
  });
  const values = filterValues(random, fitted ?? []);
  return {
    name: `array${index}`,
    data: samplesOf(random),
    shape,
    chunks: fitted,
    maxShape: fitted && maxShape,
    filter: fitted && values ? { id: FILTER_CHOICES.indexOf(filter), values } : undefined,
    resizedTo: fitted && resize ? resizedTo : undefined,
  };
}

/** Parameters that a filter is asked for with; `undefined` for no filter, or one that the library refuses for such chunks. */
function filterValues(
  { filter, level, pattern, type, seed }: ArrayCase,
  chunk: readonly number[],
): number[] | undefined {
  if (filter === 'none') return undefined;
  if (filter === 'deflate') return [level];
  if (filter === 'shuffle') return [bytesPer(type)];
  if (filter === 'fletcher32' || filter === 'nbit') return [];
  if (filter === 'szip') {
    // Most chunks that would grow: see `writeOrSkip`.
    const count = chunk.reduce((product, size) => product * size, 1);
    const samplesPerBlock = [2, 4, 8, 10, 16, 32][seed & 7] ?? 8;
    return pattern === 'noise' || count < 40 ? undefined : [(seed & 8) !== 0 ? 32 : 4, samplesPerBlock];
  }
  // Floats keep some decimals; integers the bits that they need, or a number of bits that loses some.
  return type.startsWith('float') ? [0, level % 5] : [2, level < 6 ? 0 : Math.min(level + 3, bytesPer(type) * 8)];
}

/** The writer of the fixtures knows one growing dimension and up to some 240 chunks. */
function toWriterDataset(random: ArrayCase, kind: 'old' | 'new', filters: FilterName[]): H5Dataset {
  const { shape, chunks } = random;
  if (!chunks) return { data: samplesOf(random), shape };
  let fitted = shape.map((size, i) => Math.min(chunks[i]!, size));
  while (fitted.reduce((count, size, i) => count * Math.ceil(shape[i]! / size), 1) > 240)
    fitted = fitted.map((size) => size * 2);
  fitted = fitted.map((size, i) => Math.min(size, shape[i]!));
  const growing =
    kind === 'new' && random.resize ? shape.map((size, i) => (i === 0 ? Number.POSITIVE_INFINITY : size)) : undefined;
  return { data: samplesOf(random), shape, chunks: fitted, filters, ...(growing ? { most: growing } : {}) };
}

function samplesOf({ type, shape, pattern, seed }: ArrayCase): Samples {
  const samples = new SAMPLE_CLASSES[type](shape.reduce((product, size) => product * size, 1));
  fillSamples(samples, pattern, seed);
  return samples;
}

function isLossy({ filter, type, level }: ArrayCase): boolean {
  return filter === 'scale-offset' && (type.startsWith('float') || level >= 6);
}

function bytesPer(type: TypeName): number {
  return SAMPLE_CLASSES[type].BYTES_PER_ELEMENT;
}

/** Three planes in any direction, and the whole of an array of one dimension, equal the library's values bit by bit. */
async function expectSame(
  bytes: Uint8Array,
  name: string,
  values: Samples,
  shape: readonly number[],
  { type, seed }: ArrayCase,
): Promise<void> {
  const object = new Hdf5File(new MemorySource('case.h5', bytes)).find(`/${name}`)!;
  expect(object.dataset.sampleType).toBe(type);
  expect(object.dataset.shape).toEqual(shape);
  for (let i = 0; i < 3; i++) {
    const plane = randomPlane(shape, seed + i);
    const target = new NativeTarget(type, plane.rows, plane.columns);
    await object.dataset.readPlane(plane, target);
    expectSameBytes(target.data, pickPlane(values, shape, plane), JSON.stringify(plane));
  }
  if (shape.length !== 1) return;
  const numbers = (await object.dataset.values()).numbers!;
  expect(numbers).toEqual(Array.from(values, Number));
}
