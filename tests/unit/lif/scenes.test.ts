import { describe, expect, it } from 'vitest';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { FIELD, lineVector, openBytes, overview, rowsOf, seriesVector, stampsEvery } from '../../support/lif.js';
import { type LifElement, writeLif } from '../../writers/lif.js';

const open = (...elements: LifElement[]) => openBytes(writeLif({ elements }));
const sceneOf = async (...elements: LifElement[]) => (await open(...elements)).info.scenes[0];

describe('LIF scenes', () => {
  it('have unique names of folders and images, in file order', async () => {
    const { info } = await open(
      overview({ name: 'A' }),
      { name: 'Cell 1', elements: [lineVector({ name: 'B' }), overview({ name: 'A' }), overview({ name: 'A' })] },
      overview({ name: 'A' }),
    );
    expect(info.scenes.map(({ name }) => name)).toEqual(['A', 'Cell 1/B', 'Cell 1/A', 'Cell 1/A (2)', 'A (2)']);
  });

  it('include images inside images', async () => {
    const { info } = await open(overview({ name: 'Raw', children: [overview({ name: 'Deconvolved' })] }));
    expect(info.scenes.map(({ name }) => name)).toEqual(['Raw', 'Raw/Deconvolved']);
  });

  it('do not include photon data, which a warning names', async () => {
    const flim = { name: 'FLIM', kind: 'SingleMoleculeDetection', data: new Uint8Array(100) };
    const acquisition = await open(flim, lineVector(), { name: 'rois', kind: 'ROISet', data: new Uint8Array(9) });
    expect(acquisition.info.scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(acquisition.info.scenes[0]?.warnings).toEqual([
      'Only images are shown. Other data were skipped: FLIM (SingleMoleculeDetection).',
    ]);
    expect((await rowsOf(acquisition, 0, 1))[2]).toEqual([108, 109, 110, 111]);
  });

  it('do not include images of which nothing was recorded', async () => {
    const empty = overview({ name: 'Empty', data: new Uint8Array() });
    const scenes = (await open(empty, overview())).info.scenes;
    expect(scenes.map(({ name }) => name)).toEqual(['Overview']);
    expect(scenes[0]?.warnings).toEqual(['The image Empty was skipped: nothing was recorded.']);
    const unsized = await open(overview({ memorySize: 0 }));
    expect((await rowsOf(unsized, 0, 0))[6]).toEqual([60, 61, 62, 63, 64, 65, 66, 67, 68]);
    await expect(open(empty)).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it.each([
    [
      'overlapping dimensions',
      {
        dimensions: [
          { id: 1, count: 9, bytesInc: 1 },
          { id: 2, count: 7, bytesInc: 4 },
        ],
      },
      /overlap/,
    ],
    ['two channels at one offset', { channels: [{ bytesInc: 0 }, { bytesInc: 0 }] }, /same offset/],
    ['impossible bits', { channels: [{ bytesInc: 0, resolution: 65 }] }, /65 bits/],
    ['no entries', { dimensions: [{ id: 1, count: 0, bytesInc: 1 }] }, /0 entries/],
    ['no channels', { channels: [] }, /no channels/],
    ['entries at one offset', { dimensions: [{ id: 1, count: 9, bytesInc: 0 }] }, /0 bytes apart/],
    [
      'planes that are too large',
      { dimensions: [{ id: 1, count: 2 ** 40, bytesInc: 1 }] },
      /has 1 row of 1,099,511,627,776 pixels/,
    ],
  ])('do not include an image with %s', async (_, over, reason) => {
    const scene = await sceneOf(overview({ name: 'Bad', ...over }), lineVector());
    expect(scene?.name).toBe('Series001');
    expect(scene?.warnings).toEqual([expect.stringMatching(/^The image Bad was skipped: .*\.$/)]);
    expect(scene?.warnings[0]).toMatch(reason);
  });
});

describe('LIF channel names', () => {
  const detectors = (...active: string[]) =>
    '<DetectorList>' +
    active.map((isActive, i) => `<Detector Name="HyD ${i + 1}" Channel="${i + 1}" IsActive="${isActive}"/>`).join('') +
    '</DetectorList><Spectro><MultiBand Channel="1" DyeName="Leica/FITC"/><MultiBand Channel="3" DyeName=""/></Spectro>';
  const names = async (inside: string) => (await sceneOf(lineVector({ inside })))?.channels.map(({ name }) => name);

  it('are the dyes of the active detectors, or the detectors', async () => {
    expect(await names(detectors('1', '0', '1'))).toEqual(['FITC', 'HyD 3']);
  });

  it('are the color tables when detectors do not match the channels', async () => {
    expect(await names(detectors('1', '1', '1'))).toEqual(['Green', 'Red']);
  });

  it('are the dyes of the channels first', async () => {
    const channels = [
      { bytesInc: 0, resolution: 12, lut: 'Green', dye: 'Leica/ALEXA 488' },
      { bytesInc: 24, resolution: 12, lut: '' },
    ];
    expect((await sceneOf(lineVector({ channels })))?.channels.map(({ name }) => name)).toEqual(['ALEXA 488', 'CH2']);
  });
});

describe('LIF times', () => {
  const line = (length: string, unit: string, settings: Record<string, string>) =>
    lineVector({
      dimensions: [
        { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
        { id: 4, count: 3, length, unit, bytesInc: 8 },
      ],
      settings,
    });

  it('of lines come from the axis, with a warning when the scanner differs', async () => {
    const scene = await sceneOf(line('5.0e-3', 's', { LineTime: '0.00125' }));
    expect(scene?.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual([
      "Y step: the time axis says 0.0025 s, but the scanner's line time says 0.00125 s. Showing 0.0025 s.",
    ]);
    const averaged = await sceneOf(
      line('5.0e-3', 's', { LineTime: '0.00125', LineAverage: '2', Line_Accumulation: '1' }),
    );
    expect(averaged?.warnings).toEqual([]);
  });

  it('of lines use the more exact of two values that agree', async () => {
    // 30,000 lines at 700 Hz: Length is 42.85571428… s, written with seven digits. The file is truncated after three lines.
    const dimensions = [
      { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
      { id: 4, count: 30_000, length: '4.285571e+001', unit: 's', bytesInc: 16 },
    ];
    const channels = [
      { bytesInc: 0, resolution: 12 },
      { bytesInc: 8, resolution: 12 },
    ];
    const settings = { LineTime: '0.00142857142857143' };
    const scene = await sceneOf(lineVector({ dimensions, channels, settings, memorySize: 480_000 }));
    expect(scene?.sizes.Y).toBe(3);
    expect(scene?.steps.Y).toEqual({ step: 0.00142857142857143, unit: 'seconds', origin: 'file' });
    const alone = await sceneOf(lineVector({ dimensions, channels, settings: {}, memorySize: 480_000 }));
    expect(alone?.steps.Y.step).toBe(42.85571 / 29_999);
  });

  it('of lines come from the scanner when the axis has none', async () => {
    const scanned = await sceneOf(line('0', '', { LineTime: '0.00125', LineAverage: '4' }));
    expect(scanned?.steps.Y).toEqual({ step: 0.005, unit: 'seconds', origin: 'derived' });
    const silent = await sceneOf(line('0', '', {}));
    expect(silent?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(silent?.warnings).toEqual([
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    ]);
  });

  const series = (length: string, unit: string, stamps: string[]) => {
    const dimensions = seriesVector().dimensions.map((axis) => (axis.id === 4 ? { ...axis, length, unit } : axis));
    return seriesVector({ dimensions, stamps });
  };

  it('of frames come from the axis, or from the time stamps', async () => {
    expect((await sceneOf(series('1.5', 's', [])))?.steps.T).toEqual({ step: 1.5, unit: 'seconds', origin: 'file' });
    // 2 times × 3 depths × 2 channels; a frame each 0.5 s, so 3 frames take 1.5 s.
    const kilo = await sceneOf(series('0.0015', 'Ks', stampsEvery(6, 2, 0.5)));
    expect(kilo?.steps.T).toEqual({ step: 1.5, unit: 'seconds', origin: 'derived' });
    const ignored = 'T step: the unit "Ks" of the time axis is not a known unit of time; it was ignored.';
    expect(kilo?.warnings).toEqual([ignored]);
    const neither = await sceneOf(series('0.0015', 'Ks', []));
    expect(neither?.steps.T.unit).toBe('Frames');
    expect(neither?.warnings).toEqual([ignored, 'The file does not contain the frame interval; T is in frames.']);
  });

  it('of frames are those of the time stamps, with a warning when the axis differs', async () => {
    const scene = await sceneOf(series('3', 's', stampsEvery(6, 2, 0.5)));
    expect(scene?.steps.T).toEqual({ step: 1.5, unit: 'seconds', origin: 'derived' });
    expect(scene?.warnings).toEqual([
      'T step: the time axis says 3 s, but the time stamps are 1.5 s apart. Showing 1.5 s.',
    ]);
    expect(scene?.coordinates?.T).toMatchObject({ source: 'time stamps', uneven: false });
    expect(Array.from(scene!.coordinates!.T!.values)).toEqual([0, 1.5]);
  });

  it('of uneven frames, and of those that contradict the axis, are never served without a word', async () => {
    const at = (seconds: readonly number[], length: number) =>
      open({
        ...seriesVector({
          channels: [{ resolution: 8, bytesInc: 0 }],
          dimensions: [
            { id: 1, count: 2, length: '1e-6', bytesInc: 1 },
            { id: 2, count: 2, length: '1e-6', bytesInc: 2 },
            { id: 4, count: seconds.length, length: String(length), unit: 's', bytesInc: 4 },
          ],
          stamps: seconds.map((value) => (BigInt(Math.round(value * 1e7)) + 0x1d711143c000000n).toString(16)),
          data: new Uint8Array(4 * seconds.length),
        }),
      });
    const uneven = await at([0, 1, 2, 9], 3);
    expect(uneven.info.scenes[0]?.warnings).toEqual([
      'The time points are 1 s to 7 s apart (median 1 s), by their time stamps; the longest interval follows T = 2. ' +
        'The T step is the mean, 3 s; the coordinates have all values.',
      'T step: the time axis says 1 s, but the time stamps are 3 s apart. Showing 3 s.',
    ]);
    await expectContradictionsSaid(async (step, seconds) => ({
      acquisition: await at(seconds, step * (seconds.length - 1)),
      close: () => {},
    }));
  });
});

describe('the LIF reference image', () => {
  const line = (settings: Record<string, string> = {}) =>
    lineVector({ settings: { ScanMode: 'xt', LineTime: '0.0025', ...FIELD, ...settings } });

  it('is the frame of the same field, with the line through its middle', async () => {
    const acquisition = await open(overview(), line());
    const [frame, scan] = acquisition.info.scenes;
    expect(frame?.reference).toBeNull();
    expect(scan?.reference).toMatchObject({
      sampleType: 'uint8',
      sizes: { Y: 7, X: 9 },
      channels: [{ name: 'Green' }],
      scanPath: null,
    });
    expect(scan?.reference?.steps.X.step).toBeCloseTo(2, 12);
    // 0.6 µm of 16 µm over 8 intervals: 0.3 pixels, about pixel 4 of row 3.
    const [x0, y0, x1, y1] = scan?.reference?.lineRoi ?? [];
    expect([y0, y1]).toEqual([3, 3]);
    expect(x0).toBeCloseTo(3.85, 12);
    expect(x1).toBeCloseTo(4.15, 12);
    expect(scan?.warnings).toHaveLength(1);
    const target = new NativeTarget('uint8', 7, 9);
    await acquisition.readReference?.(1, 0, target);
    expect(Array.from(target.data, Number).slice(9, 18)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18]);
  });

  it('covers the whole width at the same zoom', async () => {
    const dimensions = [
      { id: 1, count: 4, length: '1.6e-5', bytesInc: 2 },
      { id: 4, count: 3, length: '5.0e-3', unit: 's', bytesInc: 8 },
    ];
    const { info } = await open(overview(), { ...line(), dimensions });
    expect(info.scenes[1]?.reference?.lineRoi).toEqual([0, 3, 8, 3]);
  });

  it('is the nearest earlier frame', async () => {
    const acquisition = await open(
      overview({ name: 'first' }),
      overview({ name: 'second', data: new Uint8Array(63).fill(9) }),
      line(),
    );
    const target = new NativeTarget('uint8', 7, 9);
    await acquisition.readReference?.(2, 0, target);
    expect(target.data[0]).toBe(9);
  });

  it.each([
    ['another stage position', { StagePosX: '0.0346' }],
    ['another pan', { PanSecondDim: '0' }],
    ['another rotation', { RotatorAngle: '12.5' }],
    ['another focus', { ZPosition: '2.5E-06' }],
    ['another objective', { ObjectiveNumber: '1', ObjectiveName: 'x' }],
    ['another orientation', { SwapXY: '0' }],
  ])('is missing after %s', async (_, settings) => {
    expect((await open(overview(), line(settings))).info.scenes[1]?.reference).toBeNull();
  });

  it('is never from another folder, recorded later, or without settings', async () => {
    const apart = await open({ name: 'f', elements: [overview()] }, line());
    expect(apart.info.scenes[1]?.reference).toBeNull();
    expect((await open(line(), overview())).info.scenes[0]?.reference).toBeNull();
    const { settings: _, ...bare } = overview();
    expect((await open(bare, line())).info.scenes[1]?.reference).toBeNull();
  });
});
