import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ComingTarget, PlaneParts, type SentSamples } from '../../../packages/viewer/src/engine/coming-plane.ts';

const [ROWS, COLUMNS] = [40, 3];

/** A tile of one value: its first row, its rows, and the value. */
type Tile = readonly [row: number, rows: number, value: number];

/** Reads tiles as wide as the plane, one each second. Returns the parts, and the plane that a page puts together from them. */
function send(tiles: readonly Tile[]) {
  const parts: SentSamples[] = [];
  const sending = new PlaneParts((part) => parts.push(part));
  const target = new ComingTarget(['uint16', ROWS, COLUMNS], sending.add);
  for (const [row, rows, value] of tiles) {
    vi.advanceTimersByTime(1000);
    const samples = Uint16Array.of(value);
    target.put({ samples, offset: 0, rowStride: 0, columnStride: 0 }, row, 0, rows, COLUMNS);
  }
  const rest = sending.rest(target.data as Uint16Array<ArrayBuffer>);
  const plane = new Uint16Array(ROWS * COLUMNS);
  for (const { samples, at } of parts) plane.set(samples as Uint16Array, at);
  plane.set(rest as Uint16Array, plane.length - rest.length);
  const firstColumn = Array.from({ length: ROWS }, (_, row) => plane[row * COLUMNS]);
  expect(plane).toEqual(target.data);
  return { starts: parts.map(({ at }) => at / COLUMNS), rest: rest.length / COLUMNS, firstColumn };
}

describe('a plane that comes while it is read', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is sent part by part', () => {
    const { starts, rest } = send([
      [0, 10, 1],
      [10, 10, 2],
      [20, 10, 3],
      [30, 10, 4],
    ]);
    expect(starts).toEqual([0, 10, 20]);
    expect(rest).toBe(10);
  });

  it('has the samples of tiles that lie on top of those that were sent', () => {
    const { starts, rest, firstColumn } = send([
      [0, 10, 1],
      [10, 10, 2],
      [15, 10, 3],
      [25, 15, 4],
      [5, 2, 5],
    ]);
    expect(starts).toEqual([0, 10]);
    expect(rest).toBe(ROWS - 5);
    expect(firstColumn.slice(3, 9)).toEqual([1, 1, 5, 5, 1, 1]);
    expect(firstColumn.slice(13, 27)).toEqual([2, 2, ...Array(10).fill(3), 4, 4]);
  });

  it('has the samples of a tile on top of its first row', () => {
    const { starts, rest } = send([
      [0, 20, 1],
      [0, 1, 2],
      [20, 20, 3],
    ]);
    expect(starts).toEqual([0]);
    expect(rest).toBe(ROWS);
  });
});
