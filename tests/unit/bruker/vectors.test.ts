import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import {
  FREEHAND,
  lineScan,
  NAME,
  plane,
  planeName,
  SCAN,
  sample,
  series,
  source,
  withFrame,
} from '../../support/bruker.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { type BrukerSpec, writeBruker } from '../../writers/bruker.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'scan-'));
const open = (spec: BrukerSpec, at = folder()) => openAcquisition(writeBruker(at, spec));

it('reads a straight line scan with averaging: the line period is that of the frame, not of the raster (A)', async () => {
  const opened = await open(lineScan());
  const scene = sceneOf(opened, 0);
  expect(opened.acquisition.info.format).toBe('xml');
  expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 10, X: 4 });
  expect(scene.steps.Y).toEqual({ step: 0.008552, unit: 'seconds', origin: 'file' });
  expect(scene.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  expect([scene.date, scene.time]).toEqual(['20240102', '16:03:16']);
  expect(scene.channels).toEqual([{ name: 'Ch1' }]);
  expect(scene.warnings).toEqual([]);
  expect(scene.reference).toMatchObject({ sizes: { Y: 8, X: 8 }, lineRoi: [2, 3, 5, 3], sampleType: 'uint16' });
  expect(scene.reference?.scanPath).toEqual({ x: [2, 5], y: [3, 3] });
  expect(scene.reference?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  const pixels = await readNative(opened, 0, { channel: 0 });
  expect(pixels[9 * 4 + 3]).toBe(sample(1, 1, 1, 9, 3));
  const target = new NativeTarget('uint16', 8, 8);
  await opened.acquisition.readReference?.(0, 0, target);
  expect(target.data[63]).toBe(1163);
  opened.close();
});

it('reads a free line: every point is part of the scan path (B)', async () => {
  const spec = lineScan();
  const opened = await open({ ...spec, sequences: spec.sequences.map((one) => ({ ...one, line: FREEHAND })) });
  const { reference } = sceneOf(opened, 0);
  expect(reference?.scanPath).toEqual({ x: [0, 1, 1, 2], y: [0, 0, 1, 1] });
  expect(reference?.lineRoi).toEqual([0, 0, 2, 1]);
  opened.close();
});

it('reads version 4, with the index in each key and values only at the frame (C)', async () => {
  const file = `${NAME}_Cycle00001_CurrentSettings_Ch1_000001.tif`;
  const { scanLinePeriod: _, ...rest } = SCAN;
  const state = { ...rest, scanlinePeriod: 0.0022, micronsPerPixel: { XAxis: 0.25, YAxis: 0.25 } };
  const { state: __, ...spec } = lineScan(1, [1], { version: '4.3.2.24', style: 'keys' });
  const old = withFrame(spec, { state, files: [{ channel: 1, file }] });
  const at = folder();
  const opened = await open({ ...old, planes: [{ ...plane(1, 1), file }, source(1, 1)] }, at);
  const scene = sceneOf(opened, 0);
  expect(scene.steps.Y).toMatchObject({ step: 0.0022, unit: 'seconds' });
  expect(scene.steps.X).toMatchObject({ step: 0.25, unit: 'micrometer' });
  // No attribute names the source image: it is found by its usual name.
  expect(scene.reference?.lineRoi).toEqual([2, 3, 5, 3]);
  expect(scene.warnings).toEqual([]);
  opened.close();
  const byTiff = await openAcquisition(join(at, file));
  expect(byTiff.path).toBe(join(at, `${NAME}.xml`));
  byTiff.close();
});

it('names a cycle whose file is missing, and refuses its planes (D)', async () => {
  const spec = lineScan(2);
  const opened = await open({ ...spec, planes: spec.planes.filter(({ file }) => file !== planeName(2, 1)) });
  expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Cycle 1', 'Cycle 2']);
  expect(sceneOf(opened, 0).warnings).toEqual([]);
  expect(sceneOf(opened, 1).warnings).toEqual([expect.stringContaining(planeName(2, 1))]);
  expect(sceneOf(opened, 1).sizes).toEqual({ T: 1, Z: 1, Y: 10, X: 4 });
  expect(sceneOf(opened, 1).time).toBe('16:03:17');
  await expect(readNative(opened, 1, { channel: 0 })).rejects.toMatchObject({
    code: 'companion_missing',
    message: expect.stringContaining(`"${planeName(2, 1)}" is missing from ${dirname(opened.path)}`),
  });
  expect((await readNative(opened, 0, { channel: 0 }))[0]).toBe(sample(1, 1, 1, 0, 0));
  opened.close();
});

it('accepts control characters in the notes (E)', async () => {
  const opened = await open(lineScan(1, [1], { notes: 'a &#x1; b &#11;&lt;PVScan&gt;' }));
  expect(sceneOf(opened, 0).warnings).toEqual([]);
  opened.close();
});

it('opens from the folder, even renamed, and from any plane; a source image opens by itself (F)', async () => {
  const at = folder();
  const path = writeBruker(at, lineScan(2, [1, 2]));
  const byFolder = await openAcquisition(at);
  expect([byFolder.path, byFolder.format.id]).toEqual([at, 'bruker']);
  expect(byFolder.acquisition.info.scenes).toHaveLength(2);
  byFolder.close();
  for (const name of [planeName(1, 1), planeName(2, 2)]) {
    const opened = await openAcquisition(join(at, name));
    expect([opened.path, opened.format.id]).toEqual([path, 'bruker']);
    opened.close();
  }
  const raster = await openAcquisition(join(at, source(1, 1).file));
  expect([raster.format.id, sceneOf(raster, 0).sizes.Y]).toEqual(['tiff', 8]);
  raster.close();
  const moved = join(root, 'cell 3');
  renameSync(at, moved);
  const renamed = await openAcquisition(moved);
  expect((await readNative(renamed, 1, { channel: 1 }))[0]).toBe(sample(2, 2, 1, 0, 0));
  renamed.close();
});

it('opens a plane as a TIFF when its XML is missing or not allowed (F)', async () => {
  const at = folder();
  writeBruker(at, lineScan(1, [1]));
  const only = await openAcquisition(join(at, planeName(1, 1)), { allowedExtensions: ['.tif', '.ome.tif'] });
  expect([only.format.id, sceneOf(only, 0).steps.Y.unit]).toEqual(['tiff', 'Pixels']);
  only.close();
  renameSync(join(at, `${NAME}.xml`), join(at, 'gone'));
  const alone = await openAcquisition(join(at, planeName(1, 1)));
  expect(alone.format.id).toBe('tiff');
  alone.close();
  await expect(openAcquisition(at)).rejects.toMatchObject({
    code: 'companion_missing',
    message: expect.stringContaining(`: the .xml file that describes the planes is missing from ${at}.`),
  });
});

it('reads a recording of channel 2 only (G)', async () => {
  const opened = await open(lineScan(1, [2]));
  expect(sceneOf(opened, 0).channels).toEqual([{ name: 'Ch2' }]);
  expect((await readNative(opened, 0, { channel: 0 }))[0]).toBe(sample(1, 2, 1, 0, 0));
  opened.close();
});

it('joins the frames of a line scan, of which the last may be short (H)', async () => {
  const spec = lineScan();
  const [first] = spec.sequences;
  const frame = (index: number, relativeTime: number) => ({
    relativeTime,
    state: SCAN,
    files: [{ channel: 1, file: planeName(1, 1, index) }],
  });
  const sequences = [{ ...first, type: 'Linescan', cycle: 1, frames: [frame(1, 0), frame(2, 0.08552)] }];
  const opened = await open({ ...spec, sequences, planes: [plane(1, 1, 1), plane(1, 1, 2)] });
  const scene = sceneOf(opened, 0);
  expect(scene.sizes.Y).toBe(20);
  const pixels = await readNative(opened, 0, { channel: 0 });
  expect([pixels[9 * 4], pixels[10 * 4]]).toEqual([sample(1, 1, 1, 9, 0), sample(1, 1, 2, 0, 0)]);
  expect(scene.warnings).toEqual([expect.stringContaining('no reference')]);
  opened.close();

  const late = [{ ...first, type: 'Linescan', cycle: 1, frames: [frame(1, 0), frame(2, 0.5)] }];
  const cut = await open({ ...spec, sequences: late, planes: [plane(1, 1, 1), plane(1, 1, 2, 6), source(1, 1)] });
  expect(sceneOf(cut, 0).sizes.Y).toBe(16);
  expect(sceneOf(cut, 0).warnings.join()).toMatch(/The XML says 20 lines, but the files have 16\. .*At 1 of 1 joint/);
  expect((await readNative(cut, 0, { channel: 0 }))[15 * 4]).toBe(sample(1, 1, 2, 5, 0));
  cut.close();
});

it('takes the T step of a time series from the times of its frames (I)', async () => {
  const opened = await open(series('TSeries Timed Element', 3));
  const scene = sceneOf(opened, 0);
  expect(scene.sizes).toEqual({ T: 3, Z: 1, Y: 8, X: 8 });
  expect(scene.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'file' });
  expect(scene.steps.Y).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  expect(scene.reference).toBeNull();
  expect(scene.warnings).toEqual([]);
  expect((await readNative(opened, 0, { channel: 1, t: 2 }))[63]).toBe(sample(1, 2, 3, 7, 7));
  opened.close();
});

it('says that all images are missing when the XML is alone', async () => {
  const at = folder();
  const path = writeBruker(at, { ...lineScan(), planes: [] });
  await expect(openAcquisition(path)).rejects.toMatchObject({
    code: 'companion_missing',
    message: expect.stringContaining(`"${planeName(1, 1)}", is missing from ${at}. Copy the whole folder.`),
  });
});

it('refuses other XML files', async () => {
  const path = join(folder(), 'settings.xml');
  writeFileSync(path, '<?xml version="1.0"?><PVStates/>');
  await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'unsupported_format' });
  writeFileSync(path, '<?xml version="1.0"?><note>about a <PVScan thing</note>');
  await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'unsupported_format' });
});

it('asks for one recording of a folder with two', async () => {
  const at = folder();
  writeBruker(at, lineScan());
  writeBruker(at, series('ZSeries', 2));
  await expect(openAcquisition(at)).rejects.toMatchObject({
    code: 'unsupported_format',
    message: expect.stringContaining('2 recordings'),
  });
});
