import { describe, expect, it } from 'vitest';
import { halve, levelShapes, reduceLevels } from '../../packages/readers/src/derive/zarr/levels.js';
import { allocateSamples, type SampleArray, type SampleType } from '../../packages/readers/src/model/samples/types.js';
import fc from '../support/fast-check.js';

/** The mean of what exists and is finite, by the definition. */
function naiveHalf(samples: SampleArray, rows: number, columns: number): SampleArray {
  const height = Math.ceil(rows / 2);
  const width = Math.ceil(columns / 2);
  const out = samples.slice(0, height * width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const places = [0, 1].flatMap((dy) => [0, 1].map((dx) => [2 * y + dy, 2 * x + dx] as const));
      const above = places.filter(([r, c]) => r < rows && c < columns).map(([r, c]) => samples[r * columns + c]!);
      out[y * width + x] = (typeof above[0] === 'bigint' ? bigMean : meanFor(samples))(above as never) as never;
    }
  }
  return out;
}

function bigMean(values: bigint[]): bigint {
  const count = BigInt(values.length);
  const twice = 2n * values.reduce((sum, value) => sum + value) + count;
  const quotient = twice / (2n * count);
  return twice < 0n && quotient * 2n * count !== twice ? quotient - 1n : quotient;
}

function meanFor(samples: SampleArray): (values: number[]) => number {
  if (samples instanceof Float32Array || samples instanceof Float64Array) {
    return (values) => {
      const finite = values.filter(Number.isFinite);
      return finite.length === 0 ? Number.NaN : finite.reduce((sum, value) => sum + value) / finite.length;
    };
  }
  return (values) => Math.floor(values.reduce((sum, value) => sum + value) / values.length + 0.5);
}

const INTEGERS = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64'] as const;

describe('levelShapes', () => {
  it('halves both sides together while the longer one is above 1,024 and the shorter one at least 16', () => {
    expect(levelShapes(1024, 1024)).toEqual([{ rows: 1024, columns: 1024 }]);
    expect(levelShapes(1025, 16)).toEqual([
      { rows: 1025, columns: 16 },
      { rows: 513, columns: 8 },
    ]);
    expect(levelShapes(30_000, 38).map(({ rows, columns }) => [rows, columns])).toEqual([
      [30_000, 38],
      [15_000, 19],
      [7_500, 10],
    ]);
    expect(levelShapes(1_000_000, 15)).toHaveLength(1);
    expect(levelShapes(1, 5_000)).toHaveLength(1);
    expect(levelShapes(4097, 2048).map(({ rows, columns }) => [rows, columns])).toEqual([
      [4097, 2048],
      [2049, 1024],
      [1025, 512],
      [513, 256],
    ]);
  });
});

describe('halve', () => {
  const sides = fc.record({ rows: fc.integer({ min: 1, max: 9 }), columns: fc.integer({ min: 1, max: 9 }) });

  it.each(INTEGERS)('is the mean of 2 × 2, rounded half up, for %s', (type) => {
    fc.assert(
      fc.property(sides, fc.infiniteStream(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })), (shape, values) => {
        const samples = fill(type, shape.rows * shape.columns, () => values.next().value);
        expect(halve(samples, shape.rows, shape.columns)).toEqual(naiveHalf(samples, shape.rows, shape.columns));
      }),
    );
  });

  it.each(INTEGERS)('is exact at the ends of %s', (type) => {
    const ends = [0n, 1n, -1n, 2n ** 63n, 2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 31n, 2n ** 15n, 127n, 128n];
    fc.assert(
      fc.property(sides, fc.infiniteStream(fc.constantFrom(...ends)), (shape, values) => {
        const samples = fill(type, shape.rows * shape.columns, () => values.next().value);
        expect(halve(samples, shape.rows, shape.columns)).toEqual(naiveHalf(samples, shape.rows, shape.columns));
      }),
    );
  });

  it.each(['float32', 'float64'] as const)('ignores %s that is not finite', (type) => {
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.double({ min: -1e300, max: 1e300 }) },
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0),
    );
    fc.assert(
      fc.property(sides, fc.infiniteStream(value), ({ rows, columns }, values) => {
        const samples = allocateSamples(type, rows * columns).map(() => values.next().value as never) as SampleArray;
        expect(halve(samples, rows, columns)).toEqual(naiveHalf(samples, rows, columns));
      }),
    );
  });

  it('averages numbers whose sum is too large for a float64', () => {
    expect([...halve(new Float64Array(4).fill(1.7e308), 2, 2)]).toEqual([1.7e308]);
  });

  it.each(['uint8', 'uint32', 'uint64', 'float32'] as const)('works through many blocks of %s', (type) => {
    for (const [rows, columns] of [
      [1_311, 103],
      [3, 70_001],
    ] as const) {
      const samples = fill(type, rows * columns, (i) => BigInt((i * 7_919) % 251));
      const [halved, expected] = [halve(samples, rows, columns), naiveHalf(samples, rows, columns)];
      expect(Buffer.from(halved.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    }
  });

  it('reads resizable memory, which planes are in', () => {
    const memory = new Float32Array(new ArrayBuffer(16, { maxByteLength: 64 }));
    memory.set([1, 2, 3, 6]);
    expect([...halve(memory, 2, 2)]).toEqual([3]);
  });
});

describe('reduceLevels', () => {
  it('halves sides that are odd at each level, one level after the other', () => {
    const samples = fill('uint16', 4_101 * 139, (i) => BigInt((i * 40_503) % 65_521));
    const half = naiveHalf(samples, 4_101, 139) as Uint16Array;
    const quarter = naiveHalf(half, 2_051, 70) as Uint16Array;
    const eighth = naiveHalf(quarter, 1_026, 35) as Uint16Array;
    expect([half.length, quarter.length, eighth.length]).toEqual([2_051 * 70, 1_026 * 35, 513 * 18]);
    const levels = reduceLevels('uint16', samples, 4_101, 139);
    const expected = Buffer.concat([half, quarter, eighth].map(({ buffer }) => Buffer.from(buffer)));
    expect(levels).toBeInstanceOf(Uint16Array);
    expect(Buffer.from(levels.buffer).equals(expected)).toBe(true);
  });
});

/** Samples of a type, with the low bits of the values. */
function fill(type: SampleType, length: number, value: (index: number) => bigint): SampleArray {
  const samples = allocateSamples(type, length);
  const isBig = type === 'uint64' || type === 'int64';
  for (let i = 0; i < length; i++) {
    const low = BigInt.asUintN(64, value(i));
    (samples as unknown as (number | bigint)[])[i] = isBig ? low : Number(BigInt.asIntN(32, low));
  }
  return samples;
}
