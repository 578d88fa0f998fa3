import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { COMING_MS, ComingRows } from '../../../packages/viewer/src/app/coming-rows.ts';
import type { ChannelView } from '../../../packages/viewer/src/model/document.ts';
import { testPane } from '../image/test-pane.ts';

const [ROWS, COLUMNS] = [100, 10];
/** Bytes of a row of uint16. */
const ROW = 2 * COLUMNS;

/** A plane that begins to arrive. */
function arriving() {
  const pane = testPane({ shape: [ROWS, COLUMNS], y: [1, 'Pixels'], x: [1, 'Pixels'] });
  const channel = pane.channels[0] as ChannelView;
  const first: number[] = [];
  const coming = new ComingRows(channel, pane.shape, (samples) => first.push(samples.length));
  const samples = new Uint16Array(ROWS * COLUMNS);
  coming.start(samples);
  return { channel, coming, first, samples, rows: () => channel.coming.value?.shape[0] ?? 0 };
}

describe('the rows of a plane that have come', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are not shown while the plane comes fast', () => {
    const { coming, rows, first } = arriving();
    coming.arrived(50 * ROW);
    vi.advanceTimersByTime(COMING_MS - 1);
    expect(rows()).toBe(0);
    coming.stop();
    vi.advanceTimersByTime(COMING_MS);
    expect(rows()).toBe(0);
    expect(first).toEqual([]);
  });

  it('are shown after a moment, only complete ones, without a copy', () => {
    const { channel, coming, first, samples } = arriving();
    coming.arrived(2 * ROW + 3);
    vi.advanceTimersByTime(COMING_MS);
    expect(channel.coming.value).toMatchObject({ rows: [0, 2], columns: [0, COLUMNS], shape: [2, COLUMNS] });
    const { data } = channel.coming.value as { data: Uint16Array };
    expect(data.buffer).toBe(samples.buffer);
    expect(first).toEqual([2 * COLUMNS]);
  });

  it('are drawn a few times, whose rows together are at most one and a half times those of the plane', () => {
    const { coming, rows } = arriving();
    vi.advanceTimersByTime(COMING_MS);
    const drawn: number[] = [];
    for (let row = 1; row < ROWS; row++) {
      coming.arrived(row * ROW);
      if (drawn.at(-1) !== rows()) drawn.push(rows());
    }
    expect(drawn.slice(0, 4)).toEqual([1, 3, 9, 27]);
    expect(drawn.reduce((sum, count) => sum + count, 0)).toBeLessThan(1.5 * ROWS);
  });

  it('go when the plane is complete, has failed or begins again', () => {
    const { coming, rows, samples } = arriving();
    coming.arrived(20 * ROW);
    vi.advanceTimersByTime(COMING_MS);
    expect(rows()).toBe(20);
    coming.start(samples);
    expect(rows()).toBe(0);
    coming.arrived(5 * ROW);
    vi.advanceTimersByTime(COMING_MS);
    expect(rows()).toBe(5);
    coming.stop();
    expect(rows()).toBe(0);
  });

  it('are not shown of an answer of another size', () => {
    const { coming, rows } = arriving();
    coming.start(new Uint16Array(7));
    coming.arrived(14);
    vi.advanceTimersByTime(COMING_MS);
    expect(rows()).toBe(0);
  });
});
