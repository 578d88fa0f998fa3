import { describe, expect, it } from 'vitest';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane, servedReference } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type OirSpec, writeOir } from '../../writers/oir.js';
import {
  colourImage,
  kymograph,
  kymographSample,
  lambdaScan,
  lineScan,
  referenceSample,
  stillImage,
  timeDepthSeries,
  timeSeries,
  wideKymograph,
} from '../../writers/oir-kinds.js';

const folder = tempFolder();

async function open(spec: OirSpec) {
  const opened = await openFiles(folder, { 'a.oir': writeOir(spec) });
  const [scene] = opened.acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return { opened, scene };
}

describe('an OIR line scan', () => {
  it('serves all 30,000 lines of 24 pixels, their period, and the overview with the line', async () => {
    const { opened, scene } = await open(kymograph());
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 30_000, X: 24 });
    expect(scene.sampleType).toBe('uint16');
    expect(scene.steps.Y).toEqual({ step: 0.001142, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.274, unit: 'micrometer', origin: 'file' });
    expect(scene.channels).toEqual([{ name: 'CH1' }]);
    expect([scene.date, scene.time]).toEqual(['20250728', '15:36:14']);
    expect(scene.warnings).toEqual([]);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(30_000, 24, (y, x) => kymographSample(0, y, x)),
    );
    expect(scene.reference?.sizes).toEqual({ Y: 512, X: 512 });
    expect(scene.reference?.lineRoi).toEqual([250, 236, 244, 214]);
    expect(scene.reference?.scanPath).toEqual({ x: [250, 244], y: [236, 214] });
    expect(scene.reference?.steps.X).toEqual({ step: 0.274, unit: 'micrometer', origin: 'file' });
    expect(scene.reference?.steps.Y).toEqual({ step: 0.274, unit: 'micrometer', origin: 'file' });
    expectSamePlane(
      await servedReference(opened),
      expectedPlane(512, 512, (y, x) => referenceSample(0, y, x)),
    );
    opened.close();
  });

  it('serves 20,000 lines of 74 pixels and an overview of 2048 × 2048', async () => {
    const { opened, scene } = await open(wideKymograph());
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 20_000, X: 74 });
    expect(scene.steps.Y.step).toBe(0.002118);
    expect(scene.reference?.sizes).toEqual({ Y: 2048, X: 2048 });
    expect(scene.reference?.lineRoi).toEqual([369, 920, 324, 977]);
    const data = await servedPlane(opened);
    expect(data[19_999 * 74 + 73]).toBe(kymographSample(0, 19_999, 73));
    expect(scene.warnings).toEqual([]);
    opened.close();
  });

  it('is recognized with fewer lines than a frame when the planned time points are its lines', async () => {
    const { opened, scene } = await open(lineScan(300, 24, 512));
    expect(scene.sizes.Y).toBe(300);
    expect(scene.steps.Y).toEqual({ step: 0.001142, unit: 'seconds', origin: 'file' });
    opened.close();
  });

  it('is recognized when stopped early, and says how many lines were planned', async () => {
    const { acquiredAxes = [] } = kymograph();
    const { opened, scene } = await open(lineScan(300, 24, 512, { acquiredAxes }));
    expect(scene.sizes.Y).toBe(300);
    expect(scene.steps.Y.unit).toBe('seconds');
    expect(scene.warnings).toEqual(['Only 300 of 30,000 planned lines were recorded.']);
    opened.close();
  });

  it('is distinguished from a series stopped after one frame by the speed of the scanner', async () => {
    const stopped = { ...timeSeries(1, 16), acquiredAxes: [], plannedAxes: timeSeries(16, 16).acquiredAxes ?? [] };
    const frame = await open(stopped);
    expect(frame.scene.sizes).toEqual({ T: 1, Z: 1, Y: 16, X: 16 });
    expect(frame.scene.steps.Y.unit).toBe('micrometer');
    expect(frame.scene.warnings).toEqual(['Only 1 of 16 planned time points were recorded.']);
    frame.opened.close();
    const lines = await open(lineScan(16, 24, 16));
    expect(lines.scene.steps.Y).toEqual({ step: 0.001142, unit: 'seconds', origin: 'file' });
    lines.opened.close();
  });

  it('shows every line of the file when it says fewer', async () => {
    const { acquiredAxes = [] } = lineScan(700, 24, 512);
    const { opened, scene } = await open(lineScan(1000, 24, 512, { acquiredAxes }));
    expect(scene.sizes.Y).toBe(1000);
    expect(scene.warnings).toEqual(['The file says 700 lines, but has 1,000. Showing 1,000.']);
    opened.close();
  });

  it('has the line period of any scanner when the one in use is not named', async () => {
    const { opened, scene } = await open(lineScan(1000, 24, 512, { scannerType: 'Other' }));
    expect(scene.steps.Y.step).toBe(0.001142);
    opened.close();
  });

  it('has the line speed as its period when the series interval is missing', async () => {
    const scanners = [{ type: 'Galvano', width: 512, height: 512, lineSpeed: 2.5, seriesInterval: 0 }];
    const { opened, scene } = await open(lineScan(1000, 24, 512, { scanners }));
    expect(scene.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    opened.close();
  });

  it('derives the line period from the time axis when no scanner is described', async () => {
    const { opened, scene } = await open(lineScan(1000, 24, 512, { scanners: [] }));
    expect(scene.steps.Y.step).toBeCloseTo(0.001142, 12);
    expect(scene.steps.Y.origin).toBe('derived');
    opened.close();
  });

  it('has lines in pixels, with a warning, when the line period is missing', async () => {
    const { opened, scene } = await open(lineScan(1000, 24, 512, { scanners: [], acquiredAxes: [] }));
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene.warnings).toEqual([
      expect.stringMatching(/^The file does not contain the line period, so the time axis is in pixels\./),
    ]);
    opened.close();
  });
});

describe('the scan path of an OIR line scan', () => {
  const segments = (points: [number, number][]) =>
    points
      .slice(1)
      .map(([x, y], i) => `<base:coordinates x1="${points[i]?.[0]}" y1="${points[i]?.[1]}" x2="${x}" y2="${y}"/>`)
      .join('');

  it('follows a polyline of consecutive segments', async () => {
    const region = `<lsmimage:region>${segments([
      [10, 10],
      [22, 10],
      [22, 22],
      [30.5, 28],
    ])}</lsmimage:region>`;
    const { opened, scene } = await open(lineScan(600, 36, 64, { region }));
    expect(scene.reference?.scanPath).toEqual({ x: [10, 22, 22, 30.5], y: [10, 10, 22, 28] });
    expect(scene.reference?.lineRoi).toEqual([10, 10, 30.5, 28]);
    expect(scene.warnings).toEqual([]);
    opened.close();
  });

  it.each([
    ['attributes', (x: number, y: number) => `<base:point x="${x}" y="${y}"/>`],
    ['elements', (x: number, y: number) => `<base:point><base:x>${x}</base:x><base:y>${y}</base:y></base:point>`],
  ])('follows a free line given as points in %s', async (_, point) => {
    const points = [
      [1, 2],
      [3, 4.25],
      [6, 4],
      [9, 9],
    ]
      .map(([x, y]) => point(x ?? 0, y ?? 0))
      .join('');
    const region = `<lsmimage:region><base:coordinates>${points}</base:coordinates></lsmimage:region>`;
    const { opened, scene } = await open(lineScan(600, 12, 64, { region }));
    expect(scene.reference?.scanPath).toEqual({ x: [1, 3, 6, 9], y: [2, 4.25, 4, 9] });
    opened.close();
  });

  it('is the first of several separate lines', async () => {
    const region = `<a>${segments([
      [0, 0],
      [23, 0],
    ])}${segments([
      [40, 40],
      [50, 50],
    ])}</a>`;
    const { opened, scene } = await open(lineScan(600, 24, 64, { region }));
    expect(scene.reference?.scanPath).toEqual({ x: [0, 23], y: [0, 0] });
    opened.close();
  });

  it('has a warning when the file contains only the ends of a line that is longer than their distance', async () => {
    const region = `<a>${segments([
      [0, 0],
      [10, 0],
    ])}</a>`;
    const { opened, scene } = await open(lineScan(600, 24, 64, { region }));
    expect(scene.warnings.join()).toMatch(/seems to be bent, but the file contains only its ends/);
    opened.close();
  });

  it('is null without coordinates, and with coordinates that are not numbers', async () => {
    for (const region of ['', '<a><base:coordinates x1="" y1="a" x2="1" y2="2"/></a>']) {
      const { opened, scene } = await open(lineScan(600, 24, 64, { region }));
      expect([scene.reference?.lineRoi, scene.reference?.scanPath]).toEqual([null, null]);
      opened.close();
    }
  });
});

describe('the reference image of an OIR file', () => {
  it('has no scan line when the recording has frames, whose regions have coordinates too', async () => {
    const { region = '', reference } = lineScan(16, 24, 16);
    const { opened, scene } = await open({ ...timeDepthSeries(16), region, reference: reference as never });
    expect(scene.reference?.sizes).toEqual({ Y: 16, X: 16 });
    expect([scene.reference?.lineRoi, scene.reference?.scanPath]).toEqual([null, null]);
    opened.close();
  });

  const rectangular = (options: Partial<OirSpec['reference']>) =>
    lineScan(600, 24, 64, {
      reference: { width: 48, height: 20, sample: referenceSample, bandBytes: 100, ...options } as never,
      scanners: [{ type: 'Galvano', width: 48, height: 20, lineSpeed: 1, seriesInterval: 1 }],
    });

  it.each([
    ['its own definition', rectangular({ defined: true }), [20, 48]],
    ['the full frame of the scanner', rectangular({}), [20, 48]],
    ['the width of the recording', { ...rectangular({}), scanners: [] }, [40, 24]],
  ])('has the size of %s', async (_, spec, [rows, columns]) => {
    const { opened, scene } = await open(spec);
    expect(scene.reference?.sizes).toEqual({ Y: rows, X: columns });
    const data = await servedReference(opened);
    expect(data[data.length - 1]).toBe(referenceSample(0, 19, 47));
    opened.close();
  });

  it('is skipped with a warning when its width and height are unknown', async () => {
    const { opened, scene } = await open({ ...rectangular({ width: 49, height: 19 }), scanners: [] });
    expect(scene.reference).toBeNull();
    expect(scene.warnings.join()).toMatch(
      /The reference image was skipped: its width and height are unknown \(1,862 bytes\)/,
    );
    opened.close();
  });
});

describe('an OIR file of frames', () => {
  it('has T5 Z8 C2 in the order of its plane names', async () => {
    const { opened, scene } = await open(timeDepthSeries(64));
    expect(scene.sizes).toEqual({ T: 5, Z: 8, Y: 64, X: 64 });
    expect(scene.channels).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
    expect(scene.steps.T).toEqual({ step: 30, unit: 'seconds', origin: 'file' });
    expect(scene.steps.Z).toEqual({ step: 0.4, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.621, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 0.311, unit: 'micrometer', origin: 'file' });
    expect(scene.reference).toBeNull();
    expect(scene.warnings).toEqual([]);
    for (const [channel, t, z] of [
      [0, 0, 0],
      [1, 4, 7],
      [1, 2, 0],
      [0, 0, 5],
    ] as const) {
      const expected = expectedPlane(64, 64, (y, x) => (channel * 2000 + t * 300 + z * 20 + y + x) % 4096);
      expectSamePlane(await servedPlane(opened, { channel, t, z }), expected);
    }
    opened.close();
  });

  it('reads three channels of 8 bits', async () => {
    const { opened, scene } = await open(stillImage());
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 1024, X: 1024 });
    expect(scene.sampleType).toBe('uint8');
    expect(scene.channels.map(({ name }) => name)).toEqual(['CH1', 'CH2', 'CH3']);
    expectSamePlane(
      await servedPlane(opened, { channel: 2 }),
      expectedPlane(1024, 1024, (y, x) => (100 + y + x) % 256),
    );
    opened.close();
  });

  it.each([
    ['a plane of 16-bit size', '<base:depth>0</base:depth>', 'uint16'],
    ['8 bits', '<base:depth>1</base:depth>', 'uint8'],
  ])('has the bytes per sample of %s', async (_, depth, sampleType) => {
    const wide = depth.includes('0');
    const spec = { ...stillImage(16), depth: wide ? (2 as const) : (1 as const) };
    const text = new TextDecoder('latin1').decode(writeOir(spec));
    const open = await openFiles(folder, {
      'a.oir': Uint8Array.from(text.replaceAll(/<base:depth>\d<\/base:depth>/g, depth), (c) => c.charCodeAt(0)),
    });
    expect(open.acquisition.info.scenes[0]?.sampleType).toBe(sampleType);
    open.close();
  });

  it('is refused with samples of three bytes', async () => {
    const text = new TextDecoder('latin1').decode(writeOir(stillImage(16)));
    const bytes = Uint8Array.from(text.replaceAll('<base:depth>1<', '<base:depth>3<'), (c) => c.charCodeAt(0));
    await expect(openFiles(folder, { 'a.oir': bytes })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: 'a.oir has 3 bytes per sample; only 1, 2 and 4 are supported',
    });
  });

  it('reads 32-bit floats', async () => {
    const { opened, scene } = await open({ ...stillImage(20), depth: 4, sample: (c, _, y, x) => c + y / 8 - x / 4 });
    expect(scene.sampleType).toBe('float32');
    expectSamePlane(
      await servedPlane(opened, { channel: 1 }),
      expectedPlane(20, 20, (y, x) => 1 + y / 8 - x / 4),
    );
    opened.close();
  });

  it('shows the colors of a camera as channels', async () => {
    const { opened, scene } = await open(colourImage());
    expect(scene.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
    expectSamePlane(
      await servedPlane(opened, { channel: 1 }),
      expectedPlane(32, 32, (y, x) => (50 + y + x) % 256),
    );
    opened.close();
  });

  it('shows wavelengths as channels, with a warning', async () => {
    const { opened, scene } = await open(lambdaScan());
    expect(scene.sizes).toEqual({ T: 1, Z: 4, Y: 16, X: 16 });
    expect(scene.channels).toHaveLength(10);
    expect(scene.channels[7]).toEqual({ name: 'CH2 520 nm' });
    expect(scene.steps.Z).toEqual({ step: 1, unit: 'micrometer', origin: 'file' });
    expectSamePlane(
      await servedPlane(opened, { channel: 7, z: 3 }),
      expectedPlane(16, 16, (y, x) => 2000 + 2 * 300 + 3 * 20 + y + x),
    );
    expect(scene.warnings).toEqual([
      'This is a wavelength scan: 2 channels at 5 wavelengths are shown as 10 channels.',
    ]);
    opened.close();
  });

  it('reads 1,200 time points across the fourth digit of their names', async () => {
    const { opened, scene } = await open(timeSeries(1200, 8));
    expect(scene.sizes).toEqual({ T: 1200, Z: 1, Y: 8, X: 8 });
    expect(scene.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'file' });
    for (const t of [0, 998, 999, 1199]) {
      expectSamePlane(
        await servedPlane(opened, { t }),
        expectedPlane(8, 8, (y, x) => (t * 11 + y + x) % 4096),
      );
    }
    opened.close();
  });

  it('reads frames without separators between them', async () => {
    const { opened, scene } = await open({ ...timeDepthSeries(16), separators: false });
    expect(scene.sizes).toEqual({ T: 5, Z: 8, Y: 16, X: 16 });
    expectSamePlane(
      await servedPlane(opened, { channel: 1, t: 3, z: 2 }),
      expectedPlane(16, 16, (y, x) => 2000 + 900 + 40 + y + x),
    );
    opened.close();
  });

  it('reads bands that begin and end inside lines and samples', async () => {
    const { opened } = await open({ ...timeDepthSeries(37), bandBytes: 101 });
    expectSamePlane(
      await servedPlane(opened, { channel: 1, t: 3, z: 2 }),
      expectedPlane(37, 37, (y, x) => 2000 + 900 + 40 + y + x),
    );
    opened.close();
  });

  it('has the mean interval as T step when the times are uneven', async () => {
    const times = [0, 1000, 2500];
    const { opened, scene } = await open({
      ...timeSeries(3, 8),
      positions: ({ t }) => ({ TIMELAPSE: times[t]! }),
    });
    expect(scene.steps.T).toEqual({ step: 1.25, unit: 'seconds', origin: 'file' });
    expect(Array.from(scene.coordinates!.T!.values)).toEqual([0, 1, 2.5]);
    expect(scene.warnings).toEqual([
      'The time points are 1 s to 1.5 s apart (median 1.25 s), by their frame times; the longest interval follows T = 1. ' +
        'The T step is the mean, 1.25 s; the coordinates have all values.',
      'T step: the `TIMELAPSE` axis says 0.5 s, but the frame times are 1.25 s apart. Showing 1.25 s.',
    ]);
    opened.close();
  });

  it('has the interval of the scanner as T step when neither an axis nor frames have times', async () => {
    const scanners = [{ type: 'Galvano', width: 8, height: 8, lineSpeed: 1, seriesInterval: 1250 }];
    const { positions: _, ...series } = timeSeries(3, 8);
    const { opened, scene } = await open({ ...series, scanners, acquiredAxes: [] });
    expect(scene.sizes.T).toBe(3);
    expect(scene.steps.T).toEqual({ step: 1.25, unit: 'seconds', origin: 'file' });
    opened.close();
  });

  it('never shows a step that the positions of its frames contradict without a word', async () => {
    await expectContradictionsSaid(
      async (step, at) => {
        const axes = [{ type: 'TIMELAPSE' as const, start: 0, end: 0, step: 1000 * step, maxSize: at.length }];
        const spec = { ...timeSeries(at.length, 4), acquiredAxes: axes };
        return (await open({ ...spec, positions: ({ t }) => ({ TIMELAPSE: 1000 * at[t]! + 50 }) })).opened;
      },
      { count: 3 },
    );
    await expectContradictionsSaid(
      async (step, at) => {
        const axes = [{ type: 'ZSTACK' as const, start: 0, end: 0, step: -step, maxSize: at.length }];
        const spec = { ...timeDepthSeries(4), t: 0, z: at.length, acquiredAxes: axes };
        return (await open({ ...spec, positions: ({ z }) => ({ ZSTACK: 6115 - at[z]! }) })).opened;
      },
      { axis: 'Z', count: 2 },
    );
  });

  it.each([
    ['NANO_METER', 621, 0.621],
    ['MILLI_METER', 0.000621, 0.621],
    ['METER', 6.21e-7, 0.621],
  ])('converts pixel sizes in %s', async (unit, lengthX, step) => {
    const { opened, scene } = await open({ ...stillImage(8), unit, lengthX, lengthY: lengthX });
    expect(scene.steps.X.step).toBeCloseTo(step, 9);
    expect(scene.steps.Y.unit).toBe('micrometer');
    opened.close();
  });

  it('has no calibration when the pixel sizes are invalid', async () => {
    const { opened, scene } = await open({ ...stillImage(8), lengthX: -1, lengthY: 0 });
    expect(scene.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene.warnings).toHaveLength(2);
    opened.close();
  });

  it('does not show the default date of the software', async () => {
    const { opened, scene } = await open({ ...stillImage(8), created: '2003-12-24T00:00:00.000+09:00' });
    // The frame has its own date.
    expect([scene.date, scene.time]).toEqual(['20250728', '15:36:15']);
    opened.close();
  });
});
