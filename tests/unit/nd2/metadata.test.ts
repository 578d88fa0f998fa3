import { describe, expect, it } from 'vitest';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { everything, openNd2, timeSeries } from '../../support/nd2.js';
import { experiment, type Nd2Spec, picture, positionLoop, textInfo, timeLoop, writeNd2 } from '../../writers/nd2.js';
import { bytes, f64, level, list, u32 } from '../../writers/nd2-tree.js';

const first = (changes: Partial<Nd2Spec>) => {
  const [scene] = openNd2(writeNd2(timeSeries(changes))).info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
};
const channels = [{ name: 'GFP' }, { name: 'RFP' }];

describe('ND2 pixel sizes', () => {
  it('are those in the file, with the aspect ratio of a pixel', () => {
    const { steps } = first({ picture: picture({ channels, calibration: 0.2, aspect: 1.5 }) });
    expect(steps.X).toEqual({ step: 0.2, unit: 'micrometer', origin: 'file' });
    expect(steps.Y.step).toBeCloseTo(0.3, 12);
  });

  it.each([{ calibrated: false }, { calibration: -1 }, { calibration: 0 }, { calibration: Number.NaN }])(
    'are missing when the file is not calibrated: %j',
    (changes) => {
      const { steps } = first({ picture: picture({ channels, ...changes }) });
      expect(steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
      expect(steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    },
  );
});

describe('the ND2 time step', () => {
  it('is the average in the file when it puts the last frame at its time stamp', () => {
    const { steps, warnings } = first({
      experiment: experiment(timeLoop(3, 500.16, 0)),
      times: [4, 504.2, 4 + 2 * 500.160_000_1],
    });
    expect(steps.T).toEqual({ step: 0.50016, unit: 'seconds', origin: 'file' });
    expect(warnings).toEqual([]);
    const near = first({ experiment: experiment(timeLoop(3, 500.16, 0)), times: [4, 504.2, 1004.4] });
    expect(near.steps.T).toEqual({ step: 0.5002, unit: 'seconds', origin: 'derived' });
    expect(near.warnings).toEqual([]);
    expect(Array.from(near.coordinates!.T!.values, (value) => Number(value.toFixed(6)))).toEqual([0, 0.5002, 1.0004]);
  });

  it('never contradicts the period or the average without a word', async () => {
    const open = (loop: ReturnType<typeof timeLoop>, at: readonly number[]) => {
      const [frame] = timeSeries().frames;
      const frames = at.map((_, number) => ({ ...frame!, number }));
      const bytes = writeNd2(
        timeSeries({ frames, experiment: experiment(loop), times: at.map((value) => 1000 * value + 7) }),
      );
      return { acquisition: openNd2(bytes), close: () => {} };
    };
    await expectContradictionsSaid(async (step, at) => open(timeLoop(at.length, 0, 1000 * step), at));
    await expectContradictionsSaid(async (step, at) => open(timeLoop(at.length, 1000 * step, 0), at));
  });

  it('is the mean interval of the time stamps when the file has no period', () => {
    const { steps } = first({ experiment: experiment(timeLoop(3)), times: [100, 350, 620] });
    expect(steps.T).toEqual({ step: 0.26, unit: 'seconds', origin: 'derived' });
  });

  it('is that of the time stamps when the settings differ', () => {
    const { steps, warnings } = first({ experiment: experiment(timeLoop(3, 0, 100)), times: [0, 2000, 4000] });
    expect(steps.T.step).toBe(2);
    expect(warnings).toEqual(['T step: `dPeriod` says 0.1 s, but the time stamps are 2 s apart. Showing 2 s.']);
  });

  it('is that of the settings when the frames have no time stamps', () => {
    const frames = timeSeries().frames.map((frame) => ({ ...frame, time: -1 }));
    const { steps } = first({ frames, experiment: experiment(timeLoop(3, 0, 250)), times: [-1, -1, -1] });
    expect(steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'file' });
  });

  it('is one frame when the file has neither time stamps nor a period', () => {
    const frames = timeSeries().frames.map((frame) => ({ ...frame, time: -1 }));
    const { times: _, ...rest } = timeSeries({ frames, experiment: experiment(timeLoop(3)) });
    expect(openNd2(writeNd2(rest)).info.scenes[0]?.steps.T.unit).toBe('Frames');
  });

  it('of several phases is their mean, with a warning', () => {
    const phase = (count: number, period: number) =>
      level('', [u32('uiCount', count), f64('dPeriod', period), f64('dAvgPeriodDiff', 0)]);
    const loop = {
      type: 8,
      pars: [
        u32('uiCount', 5),
        list('pPeriod', [phase(2, 100), phase(9, 5), phase(1, 900)]),
        bytes('pPeriodValid', Uint8Array.of(1, 0, 1)),
      ],
    };
    const { sizes, steps, warnings } = first({ experiment: experiment(loop), times: [0, 100, 1000] });
    expect(sizes.T).toBe(3);
    expect(steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
    expect(warnings).toEqual([
      'The time points are 0.1 s to 0.9 s apart (median 0.5 s), by their time stamps; the longest interval follows T = 1. ' +
        'The T step is the mean, 0.5 s; the coordinates have all values.',
    ]);
  });

  it('of a position is measured between the frames of that position', () => {
    const { scenes } = openNd2(writeNd2(everything())).info;
    // Six frames of 500 ms lie between the two times of a position.
    expect(scenes.map(({ steps }) => steps.T.step)).toEqual([3, 3, 3]);
  });
});

describe('ND2 positions', () => {
  const four = positionLoop(['A', 'B', 'C', 'D'], bytes('pItemValid', Uint8Array.of(1, 0, 1, 1)));

  it('that were switched off have no scenes', () => {
    const { scenes } = openNd2(writeNd2(timeSeries({ experiment: experiment(four) }))).info;
    expect(scenes.map(({ name }) => name)).toEqual(['A', 'C', 'D']);
  });

  it('without names are numbered', () => {
    const { scenes } = openNd2(writeNd2(timeSeries({ experiment: experiment(positionLoop(['', '', ''])) }))).info;
    expect(scenes.map(({ name }) => name)).toEqual(['XY1', 'XY2', 'XY3']);
  });

  it('that were planned but not recorded are counted in a warning', () => {
    const { scenes } = openNd2(
      writeNd2(timeSeries({ experiment: experiment(positionLoop(['A', 'B', 'C', 'D', 'E'])) })),
    ).info;
    expect(scenes.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    expect(scenes[0]?.warnings).toEqual(['Only 3 of 5 planned positions were recorded.']);
  });
});

describe('the ND2 date and time', () => {
  const clock = (date: string, timeAbsolute = 2460783.4854234606) => {
    const { date: day, time } = first({ text: textInfo(date), picture: picture({ channels, timeAbsolute }) });
    return [day, time];
  };

  it.each([
    ['4/17/2025  4:39:00 PM', '16:39:00'],
    ['17/04/2025  16:39:00', '16:39:00'],
    ['2025-04-17 16:39:00', '16:39:00'],
    ['17.4.2025 16:39:00', '16:39:00'],
  ])('are parsed from "%s"', (text, time) => expect(clock(text)).toEqual(['20250417', time]));

  it('have day and month in the order that fits the time of the first frame', () => {
    // 2025-04-05 and 2025-05-04, both at noon UTC.
    expect(clock('4/5/2025 12:00:00', 2460771)).toEqual(['20250405', '12:00:00']);
    expect(clock('4/5/2025 12:00:00', 2460800)).toEqual(['20250504', '12:00:00']);
  });

  it('are those of the first frame in UTC when there is no text', () => {
    const { text: _, ...rest } = timeSeries();
    const [scene] = openNd2(writeNd2(rest)).info.scenes;
    expect([scene?.date, scene?.time]).toEqual(['20250417', '23:39:00']);
    expect(scene?.warnings).toEqual([
      'The file does not contain a readable local time. Date and time are those of the first frame, in UTC.',
    ]);
  });
});
