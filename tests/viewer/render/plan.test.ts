import { describe, expect, it } from 'vitest';
import { planAxis } from '../../../packages/viewer/src/render/axis-plan.ts';
import { planPages, tilePieces } from '../../../packages/viewer/src/render/layout.ts';
import { chooseLevel, planLevels } from '../../../packages/viewer/src/render/levels.ts';
import fc from '../../support/fast-check.js';

const view = (samples: number, start: number, length: number, pixels: number, flipped = false) => ({
  samples,
  start,
  length,
  pixels,
  flipped,
});

describe('the cells of an axis', () => {
  it('are samples when magnified, and a pixel shows the sample at its center', () => {
    const { bounds, map } = planAxis(view(4, 0.5, 2, 4), 1);
    expect([...bounds]).toEqual([0, 1, 2, 3, 4]);
    expect([...map]).toEqual([0, 1, 1, 2]); // centers at 0.75, 1.25, 1.75, 2.25
  });

  it('start at the end when flipped', () => {
    expect([...planAxis(view(4, 0, 4, 4, true), 1).map]).toEqual([3, 2, 1, 0]);
  });

  it('do not exist outside of the plane', () => {
    expect([...planAxis(view(2, -1, 4, 4), 1).map]).toEqual([-1, 0, 1, -1]);
    expect(planAxis(view(10, 50, 20, 4), 1).cells).toBe(0);
    expect([...planAxis(view(100, 500, 200, 4), 1).map]).toEqual([-1, -1, -1, -1]);
  });

  it('contain every sample exactly once when minified at home, with one pixel each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300_000 }), fc.integer({ min: 1, max: 2000 }), (samples, pixels) => {
        fc.pre(samples > pixels);
        const levels = planLevels([samples, 512]);
        const factor = levels[chooseLevel(levels, samples / pixels, 1)]?.rows ?? 1;
        const { bounds, map, cells } = planAxis(view(samples, 0, samples, pixels), factor);
        expect(cells).toBe(pixels);
        expect([...map]).toEqual(Array.from({ length: pixels }, (_, i) => i));
        expect(bounds[0]).toBe(0);
        expect(bounds[cells]).toBe(Math.ceil(samples / factor));
        for (let i = 0; i < cells; i++) expect(bounds[i + 1]).toBeGreaterThan(bounds[i] as number);
      }),
      { numRuns: 60 },
    );
  });

  it('are adjacent when minified anywhere, with one pixel each', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 100_000 }),
        fc.double({ min: -0.5, max: 1, noNaN: true }),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        (samples, start, length) => {
          fc.pre(samples * length > 50);
          const { map, cells } = planAxis(view(samples, start * samples, length * samples, 50), 1);
          const shown = [...map].filter((cell) => cell >= 0);
          for (let i = 1; i < shown.length; i++) expect(shown[i]).toBe((shown[i - 1] as number) + 1);
          expect(Math.max(-1, ...shown)).toBeLessThan(cells);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('stay the same when the view moves by whole pixels', () => {
    const bounds = (start: number) => planAxis(view(10_000, start, 730, 100), 1).bounds;
    const [here, there] = [bounds(1234.5), bounds(1234.5 + 7.3 * 10)];
    expect([...here.slice(10)]).toEqual([...there.slice(0, here.length - 10)]);
  });
});

describe('levels', () => {
  it('reduce a kymograph along time first', () => {
    expect(planLevels([200_000, 512]).map(({ rows, columns }) => [rows, columns])).toEqual([
      [1, 1],
      [16, 1],
      [64, 1],
      [256, 1],
      [512, 2],
      [1024, 4],
    ]);
  });

  it('reduce a square plane along both axes, and a wide one along its columns', () => {
    expect(planLevels([4096, 4096]).map(({ rows, columns }) => [rows, columns])).toEqual([
      [1, 1],
      [4, 4],
      [8, 8],
      [16, 16],
    ]);
    expect(planLevels([10, 1_000_000])[1]).toEqual({ rows: 1, columns: 16 });
    expect(planLevels([100, 100])).toEqual([{ rows: 1, columns: 1 }]);
  });

  it('let a pixel read at most 32 rows of a long plane, and no blocks above half a pixel', () => {
    for (const lines of [10_000, 30_000, 200_000, 1_000_000]) {
      const levels = planLevels([lines, 38]);
      for (const pixels of [300, 1200, 3840]) {
        const step = lines / pixels;
        const { rows } = levels[chooseLevel(levels, step, 38 / 300)] ?? { rows: 0 };
        expect(step / rows, `${lines} on ${pixels}`).toBeLessThanOrEqual(32);
        expect(rows === 1 || rows <= step / 2).toBe(true);
      }
    }
  });
});

describe('the pages of textures', () => {
  const limits = { maxSize: 2048, maxLayers: 256, maxPageBytes: 64 << 20 };

  it.each([
    [200_000, 512, 4],
    [12_500, 512, 16],
    [30_000, 38, 4],
    [1, 1, 4],
    [3, 100_000, 4],
    [5000, 5000, 4],
    [2049, 2049, 16],
  ])('%i × %i of %i bytes: each sample has one place, within the limits', (rows, columns, bytes) => {
    const layout = planPages(rows, columns, bytes, limits);
    expect(layout.tileWidth).toBeLessThanOrEqual(limits.maxSize);
    expect(layout.tileHeight).toBeLessThanOrEqual(limits.maxSize);
    expect(layout.tilesAcross * layout.tilesDown).toBeLessThanOrEqual(limits.maxLayers);
    let samples = 0;
    let next = 0;
    for (const piece of tilePieces(layout, 0, rows)) {
      samples += piece.width * piece.height;
      if (piece.column === 0) {
        expect(piece.row).toBe(next);
        next += piece.height;
      }
      expect(piece.layer).toBeLessThan(layout.tilesAcross * layout.tilesDown);
      expect(piece.y + piece.height).toBeLessThanOrEqual(layout.tileHeight);
    }
    expect(samples).toBe(rows * columns);
    expect(next).toBe(rows);
    expect(bytes * layout.rowsPerPage * layout.tileWidth * layout.tilesAcross).toBeLessThanOrEqual(limits.maxPageBytes);
  });
});
