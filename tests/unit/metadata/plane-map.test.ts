import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { PlaneMap } from '../../../packages/readers/src/model/metadata/plane-map.js';

const address = (t: number, z = 0, channel = 0, scene = 0) => ({ scene, channel, t, z });

function warningsOf(map: PlaneMap<number>): string[] {
  const notes = new Notes();
  map.noteDuplicates(notes);
  return notes.list();
}

describe('planes by their address', () => {
  it('are found again, and missing ones are not', () => {
    const map = new PlaneMap<number>({ channels: 2, Z: 3 }, 'last');
    let place = 0;
    for (const t of [0, 1]) for (const z of [0, 1, 2]) for (const c of [0, 1]) map.add(address(t, z, c, 1), place++);
    expect(map.at(address(1, 2, 1, 1))).toBe(11);
    expect(map.at(address(0, 1, 0, 1))).toBe(2);
    expect(map.at(address(1, 2, 1, 0))).toBeUndefined();
    expect(map.size).toBe(12);
    expect(warningsOf(map)).toEqual([]);
  });

  it.each([
    ['first', 7],
    ['last', 9],
  ] as const)('overwrite none in silence: the %s is shown', (keep, shown) => {
    const map = new PlaneMap<number>({ channels: 1, Z: 1 }, keep);
    for (const [t, place] of [
      [0, 5],
      [1, 7],
      [1, 9],
    ] as const)
      map.add(address(t), place);
    expect(map.at(address(1))).toBe(shown);
    expect(warningsOf(map)).toEqual([
      `A plane has the time point, section and channel of another one (T = 1, Z = 0, C = 0). Showing the ${keep}.`,
    ]);
  });

  it('are counted when all have one address', () => {
    const map = new PlaneMap<number>({ channels: 1, Z: 1 }, 'last');
    for (let place = 0; place < 256; place++) map.add(address(0, 0, 0, 2), place);
    expect(map.size).toBe(1);
    expect(warningsOf(map)[0]).toContain('255 planes have');
    expect(warningsOf(map)[0]).toContain('S = 2, T = 0');
  });

  it('that are listed twice at one place do not count as duplicates', () => {
    const map = new PlaneMap<number>({ channels: 1, Z: 1 }, 'last');
    map.add(address(0), 5);
    map.add(address(0), 5);
    expect(warningsOf(map)).toEqual([]);
  });
});
