import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import {
  depthsOfRows,
  type PlaneRows,
  positionsOfRows,
  timesOfRows,
} from '../../../packages/readers/src/model/metadata/plane-rows.js';

const SIZES = { T: 3, Z: 2, C: 3 };

/** Rows of all planes, with values by channel, section and time point. */
function rowsOf(time: (c: number, z: number, t: number) => number, depth = time): PlaneRows {
  const rows: PlaneRows = { t: [], z: [], c: [], time: [], depth: [] };
  for (let t = 0; t < SIZES.T; t++)
    for (let z = 0; z < SIZES.Z; z++)
      for (let c = 0; c < SIZES.C; c++) add(rows, { t, z, c, time: time(c, z, t), depth: depth(c, z, t) });
  return rows;
}

function add(rows: PlaneRows, row: { t: number; z: number; c: number; time: number; depth: number }): void {
  for (const name of ['t', 'z', 'c', 'time', 'depth'] as const) rows[name].push(row[name]);
}

function times(rows: PlaneRows, sizes = SIZES) {
  const notes = new Notes();
  const found = timesOfRows(rows, sizes, 'stamps', notes);
  return { at: found && Array.from(found.at), what: found?.what, said: notes.list() };
}

describe('the times of planes', () => {
  it('are those of the first channel and section', () => {
    const found = times(rowsOf((c, z, t) => 10 * t + z + 0.1 * c));
    expect(found).toEqual({ at: [0, 10, 20], what: 'stamps', said: [] });
  });

  it('are those of the first channel and section that has some, by its name', () => {
    const late = rowsOf((c, z, t) => (c === 2 && z === 1 ? 10 * t : Number.NaN));
    expect(times(late)).toEqual({ at: [0, 10, 20], what: 'stamps of C = 2, Z = 1', said: [] });
    const still = rowsOf((c, z, t) => (c === 0 && z === 0 ? 5 : 10 * t));
    expect(times(still).what).toBe('stamps of C = 0, Z = 1');
    expect(times(rowsOf(() => Number.NaN)).at).toBeUndefined();
    expect(
      times(
        rowsOf((_c, _z, t) => t),
        { ...SIZES, T: 1 },
      ).at,
    ).toBeUndefined();
  });

  it('of a channel at another rate are described where they differ most', () => {
    const found = times(rowsOf((c, z, t) => 10 * t + (c === 1 && z === 1 ? 4 * t : 0) - (c === 2 ? 2 * t : 0)));
    expect(found.said).toEqual([
      'The stamps of C = 1, Z = 1 do not run as those of C = 0, Z = 0, which the T axis has: at T = 2 they are 8 s later than at ' +
        'first, against those. `…/planes` has the time of each plane.',
    ]);
    const early = times(rowsOf((c, _z, t) => 10 * t - (c === 2 ? 2 * t : 0)));
    expect(early.said[0]).toContain(
      'C = 2, Z = 0 do not run as those of C = 0, Z = 0, which the T axis has: at T = 2 they are 4 s earlier',
    );
    expect(times(rowsOf((c, _z, t) => 0.1 * t + (c === 2 ? 0.02 * t : 0))).said[0]).toContain('they are 0.04 s later');
    // Less than a tenth of the mean interval is no other rate.
    expect(times(rowsOf((c, _z, t) => 10 * t + (c === 2 ? 0.4 * t : 0))).said).toEqual([]);
  });

  it('that are listed again count once, and are said when they differ', () => {
    const rows = rowsOf((_c, _z, t) => 10 * t);
    add(rows, { t: 1, z: 0, c: 0, time: 10, depth: 0 });
    expect(times(rows).said).toEqual([]);
    add(rows, { t: 1, z: 0, c: 0, time: 99, depth: 0 });
    expect(times(rows)).toMatchObject({
      at: [0, 10, 20],
      said: ['1 plane is listed again with other stamps. The first of each was used.'],
    });
  });

  it('outside the sizes are ignored', () => {
    const rows = rowsOf((_c, _z, t) => 10 * t);
    for (const at of [{ t: 3 }, { t: -1 }, { z: 2 }, { z: -1 }, { c: 3 }, { c: -1 }]) {
      add(rows, { t: 0, z: 0, c: 0, time: 99, depth: 99, ...at });
    }
    expect(times(rows)).toEqual({ at: [0, 10, 20], what: 'stamps', said: [] });
  });
});

describe('the depths of planes', () => {
  it('are those of the first channel and time point that has some, by its name', () => {
    const notes = new Notes();
    const rows = rowsOf((c, z, t) => (c === 1 && t >= 1 ? 5 * z : Number.NaN));
    const found = depthsOfRows(rows, SIZES, { what: 'positions', set: 5 }, notes);
    expect(found && [Array.from(found.at), found.what, notes.list()]).toEqual([
      [0, 5],
      'positions of C = 1, T = 1',
      [],
    ]);
    expect([...positionsOfRows(rows, SIZES)!]).toEqual([0, 5]);
    expect(depthsOfRows(rows, { ...SIZES, Z: 1 }, { what: 'positions', set: 5 }, notes)).toBeUndefined();
  });
});
