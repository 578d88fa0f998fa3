import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { type FrameTime, framesToRead, timeEvidence } from '../../../packages/readers/src/formats/oif/frame-times.js';
import type { Step } from '../../../packages/readers/src/model/acquisition.js';
import { resolveAxis } from '../../../packages/readers/src/model/metadata/axes.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { framesAt, sections } from '../../support/oif.js';
import { tempFolder } from '../../support/temp.js';
import { writeOif } from '../../writers/oif.js';

const folder = tempFolder();
const SECOND: Step = { step: 1, unit: 'seconds', origin: 'file' };
const UNKNOWN: Step = { step: 1, unit: 'Frames', origin: 'default' };

function judge(seconds: readonly number[], stated = SECOND, count = seconds.length) {
  const times = seconds.map((value, frame) => ({ frame, milliseconds: 1000 * value }));
  return resolve(stated, times, count);
}

function resolve(stated: Step, times: readonly FrameTime[], count: number) {
  const notes = new Notes();
  const { step, coordinates } = resolveAxis('T', count, timeEvidence(stated, times, count), notes);
  const shown = [Number(step.step.toPrecision(12)), step.unit, step.origin];
  return { step: shown, warnings: notes.list(), coordinates };
}

describe('the T step of an OIF', () => {
  it.each([
    ['when the frame times agree with the axis', [0, 1, 2, 3], SECOND, [1, 'seconds', 'file'], []],
    ['when the last frame is where the axis has it', [0, 1.09, 2.0, 3.0], SECOND, [1, 'seconds', 'file'], []],
    ['when the axis has no time unit', [5, 6.5, 8], UNKNOWN, [1.5, 'seconds', 'file'], []],
    [
      'when the frames are uneven',
      [0, 1.248, 2.262, 3.26, 4.26],
      SECOND,
      [1.065, 'seconds', 'file'],
      [
        'The time points are 0.998 s to 1.248 s apart (median 1.007 s), by their frame times; the longest interval follows ' +
          'T = 0. The T step is the mean, 1.065 s; the coordinates have all values.',
        'T step: the T axis of the settings says 1 s, but the frame times are 1.065 s apart. Showing 1.065 s.',
      ],
    ],
    [
      'when the frames are even, but do not match the axis',
      [0, 2, 4, 6],
      SECOND,
      [2, 'seconds', 'file'],
      ['T step: the T axis of the settings says 1 s, but the frame times are 2 s apart. Showing 2 s.'],
    ],
    [
      'when the frame times are not in ascending order',
      [0, 2, 1],
      SECOND,
      [1, 'seconds', 'file'],
      ['The frame times are not in ascending order; the T step does not follow from them.'],
    ],
    ['when the frame times are all 0', [0, 0, 0], SECOND, [1, 'seconds', 'file'], []],
    ['when no frame has a time', [], UNKNOWN, [1, 'Frames', 'default'], []],
  ] as const)('is right %s', (_, seconds, stated, step, warnings) => {
    expect(judge(seconds, stated)).toMatchObject({ step, warnings });
  });

  it('is that of the axis when only one frame has a time', () => {
    expect(judge([3], SECOND, 4)).toEqual({ step: [1, 'seconds', 'file'], warnings: [], coordinates: undefined });
  });

  it('follows from every frame of a short series, and from pairs of neighbors in a long one', () => {
    expect(framesToRead(1)).toEqual([]);
    expect(framesToRead(3)).toEqual([0, 1, 2]);
    expect(framesToRead(64)).toHaveLength(64);
    const long = framesToRead(10_000);
    expect(long).toHaveLength(64);
    expect([long[0], long[1], long.at(-2), long.at(-1)]).toEqual([0, 1, 9998, 9999]);
    expect(long.every((frame, i) => i === 0 || frame > long[i - 1]!)).toBe(true);
  });

  it('puts the last frame where it was when a pause falls between two pairs', () => {
    const times = framesToRead(1000).map((frame) => ({
      frame,
      milliseconds: 1000 * frame + (frame > 500 ? 60_000 : 0),
    }));
    const { step, warnings, coordinates } = resolve(SECOND, times, 1000);
    expect(step[0]).toBeCloseTo(1059 / 999, 9);
    expect(warnings[0]).toBe(
      'The time points are not evenly spaced, judging by 64 of their 1,000 frame times. The T step is the mean, 1.06 s.',
    );
    // Only some of the times were read.
    expect(coordinates).toBeUndefined();
  });
});

describe('an OIF series', () => {
  it('has times when the properties of some frames are missing', async () => {
    const spec = { ...framesAt([0, 1000, 2000, 3000, 4500]), omit: ['s_C001T002.pty'] };
    const opened = await openAcquisition(writeOif(folder, { ...spec, name: 'uneven.oif' }));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.steps.T).toEqual({ step: 1.125, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings[0]).toContain('1 s to 1.5 s apart (median 1 s), by their frame times');
    expect(scene?.warnings).toContain('1 of 5 frame times is missing or not a number.');
    expect(Array.from(scene!.coordinates!.T!.values)).toEqual([0, Number.NaN, 2, 3, 4.5]);
    opened.close();
  });

  it('opens when its properties are corrupted', async () => {
    const opened = await openAcquisition(writeOif(folder, { ...framesAt([0, Number.NaN, 2000]), name: 'broken.oif' }));
    expect(opened.acquisition.info.scenes[0]?.steps.T).toEqual({ step: 1, unit: 'seconds', origin: 'file' });
    opened.close();
  });

  it('has rows along z when its frames are x–z sections', async () => {
    const opened = await openAcquisition(writeOif(folder, sections(3)));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 3, Z: 1, Y: 6, X: 4 });
    expect(scene?.steps).toMatchObject({ T: SECOND, Y: { step: 0.5, unit: 'micrometer', origin: 'file' } });
    expect(scene).toMatchObject({ rowAxis: 'z', warnings: [expect.stringContaining('x–z scan')] });
    opened.close();
  });
});
