import { describe, expect, it } from 'vitest';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type CziAttachment, dims, PIXEL_TYPES, timeStamps, writeCzi } from '../../writers/czi.js';
import { cziXml } from '../../writers/czi-kinds.js';

const folder = tempFolder();

interface Series {
  T?: number;
  Z?: number;
  dimensions?: string;
  /** Micrometers. */
  scalingZ?: number;
  attachments?: CziAttachment[];
}

async function open({ T = 1, Z = 1, dimensions = '', scalingZ, attachments = [] }: Series) {
  const blocks = Array.from({ length: T * Z }, (_, i) => ({
    dims: dims({ X: 2, Y: 2, T: [Math.floor(i / Z), 1] as const, Z: [i % Z, 1] as const }),
    pixelType: PIXEL_TYPES.Gray8,
    data: new Uint8Array(4),
  }));
  const um = { X: 0.5, Y: 0.5, ...(scalingZ === undefined ? {} : { Z: scalingZ }) };
  return openFiles(folder, { 'a.czi': writeCzi({ blocks, xml: cziXml({ um, dimensions }), attachments }) });
}

const interval = (axis: 'T' | 'Z', step: number) =>
  `<${axis}><Positions><Interval><Increment>${step}</Increment></Interval></Positions></${axis}>`;
const list = (axis: 'T' | 'Z', at: readonly number[]) =>
  `<${axis}><Positions><List><Offsets>${at.join(' ')}</Offsets></List></Positions></${axis}>`;

describe('coordinates of a CZI', () => {
  it('are the time stamps, which beat an increment that contradicts them', async () => {
    const opened = await open({ T: 4, dimensions: interval('T', 1), attachments: [timeStamps([100, 130, 160, 290])] });
    const { steps, coordinates, warnings } = opened.acquisition.info.scenes[0]!;
    opened.close();
    expect(steps.T.step).toBeCloseTo(190 / 3, 9);
    expect(coordinates?.T).toMatchObject({ unit: 'seconds', source: 'time stamps', uneven: true });
    expect(Array.from(coordinates!.T!.values)).toEqual([0, 30, 60, 190]);
    expect(warnings).toEqual([
      'The time points are 30 s to 130 s apart (median 30 s), by their time stamps; the longest interval follows T = 2. ' +
        'The T step is the mean, 63.33 s; the coordinates have all values.',
      'T step: `Increment` says 1 s, but the time stamps are 63.33 s apart. Showing 63.33 s.',
    ]);
  });

  it('are the listed offsets without time stamps, and contradict time stamps in words', async () => {
    const listed = await open({ T: 3, dimensions: list('T', [0, 60.075, 120.151]) });
    expect(listed.acquisition.info.scenes[0]!.coordinates?.T?.source).toBe('time offsets');
    expect(listed.acquisition.info.scenes[0]!.steps.T.step).toBe(120.151 / 2);
    listed.close();
    const both = await open({ T: 3, dimensions: list('T', [0, 60, 120]), attachments: [timeStamps([5, 15, 25])] });
    expect(both.acquisition.info.scenes[0]!.warnings).toEqual([
      'T step: the list of `Offsets` says 60 s, but the time stamps are 10 s apart. Showing 10 s.',
    ]);
    both.close();
  });

  it('say that scaling, increment and positions of Z differ', async () => {
    const nominal = await open({ Z: 3, scalingZ: 0.5, dimensions: interval('Z', 2) });
    expect(nominal.acquisition.info.scenes[0]!.steps.Z).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(nominal.acquisition.info.scenes[0]!.warnings).toEqual([
      'Z step: the scaling says 0.5 µm, but `Z/Positions` says 2 µm. Showing 0.5 µm.',
    ]);
    nominal.close();
    const measured = await open({ Z: 3, scalingZ: 0.5, dimensions: list('Z', [0, 2, 4]) });
    expect(measured.acquisition.info.scenes[0]!.steps.Z.step).toBe(2);
    expect(measured.acquisition.info.scenes[0]!.warnings).toEqual([
      'Z step: the scaling says 0.5 µm, but the Z positions are 2 µm apart. Showing 2 µm.',
    ]);
    measured.close();
  });

  it.each([
    ['NaN', [0, Number.NaN, 2, 3], 1, ['1 of 4 time stamps is missing or not a number.']],
    ['infinite', [0, Number.POSITIVE_INFINITY, 2, 3], 1, []],
    [
      'descending',
      [3, 2, 1, 0],
      7,
      ['The time stamps are not in ascending order; the T step does not follow from them.'],
    ],
    ['too few', [0, 1], 7, ['The file has 2 time stamps for 4 time points; they were ignored.']],
  ] as const)('open with time stamps that are %s', async (_, at, step, warnings) => {
    const opened = await open({
      T: 4,
      dimensions: step === 7 ? interval('T', 7) : '',
      attachments: [timeStamps(at)],
    });
    expect(opened.acquisition.info.scenes[0]!.steps.T.step).toBe(step);
    expect(opened.acquisition.info.scenes[0]!.warnings).toEqual(warnings);
    opened.close();
  });

  it('never contradict a setting without a word', async () => {
    await expectContradictionsSaid((step, at) =>
      open({ T: at.length, dimensions: interval('T', step), attachments: [timeStamps(at)] }),
    );
    await expectContradictionsSaid((step, at) => open({ Z: at.length, scalingZ: step, dimensions: list('Z', at) }), {
      axis: 'Z',
    });
  });
});
