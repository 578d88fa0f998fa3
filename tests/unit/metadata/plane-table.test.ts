import { describe, expect, it } from 'vitest';
import type { PlaneColumns, SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { laterAxes, toPlaneTable, withLaterAxes } from '../../../packages/readers/src/model/metadata/plane-table.js';

const scene = {
  sizes: { T: 2, Z: 3, Y: 1, X: 1 },
  channels: [{ name: 'A' }, { name: 'B' }],
};
const WHOLE = { from: 0, count: 100 };
const lists = (columns: PlaneColumns, part = WHOLE, more = {}) =>
  Object.fromEntries(
    Object.entries(toPlaneTable({ ...scene, ...more }, columns, part)).map(([name, values]) => [name, [...values]]),
  );
const column = (value: (row: number) => number) => Float64Array.from({ length: 12 }, (_, row) => value(row));

describe('the table of planes', () => {
  it('counts channels fastest, then sections, then time points', () => {
    expect(lists({})).toEqual({
      T: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
      Z: [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2],
      C: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
    });
  });

  it('counts time from the first plane that has one, also in a later part', () => {
    const time = column((row) => (row === 0 ? Number.NaN : 100 + row));
    expect(lists({ time }, { from: 4, count: 2 })).toEqual({ T: [0, 0], Z: [2, 2], C: [0, 1], time: [3, 4] });
  });

  it('tells how long after the start of the recording the first time was, where the reader knows', () => {
    const time = column((row) => (row === 0 ? Number.NaN : 100 + row));
    expect(toPlaneTable(scene, { time, isFromStart: true }, { from: 4, count: 2 }).first).toBe(101);
    expect(toPlaneTable(scene, { time }, WHOLE)).not.toHaveProperty('first');
    const values = Float64Array.of(0, 7);
    const coordinates = { T: { source: 'stamps', uneven: false, unit: 'seconds', values, first: 60 } } as const;
    expect(toPlaneTable({ ...scene, coordinates } as unknown as SceneInfo, {}, WHOLE)).toMatchObject({ first: 60 });
  });

  it('does not show the rounding of times since 1970', () => {
    const time = column((row) => 1_535_115_467.123 + row * 0.045);
    expect(lists({ time }, { from: 0, count: 3 })['time']).toEqual([0, 0.045, 0.09]);
  });

  it('keeps positions as they are, and leaves out columns without a value or of another length', () => {
    const x = column((row) => 5 - row);
    const table = lists({ x, y: column(() => Number.NaN), exposure: new Float64Array(3) });
    expect(Object.keys(table)).toEqual(['T', 'Z', 'C', 'x']);
    expect(table['x']).toEqual([...x]);
  });

  it('has the coordinates of the axes where the file says nothing of single planes', () => {
    const axis = { source: 'stamps', uneven: false };
    const coordinates = {
      T: { ...axis, unit: 'seconds', values: Float64Array.of(0, 7) },
      Z: { ...axis, unit: 'micrometer', values: Float64Array.of(0, 2, 4) },
    };
    const { time, z } = lists({}, WHOLE, { coordinates });
    expect(time).toEqual([0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7]);
    expect(z).toEqual([0, 0, 2, 2, 4, 4, 0, 0, 2, 2, 4, 4]);
    expect(lists({ time: column((row) => row) }, WHOLE, { coordinates })['time']?.[11]).toBe(11);
  });
});

describe('axes whose values are read later', () => {
  it('have those of the first channel and section, or time point, from the first that is known', () => {
    const later = { source: 'stamps', uneven: true, values: new Float64Array(0), isLater: true } as const;
    const coordinates = { T: { ...later, unit: 'seconds' }, Z: { ...later, unit: 'micrometer' } } as const;
    const timed = { ...scene, coordinates } as unknown as SceneInfo;
    const columns = { time: column((row) => 2 * row), z: column((row) => 100 + row) };
    expect(laterAxes(timed)).toEqual(['T', 'Z']);
    const filled = withLaterAxes(timed, ['T', 'Z'], toPlaneTable(timed, columns, WHOLE)).coordinates!;
    expect([...filled.T!.values]).toEqual([0, 12]);
    expect([...filled.Z!.values]).toEqual([0, 2, 4]);
    expect(laterAxes({ coordinates: filled })).toEqual([]);
    expect(filled.T).toMatchObject({ uneven: true, unit: 'seconds' });
  });
});
