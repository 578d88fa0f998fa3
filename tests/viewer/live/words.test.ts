/** What the page says of a recording that it follows. */
import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { changeWords, isContinued } from '../../../packages/viewer/src/live/change.ts';
import { type Live, liveWords } from '../../../packages/viewer/src/live/live.ts';
import { placeIn } from '../../../packages/viewer/src/live/newest.ts';

interface Opened {
  sizes?: Record<string, number>;
  shape?: [rows: number, columns: number];
  channels?: string[];
  dtype?: string;
}

function opened({ sizes = {}, shape = [48, 64], channels = ['A', 'B'], dtype = 'uint16' }: Opened = {}): OpenResponse {
  return {
    source: { name: 'scan.tif', format: 'tif', sourceDtype: dtype },
    header: { numChannels: channels.length, sizes: { C: channels.length, ...sizes } },
    plane: { shape, axes: [0, 1].map((arrayDimension) => ({ arrayDimension, name: 'YX'[arrayDimension] })) },
    channels: channels.map((name, index) => ({ name, index })),
    reference: null,
  } as unknown as OpenResponse;
}

describe('an acquisition whose files have changed', () => {
  it.each<[string, Opened, boolean]>([
    ['more time points', { sizes: { T: 9 } }, true],
    ['the same', { sizes: { T: 4 } }, true],
    ['sections, too', { sizes: { T: 4, Z: 2 } }, true],
    ['fewer time points', { sizes: { T: 3 } }, false],
    ['other pixels', { sizes: { T: 4 }, shape: [48, 32] }, false],
    ['a channel less', { sizes: { T: 4 }, channels: ['A'] }, false],
    ['another channel', { sizes: { T: 4 }, channels: ['A', 'C'] }, false],
    ['other samples', { sizes: { T: 4 }, dtype: 'float32' }, false],
    ['another height', { sizes: { T: 4 }, shape: [50, 64] }, false],
  ])('with %s goes on or is another one', (_, after, expected) => {
    expect(isContinued(opened({ sizes: { T: 4 } }), opened(after), false)).toBe(expected);
  });

  it('may have more lines when it is a line scan, and no fewer', () => {
    expect(isContinued(opened(), opened({ shape: [50, 64] }), true)).toBe(true);
    expect(isContinued(opened(), opened({ shape: [47, 64] }), true)).toBe(false);
  });

  it('is described by what is different', () => {
    const before = opened({ sizes: { T: 14 } });
    expect(changeWords(before, opened({ sizes: { T: 1 }, shape: [32, 1024], channels: ['A'] }))).toBe(
      'scan.tif has changed: 64 × 48 pixels, 2 channels, 14 time points before, 1,024 × 32 pixels, 1 channel, 1 time point now.',
    );
    expect(changeWords(before, opened({ sizes: { T: 14 }, channels: ['A', 'C'] }))).toBe(
      'scan.tif was replaced by another acquisition.',
    );
  });

  it('is shown at its newest plane if the newest was on screen, otherwise at the same place', () => {
    const at = (before: Opened, after: Opened, place: [T: number, Z: number]) =>
      Object.values(placeIn(opened(after), opened(before), { T: place[0], Z: place[1] }));
    expect(at({ sizes: { T: 4, Z: 3 } }, { sizes: { T: 9, Z: 3 } }, [3, 1])).toEqual([8, 1]);
    expect(at({ sizes: { T: 4, Z: 3 } }, { sizes: { T: 9, Z: 3 } }, [2, 1])).toEqual([2, 1]);
    expect(at({ sizes: { Z: 3 } }, { sizes: { Z: 5 } }, [0, 2])).toEqual([0, 4]);
    // The second volume of a stack whose middle section is shown.
    expect(at({ sizes: { Z: 3 } }, { sizes: { T: 2, Z: 3 } }, [0, 1])).toEqual([1, 1]);
    expect(at({}, { sizes: { T: 2 } }, [0, 0])).toEqual([1, 0]);
    expect(at({ sizes: { T: 9, Z: 5 } }, { sizes: { T: 2, Z: 3 } }, [4, 4])).toEqual([1, 2]);
  });
});

describe('the badge of a recording', () => {
  const live: Live = { seen: 4, changedAt: 1_000_000, shown: 4, failedAt: null, failure: '' };
  const words = (seconds: number, added: number | null, change: Partial<Live> = {}, more: object = {}) => {
    const now = 1_000_000 + 1000 * seconds;
    return liveWords({ ...live, ...change }, { added, now, isPaused: false, isConnected: true, ...more });
  };

  it('says what is new since the place was left', () => {
    expect(words(0, null)).toBe('live');
    expect(words(0, 0)).toBe('live · 0 new');
    expect(words(500, 12_000)).toBe('live · 12,000 new');
  });

  it.each([
    [29, 'live'],
    [30, 'live · nothing new for 30 s'],
    [59, 'live · nothing new for 30 s'],
    [119, 'live · nothing new for 1 min'],
    [299, 'live · nothing new for 2 min'],
    [3_599, 'live · nothing new for 30 min'],
    [9_000, 'live · nothing new for 1 h'],
  ])('says after %d s that nothing is new', (seconds, expected) => {
    expect(words(seconds, null)).toBe(expected);
  });

  it('says that the file cannot be read only when that lasts, and that the server is away', () => {
    const failed = { failedAt: 1_000_000, failure: 'truncated' };
    expect(words(2, null, failed)).toBe('live');
    expect(words(3, null, failed)).toBe('live · cannot be read now');
    expect(words(3, 2, failed)).toBe('live · 2 new · cannot be read now');
    expect(words(60, 3, {}, { isPaused: true })).toBe('live · 3 new · paused');
    expect(words(60, null, failed, { isConnected: false })).toBe('live · waiting for the server');
  });
});
