import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPlayer } from '../../../packages/viewer/src/stack/player.ts';

/** A film whose planes arrive after some milliseconds. */
function film({ size = 5, delay = 0, waits = null as readonly number[] | null } = {}) {
  let index = 0;
  let arrives = 0;
  const shown: number[] = [];
  const player = createPlayer({
    size: () => size,
    index: () => index,
    go(_dim, next) {
      index = next;
      arrives = performance.now() + delay;
      shown.push(next);
    },
    arrived: () => performance.now() >= arrives,
    recorded: (_dim, at) => waits && waits[at % waits.length]!,
  });
  return { player, shown, jump: (to: number) => (index = to) };
}

describe('playing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows one plane after another at its rate, and begins again', () => {
    const { player, shown } = film();
    player.play('T');
    expect(player.playing.value).toBe('T');
    vi.advanceTimersByTime(99);
    expect(shown).toEqual([]);
    vi.advanceTimersByTime(602);
    expect(shown).toEqual([1, 2, 3, 4, 0, 1, 2]);
    player.pause();
    vi.advanceTimersByTime(1000);
    expect(shown.length).toBe(7);
  });

  it('ends at the last plane without loop, and then plays from the first', () => {
    const { player, shown, jump } = film();
    player.loop.value = false;
    jump(3);
    player.play('T');
    vi.advanceTimersByTime(1000);
    expect(shown).toEqual([4, 4]);
    expect(player.playing.value).toBeNull();
    player.play('T');
    vi.advanceTimersByTime(100);
    expect(shown.slice(2)).toEqual([0, 1]);
  });

  it('waits for planes that come too slowly, and leaves none out', () => {
    const { player, shown } = film({ delay: 250 });
    player.play('T');
    vi.advanceTimersByTime(1300);
    expect(shown).toEqual([1, 2, 3, 4, 0]);
  });

  it('keeps the time of the recording, and leaves planes out when they come too slowly', () => {
    const { player, shown } = film({ size: 100, delay: 250, waits: [20] });
    player.rate.value = 'real';
    player.play('T');
    vi.advanceTimersByTime(1001);
    expect(shown.at(-1)).toBe(50);
    expect(shown.every((index, i) => index > (shown[i - 1] ?? 0))).toBe(true);
  });

  it('waits between planes as long as the recording did', () => {
    const { player, shown } = film({ waits: [100, 100, 1500, 100, 50] });
    player.rate.value = 'real';
    player.play('T');
    const shownAfter = (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds);
      return shown.at(-1);
    };
    expect([shownAfter(110), shownAfter(100), shownAfter(1400), shownAfter(100), shownAfter(100)]).toEqual([
      1, 2, 2, 3, 4,
    ]);
    expect(shownAfter(50)).toBe(0);
  });

  it('does not play a single plane', () => {
    const { player } = film({ size: 1 });
    player.play('Z');
    expect(player.playing.value).toBeNull();
  });
});
