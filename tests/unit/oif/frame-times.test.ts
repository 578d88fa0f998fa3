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
  const warnings: string[] = [];
  const times = seconds.map((value, frame) => ({ frame, milliseconds: 1000 * value }));
  const { step, unit, origin } = frameStep(stated, times, warnings);
  return { step: [Number(step.toPrecision(12)), unit, origin], warnings };
}

describe('the times of frames', () => {
  it.each([
    ['agree with the axis', [0, 1, 2, 3], SECOND, [1, 'seconds', 'file'], []],
    ['within a tenth', [0, 1.09, 2.0, 3.0], SECOND, [1, 'seconds', 'file'], []],
    ['are the only word', [5, 6.5, 8], UNKNOWN, [1.5, 'seconds', 'derived'], []],
    [
      'are not regular',
      [0, 1.248, 2.262, 3.26, 4.26],
      SECOND,
      [1.014, 'seconds', 'derived'],
      ['The frame times are not regular: from 0.998 to 1.248 s apart; their median is served as the step.'],
    ],
    [
      'are regular, but not those of the axis',
      [0, 2, 4, 6],
      SECOND,
      [2, 'seconds', 'derived'],
      ['The settings say 1 s per frame, but the frames are 2 s apart, which is served.'],
    ],
    [
      'do not ascend',
      [0, 2, 1],
      SECOND,
      [1, 'seconds', 'file'],
      ['The times of the frames do not ascend; they were ignored.'],
    ],
    ['were not written', [0, 0, 0], SECOND, [1, 'seconds', 'file'], []],
    ['are those of one frame', [3], SECOND, [1, 'seconds', 'file'], []],
    ['are missing', [], UNKNOWN, [1, 'Frames', 'default'], []],
  ] as const)('%s', (_, seconds, stated, step, warnings) => {
    expect(judge(seconds, stated)).toEqual({ step, warnings });
  });

  it('are read of every frame of a short series, and of pairs of neighbors of a long one', () => {
    expect(framesToRead(1)).toEqual([]);
    expect(framesToRead(3)).toEqual([0, 1, 2]);
    expect(framesToRead(64)).toHaveLength(64);
    const long = framesToRead(10_000);
    expect(long).toHaveLength(64);
    expect([long[0], long[1], long.at(-2), long.at(-1)]).toEqual([0, 1, 9998, 9999]);
    expect(long.every((frame, i) => i === 0 || frame > (long[i - 1] as number))).toBe(true);
  });

  it('find a pause between the places that are looked at', () => {
    const times = framesToRead(1000).map((frame) => ({
      frame,
      milliseconds: 1000 * frame + (frame > 500 ? 60_000 : 0),
    }));
    const warnings: string[] = [];
    expect(frameStep(SECOND, times, warnings).step).toBe(1);
    expect(warnings).toHaveLength(1);
  });
});

describe('a series of an OIF', () => {
  it('knows its times without the properties of some of its frames', async () => {
    const spec = { ...framesAt([0, 1000, 2000, 3000, 4500]), omit: ['s_C001T002.pty'] };
    const opened = await openAcquisition(writeOif(folder, { ...spec, name: 'uneven.oif' }));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.steps.T).toEqual({ step: 1, unit: 'seconds', origin: 'derived' });
    expect(scene?.warnings).toEqual([
      'The frame times are not regular: from 1 to 1.5 s apart; their median is served as the step.',
    ]);
    opened.close();
  });

  it('opens when its properties are corrupted', async () => {
    const opened = await openAcquisition(writeOif(folder, { ...framesAt([0, Number.NaN, 2000]), name: 'broken.oif' }));
    expect(opened.acquisition.info.scenes[0]?.steps.T).toEqual({ step: 1, unit: 'seconds', origin: 'file' });
    opened.close();
  });

  it('of x–z sections has rows along z', async () => {
    const opened = await openAcquisition(writeOif(folder, sections(3)));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 3, Z: 1, Y: 6, X: 4 });
    expect(scene?.steps).toMatchObject({ T: SECOND, Y: { step: 0.5, unit: 'micrometer', origin: 'file' } });
    expect(scene).toMatchObject({ rowAxis: 'z', warnings: [expect.stringContaining('x–z scan')] });
    opened.close();
  });
});
