import { describe, expect, it } from 'vitest';
import { type BlockSource, BlockTarget } from '../../../packages/readers/src/model/samples/block-target.js';
import { createScratch, putZeros, RowsTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray } from '../../../packages/readers/src/model/samples/types.js';
import fc from '../../support/fast-check.js';

const OLD = -77;

/** Blocks of a plane, each with the samples of another plane. Those given back can be taken again, and the log says so. */
class Blocks implements BlockSource {
  readonly rowsPerBlock: number;
  readonly log: string[] = [];
  readonly memory: Float32Array[];
  private readonly wasTaken = new Set<number>();

  constructor(rows: number, columns: number, rowsPerBlock: number) {
    this.rowsPerBlock = rowsPerBlock;
    const count = Math.ceil(rows / rowsPerBlock);
    this.memory = Array.from({ length: count }, (_, i) =>
      new Float32Array(Math.min(rowsPerBlock, rows - i * rowsPerBlock) * columns).fill(OLD),
    );
  }

  take(index: number) {
    const content = this.wasTaken.has(index) ? ('kept' as const) : ('used' as const);
    this.wasTaken.add(index);
    this.log.push(`take ${index} ${content}`);
    return { samples: this.memory[index]!, content };
  }

  give(index: number): void {
    this.log.push(`give ${index}`);
  }

  get samples(): number[] {
    return this.memory.flatMap((samples) => [...samples]);
  }
}

const line = (samples: ArrayLike<number>) => ({
  samples: Float32Array.from(samples) as SampleArray,
  offset: 0,
  rowStride: samples.length,
  columnStride: 1,
});

function createTarget(rows: number, columns: number, rowsPerBlock: number, band = { first: 0, count: rows }) {
  const blocks = new Blocks(band.count, columns, rowsPerBlock);
  return { blocks, target: new BlockTarget({ rows, columns, band }, blocks, createScratch()) };
}

describe('a plane in blocks', () => {
  it('gives each block back when it is full, and takes it once', () => {
    const { blocks, target } = createTarget(5, 2, 2);
    for (let row = 0; row < 5; row++) target.put(line([row, 10 + row]), row, 0, 1, 2);
    target.finish();
    expect(blocks.log).toEqual(['take 0 used', 'give 0', 'take 1 used', 'give 1', 'take 2 used', 'give 2']);
    expect(blocks.samples).toEqual([0, 10, 1, 11, 2, 12, 3, 13, 4, 14]);
  });

  it('is zero where nothing was put, in blocks that were never taken too', () => {
    const { blocks, target } = createTarget(6, 3, 2);
    target.put(line([1, 2]), 2, 1, 1, 2);
    target.finish();
    expect(blocks.samples).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 2, ...new Array(9).fill(0)]);
  });

  it('takes a block again, with its samples, when a reader returns to it; and keeps it then', () => {
    const { blocks, target } = createTarget(4, 1, 2);
    target.put(line([1, 2, 3, 4].map(() => 5)), 0, 0, 1, 1);
    target.put(line([6]), 1, 0, 1, 1);
    target.put(line([7]), 0, 0, 1, 1);
    target.put(line([8]), 1, 0, 1, 1);
    target.put(line([9]), 1, 0, 1, 1);
    expect(blocks.log).toEqual(['take 0 used', 'give 0', 'take 0 kept']);
    target.finish();
    expect(blocks.samples).toEqual([7, 9, 0, 0]);
  });

  it('zeroes nothing, and takes nothing, for zeros below what was put', () => {
    const { blocks, target } = createTarget(6, 1, 2);
    target.put(line([1]), 0, 0, 1, 1);
    putZeros(target, 'uint64', { row: 1, rows: 5 });
    expect(blocks.log).toEqual(['take 0 used']);
    expect(blocks.memory[0]![1]).toBe(OLD);
    target.finish();
    expect(blocks.samples).toEqual([1, 0, 0, 0, 0, 0]);
  });

  it('refuses a rectangle outside the plane', () => {
    const { target } = createTarget(6, 2, 2);
    expect(() => target.put(line([1, 2]), 6, 0, 1, 2)).toThrow(RangeError);
    expect(() => putZeros(target, 'uint8', { row: 5, rows: 2 })).toThrow(RangeError);
    expect(() => putZeros(new RowsTarget(target, 3, 2), 'uint8', { row: 1, rows: 2 })).toThrow(RangeError);
  });

  const put = fc.record({
    what: fc.constantFrom('put', 'put', 'zeros', 'stack'),
    row: fc.nat(11),
    rows: fc.integer({ min: 1, max: 12 }),
    column: fc.nat(4),
    columns: fc.integer({ min: 1, max: 5 }),
    step: fc.constantFrom(1, 2, 3),
    isBig: fc.boolean(),
  });

  it('has the samples of a plain array, whatever is put in whatever order', () => {
    const plan = fc.record({
      rowsPerBlock: fc.integer({ min: 1, max: 12 }),
      first: fc.nat(6),
      count: fc.integer({ min: 1, max: 6 }),
      puts: fc.array(put, { maxLength: 12 }),
    });
    fc.assert(
      fc.property(plan, ({ rowsPerBlock, first, count, puts }) => {
        const [rows, columns] = [12, 5];
        const { blocks, target } = createTarget(rows, columns, rowsPerBlock, { first, count });
        const model = new Float32Array(rows * columns);
        for (const [n, { what, isBig, step, ...wish }] of puts.entries()) {
          const at = {
            ...wish,
            rows: Math.min(wish.rows, rows - wish.row),
            columns: Math.min(wish.columns, columns - wish.column),
          };
          const value = (r: number, c: number) => (what === 'zeros' ? 0 : 100 * n + 10 * r + c + 1);
          const rowStride = at.columns * step;
          const samples = isBig ? new BigUint64Array(at.rows * rowStride) : new Uint16Array(at.rows * rowStride);
          for (let r = 0; r < at.rows; r++) {
            for (let c = 0; c < at.columns; c++) {
              const sample = value(r, c);
              samples[r * rowStride + c * step] = (isBig ? BigInt(sample) : sample) as never;
              model[(at.row + r) * columns + at.column + c] = sample;
            }
          }
          const part = what === 'stack' ? new RowsTarget(target, at.row, at.rows) : target;
          const row = what === 'stack' ? 0 : at.row;
          if (what === 'zeros') putZeros(part, 'uint16', at);
          else part.put({ samples, offset: 0, rowStride, columnStride: step }, row, at.column, at.rows, at.columns);
        }
        target.finish();
        const kept = Math.min(count, rows - first);
        expect(blocks.samples.slice(0, kept * columns)).toEqual([
          ...model.slice(first * columns, (first + kept) * columns),
        ]);
        const balance = (word: string) => blocks.log.filter((entry) => entry.startsWith(word)).length;
        expect([balance('give'), new Set(blocks.log.filter((entry) => entry.endsWith('used'))).size]).toEqual([
          balance('take'),
          blocks.memory.length,
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
