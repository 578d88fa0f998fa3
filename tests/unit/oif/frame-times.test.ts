import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/acquisition.js';
import { frameStep, framesToRead } from '../../../src/formats/oif/frame-times.js';
import { openAcquisition } from '../../../src/open.js';
import { framesAt, sections } from '../../support/oif.js';
import { tempFolder } from '../../support/temp.js';
import { writeOif } from '../../writers/oif.js';

const folder = tempFolder();
const SECOND: Step = { step: 1, unit: 'seconds', origin: 'file' };
const UNKNOWN: Step = { step: 1, unit: 'Frames', origin: 'default' };

function judge(seconds: readonly number[], stated = SECOND) {
  const times = seconds.map((value, frame) => ({ frame, milliseconds: 1000 * value }));
  const { step, warning } = frameStep(stated, times);
  return { step: [Number(step.step.toPrecision(12)), step.unit, step.origin], warnings: warning ? [warning] : [] };
}

describe('the T step of an OIF', () => {
  it.each([
    ['when the frame times agree with the axis', [0, 1, 2, 3], SECOND, [1, 'seconds', 'file'], []],
    ['when the frame times differ by less than a tenth', [0, 1.09, 2.0, 3.0], SECOND, [1, 'seconds', 'file'], []],
    ['when the axis has no time unit', [5, 6.5, 8], UNKNOWN, [1.5, 'seconds', 'derived'], []],
    [
      'when the frames are irregular',
      [0, 1.248, 2.262, 3.26, 4.26],
      SECOND,
      [1.014, 'seconds', 'derived'],
      ['Frames are between 0.998 and 1.248 s apart. The T step is the median, 1.014 s.'],
    ],
    [
      'when the frames are regular, but do not match the axis',
      [0, 2, 4, 6],
      SECOND,
      [2, 'seconds', 'derived'],
      ['The settings say 1 s per frame, but the frames are 2 s apart. Showing 2 s.'],
    ],
    [
      'when the frame times are not in ascending order',
      [0, 2, 1],
      SECOND,
      [1, 'seconds', 'file'],
      ['The frame times are not in ascending order; they were ignored.'],
    ],
    ['when the frame times are all 0', [0, 0, 0], SECOND, [1, 'seconds', 'file'], []],
    ['when only one frame has a time', [3], SECOND, [1, 'seconds', 'file'], []],
    ['when no frame has a time', [], UNKNOWN, [1, 'Frames', 'default'], []],
  ] as const)('is right %s', (_, seconds, stated, step, warnings) => {
    expect(judge(seconds, stated)).toEqual({ step, warnings });
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

  it('is the median when a pause falls between two pairs', () => {
    const times = framesToRead(1000).map((frame) => ({
      frame,
      milliseconds: 1000 * frame + (frame > 500 ? 60_000 : 0),
    }));
    const { step, warning } = frameStep(SECOND, times);
    expect(step.step).toBe(1);
    expect(warning).toMatch(/^Frames are between 1 and .* s apart/);
  });
});

describe('an OIF series', () => {
  it('has times when the properties of some frames are missing', async () => {
    const spec = { ...framesAt([0, 1000, 2000, 3000, 4500]), omit: ['s_C001T002.pty'] };
    const opened = await openAcquisition(writeOif(folder, { ...spec, name: 'uneven.oif' }));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.steps.T).toEqual({ step: 1, unit: 'seconds', origin: 'derived' });
    expect(scene?.warnings).toEqual(['Frames are between 1 and 1.5 s apart. The T step is the median, 1 s.']);
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
