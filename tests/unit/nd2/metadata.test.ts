import { describe, expect, it } from 'vitest';
import { everything, openNd2, timeSeries } from '../../support/nd2.js';
import { experiment, type Nd2Spec, picture, positionLoop, textInfo, timeLoop, writeNd2 } from '../../writers/nd2.js';
import { bytes, f64, level, list, u32 } from '../../writers/nd2-tree.js';

const first = (changes: Partial<Nd2Spec>) => {
  const [scene] = openNd2(writeNd2(timeSeries(changes))).info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
};
const channels = [{ name: 'GFP' }, { name: 'RFP' }];

describe('pixel sizes', () => {
  it('are those of the file, with the aspect of a pixel', () => {
    const { steps } = first({ picture: picture({ channels, calibration: 0.2, aspect: 1.5 }) });
    expect(steps.X).toEqual({ step: 0.2, unit: 'micrometer', origin: 'file' });
    expect(steps.Y.step).toBeCloseTo(0.3, 12);
  });

  it.each([{ calibrated: false }, { calibration: -1 }, { calibration: 0 }, { calibration: Number.NaN }])(
    'are counted when the file has none: %j',
    (changes) => {
      const { steps } = first({ picture: picture({ channels, ...changes }) });
      expect(steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
      expect(steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    },
  );
});

describe('time step', () => {
  it('is the measured average that the file states, when the frames agree', () => {
    const { steps, warnings } = first({ experiment: experiment(timeLoop(3, 500.16, 0)), times: [4, 504.2, 1004.4] });
    expect(steps.T).toEqual({ step: 0.50016, unit: 'seconds', origin: 'file' });
    expect(warnings).toEqual([]);
  });

  it('is the mean distance of the frames when nothing is stated', () => {
    const { steps } = first({ experiment: experiment(timeLoop(3)), times: [100, 350, 620] });
    expect(steps.T).toEqual({ step: 0.26, unit: 'seconds', origin: 'derived' });
  });

  it('is that of the frames when the settings say something else', () => {
    const { steps, warnings } = first({ experiment: experiment(timeLoop(3, 0, 100)), times: [0, 2000, 4000] });
    expect(steps.T.step).toBe(2);
    expect(warnings).toEqual([
      'The time points come every 2 s by their own times, and every 0.1 s by the settings; the former is shown.',
    ]);
  });

  it('is that of the settings when the frames have no times', () => {
    const frames = timeSeries().frames.map((frame) => ({ ...frame, time: -1 }));
    const { steps } = first({ frames, experiment: experiment(timeLoop(3, 0, 250)), times: [-1, -1, -1] });
    expect(steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'file' });
  });

  it('is counted when nothing is known', () => {
    const frames = timeSeries().frames.map((frame) => ({ ...frame, time: -1 }));
    const { times: _, ...rest } = timeSeries({ frames, experiment: experiment(timeLoop(3)) });
    expect(openNd2(writeNd2(rest)).info.scenes[0]?.steps.T.unit).toBe('Frames');
  });

  it('of phases is the mean of all, and said to be uneven', () => {
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
    expect(warnings).toEqual(['The time points are not evenly spaced: from 0.1 to 0.9 s; the mean is shown.']);
  });

  it('of each position is measured between its own frames', () => {
    const { scenes } = openNd2(writeNd2(everything())).info;
    // Six frames of 500 ms lie between the two times of a position.
    expect(scenes.map(({ steps }) => steps.T.step)).toEqual([3, 3, 3]);
  });
});

describe('positions', () => {
  const four = positionLoop(['A', 'B', 'C', 'D'], bytes('pItemValid', Uint8Array.of(1, 0, 1, 1)));

  it('that were switched off made no frames', () => {
    const { scenes } = openNd2(writeNd2(timeSeries({ experiment: experiment(four) }))).info;
    expect(scenes.map(({ name }) => name)).toEqual(['A', 'C', 'D']);
  });

  it('without names are numbered', () => {
    const { scenes } = openNd2(writeNd2(timeSeries({ experiment: experiment(positionLoop(['', '', ''])) }))).info;
    expect(scenes.map(({ name }) => name)).toEqual(['XY1', 'XY2', 'XY3']);
  });

  it('that were planned but not reached are told', () => {
    const { scenes } = openNd2(
      writeNd2(timeSeries({ experiment: experiment(positionLoop(['A', 'B', 'C', 'D', 'E'])) })),
    ).info;
    expect(scenes.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    expect(scenes[0]?.warnings).toEqual(['Recorded 3 of 5 planned positions.']);
  });
});

describe('date and time', () => {
  const clock = (date: string, timeAbsolute = 2460783.4854234606) => {
    const { date: day, time } = first({ text: textInfo(date), picture: picture({ channels, timeAbsolute }) });
    return [day, time];
  };

  it.each([
    ['4/17/2025  4:39:00 PM', '16:39:00'],
    ['17/04/2025  16:39:00', '16:39:00'],
    ['2025-04-17 16:39:00', '16:39:00'],
    ['17.4.2025 16:39:00', '16:39:00'],
  ])('%s', (text, time) => expect(clock(text)).toEqual(['20250417', time]));

  it('the order of day and month is that of the point in time of the first frame', () => {
    // 2025-04-05 and 2025-05-04, both at noon UTC.
    expect(clock('4/5/2025 12:00:00', 2460771)).toEqual(['20250405', '12:00:00']);
    expect(clock('4/5/2025 12:00:00', 2460800)).toEqual(['20250504', '12:00:00']);
  });

  it('are those of the first frame in UTC when there is no text', () => {
    const { text: _, ...rest } = timeSeries();
    const [scene] = openNd2(writeNd2(rest)).info.scenes;
    expect([scene?.date, scene?.time]).toEqual(['20250417', '23:39:00']);
    expect(scene?.warnings).toEqual([
      'The file shows no local time that can be read; date and time are those of the first frame in UTC.',
    ]);
  });
});
