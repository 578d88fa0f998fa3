import { describe, expect, it } from 'vitest';
import { lineMeasure } from '../../../packages/viewer/src/analysis/line.ts';
import { QUALITY_LIMIT, velocityTrace } from '../../../packages/viewer/src/analysis/velocity.ts';
import { random } from '../../support/differential.js';
import { gaussian } from './line-scans.ts';

interface Scan {
  rows: number;
  columns: number;
  /** Columns per line. */
  speed: number;
  noise: number;
}

/** Dark cells 6 columns wide at random distances, that move at one speed, over a pattern that stays in place. */
function scan({ rows, columns, speed, noise }: Scan): Float32Array {
  const next = random(7);
  const gauss = gaussian(next);
  const start = speed > 0 ? -speed * rows : 0;
  const cells: number[] = [];
  for (let at = start - 50; at < start + Math.abs(speed) * rows + columns + 50; at += 9 + 24 * next()) cells.push(at);
  const shade = (at: number) => {
    let value = 100;
    for (const cell of cells) {
      const distance = (at - cell) / 6;
      if (Math.abs(distance) < 3) value -= 60 * Math.exp(-2 * distance * distance);
    }
    return value;
  };
  return Float32Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    return shade(column - speed * row) + 5 * (column % 7) + noise * gauss();
  });
}

const median = (values: ArrayLike<number>) => [...Array.from(values)].sort((a, b) => a - b)[values.length >> 1]!;

async function measure(one: Scan, lines = 128) {
  const { rows, columns } = one;
  return velocityTrace(scan(one), [rows, columns], { rows: [0, rows], columns: [0, columns] }, { lines });
}

describe('the velocity of a scan of known speed', () => {
  it.each([-0.1, 0.3, -0.95, 1.05, 2.2, -4])(
    '%d columns per line is found, also in noise, with an error below 3 percent',
    async (speed) => {
      for (const noise of [0, 30, 60]) {
        const { slopes, qualities } = await measure({ rows: 384, columns: 64, speed, noise });
        expect(Math.abs(median(slopes) / speed - 1), `noise ${noise}`).toBeLessThan(0.03);
        expect(median(qualities), `noise ${noise}`).toBeGreaterThan(QUALITY_LIMIT);
      }
    },
  );

  it('agrees with a line drawn by hand along a stripe', async () => {
    const speed = 0.8;
    const { slopes } = await measure({ rows: 384, columns: 64, speed, noise: 20 });
    const axes = [
      { arrayDimension: 0, name: 'Y', size: 384, step: 0.001, unit: 'seconds' as const },
      { arrayDimension: 1, name: 'X', size: 64, step: 0.25, unit: 'micrometer' as const },
    ];
    const { velocity } = lineMeasure({ row: 100, column: 10 }, { row: 150, column: 50 }, axes);
    expect(velocity).toBeCloseTo(200, 9);
    expect(Math.abs((median(slopes) * 0.25) / 0.001 / (velocity ?? 0) - 1)).toBeLessThan(0.03);
  });
});

describe('the velocity of a scan without cells', () => {
  it('has almost no quality in noise, and none in a constant', async () => {
    const next = random(3);
    const noise = Float32Array.from({ length: 384 * 64 }, () => next());
    const of = (data: Float32Array) =>
      velocityTrace(data, [384, 64], { rows: [0, 384], columns: [0, 64] }, { lines: 128 });
    for (const quality of (await of(noise)).qualities) expect(quality).toBeLessThan(QUALITY_LIMIT);
    const { slopes, qualities } = await of(new Float32Array(384 * 64).fill(7));
    expect([...slopes, ...qualities]).toEqual([...Array(5).fill(Number.NaN), ...Array(5).fill(0)]);
  });

  it('has no window that reaches over a pause', async () => {
    const data = new Float32Array(400 * 8);
    const region = { rows: [50, 400], columns: [0, 8] } as const;
    const { starts } = await velocityTrace(data, [400, 8], region, { lines: 64, breaks: [20, 150, 200, 390] });
    // 100, 50, 190 and 10 lines between the pauses; the second and the last stretch are too short.
    expect(starts).toEqual([50, 82, 200, 232, 264, 296]);
  });

  it('can be aborted, and reports its progress', async () => {
    const stop = new AbortController();
    const fractions: number[] = [];
    let time = 0;
    const clock = { now: () => (time += 100), pause: async () => {} };
    const onProgress = (fraction: number) => {
      fractions.push(fraction);
      if (fractions.length === 3) stop.abort(new Error('enough'));
    };
    const work = velocityTrace(
      new Float32Array(2000 * 8).map((_, i) => i % 5),
      [2000, 8],
      { rows: [0, 2000], columns: [0, 8] },
      { lines: 64, signal: stop.signal, onProgress, clock },
    );
    await expect(work).rejects.toThrow('enough');
    expect(fractions).toHaveLength(3);
  });
});
