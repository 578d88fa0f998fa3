import { describe, expect, it } from 'vitest';
import {
  copyPiece,
  createScratch,
  Float32Target,
  NativeTarget,
  type PlaneTarget,
  putZeros,
  RowsTarget,
  type SamplePiece,
} from '../../../packages/readers/src/model/samples/plane-target.js';
import { allocateSamples, type SampleArray } from '../../../packages/readers/src/model/samples/types.js';
import fc from '../../support/fast-check.js';

/** Two rows of three. */
const piece = (samples: SampleArray = Uint16Array.of(1, 2, 3, 4, 5, 6)): SamplePiece => ({
  ...{ samples, offset: 0 },
  ...{ rowStride: 3, columnStride: 1 },
});
const data = (target: { data: SampleArray }) => Array.from<number | bigint>(target.data as Uint16Array);

describe('a plane of float32', () => {
  it('receives rectangles at their places, and is zero elsewhere', () => {
    const target = new Float32Target(3, 4);
    target.put(piece(), 1, 1, 2, 3);
    expect(data(target)).toEqual([0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6]);
  });

  it('fills memory that is given, which may be larger, but not smaller', () => {
    const memory = new Float32Array(8).fill(-1);
    const target = new Float32Target(2, 3, memory);
    target.put(piece(), 0, 0, 2, 3);
    expect([...memory]).toEqual([1, 2, 3, 4, 5, 6, -1, -1]);
    expect(() => new Float32Target(2, 3, memory.subarray(0, 6))).not.toThrow();
    expect(() => new Float32Target(2, 3, memory.subarray(0, 5))).toThrow(RangeError);
  });

  it('rounds 64-bit integers once', () => {
    const target = new Float32Target(1, 2);
    const samples = BigUint64Array.of(2n ** 60n + 2n ** 36n + 1n, 2n ** 60n + 2n ** 36n);
    target.put({ samples, offset: 0, rowStride: 2, columnStride: 1 }, 0, 0, 1, 2);
    expect(data(target)).toEqual([2 ** 60 + 2 ** 37, 2 ** 60]);
  });
});

describe('a plane in the type of its file', () => {
  it.each([
    ['uint8', 255],
    ['int16', -32_768],
    ['int32', -(2 ** 31)],
    ['float64', Math.PI],
  ] as const)('keeps samples of %s', (type, sample) => {
    const target = new NativeTarget(type, 1, 2);
    const samples = allocateSamples(type, 2);
    samples[1] = sample as never;
    target.put({ samples, offset: 0, rowStride: 2, columnStride: 1 }, 0, 0, 1, 2);
    expect(data(target)).toEqual([0, sample]);
  });

  it('keeps all bits of 64-bit integers, also of interleaved ones', () => {
    const target = new NativeTarget('uint64', 2, 2);
    const samples = BigUint64Array.of(2n ** 64n - 1n, 0n, 5n, 0n, 6n, 0n, 2n ** 53n + 1n, 0n);
    target.put({ samples, offset: 0, rowStride: 4, columnStride: 2 }, 0, 0, 2, 2);
    expect(data(target)).toEqual([2n ** 64n - 1n, 5n, 6n, 2n ** 53n + 1n]);
    expect(target.data).toBeInstanceOf(BigUint64Array);
  });
});

describe('rows of a larger plane', () => {
  it('are put, and zeroed, below the rows before them', () => {
    const whole = new Float32Target(4, 3);
    whole.data.fill(9);
    const rows = new RowsTarget(whole, 2, 2);
    expect([rows.rows, rows.columns]).toEqual([2, 3]);
    rows.put(piece(), 1, 0, 1, 3);
    rows.putZeros('uint16', { row: 0, rows: 1, column: 2, columns: 1 });
    expect(data(whole)).toEqual([9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 2, 3]);
  });

  it('do not reach the rows after them', () => {
    const rows = new RowsTarget(new Float32Target(4, 3), 1, 2);
    expect(() => rows.put(piece(), 1, 0, 2, 3)).toThrow(RangeError);
    expect(() => rows.putZeros('uint16', { row: 1, rows: 2, column: 0, columns: 3 })).toThrow(RangeError);
  });

  it('are wanted when their place in the plane is', () => {
    const asked: [number, number][] = [];
    const plane: PlaneTarget = {
      ...{ rows: 9, columns: 1, put: () => {} },
      wants: (row, rows) => {
        asked.push([row, rows]);
        return row < 5;
      },
    };
    const rows = new RowsTarget(plane, 3, 4);
    expect([rows.wants(0, 2), rows.wants(2, 1)]).toEqual([true, false]);
    expect(asked).toEqual([
      [3, 2],
      [5, 1],
    ]);
    expect(new RowsTarget(new Float32Target(2, 1), 0, 1).wants(0, 1)).toBe(true);
  });
});

describe('a rectangle that is put', () => {
  it.each([
    ['above', -1, 0, 1, 1],
    ['left of', 0, -1, 1, 1],
    ['below', 2, 0, 2, 1],
    ['right of', 0, 3, 1, 2],
  ])('is refused when it reaches %s the plane', (_where, row, column, rows, columns) => {
    for (const target of [new Float32Target(3, 4), new NativeTarget('uint16', 3, 4)]) {
      expect(() => target.put(piece(), row, column, rows, columns)).toThrow(RangeError);
      expect(data(target)).toEqual(new Array(12).fill(0));
    }
  });

  it('is zeros by default over the whole plane, in the type of the scene', () => {
    const target = new NativeTarget('int64', 2, 2);
    target.data.fill(7n as never);
    putZeros(target, 'int64', { row: 1, rows: 1 });
    expect(data(target)).toEqual([7n, 7n, 0n, 0n]);
    putZeros(target, 'int64');
    expect(data(target)).toEqual([0n, 0n, 0n, 0n]);
  });
});

describe('copying a piece', () => {
  const samples = Uint16Array.of(1, 2, 3, 4, 5, 6);
  const copy = (more: Partial<SamplePiece>, rows: number, columns: number) => {
    const out = new Float32Array(rows * columns);
    copyPiece({ samples, offset: 0, rowStride: columns, columnStride: 1, ...more }, out, 0, columns, rows, columns);
    return [...out];
  };

  it('reads the last of its samples, and not one more', () => {
    expect(copy({ offset: 2 }, 2, 2)).toEqual([3, 4, 5, 6]);
    expect(() => copy({ offset: 3 }, 2, 2)).toThrow('piece reaches outside its samples');
    expect(copy({ offset: 5 }, 1, 1)).toEqual([6]);
    expect(() => copy({ offset: 6 }, 1, 1)).toThrow(RangeError);
    expect(copy({ offset: 1, rowStride: 3, columnStride: 2 }, 2, 1)).toEqual([2, 5]);
    expect(copy({ offset: 1, rowStride: 2, columnStride: 2 }, 1, 3)).toEqual([2, 4, 6]);
    expect(() => copy({ offset: 2, rowStride: 2, columnStride: 2 }, 1, 3)).toThrow(RangeError);
    expect(() => copy({ offset: -1 }, 1, 1)).toThrow(RangeError);
  });

  it('reads nothing for no rows or no columns', () => {
    expect(copy({ offset: 99 }, 0, 3)).toEqual([]);
    expect(copy({ offset: 99 }, 3, 0)).toEqual([]);
  });

  it('repeats one row when the rows have no distance', () => {
    expect(copy({ offset: 1, rowStride: 0 }, 2, 2)).toEqual([2, 3, 2, 3]);
  });

  it('has the samples of a plain loop, for every layout and with or without scratch memory', () => {
    const layout = fc.record({
      type: fc.constantFrom('uint8', 'uint16', 'float32', 'int64', 'uint64'),
      rows: fc.integer({ min: 1, max: 5 }),
      columns: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(300, 70_000)),
      columnStride: fc.integer({ min: 1, max: 4 }),
      gap: fc.nat(3),
      outGap: fc.nat(2),
      offset: fc.nat(3),
      start: fc.nat(3),
      hasScratch: fc.boolean(),
    });
    fc.assert(
      fc.property(layout, ({ type, rows, columns, columnStride, gap, outGap, offset, start, hasScratch }) => {
        const rowStride = columns * columnStride + gap;
        const outStride = columns + outGap;
        const source = allocateSamples(type, offset + rows * rowStride);
        const isLong = type.endsWith('64');
        for (let i = 0; i < source.length; i++) source[i] = (isLong ? BigInt(i % 251) : i % 251) as never;
        const out = new Float32Array(start + rows * outStride).fill(-1);
        const expected = out.slice();
        for (let r = 0; r < rows; r++) {
          for (let c = 0; c < columns; c++) {
            expected[start + r * outStride + c] = (offset + r * rowStride + c * columnStride) % 251;
          }
        }
        const scratch = hasScratch ? createScratch() : undefined;
        copyPiece({ samples: source, offset, rowStride, columnStride }, out, start, outStride, rows, columns, scratch);
        expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(expected.buffer))).toBe(0);
      }),
      { numRuns: 80 },
    );
  });
});
