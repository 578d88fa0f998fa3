import { describe, expect, it } from 'vitest';
import { estimateLinePhase } from '../../../packages/viewer/src/analysis/line-phase.ts';
import { smoothNow, smoothPlane } from '../../../packages/viewer/src/analysis/smooth.ts';

const SHAPE = [64, 96] as const;

/** Spots whose odd rows were recorded `phase` samples too late, with noise of a fixed sequence. */
function scan(phase: number, noise = 0): Float32Array {
  const [rows, columns] = SHAPE;
  const spots = [12, 33, 47, 70, 85].map((x, i) => [x, 10 + 11 * i] as const);
  let seed = 1;
  return Float32Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const at = column - (row % 2 === 1 ? phase : 0);
    seed = (seed * 48271) % 2147483647;
    const spot = (sum: number, [x, y]: readonly [number, number]) =>
      sum + 100 * Math.exp(-((at - x) ** 2 + (row - y) ** 2) / 18);
    return spots.reduce(spot, 20) + noise * (seed / 2147483647 - 0.5);
  });
}

const phaseOf = (linePhase: number) => ({ kind: 'none' as const, sigma: 1, linePhase });

describe('the line phase', () => {
  it.each([0, 1, -3, 2.5, -0.4, 7.3])('of %d samples is estimated to a tenth', (phase) => {
    expect(Math.abs(estimateLinePhase(scan(phase), SHAPE)! - phase)).toBeLessThanOrEqual(0.1 + 1e-9);
    expect(Math.abs(estimateLinePhase(scan(phase, 30), SHAPE)! - phase)).toBeLessThanOrEqual(0.3 + 1e-9);
  });

  it('is not told by noise, by even rows, and by planes that are too small', () => {
    const noise = scan(0, 0).map(() => 0);
    let seed = 7;
    for (let i = 0; i < noise.length; i++) {
      seed = (seed * 48271) % 2147483647;
      noise[i] = seed % 1000;
    }
    expect(estimateLinePhase(noise, SHAPE)).toBe(null);
    expect(estimateLinePhase(new Float32Array(noise.length).fill(5), SHAPE)).toBe(null);
    expect(estimateLinePhase(new Float32Array(12), [3, 4])).toBe(null);
  });

  it('moves every second line, by whole samples without a change of values or type', () => {
    const data = Uint16Array.from({ length: 12 }, (_, i) => i);
    const moved = smoothNow(data, [3, 4], phaseOf(1));
    expect(moved).toBeInstanceOf(Uint16Array);
    expect([...moved]).toEqual([0, 1, 2, 3, 5, 6, 7, 7, 8, 9, 10, 11]);
    expect([...data]).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect([...smoothNow(data, [3, 4], phaseOf(-1))].slice(4, 8)).toEqual([4, 4, 5, 6]);
    expect([...smoothNow(data, [3, 4], phaseOf(0.5))].slice(4, 8)).toEqual([4.5, 5.5, 6.5, 7]);
  });

  it('makes the plane what it would have been, before it is smoothed', async () => {
    const straight = scan(0);
    const moved = await smoothPlane(scan(3), SHAPE, phaseOf(3));
    const [rows, columns] = SHAPE;
    // The last samples of moved lines were not recorded.
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns - 3; column++) {
        expect(moved[row * columns + column]).toBeCloseTo(straight[row * columns + column]!, 4);
      }
    }
    const median = { kind: 'median' as const, sigma: 1 };
    const both = smoothNow(scan(3), SHAPE, { ...median, linePhase: 3 });
    expect(both[20 * columns + 40]).toBeCloseTo(smoothNow(straight, SHAPE, median)[20 * columns + 40]!, 4);
  });
});
