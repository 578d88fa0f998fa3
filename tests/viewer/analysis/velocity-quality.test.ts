/** A limit of 0.5 separates windows in which cells move from windows in which nothing does, whatever else happens there. */
import { describe, expect, it } from 'vitest';
import { QUALITY_LIMIT, velocityTrace } from '../../../packages/viewer/src/analysis/velocity.ts';
import { CELL, flow, STILL } from './line-scans.ts';

const ROWS = 768;
const SIZES = [24, 64, 160].flatMap((columns) => [32, 64, 128].map((lines) => ({ columns, lines })));

const trace = (data: Float32Array, columns: number, lines: number) =>
  velocityTrace(data, [ROWS, columns], { rows: [0, ROWS], columns: [0, columns] }, { lines });

describe('windows in which nothing moves', () => {
  it.each(Object.keys(STILL))('are refused: at most 1 percent of %s is accepted', async (name) => {
    let [accepted, count] = [0, 0];
    for (const { columns, lines } of SIZES) {
      const data = STILL[name]!({ rows: ROWS, columns }, 31 + columns + lines);
      const { qualities } = await trace(data, columns, lines);
      count += qualities.length;
      accepted += qualities.filter((quality) => quality >= QUALITY_LIMIT).length;
    }
    expect(count).toBeGreaterThan(200);
    expect(accepted / count).toBeLessThanOrEqual(0.01);
  });
});

describe('windows in which cells move', () => {
  const speeds = [0.16, -0.3, 0.6, -1, 1.7, -3, 5, -9];
  it.each(speeds)('are accepted at %d columns per line: at least 95 percent, with the right speed', async (speed) => {
    let [accepted, right, count] = [0, 0, 0];
    for (const { columns, lines } of SIZES) {
      // A window is long enough for two cells to pass, and lines are frequent enough to see each cell eight times.
      if (Math.abs(speed) * lines * 0.7 < 2 * CELL || columns / Math.abs(speed) / 1.3 < 8) continue;
      for (const noise of [0, 30, 60]) {
        const seed = columns + lines + noise;
        const { data, speeds: truth } = flow({
          ...{ rows: ROWS, columns, speed, noise, seed },
          pulse: noise === 30 ? 0.3 : 0,
          sharp: lines === 64,
        });
        const { starts, slopes, qualities } = await trace(data, columns, lines);
        starts.forEach((start, i) => {
          count += 1;
          if (qualities[i]! < QUALITY_LIMIT) return;
          accepted += 1;
          const mean = truth.subarray(start, start + lines).reduce((sum, value) => sum + value, 0) / lines;
          if (Math.abs(slopes[i]! / mean - 1) < 0.15) right += 1;
        });
      }
    }
    expect(count).toBeGreaterThan(30);
    expect(accepted / count).toBeGreaterThanOrEqual(0.95);
    expect(right / accepted).toBeGreaterThanOrEqual(0.97);
  });
});
