import { describe, expect, it } from 'vitest';
import { CanvasPlane } from '../../../packages/viewer/src/render/canvas-plane.ts';
import { planView } from '../../../packages/viewer/src/render/view-plan.ts';

/** Enough for two levels. */
const SIDE = 264;

/** A plane that counts how often its samples are read. */
function countingPlane() {
  const samples = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => i % 1000);
  let reads = 0;
  const counting = new Proxy(samples, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, target);
    },
  });
  const plane = new CanvasPlane(counting, [SIDE, SIDE], undefined, () => undefined);
  const view = { x: 0, y: 0, width: SIDE, height: SIDE };
  const look = (pixels: number) => {
    const picture = { width: pixels, height: pixels, view, orientation: { transposed: false, upward: false } };
    return plane.shown(planView(plane, picture), false);
  };
  return { plane, look, reads: () => reads };
}

describe('a plane that is drawn without WebGL', () => {
  it('costs nothing before a picture of it is drawn', async () => {
    const { plane, reads } = countingPlane();
    await plane.ready;
    expect(plane.progress.value).toBe(1);
    expect(reads()).toBe(0);
  });

  it('is read once for a picture, and not again for the same picture', () => {
    const { look, reads } = countingPlane();
    look(200);
    expect(reads()).toBe(SIDE * SIDE);
    look(200);
    expect(reads()).toBe(SIDE * SIDE);
  });

  it('is reduced once for all pictures that are much smaller than it', () => {
    const { look, reads } = countingPlane();
    for (const pixels of [30, 20, 10]) look(pixels);
    expect(reads()).toBe(SIDE * SIDE);
  });

  it('shows the same in a small picture, from its levels, as from its samples', () => {
    const { look } = countingPlane();
    const { values } = look(33);
    // Cells of 8 × 8 samples.
    const mean = (row: number, column: number) => {
      let sum = 0;
      for (let y = 8 * row; y < 8 * row + 8; y++) {
        for (let x = 8 * column; x < 8 * column + 8; x++) sum += (y * SIDE + x) % 1000;
      }
      return sum / 64;
    };
    for (const [row, column] of [
      [0, 0],
      [3, 5],
      [32, 32],
    ] as const) {
      expect(values[row * 33 + column]).toBeCloseTo(mean(row, column), 1);
    }
  });
});
