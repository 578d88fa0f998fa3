import { beforeEach, describe, expect, it } from 'vitest';
import { countStats } from '../../../viewer/src/analysis/stats.ts';
import {
  isSolo,
  type Reach,
  reset,
  sameForAll,
  setAuto,
  setEnd,
  setFull,
  setGamma,
  setRange,
  solo,
} from '../../../viewer/src/contrast/adjust.ts';
import { type ChannelView, createPane, type Pane } from '../../../viewer/src/model/document.ts';
import { nearestRank } from '../analysis/naive.ts';

const AXES = [
  { arrayDimension: 0, name: 'Y', size: 100, step: 0.001, unit: 'seconds' },
  { arrayDimension: 1, name: 'X', size: 10, step: 0.2, unit: 'micrometer' },
] as const;

let pane: Pane;
let first: ChannelView;
let second: ChannelView;
let reach: Reach;
const PLANES = [1, 4].map((factor) => Float32Array.from({ length: 1000 }, (_, at) => ((at * 7) % 1000) * factor));

beforeEach(async () => {
  const channels = [0, 1].map((index) => ({ index, name: `C${index}`, byteLength: 4000, dataUrl: '' }));
  const plane = { shape: [100, 10], axes: [...AXES] } as unknown as Pane['plane'];
  pane = createPane('source', { plane, channels });
  [first, second] = pane.channels as [ChannelView, ChannelView];
  reach = { pane, channel: first, locked: false };
  for (const [at, channel] of pane.channels.entries())
    channel.stats.value = await countStats(PLANES[at] as Float32Array);
});

const rangeOf = ({ display }: ChannelView) => [display.value.min, display.value.max];

describe('range of a channel', () => {
  it('is set alone, or for all when locked', () => {
    setRange(reach, { min: 10, max: 20 });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [10, 20],
      [0, 1],
    ]);
    setRange({ ...reach, locked: true }, { min: 5, max: 6 });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [5, 6],
      [5, 6],
    ]);
  });

  it('takes any number at one end, and the other gives way', () => {
    setRange(reach, { min: 10, max: 20 });
    setEnd(reach, 'min', 50);
    expect(rangeOf(first)).toEqual([50, 60]);
    setEnd(reach, 'max', -1e6);
    expect(rangeOf(first)).toEqual([-1_000_010, -1_000_000]);
    setEnd(reach, 'max', 7);
    expect(rangeOf(first)).toEqual([-1_000_010, 7]);
  });

  it('is never empty', () => {
    setRange(reach, { min: 3, max: 3 });
    expect(rangeOf(first)).toEqual([3, 4]);
  });

  it('auto is the percentiles of its plane, full all of it', () => {
    setAuto(reach);
    expect(rangeOf(first)).toEqual([
      nearestRank(PLANES[0] as Float32Array, 0.0035),
      nearestRank(PLANES[0] as Float32Array, 0.9965),
    ]);
    setFull(reach);
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [0, 999],
      [0, 1],
    ]);
  });

  it('of locked channels spans all of them', () => {
    setFull({ ...reach, locked: true });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [0, 3996],
      [0, 3996],
    ]);
  });

  it('stays when nothing has been counted', () => {
    first.stats.value = null;
    setAuto(reach);
    expect(rangeOf(first)).toEqual([0, 1]);
  });
});

describe('all channels', () => {
  it('get range and gamma of one, and keep their colors', () => {
    setRange(reach, { min: 10, max: 20 });
    setGamma(reach, 0.5);
    sameForAll(pane, first);
    expect(second.display.value).toMatchObject({ min: 10, max: 20, gamma: 0.5, lut: 'magenta' });
  });

  it('are hidden but one, and shown again', () => {
    expect(isSolo(pane, first)).toBe(false);
    solo(pane, second);
    expect(pane.channels.map(({ display }) => display.value.visible)).toEqual([false, true]);
    expect(isSolo(pane, second)).toBe(true);
    solo(pane, first);
    expect(pane.channels.map(({ display }) => display.value.visible)).toEqual([true, false]);
    solo(pane, first);
    expect(pane.channels.map(({ display }) => display.value.visible)).toEqual([true, true]);
  });
});

describe('reset', () => {
  it('is as at first, with auto contrast', () => {
    first.display.value = { lut: 'fire', invert: true, min: 5, max: 6, gamma: 3, opacity: 0.2, visible: false };
    reset(reach);
    const { min, max, ...rest } = first.display.value;
    expect(rest).toEqual({ lut: 'green', invert: false, gamma: 1, opacity: 1, visible: false });
    expect([min, max]).toEqual([3, 996]);
  });
});

describe('gamma', () => {
  it('stays between a fifth and five', () => {
    setGamma(reach, 99);
    expect(first.display.value.gamma).toBe(5);
    setGamma(reach, 0);
    expect(first.display.value.gamma).toBe(0.2);
  });
});
