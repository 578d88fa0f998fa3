import { describe, expect, it } from 'vitest';
import {
  nearestOnPath,
  pointOnPath,
  type ScanPath,
  toScanPath,
} from '../../../packages/viewer/src/measure/scan-path.ts';
import fc from '../../support/fast-check.js';

/** An L: 30 pixels to the right, then 10 down. */
const bent = toScanPath({ scanPath: { x: [10, 40, 40], y: [5, 5, 15] }, lineRoi: [0, 0, 1, 1] }) as ScanPath;

describe('the scan path', () => {
  it('is used instead of the line, and is null without a length', () => {
    expect(bent.total).toBe(40);
    expect(toScanPath({ scanPath: null, lineRoi: [0, 0, 3, 4] })?.total).toBe(5);
    expect(toScanPath({ scanPath: null, lineRoi: [2, 2, 2, 2] })).toBeNull();
    expect(toScanPath({ scanPath: null, lineRoi: null })).toBeNull();
    expect(toScanPath(null)).toBeNull();
  });

  it('finds a position of the line by its length along the path', () => {
    // 8 pixels on 40: pixel 3 ends 15 along, pixel 7 ends 35 along, 5 down the second part.
    expect(pointOnPath(bent, 3, 8)).toEqual({ x: 25, y: 5 });
    expect(pointOnPath(bent, 7, 8)).toEqual({ x: 40, y: 10 });
    expect(pointOnPath(bent, 0, 8)).toEqual({ x: 10, y: 5 });
    expect(pointOnPath(bent, 8, 8)).toEqual({ x: 40, y: 15 });
    expect(pointOnPath(bent, 99, 8)).toEqual({ x: 40, y: 15 });
  });

  it('uses vertices as positions when there is one per pixel', () => {
    // The middle of the second of three pixels is the second vertex, however far apart they are.
    expect(pointOnPath(bent, 1.5, 3)).toEqual({ x: 40, y: 5 });
    expect(pointOnPath(bent, 1, 3)).toEqual({ x: 25, y: 5 });
  });

  it('finds the nearest position from a point next to it', () => {
    expect(nearestOnPath(bent, { row: 2, column: 25 }, 8)).toEqual({ distance: 3, column: 3 });
    expect(nearestOnPath(bent, { row: 10, column: 44 }, 8)).toEqual({ distance: 4, column: 7 });
    expect(nearestOnPath(bent, { row: 1, column: 7 }, 8)).toEqual({ distance: 5, column: 0 });
  });

  it('converts a position to a point and back', () => {
    const vertex = fc.record({ x: fc.integer({ min: 0, max: 500 }), y: fc.integer({ min: 0, max: 500 }) });
    const columns = fc.integer({ min: 2, max: 64 });
    fc.assert(
      fc.property(
        fc.array(vertex, { minLength: 2, maxLength: 12 }),
        columns,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (vertices, n, part) => {
          const path = toScanPath({
            scanPath: { x: vertices.map(({ x }) => x), y: vertices.map(({ y }) => y) },
            lineRoi: null,
          });
          fc.pre(path !== null && vertices.length !== n);
          const { x, y } = pointOnPath(path as ScanPath, part * n, n);
          // A path may cross itself: the place may differ, the point may not.
          const back = nearestOnPath(path as ScanPath, { row: y, column: x }, n);
          const again = pointOnPath(path as ScanPath, back.column, n);
          expect(back.distance).toBeLessThan(1e-9);
          expect(Math.hypot(again.x - x, again.y - y)).toBeLessThan(1e-6);
        },
      ),
    );
  });
});
