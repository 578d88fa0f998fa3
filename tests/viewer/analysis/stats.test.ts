import { describe, expect, it } from 'vitest';
import { AUTO_TAIL, autoRange, fullRange } from '../../../packages/viewer/src/analysis/range.ts';
import { BLOCK_LENGTH } from '../../../packages/viewer/src/analysis/slices.ts';
import { countStats } from '../../../packages/viewer/src/analysis/stats.ts';
import fc from '../../support/fast-check.js';
import { finiteOf, naiveFacts, nearestRank, steppedClock } from './naive.ts';

const floats = (...values: number[]) => Float32Array.from(values);

const anySamples = fc
  .array(fc.oneof(fc.float(), fc.float({ min: 0, max: 1 }), fc.integer({ min: -40_000, max: 40_000 })), {
    maxLength: 400,
  })
  .map((values) => Float32Array.from(values));
const wholeSamples = fc
  .array(fc.integer({ min: -20_000, max: 40_000 }), { minLength: 1, maxLength: 400 })
  .map((values) => Float32Array.from(values));

describe('statistics of a plane', () => {
  it('match values computed by hand', async () => {
    const stats = await countStats(floats(2, 4, 4, 4, 5, 5, 7, 9));
    expect(stats).toMatchObject({ count: 8, nonFinite: 0, min: 2, max: 9, mean: 5, integer: true, binWidth: 1 });
    expect(stats.standardDeviation).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect([...stats.bins]).toEqual([1, 0, 3, 2, 0, 1, 0, 1]);
    expect([0, 0.125, 0.126, 0.5, 0.51, 1].map(stats.percentile)).toEqual([2, 2, 4, 4, 5, 9]);
    expect([stats.countBelow(4), stats.countBelow(4.5), stats.countAbove(5), stats.countAbove(4.5)]).toEqual([
      1, 4, 2, 4,
    ]);
  });

  it('agree with plain formulas over any samples', async () => {
    await fc.assert(
      fc.asyncProperty(anySamples, async (data) => {
        const stats = await countStats(data);
        const { count, nonFinite, min, max, mean, sd } = naiveFacts(data);
        expect([stats.count, stats.nonFinite]).toEqual([count, nonFinite]);
        expect(stats.bins.reduce((sum, n) => sum + n, 0)).toBe(count);
        if (count === 0) return;
        expect([stats.min + 0, stats.max + 0]).toEqual([min + 0, max + 0]);
        const scale = Math.max(Math.abs(min), Math.abs(max)) || 1;
        expect(Math.abs(stats.mean - mean) / scale).toBeLessThan(1e-12);
        expect(Math.abs(stats.standardDeviation - sd) / scale).toBeLessThan(1e-7);
      }),
      { numRuns: 200 },
    );
  });

  it('keep the spread of small noise on a large offset, over many blocks', async () => {
    const data = Float32Array.from({ length: BLOCK_LENGTH * 3 + 5 }, (_, at) => 16_000_000 + (at % 2));
    const stats = await countStats(data);
    expect(stats.mean).toBeCloseTo(16_000_000.5, 4);
    expect(stats.standardDeviation).toBeCloseTo(0.5, 4);
  });

  it('are exact for a constant that has no short binary form', async () => {
    const value = Math.fround(0.1);
    const { mean, standardDeviation } = await countStats(new Float32Array(3 * BLOCK_LENGTH + 7).fill(value));
    expect([mean, standardDeviation]).toEqual([value, 0]);
  });

  it('count NaN and infinities apart', async () => {
    const stats = await countStats(floats(Number.NaN, 1, Infinity, 3, -Infinity));
    expect(stats).toMatchObject({ count: 2, nonFinite: 3, min: 1, max: 3, mean: 2 });
    expect([...stats.bins]).toEqual([1, 0, 1]);
  });

  it('are empty for a plane without finite samples and for an empty plane', async () => {
    for (const data of [floats(Number.NaN, Infinity), floats()]) {
      const stats = await countStats(data);
      expect(stats).toMatchObject({ count: 0, nonFinite: data.length, mean: Number.NaN });
      expect(autoRange(stats)).toEqual({ min: 0, max: 1 });
      expect(fullRange(stats)).toEqual({ min: 0, max: 1 });
    }
  });

  it('describe a constant plane', async () => {
    for (const value of [0, -7, 0.25, 3e9]) {
      const stats = await countStats(new Float32Array(1000).fill(value));
      expect(stats).toMatchObject({ min: value, max: value, standardDeviation: 0 });
      expect([...stats.bins]).toEqual([1000]);
      expect(stats.percentile(0.5)).toBe(value);
      const { min, max } = autoRange(stats);
      expect(Math.fround(max)).toBeGreaterThan(Math.fround(min));
    }
  });
});

describe('order statistics', () => {
  it('are exact for whole numbers', async () => {
    await fc.assert(
      fc.asyncProperty(wholeSamples, fc.double({ min: 0, max: 1, noNaN: true }), async (data, fraction) => {
        const stats = await countStats(data);
        expect(stats.binWidth).toBe(1);
        expect(stats.percentile(fraction)).toBe(nearestRank(data, fraction));
        const value = data[Math.floor(fraction * (data.length - 1))] as number;
        for (const at of [value, value - 0.5]) {
          expect(stats.countBelow(at)).toBe(data.filter((v) => v < at).length);
          expect(stats.countAbove(at)).toBe(data.filter((v) => v > at).length);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('are samples for fractions, exact to one bin', async () => {
    await fc.assert(
      fc.asyncProperty(anySamples, fc.double({ min: 0, max: 1, noNaN: true }), async (data, fraction) => {
        const stats = await countStats(data);
        if (stats.count === 0) return;
        const value = stats.percentile(fraction);
        expect(finiteOf(data)).toContain(value);
        expect(Math.abs(value - nearestRank(data, fraction))).toBeLessThanOrEqual(stats.binWidth * (1 + 1e-9));
      }),
      { numRuns: 100 },
    );
  });

  it('stay fine when one outlier takes all of the range', async () => {
    const data = Float32Array.from({ length: 50_000 }, (_, at) => at / 50_000);
    data[17] = 1e6;
    const stats = await countStats(data);
    expect(stats.binWidth).toBeGreaterThan(15);
    expect(stats.core).not.toBeNull();
    for (const fraction of [0.01, 0.25, 0.5, 0.99]) {
      expect(Math.abs(stats.percentile(fraction) - nearestRank(data, fraction))).toBeLessThan(0.0005);
    }
    expect(Math.abs(stats.countBelow(0.3) - data.filter((v) => v < 0.3).length)).toBeLessThanOrEqual(2);
    expect(stats.countAbove(2)).toBeLessThanOrEqual(1);
  });

  it('are whole and exact for 32-bit whole numbers with an outlier', async () => {
    const data = Float32Array.from({ length: 30_000 }, (_, at) => (at * 7919) % 3000);
    data[5] = 16_000_000;
    const stats = await countStats(data);
    expect(Number.isInteger(stats.binWidth)).toBe(true);
    expect(stats.core?.width).toBe(1);
    for (const fraction of [0.1, 0.5, 0.9]) expect(stats.percentile(fraction)).toBe(nearestRank(data, fraction));
  });

  it('have bins with the same number of whole numbers each', async () => {
    const data = Float32Array.from({ length: 200_000 }, (_, at) => at);
    const { bins, binWidth } = await countStats(data);
    expect(binWidth).toBe(4);
    expect(new Set(bins)).toEqual(new Set([4]));
  });
});

describe('the auto range', () => {
  it('consists of percentiles of the samples', async () => {
    const data = Float32Array.from({ length: 10_000 }, (_, at) => (at * 7919) % 4096);
    const stats = await countStats(data);
    expect(autoRange(stats)).toEqual({ min: nearestRank(data, AUTO_TAIL), max: nearestRank(data, 1 - AUTO_TAIL) });
  });

  it('shows the shades of rare events over zeros', async () => {
    const data = new Float32Array(100_000);
    for (let event = 0; event < 200; event++) data[event * 500] = event + 1;
    expect(autoRange(await countStats(data))).toEqual({ min: 0, max: 200 });
  });

  it('keeps the shades of dropouts below a constant', async () => {
    const data = new Float32Array(100_000).fill(4095);
    for (let event = 0; event < 200; event++) data[event * 500] = event;
    expect(autoRange(await countStats(data))).toEqual({ min: 0, max: 4095 });
  });

  it('has a useful width for zeros and single fractions', async () => {
    const data = new Float32Array(100_000);
    for (let event = 0; event < 100; event++) data[event * 1000] = 0.5 + event / 200;
    const { min, max } = autoRange(await countStats(data));
    expect([min, max]).toEqual([0, Math.fround(0.995)]);
  });

  it('is never empty and never outside of the data', async () => {
    await fc.assert(
      fc.asyncProperty(anySamples, async (data) => {
        const stats = await countStats(data);
        const { min, max } = autoRange(stats);
        expect(Math.fround(max)).toBeGreaterThan(Math.fround(min));
        if (stats.max > stats.min) expect(min >= stats.min && max <= stats.max).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('slices', () => {
  it('yield to the page whenever the budget is used up', async () => {
    const blocks = 40;
    const data = new Float32Array(BLOCK_LENGTH * blocks).map((_, at) => at % 100);
    const { clock, pauses } = steppedClock(1);
    const progress: number[] = [];
    await countStats(data, { clock, budgetMs: 8, onProgress: (fraction) => progress.push(fraction) });
    // Each block takes one step of the clock, and the plane is read twice.
    expect(pauses.longest).toBe(8);
    expect(pauses.count).toBe((2 * blocks) / 8);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  });

  it('stop at the next pause once aborted', async () => {
    const data = new Float32Array(BLOCK_LENGTH * 40);
    const abort = new AbortController();
    const { clock, pauses } = steppedClock(1, () => abort.abort(new Error('closed')));
    await expect(countStats(data, { clock, signal: abort.signal })).rejects.toThrow('closed');
    expect(pauses.count).toBe(1);
  });

  it('do not start when they were aborted before', async () => {
    await expect(countStats(floats(1), { signal: AbortSignal.abort(new Error('closed')) })).rejects.toThrow('closed');
  });

  it('yield to other tasks', async () => {
    const order: string[] = [];
    setTimeout(() => order.push('page'));
    const data = new Float32Array(BLOCK_LENGTH * 200);
    await countStats(data, { budgetMs: 0 });
    order.push('done');
    expect(order).toEqual(['page', 'done']);
  });
});
