import { beforeEach, describe, expect, it } from 'vitest';
import { countStats } from '../../../packages/viewer/src/analysis/stats.ts';
import {
  applyToAll,
  type ContrastTarget,
  isSolo,
  reset,
  setAuto,
  setEnd,
  setFileRange,
  setFull,
  setGamma,
  setInitialRange,
  setRange,
  solo,
} from '../../../packages/viewer/src/contrast/adjust.ts';
import { type ChannelView, createPane, type Pane } from '../../../packages/viewer/src/model/document.ts';
import { nearestRank } from '../analysis/naive.ts';

const AXES = [
  { arrayDimension: 0, name: 'Y', size: 100, step: 0.001, unit: 'seconds' },
  { arrayDimension: 1, name: 'X', size: 10, step: 0.2, unit: 'micrometer' },
] as const;

let pane: Pane;
let first: ChannelView;
let second: ChannelView;
let target: ContrastTarget;
const PLANES = [1, 4].map((factor) => Float32Array.from({ length: 1000 }, (_, at) => ((at * 7) % 1000) * factor));

beforeEach(async () => {
  const channels = [0, 1].map((index) => ({ index, name: `C${index}`, byteLength: 4000, dataUrl: '' }));
  const plane = { shape: [100, 10], axes: [...AXES] } as unknown as Pane['plane'];
  pane = createPane('source', { plane, channels });
  [first, second] = pane.channels as [ChannelView, ChannelView];
  target = { pane, channel: first, locked: false };
  for (const [at, channel] of pane.channels.entries())
    channel.stats.value = await countStats(PLANES[at] as Float32Array);
});

const rangeOf = ({ display }: ChannelView) => [display.value.min, display.value.max];

describe('the range of a channel', () => {
  it('is set for one channel, or for all when they are locked', () => {
    setRange(target, { min: 10, max: 20 });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [10, 20],
      [0, 1],
    ]);
    setRange({ ...target, locked: true }, { min: 5, max: 6 });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [5, 6],
      [5, 6],
    ]);
  });

  it('accepts any number at one end and moves the other when needed', () => {
    setRange(target, { min: 10, max: 20 });
    setEnd(target, 'min', 50);
    expect(rangeOf(first)).toEqual([50, 60]);
    setEnd(target, 'max', -1e6);
    expect(rangeOf(first)).toEqual([-1_000_010, -1_000_000]);
    setEnd(target, 'max', 7);
    expect(rangeOf(first)).toEqual([-1_000_010, 7]);
  });

  it('is never empty', () => {
    setRange(target, { min: 3, max: 3 });
    expect(rangeOf(first)).toEqual([3, 4]);
  });

  it('spans the percentiles of the plane with auto, and all samples with full', () => {
    setAuto(target);
    expect(rangeOf(first)).toEqual([
      nearestRank(PLANES[0] as Float32Array, 0.0035),
      nearestRank(PLANES[0] as Float32Array, 0.9965),
    ]);
    setFull(target);
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [0, 999],
      [0, 1],
    ]);
  });

  it('spans all channels when they are locked', () => {
    setFull({ ...target, locked: true });
    expect([rangeOf(first), rangeOf(second)]).toEqual([
      [0, 3996],
      [0, 3996],
    ]);
  });

  it('stays the same before the samples are counted', () => {
    first.stats.value = null;
    setAuto(target);
    expect(rangeOf(first)).toEqual([0, 1]);
  });
});

describe('all channels', () => {
  it('take range and gamma from one channel and keep their colors', () => {
    setRange(target, { min: 10, max: 20 });
    setGamma(target, 0.5);
    applyToAll(pane, first);
    expect(second.display.value).toMatchObject({ min: 10, max: 20, gamma: 0.5, lut: 'magenta' });
  });

  it('are hidden except one, and shown again', () => {
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
  it('restores the initial display with auto contrast', () => {
    first.display.value = {
      ...{ lut: 'fire', invert: true, min: 5, max: 6, scale: 'log', gamma: 3 },
      ...{ opacity: 0.2, visible: false },
    } as const;
    reset(target);
    const { min, max, ...rest } = first.display.value;
    expect(rest).toEqual({ lut: 'green', invert: false, scale: 'linear', gamma: 1, opacity: 1, visible: false });
    expect([min, max]).toEqual([3, 996]);
  });
});

describe('a range in the file', () => {
  /** A channel whose samples are 0 to 999. */
  const withRange = async (start: number, end: number) => {
    const channel = { index: 0, name: 'C0', byteLength: 4000, dataUrl: '', window: { start, end } };
    const shown = createPane('source', { plane: pane.plane, channels: [channel] });
    const [view] = shown.channels as [ChannelView];
    const before = rangeOf(view);
    view.stats.value = await countStats(PLANES[0] as Float32Array);
    setInitialRange({ pane: shown, channel: view, locked: false });
    return { before, view, own: { pane: shown, channel: view, locked: false } };
  };

  it('is the first one, and stays where the samples fill a third of it', async () => {
    const { before, view } = await withRange(-100, 2800);
    expect(before).toEqual([-100, 2800]);
    expect(rangeOf(view)).toEqual([-100, 2800]);
    expect(rangeOf((await withRange(100, 110)).view)).toEqual([100, 110]);
  });

  it('gives way to auto contrast where the picture would be nearly black, and can be set', async () => {
    const { view, own } = await withRange(0, 4095);
    expect(rangeOf(view)).toEqual([3, 996]);
    setFileRange(own);
    expect(rangeOf(view)).toEqual([0, 4095]);
  });

  it('is ignored where it is empty', async () => {
    const { before, view } = await withRange(7, 7);
    expect(before).toEqual([0, 1]);
    expect(rangeOf(view)).toEqual([3, 996]);
  });
});

describe('gamma', () => {
  it('is limited to 0.2 to 5', () => {
    setGamma(target, 99);
    expect(first.display.value.gamma).toBe(5);
    setGamma(target, 0);
    expect(first.display.value.gamma).toBe(0.2);
  });
});
