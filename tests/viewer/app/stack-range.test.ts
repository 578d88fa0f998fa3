import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStackRange } from '../../../packages/viewer/src/app/stack-range.ts';
import type { Tab } from '../../../packages/viewer/src/app/tab.ts';
import { testPane } from '../image/test-pane.ts';

const SECTIONS = 20;
/** Sections that are counted at once. */
const FIRST = 12;

/** A stack of two channels whose statistics take a millisecond each; the section is the brightest sample. */
function openStack() {
  const pane = testPane({ shape: [4, 4], y: [1, 'micrometer'], x: [1, 'micrometer'], channels: 2 });
  const asked: string[] = [];
  const statistics = async (channel: number, { z = 0 }: { z?: number }, options: { signal: AbortSignal }) => {
    options.signal.throwIfAborted();
    asked.push(`${channel} ${z}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const counts = Array.from({ length: z + 2 }, (_, value) => (value === 0 ? 16 : 1));
    const edges = Array.from({ length: z + 3 }, (_, value) => value);
    return { finite: 16 + z, samples: 16 + z, min: 0, max: z + 1, mean: 1, std: 1, histogram: { edges, counts } };
  };
  const info = { header: { sizes: { Z: SECTIONS }, dtype: 'uint16' }, selection: { Z: 0 } };
  const shown = signal(info);
  const tab = {
    document: { opened: signal({ info, statistics }), info: shown, source: signal(pane) },
    ending: new AbortController(),
  } as unknown as Tab;
  const move = (Z: number) => {
    shown.value = { ...info, selection: { Z } };
  };
  return { tab, pane, asked, move };
}

describe('the range of a stack', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is counted in some planes of every channel at once, and in the others while no plane is moved to', async () => {
    const { tab, pane, asked, move } = openStack();
    const end = followStackRange(tab, new Set());
    for (let Z = 1; Z < SECTIONS; Z++) {
      await vi.advanceTimersByTimeAsync(400);
      move(Z);
    }
    expect(asked.map((each) => each.split(' ')[0]).join('')).toBe('0'.repeat(FIRST) + '1'.repeat(FIRST));
    expect(pane.channels.map(({ stackRange }) => stackRange.value?.counted)).toEqual([FIRST, FIRST]);
    expect(pane.countsStack.value).toBe(true);
    await vi.advanceTimersByTimeAsync(600);
    await end;
    expect(new Set(asked).size).toBe(2 * SECTIONS);
    expect(asked).toHaveLength(2 * SECTIONS);
    expect(pane.channels.map(({ stackRange }) => stackRange.value?.counted)).toEqual([SECTIONS, SECTIONS]);
    expect(pane.countsStack.value).toBe(false);
  });

  it('ends with the tab, also while it waits for the slider', async () => {
    const { tab, asked } = openStack();
    const end = followStackRange(tab, new Set());
    await vi.advanceTimersByTimeAsync(100);
    tab.ending.abort();
    await end;
    expect(asked.length).toBe(2 * FIRST);
  });
});
