import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { listHonestly } from '../../support/honest.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { writeMat5 } from '../../writers/matlab.js';
import { MATLAB_73 } from '../../writers/matlab-vector.js';
import { type ScanboxSpec, scanboxValue, writeScanbox } from '../../writers/scanbox.js';

const open = (spec: ScanboxSpec = {}, change?: (files: Record<string, Uint8Array>) => void) => {
  const files = writeScanbox(spec);
  change?.(files);
  const { 'scan.sbx': samples, ...beside } = files;
  return openBytes('scan.sbx', samples!, beside);
};
const sceneOf = async (spec: ScanboxSpec): Promise<SceneInfo> => (await open(spec)).info.scenes[0]!;

const frameOf = (frame: number, channel = 0, rows = [0, 1, 2, 3]) =>
  rows.flatMap((row) => Array.from({ length: 6 }, (_, column) => scanboxValue({ frame, row, column, channel })));

describe('a recording of Scanbox', () => {
  it.each([
    ['version 5', {}],
    ['version 5 without compression', { compressed: false }],
    ['version 5, big-endian', { bigEndian: true }],
    ['version 5, behind other variables', { before: [{ name: 'x', value: [1, 2, 3] }] }],
    ['version 7.3', '7.3' as const],
  ])('has its signal, with settings of %s', async (_, mat) => {
    const opened = await open({ channels: 2, mat });
    expect(opened.info.scenes[0]).toMatchObject({
      sampleType: 'uint16',
      channels: [
        { name: mat === '7.3' ? 'PMT0' : 'GCaMP6s', gain: 0.5, excitationNm: 920 },
        { name: mat === '7.3' ? 'PMT1' : 'tdTomato', gain: 0.625 },
      ],
      sizes: { T: 3, Z: 1, Y: 4, X: 6 },
      steps: {
        T: { step: 4 / 8000, unit: 'seconds', origin: 'file' },
        Y: { step: 1.5, unit: 'micrometer', origin: 'file' },
        X: { step: 1.25, unit: 'micrometer', origin: 'file' },
      },
      instrument: {
        objective: { name: 'Olympus_20x' },
        zoom: 1.2,
        linePeriodSeconds: 1 / 8000,
        bidirectional: false,
        stage: { x: 1, y: 2.5, z: -3 },
      },
      warnings: [],
    });
    for (const t of [0, 2]) {
      for (const channel of [0, 1]) expect([...(await samplesOf(opened, { t, channel }))]).toEqual(frameOf(t, channel));
    }
  });

  it('of version 2 has its planes by the wave of the lens, and the calibration of its magnification', async () => {
    const opened = await open({ version: 2, bidirectional: true, planes: 3, frames: 6 });
    expect(opened.info.scenes[0]).toMatchObject({
      channels: [{ name: 'PMT0' }],
      sizes: { T: 2, Z: 3 },
      steps: {
        T: { step: expect.closeTo(12 / 16_000, 12) },
        Z: { unit: 'Planes' },
        X: { step: 0.5, unit: 'micrometer' },
        Y: { step: 1, unit: 'micrometer' },
      },
      warnings: ['Lines were scanned in both directions: the first columns of the rows may contain no signal.'],
    });
    expect([...(await samplesOf(opened, { t: 1, z: 2 }))]).toEqual(frameOf(5));
  });

  it.each([
    ['etl_table', { version: 3 as const, planes: 2 }, 2],
    ['otparam', { info: { volscan: 1, otparam: [0, 0, 3] } }, 3],
    ['no volumes', { info: { volscan: 0, otparam: [0, 0, 3] } }, 1],
    ['volumes without planes', { info: { volscan: 1, otparam: [0, 0, Number.NaN] } }, 1],
  ])('has as many planes as %s says', async (_, spec, planes) => {
    const scene = await sceneOf({ frames: 6, ...spec });
    expect(scene.sizes).toMatchObject({ T: 6 / planes, Z: planes });
  });

  it('has depths where a laboratory added them', async () => {
    const scene = await sceneOf({ frames: 6, planes: 3, info: { otwave_um: [0, 20, 40] } });
    expect(scene.steps.Z).toMatchObject({ step: 20, unit: 'micrometer' });
  });

  it.each([
    [1, 2, [0, 1]],
    [2, 1, [0]],
    [3, 1, [1]],
  ])('of version 2 with channels %i has %i', async (channels, count, detectors) => {
    const scene = await sceneOf({ version: 2, channels: count as 1 | 2, info: { channels } });
    expect(scene.channels.map(({ name }) => name)).toEqual(detectors.map((detector) => `PMT${detector}`));
  });

  it('is folded', async () => {
    const opened = await open({ info: { fold_lines: 2 } });
    expect(opened.info.scenes[0]).toMatchObject({
      sizes: { T: 6, Y: 2 },
      steps: { T: { step: 2 / 8000 } },
      warnings: [],
    });
    expect([...(await samplesOf(opened, { t: 3 }))]).toEqual(frameOf(1, 0, [2, 3]));
  });

  it('without a size has that of the first version, and says so', async () => {
    const opened = await open({ info: { sz: undefined, recordsPerBuffer: 512 } }, (files) => {
      files['scan.sbx'] = new Uint8Array(512 * 796 * 2);
    });
    expect(opened.info.scenes[0]?.sizes).toMatchObject({ T: 1, Y: 512, X: 796 });
    expect(opened.info.scenes[0]?.warnings.join()).toContain('assumed to be 512 × 796');
    expect((await samplesOf(opened))[0]).toBe(65_535);
  });

  it('that ends early says so', async () => {
    const opened = await open({ planes: 2, frames: 6 }, (files) => {
      files['scan.sbx'] = files['scan.sbx']!.slice(0, -2);
    });
    expect(opened.info.scenes[0]?.sizes).toMatchObject({ T: 2, Z: 2 });
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The last frame is incomplete (46 of 48 bytes) and was skipped.',
      'The last volume has 1 of 2 planes and was skipped.',
      'Scanbox planned 6 frames, but the file has 5. Showing these.',
    ]);
    const part = await sceneOf({ planes: 2, frames: 5 });
    expect(part.warnings).toEqual(['The last volume has 1 of 2 planes and was skipped.']);
    const nothing = open({}, (files) => {
      files['scan.sbx'] = new Uint8Array(40);
    });
    await expect(nothing).rejects.toThrow('the file has 40 bytes, but the first frame needs 48.');
  });

  it('contradicts its rows with its records', async () => {
    const scene = await sceneOf({ info: { recordsPerBuffer: 8 } });
    expect(scene.warnings.join()).toContain(
      'resfreq and lines (1 frame) says 0.0005 s, but recordsPerBuffer (1 frame) says 0.001 s',
    );
  });

  it('has no calibration where it is no number', async () => {
    const scene = await sceneOf({ info: { dxcal: undefined } });
    expect(scene.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
  });

  it('has the cells and structs of version 7.3 by their references', async () => {
    const samples = writeScanbox({ channels: 2, frames: 4 })['scan.sbx']!;
    const opened = await openBytes('scan.sbx', samples, { 'scan.mat': gunzipSync(Buffer.from(MATLAB_73, 'base64')) });
    expect(opened.info.scenes[0]).toMatchObject({
      channels: [{ name: 'GCaMP6s' }, { name: 'tdTomato' }],
      sizes: { T: 2, Z: 2 },
      steps: { X: { step: 1.5, unit: 'micrometer' }, Y: { step: 1.75 } },
      instrument: { zoom: 1.2 },
      warnings: [],
    });
  });

  it('lists its settings', async () => {
    const entries = await listHonestly(await open());
    const byName = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    expect(byName).toMatchObject({
      sz: '4, 6',
      'config/knobby/pos/y': '2.5',
      'config/magnification_list': '1.0\n1.2\n16.5',
      'chan/names[2]': 'tdTomato',
    });
  });

  it.each([
    [{ channels: 5, chan: undefined }, '`channels` is 5; expected 1, 2 or 3.'],
    [{ chan: { fields: { nchan: 0 } } }, '`chan.nchan` is 0'],
    [{ fold_lines: 3 }, '`fold_lines` is 3, which does not divide the 4 rows.'],
    [{ sz: [0, 6] }, '`sz` is 0, 6'],
    [{ simon: 1 }, 'was written by another program'],
    [{ sz: undefined, recordsPerBuffer: undefined }, 'has no settings of Scanbox'],
  ])('is refused with %j', async (info, message) => {
    await expect(open({ info })).rejects.toThrow(message);
  });

  it('is refused without its settings, and with others', async () => {
    const change = (bytes: Uint8Array | undefined) =>
      open({}, (files) => {
        delete files['scan.mat'];
        if (bytes) files['scan.mat'] = bytes;
      });
    await expect(change(undefined)).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringContaining('"scan.mat" (the settings of the recording) is missing'),
    });
    await expect(change(writeMat5('other', 1))).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(change(new TextEncoder().encode('text'))).rejects.toThrow('is not a MATLAB file');
  });

  it('opens by its settings too', async () => {
    const folder = tempFolder();
    for (const [name, bytes] of Object.entries(writeScanbox())) writeTemp(folder, name, bytes);
    const { acquisition, close, format } = await openAcquisition(join(folder, 'scan.mat'));
    expect([format.id, acquisition.info.scenes[0]?.sizes.T]).toEqual(['scanbox', 3]);
    close();
    const alone = writeMat5('x', 1);
    writeTemp(folder, 'alone.mat', alone);
    await expect(openAcquisition(join(folder, 'alone.mat'))).rejects.toThrow('only the settings of Scanbox are read');
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next/vectors');

describe.skipIf(!existsSync(real))('vectors of Scanbox (need shared/samples-next)', () => {
  // Values are those of sbxreader 0.2.3.
  it('agree with sbxreader: version 3', async () => {
    const opened = await openAcquisition(join(real, 'sbx_v3_2ch.sbx'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'GCaMP6s' }, { name: 'tdTomato' }],
      sizes: { T: 3, Z: 1, Y: 4, X: 6 },
      steps: { T: { step: 0.0005 }, X: { step: 1.25 }, Y: { step: 1.5 } },
      warnings: [],
    });
    const plane = await readNative(opened, 0, { channel: 1 });
    expect([...plane.slice(6, 12)]).toEqual([1010, 1011, 1012, 1013, 1014, 1015]);
    opened.close();
  });

  it('agree with sbxreader: version 2', async () => {
    const opened = await openAcquisition(join(real, 'sbx_v2_bidi_3planes.mat'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'PMT0' }],
      sizes: { T: 2, Z: 3, Y: 4, X: 6 },
      steps: { T: { step: expect.closeTo(1 / 1333.3333, 8) }, X: { step: 1.5 }, Y: { step: 1.75 } },
    });
    expect([...(await readNative(opened, 0, { channel: 0, t: 1, z: 2 })).slice(0, 3)]).toEqual([200, 201, 202]);
    opened.close();
  });
});
