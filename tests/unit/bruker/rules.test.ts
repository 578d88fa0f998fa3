import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultStep } from '../../../packages/readers/src/model/metadata/steps.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import {
  lineScan,
  NAME,
  plane,
  planeName,
  RASTER,
  SCAN,
  STRAIGHT,
  sample,
  series,
  source,
  withFrame,
} from '../../support/bruker.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { type BrukerSpec, type BrukerState, writeBruker } from '../../writers/bruker.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'scan-'));

async function sceneFrom(spec: BrukerSpec, at = folder(), index = 0) {
  const opened = await openAcquisition(writeBruker(at, spec));
  opened.close();
  return sceneOf(opened, index);
}

describe('the line period of Prairie View', () => {
  const { scanLinePeriod: _, ...without } = SCAN;

  it('is that of the sequence when the frame has none', async () => {
    const spec = withFrame(lineScan(), { state: without });
    const sequences = spec.sequences.map((one) => ({ ...one, state: { scanLinePeriod: 0.004 } }));
    expect((await sceneFrom({ ...spec, sequences })).steps.Y).toEqual({ step: 0.004, unit: 'seconds', origin: 'file' });
  });

  it('is that of the profile beside it when the XML has none', async () => {
    const at = folder();
    writeFileSync(
      join(at, `${NAME}_Cycle00001_LineProfileData.csv`),
      'Prof 1 Time(ms), Prof 1,Prof 2 Time(ms), Prof 2\r\n0, 100, 0, 3\r\n8.552, 101, 8.552, 3\r\n17.104, 99, 17.104, 4\r\nNaN, NaN, NaN, NaN\r\n',
    );
    const scene = await sceneFrom(withFrame(lineScan(), { state: without }), at);
    expect(scene.steps.Y).toMatchObject({ unit: 'seconds', origin: 'sidecar' });
    expect(scene.steps.Y.step).toBeCloseTo(0.008552, 12);
    expect(scene.warnings).toEqual([expect.stringContaining('LineProfileData.csv')]);
  });

  it('is not read from a profile outside the folder', async () => {
    const line = STRAIGHT.replace('/>', '/><LineScanProfiles DataFile="C:\\\\data\\\\profile.csv"/>');
    const spec = withFrame(lineScan(), { state: without });
    const scene = await sceneFrom({ ...spec, sequences: spec.sequences.map((one) => ({ ...one, line })) });
    expect(scene.steps.Y).toMatchObject({ unit: 'seconds', origin: 'derived' });
  });

  it('is the frame period divided by the lines, else that of the raster image', async () => {
    const divided = await sceneFrom(withFrame(lineScan(), { state: without }));
    expect(divided.steps.Y.step).toBeCloseTo(0.002138, 12);
    expect(divided.steps.Y.origin).toBe('derived');
    expect(divided.warnings).toEqual([expect.stringContaining('when lines were averaged')]);
    const raster = await sceneFrom(withFrame(lineScan(), { state: { linesPerFrame: 10, pixelsPerLine: 4 } }));
    expect(raster.steps.Y.step).toBe(0.00214);
    expect(raster.warnings).toEqual([expect.stringContaining('raster image')]);
  });

  it.each(['0', '-1', 'NaN', 'fast', '1e-30'])('is in pixels when the XML says %s', async (scanLinePeriod) => {
    const spec = withFrame(lineScan(1, [1], { state: {} }), {
      state: { linesPerFrame: 10, pixelsPerLine: 4, scanLinePeriod },
    });
    const scene = await sceneFrom(spec);
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene.warnings.join()).toMatch(/does not contain a usable line period|not a valid step/);
  });

  it('may be written with a decimal comma', async () => {
    const scene = await sceneFrom(withFrame(lineScan(), { state: { ...SCAN, scanLinePeriod: '0,0021' } }));
    expect(scene.steps.Y.step).toBe(0.0021);
  });
});

describe('a Prairie View recording', () => {
  it('opens when its XML has another name than its planes', async () => {
    const at = folder();
    writeBruker(at, lineScan());
    renameSync(join(at, `${NAME}.xml`), join(at, 'cell 3.xml'));
    writeFileSync(join(at, 'notes.xml'), '<notes/>');
    const opened = await openAcquisition(at);
    opened.close();
    expect(sceneOf(opened, 0).steps.Y).toEqual({ step: 0.008552, unit: 'seconds', origin: 'file' });
  });
});

describe('a Prairie View scene', () => {
  it('has the pixel size that follows from the length of the line when both disagree', async () => {
    const scene = await sceneFrom(
      lineScan(1, [1], { state: { ...RASTER, micronsPerPixel: { XAxis: 0.5, YAxis: 0.5 } } }),
    );
    expect(scene.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'derived' });
    expect(scene.warnings).toEqual([expect.stringMatching(/0\.5 µm.*0\.25 µm/)]);
  });

  it('has every line of the file, with a warning when the XML says another number', async () => {
    const spec = lineScan();
    const scene = await sceneFrom({ ...spec, planes: [plane(1, 1, 1, 7), source(1, 1)] });
    expect(scene.sizes.Y).toBe(7);
    expect(scene.warnings).toEqual([
      expect.stringContaining('The XML says 10 lines, but the files have 7. Showing 7.'),
    ]);
    const wide = await sceneFrom({ ...spec, planes: [plane(1, 1, 1, 10, 5), source(1, 1)] });
    expect(wide.sizes.X).toBe(5);
    expect(wide.warnings).toEqual([expect.stringContaining('says 4 pixels per line, but the files have 5')]);
  });

  it('has steps, lines and the date of its own cycle, also past midnight', async () => {
    const spec = lineScan(2, [1], { date: '12/31/2023 11:59:50 PM' });
    const [first, second] = spec.sequences;
    if (!first || !second) throw new Error('two cycles');
    const frames = second.frames.map((frame) => ({
      ...frame,
      state: { ...SCAN, linesPerFrame: 6, scanLinePeriod: 0.001 },
    }));
    const planes = [...spec.planes.filter(({ file }) => file !== planeName(2, 1)), plane(2, 1, 1, 6)];
    // Cycles in any order of the XML.
    const sequences = [
      { ...second, time: '00:00:03.5', frames },
      { ...first, time: '23:59:50' },
    ];
    const at = folder();
    const one = await sceneFrom({ ...spec, sequences, planes }, at);
    const two = await sceneFrom({ ...spec, sequences, planes }, at, 1);
    expect([one.sizes.Y, one.steps.Y.step, one.date, one.time]).toEqual([10, 0.008552, '20231231', '23:59:50']);
    expect([two.sizes.Y, two.steps.Y.step, two.date, two.time]).toEqual([6, 0.001, '20240101', '00:00:03']);
  });

  it.each(['1/1/2008 12:00:00 AM', '1/1/2008 9:30:00 AM'])(
    'has the date of the first TIFF when the XML has the placeholder %s',
    async (date) => {
      const scene = await sceneFrom(lineScan(1, [1], { date }));
      expect([scene.date, scene.time]).toEqual(['20240102', '16:03:28']);
    },
  );

  it('has the date of the first TIFF when that of the XML is invalid', async () => {
    const scene = await sceneFrom(lineScan(1, [1], { date: '13/13/2024' }));
    expect([scene.date, scene.time]).toEqual(['20240102', '16:03:28']);
  });

  it('has channels in the order of their numbers, with the names of the XML', async () => {
    const spec = withFrame(lineScan(1, [3, 1]), {
      files: [
        { channel: 3, name: 'Alexa 594', file: planeName(1, 3) },
        { channel: 1, name: '', file: planeName(1, 1) },
      ],
    });
    expect((await sceneFrom(spec)).channels).toEqual([{ name: 'Ch1' }, { name: 'Alexa 594' }]);
  });
});

describe('a Prairie View series', () => {
  it('has a plane per frame along Z', async () => {
    const scene = await sceneFrom(series('ZSeries', 4));
    expect(scene.sizes).toEqual({ T: 1, Z: 4, Y: 8, X: 8 });
    expect(scene.steps.Z).toEqual({ step: 5, unit: 'micrometer', origin: 'file' });
  });

  it('has a time point per cycle when a Z series is repeated', async () => {
    const opened = await openAcquisition(writeBruker(folder(), series('TSeries ZSeries Element', 3, 4)));
    const scene = sceneOf(opened, 0);
    expect(opened.acquisition.info.scenes).toHaveLength(1);
    expect(scene.sizes).toEqual({ T: 4, Z: 3, Y: 8, X: 8 });
    expect(scene.steps.T).toEqual({ step: 60, unit: 'seconds', origin: 'file' });
    expect((await readNative(opened, 0, { channel: 1, t: 3, z: 2 }))[0]).toBe(sample(4, 2, 3, 0, 0) % 65_536);
    opened.close();
  });

  it('is filled with zeros, with a warning, when a Z series was stopped', async () => {
    const spec = series('ZSeries', 3, 3);
    const sequences = spec.sequences.map((one) => (one.cycle === 3 ? { ...one, frames: one.frames.slice(0, 1) } : one));
    const opened = await openAcquisition(writeBruker(folder(), { ...spec, sequences }));
    expect(sceneOf(opened, 0).sizes).toMatchObject({ T: 3, Z: 3 });
    expect(sceneOf(opened, 0).warnings).toEqual([expect.stringContaining('4 planes are missing and shown as zeros')]);
    expect(await readNative(opened, 0, { channel: 0, t: 2, z: 1 })).toEqual(new Uint16Array(64));
    opened.close();
  });

  it('has a scene per stage position', async () => {
    const spec = series('ZSeries', 2, 4);
    const at = (cycle: number): BrukerState => ({
      positionCurrent: {
        XAxis: { 0: cycle % 2 === 0 ? 500 : 100.2 },
        YAxis: { 0: -20 + cycle / 10 },
        ZAxis: { 0: cycle },
      },
    });
    const sequences = spec.sequences.map((one) => ({ ...one, state: at(one.cycle) }));
    const opened = await openAcquisition(writeBruker(folder(), { ...spec, sequences }));
    expect(opened.acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.T, sizes.Z])).toEqual([
      ['Position 1', 2, 2],
      ['Position 2', 2, 2],
    ]);
    expect((await readNative(opened, 1, { channel: 0, t: 1, z: 1 }))[0]).toBe(sample(4, 1, 2, 0, 0));
    opened.close();
  });

  it('has a scene per sequence of another kind, and names those without images', async () => {
    const spec = series('TSeries Timed Element', 2, 3);
    const sequences = [...spec.sequences, { type: 'MarkPoints', cycle: 4, frames: [] }];
    const opened = await openAcquisition(writeBruker(folder(), { ...spec, sequences }));
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Cycle 1', 'Cycle 2', 'Cycle 3']);
    expect(sceneOf(opened, 0).warnings).toEqual(['Cycle 4 (MarkPoints) has no images.']);
    opened.close();
  });

  it('is filled with zeros where the last time point lacks a channel', async () => {
    const spec = series('BrightnessOverTime', 3);
    const [first] = spec.sequences;
    if (!first) throw new Error('a sequence');
    const frames = first.frames.map((frame, i) => (i === 2 ? { ...frame, files: frame.files.slice(0, 1) } : frame));
    const opened = await openAcquisition(writeBruker(folder(), { ...spec, sequences: [{ ...first, frames }] }));
    expect(sceneOf(opened, 0).warnings).toEqual([expect.stringContaining('1 plane is missing and shown as zeros')]);
    expect(await readNative(opened, 0, { channel: 1, t: 2 })).toEqual(new Uint16Array(64));
    opened.close();
  });

  it('is read from the pages of one file per channel', async () => {
    const spec = series('TSeries Timed Element', 3, 1, [1]);
    const file = 'all_Cycle00001_Ch1_000001.ome.tif';
    const frames = [1, 2, 3].map((page) => ({ relativeTime: 0.1 * page, files: [{ channel: 1, file, page }] }));
    const planes = [
      { file, rows: 8, columns: 8, pages: 3, value: (y: number, x: number, page: number) => 100 * page + y + x },
    ];
    const sequences = [{ type: 'TSeries Timed Element', cycle: 1, frames }];
    const opened = await openAcquisition(writeBruker(folder(), { ...spec, sequences, planes }));
    expect((await readNative(opened, 0, { channel: 0, t: 2 }))[0]).toBe(200);
    expect(sceneOf(opened, 0).steps.T.step).toBeCloseTo(0.1, 12);
    opened.close();
    const beyond = [...frames, { files: [{ channel: 1, file, page: 9 }] }];
    const short = await openAcquisition(
      writeBruker(folder(), { ...spec, sequences: [{ type: 'x', cycle: 1, frames: beyond }], planes }),
    );
    await expect(readNative(short, 0, { channel: 0, t: 3 })).rejects.toMatchObject({ code: 'decode_failed' });
    short.close();
  });

  it('is refused when it has only point scans', async () => {
    await expect(sceneFrom(series('Point Scan', 1))).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining('point scans'),
    });
  });
});

describe('files that a Prairie View XML names', () => {
  const outside = [
    '../plane.tif',
    '/etc/hostname',
    'C:\\data\\plane.tif',
    '..\\..\\x.tif',
    '\\\\server\\share\\x.tif',
    'a/../../b.tif',
  ];

  it.each(outside)('are refused outside the folder: %s', async (file) => {
    const at = folder();
    writeFileSync(join(root, 'plane.tif'), 'x');
    const spec = withFrame(lineScan(), { files: [{ channel: 1, file }] });
    await expect(sceneFrom(spec, at)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('outside its own folder'),
    });
  });

  it('cost only the reference image when the source image is outside the folder', async () => {
    const files = [{ channel: 1, file: planeName(1, 1), source: '../../etc/x.tif' }];
    const scene = await sceneFrom(withFrame(lineScan(), { files }));
    expect(scene.reference).toBeNull();
    expect(scene.warnings).toEqual([expect.stringContaining('outside its own folder')]);
  });

  it('are refused when they are links to another folder', async () => {
    const at = folder();
    const spec = lineScan();
    const path = writeBruker(at, spec);
    rmSync(join(at, planeName(1, 1)));
    writeFileSync(join(root, 'secret.tif'), 'x');
    symlinkSync(join(root, 'secret.tif'), join(at, planeName(1, 1)));
    await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'path_not_allowed' });
  });

  it('are found in subfolders, with Windows separators and in any case', async () => {
    const at = folder();
    mkdirSync(join(at, 'Source'));
    const files = [{ channel: 1, file: `.\\${planeName(1, 1).toUpperCase()}`, source: 'Source\\Raster.TIF' }];
    const spec = withFrame(lineScan(), { files });
    const planes = [plane(1, 1), { ...source(1, 1), file: 'Source/raster.tif' }];
    const scene = await sceneFrom({ ...spec, planes }, at);
    expect(scene.reference?.sizes).toEqual({ Y: 8, X: 8 });
    expect(scene.warnings).toEqual([]);
  });

  it('are replaced by the 16-bit reference of the next cycle when the source image is missing', async () => {
    const files = [{ channel: 1, file: planeName(1, 1) }];
    const reference = `References/${NAME}-Cycle00002-Ch1-16bit-Reference.tif`;
    const planes = [plane(1, 1), { ...source(1, 1), file: reference }];
    const scene = await sceneFrom({ ...withFrame(lineScan(), { files }), planes });
    expect(scene.reference?.lineRoi).toEqual([2, 3, 5, 3]);
  });

  it('are replaced by a screenshot, without scale and line, when all other references are missing', async () => {
    const at = folder();
    const files = [{ channel: 1, file: planeName(1, 1) }];
    const path = writeBruker(at, { ...withFrame(lineScan(), { files }), planes: [plane(1, 1)] });
    const colour = (base: number) => Uint8Array.from({ length: 6 }, (_, i) => base + i);
    const page = {
      width: 3,
      height: 2,
      samples: [10, 20, 30, 255 - 6].map(colour),
      compression: 5,
      predictor: 2 as const,
    };
    mkdirSync(join(at, 'References'));
    const name = `${NAME}-Cycle00002-Window1-Ch1-8bit-Reference.tif`;
    writeFileSync(join(at, 'References', name), writeTiff({ pages: [page] }));
    const opened = await openAcquisition(path);
    const { reference, warnings } = sceneOf(opened, 0);
    expect(reference).toEqual({
      sampleType: 'uint8',
      channels: [
        { name: 'Red', color: '#FF0000' },
        { name: 'Green', color: '#00FF00' },
        { name: 'Blue', color: '#0000FF' },
      ],
      sizes: { Y: 2, X: 3 },
      steps: { Y: defaultStep('Pixels'), X: defaultStep('Pixels') },
      lineRoi: null,
      scanPath: null,
    });
    expect(warnings).toEqual([expect.stringContaining('a screenshot')]);
    const target = new NativeTarget('uint8', 2, 3);
    await opened.acquisition.readReference?.(0, 1, target);
    expect(target.data).toEqual(colour(20));
    opened.close();
  });

  it('do not show a line that was drawn on an image of another size', async () => {
    const spec = lineScan();
    const scene = await sceneFrom({ ...spec, planes: [plane(1, 1), { ...source(1, 1), columns: 16 }] });
    expect(scene.reference).toMatchObject({ sizes: { Y: 8, X: 16 }, lineRoi: null, scanPath: null });
    expect(scene.warnings).toEqual([expect.stringMatching(/8 × 8 pixels.*8 × 16; the line is not shown/)]);
  });

  it('show no line on the reference when its shape is not supported', async () => {
    const line = '<PVLinescanDefinition mode="spiral"><PVLine startPixelX="0.1"/></PVLinescanDefinition>';
    const spec = lineScan();
    const scene = await sceneFrom({ ...spec, sequences: spec.sequences.map((one) => ({ ...one, line })) });
    expect(scene.reference).toMatchObject({ lineRoi: null, scanPath: null });
    expect(scene.warnings).toEqual([expect.stringContaining('spiral')]);
  });

  it('are named in the error when they have another shape, are empty or missing', async () => {
    const at = folder();
    const spec = series('TSeries Timed Element', 4, 1, [1]);
    const planes = spec.planes.map((one, i) => (i === 1 ? { ...one, rows: 5 } : one));
    const opened = await openAcquisition(writeBruker(at, { ...spec, planes }));
    const name = (i: number) => spec.planes[i]?.file ?? '';
    writeFileSync(join(at, name(2)), '');
    rmSync(join(at, name(3)));
    for (const t of [1, 2, 3]) {
      await expect(readNative(opened, 0, { channel: 0, t })).rejects.toMatchObject({
        code: t === 3 ? 'companion_missing' : 'decode_failed',
        message: expect.stringContaining(name(t)),
      });
    }
    expect((await readNative(opened, 0, { channel: 0, t: 0 }))[0]).toBe(sample(1, 1, 1, 0, 0));
    opened.close();
  });

  it('do not prevent opening other cycles when they are corrupted', async () => {
    const at = folder();
    const path = writeBruker(at, lineScan(2));
    writeFileSync(join(at, planeName(2, 1)), 'II*\0nothing');
    const opened = await openAcquisition(path);
    expect(sceneOf(opened, 1).warnings).toEqual([expect.stringContaining(planeName(2, 1))]);
    expect((await readNative(opened, 0, { channel: 0 }))[0]).toBe(sample(1, 1, 1, 0, 0));
    await expect(readNative(opened, 1, { channel: 0 })).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });
});
