import { describe, expect, it } from 'vitest';
import { expectedPlane, expectSamePlane, openFiles, servedPlane, servedReference } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { miniVector, tinyVector } from '../../writers/czi-vectors.js';

const folder = tempFolder();
const open = (bytes: Uint8Array, name = 'rec.czi') => openFiles(folder, { [name]: bytes });
const miniPlane = (c: number) => expectedPlane(6, 4, (t, x) => 1000 * (c + 1) + 10 * t + x);
const int64 = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

describe('the smallest CZI', () => {
  it('is a line scan of four lines without calibration', async () => {
    const opened = await open(tinyVector());
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      sampleType: 'uint16',
      channels: [{ name: 'CH1' }],
      sizes: { T: 1, Z: 1, Y: 4, X: 4 },
      steps: { Y: { step: 1, unit: 'Pixels' }, X: { step: 1, unit: 'Pixels' } },
      date: '',
      reference: null,
    });
    expect(scene?.warnings.join(' ')).toMatch(/no metadata.*does not contain the line period/);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(4, 4, (t, x) => 1000 + 10 * t + x),
    );
    opened.close();
  });
});

const UTC = 'The recording time 09:08:07 is UTC: the file does not contain the local time zone.';

describe('a small CZI line scan', () => {
  it('has its lines, seconds, micrometers, channel names and date', async () => {
    const opened = await open(miniVector());
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'Ch1' }, { name: 'Ch2' }],
      sizes: { T: 1, Z: 1, Y: 6, X: 4 },
      steps: { X: { step: 0.25, unit: 'micrometer', origin: 'file' } },
      date: '20240305',
      time: '09:08:07',
      warnings: [UTC],
    });
    expect(scene?.steps.Y).toMatchObject({ unit: 'seconds', origin: 'file' });
    expect(scene?.steps.Y.step).toBeCloseTo(0.002, 12);
    for (const c of [0, 1]) expectSamePlane(await servedPlane(opened, { channel: c }), miniPlane(c));
    opened.close();
  });

  it('has its overview and scan path as the reference', async () => {
    const opened = await open(miniVector());
    const reference = opened.acquisition.info.scenes[0]?.reference;
    expect(reference).toMatchObject({
      sampleType: 'uint8',
      sizes: { Y: 33, X: 34 },
      steps: { Y: { step: 0.25, unit: 'micrometer' }, X: { step: 0.25, unit: 'micrometer' } },
      lineRoi: null,
    });
    expect(reference?.channels).toHaveLength(2);
    const { x, y } = reference?.scanPath ?? { x: [], y: [] };
    expect([x.length, y.length]).toEqual([101, 101]);
    // (i − 50) · 10 nm around the center, at 0.25 µm a pixel.
    for (const [i, value] of x.entries()) expect(value).toBeCloseTo(17 + (i - 50) * 0.04, 4);
    expect(y).toEqual(Array(101).fill(16.5));
    const sample = (row: number, column: number) => (100 + row + column) % 256;
    expectSamePlane(await servedReference(opened, 1), expectedPlane(33, 34, sample));
    opened.close();
  });

  it('is found by its segments when the directory is missing', async () => {
    const bytes = miniVector();
    int64(bytes).setBigInt64(84, 0n, true);
    const opened = await open(bytes);
    expect(opened.acquisition.info.scenes[0]?.warnings.join(' ')).toMatch(/interrupted.*3 subblocks/);
    for (const c of [0, 1]) expectSamePlane(await servedPlane(opened, { channel: c }), miniPlane(c));
    opened.close();
  });

  it('is the same in any order of the directory', async () => {
    const bytes = miniVector();
    const entries = 1568 + 32 + 128;
    const first = bytes.slice(entries, entries + 92);
    bytes.copyWithin(entries, entries + 92, entries + 184);
    bytes.set(first, entries + 92);
    const opened = await open(bytes);
    expectSamePlane(await servedPlane(opened), miniPlane(0));
    opened.close();
  });

  it('reads raw pixels that are marked as compressed', async () => {
    const bytes = miniVector();
    int64(bytes).setInt32(1568 + 32 + 128 + 18, 6, true);
    const opened = await open(bytes);
    expectSamePlane(await servedPlane(opened), miniPlane(0));
    opened.close();
  });

  it('keeps the planes before the end of a truncated file, with a warning for the others', async () => {
    const opened = await open(miniVector().slice(0, 1500));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.channels).toHaveLength(1);
    expect(scene?.warnings.join(' ')).toMatch(/cannot be read.*1 subblock is truncated/);
    expectSamePlane(await servedPlane(opened), miniPlane(0));
    opened.close();
  });

  it('is read from segments whose used size is 0', async () => {
    const bytes = miniVector();
    for (const segment of [544, 896, 1216, 1568, 2016, 3008]) int64(bytes).setBigInt64(segment + 24, 0n, true);
    const opened = await open(bytes);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.warnings).toEqual([UTC]);
    expect(scene?.steps.Y.step).toBeCloseTo(0.002, 12);
    expectSamePlane(await servedPlane(opened, { channel: 1 }), miniPlane(1));
    opened.close();
  });

  it('has the increment of the metadata when time stamps are missing', async () => {
    const bytes = miniVector();
    bytes.set(Buffer.from('XXXXXX'), 9632 + 32 + 256 + 40);
    const opened = await open(bytes);
    expect(opened.acquisition.info.scenes[0]?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    opened.close();
  });
});
