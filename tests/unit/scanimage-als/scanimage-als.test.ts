import { mkdtempSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AcqError } from '../../../packages/readers/src/base/errors.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { readNative } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { alsMeta, alsSamples, type HeaderValues } from '../../writers/scanimage.js';

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'als-'));

/** The fact sheet's vector: two channels, 4 samples a cycle at 2000 Hz, samples 0 … 23. */
const VALUES: HeaderValues = {
  'hChannels.channelSave': '[1;2]',
  'hChannels.channelName': "{'Green' 'Red' 'x'}",
  'hScan2D.lineScanSamplesPerFrame': 4,
  'hScan2D.sampleRate': 2000,
  'hRoiManager.scanType': "'line'",
};
const count = (n: number) => Array.from({ length: n }, (_, i) => i);

function write(folder: string, values: HeaderValues = VALUES, samples = alsSamples(count(24))): string {
  writeTemp(folder, 'scan.meta.txt', alsMeta(values));
  return writeTemp(folder, 'scan.pmt.dat', samples);
}

async function sceneOf(path: string) {
  const opened = await openAcquisition(path);
  opened.close();
  return opened.acquisition.info.scenes[0];
}

const failure = async (path: string): Promise<AcqError> =>
  openAcquisition(path).then(
    () => expect.unreachable('opened'),
    (error: AcqError) => error,
  );

describe('ScanImage arbitrary line scan', () => {
  it.each(['scan.pmt.dat', 'scan.meta.txt'])(
    'opens by %s, with cycles as rows and samples as columns',
    async (name) => {
      const folder = fresh();
      write(folder);
      const opened = await openAcquisition(join(folder, name));
      expect(opened.acquisition.info).toEqual({
        format: 'pmt.dat',
        scenes: [
          {
            name: '',
            sampleType: 'int16',
            channels: [{ name: 'Green' }, { name: 'Red' }],
            sizes: { T: 1, Z: 1, Y: 3, X: 4 },
            steps: {
              T: { step: 1, unit: 'Frames', origin: 'default' },
              Z: { step: 1, unit: 'Planes', origin: 'default' },
              Y: { step: 0.002, unit: 'seconds', origin: 'file' },
              X: { step: 1, unit: 'Pixels', origin: 'default' },
            },
            date: '',
            time: '',
            reference: null,
            warnings: [],
          },
        ],
      });
      expect([...(await readNative(opened, 0, { channel: 0 }))]).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
      expect([...(await readNative(opened, 0, { channel: 1 }))]).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]);
      opened.close();
    },
  );

  it('names the zoom, and the power of the only beam', async () => {
    const values = { ...VALUES, 'hRoiManager.scanZoomFactor': 3, 'hBeams.powers': 20 };
    const scene = await sceneOf(write(fresh(), values));
    expect(scene?.instrument).toEqual({ zoom: 3 });
    expect(scene?.channels.map(({ laserPower }) => laserPower)).toEqual([20, 20]);
  });

  it('keeps the sign of samples', async () => {
    const opened = await openAcquisition(write(fresh(), VALUES, alsSamples([-1, 5, -32768, 6, 32767, 7, 0, 8])));
    expect([...(await readNative(opened, 0, { channel: 0 }))]).toEqual([-1, -32768, 32767, 0]);
    opened.close();
  });

  it('skips an incomplete last cycle with a warning', async () => {
    const scene = await sceneOf(write(fresh(), VALUES, alsSamples(count(21))));
    expect(scene?.sizes.Y).toBe(2);
    expect(scene?.warnings).toEqual([
      'scan.pmt.dat: the last cycle is incomplete (10 of 16 bytes) and was skipped; showing 2 cycles',
    ]);
  });

  it('warns when there are fewer cycles than the header says', async () => {
    const scene = await sceneOf(write(fresh(), { ...VALUES, 'hStackManager.framesPerSlice': 10 }));
    expect(scene?.warnings).toEqual(['scan.pmt.dat has 3 complete cycles, but the header says 10']);
  });

  it('uses the period of the header without a sample rate, and pixels without either', async () => {
    const { 'hScan2D.sampleRate': _, ...rest } = VALUES;
    const stated = await sceneOf(write(fresh(), { ...rest, 'hRoiManager.scanFrameRate': 400 }));
    expect(stated?.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    const none = await sceneOf(write(fresh(), rest));
    expect(none?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(none?.warnings).toEqual([
      'The header does not contain the sample rate, so the time axis is in pixels. Enter the line period in the viewer ' +
        'or pass `calibration`.',
    ]);
  });

  it('computes the period from samples and rate, and warns when the header does not match', async () => {
    const scene = await sceneOf(write(fresh(), { ...VALUES, 'hRoiManager.scanFramePeriod': 0.004 }));
    expect(scene?.steps.Y.step).toBe(0.002);
    expect(scene?.warnings).toEqual([
      'Y step: `sampleRate` (4 samples) says 0.002 s, but `scanFramePeriod` says 0.004 s. Showing 0.002 s.',
    ]);
  });

  it.each<[string, HeaderValues]>([
    ['no channels', { 'hScan2D.lineScanSamplesPerFrame': 4 }],
    ['no samples per line', { 'hChannels.channelSave': 1 }],
    ['zero samples per line', { ...VALUES, 'hScan2D.lineScanSamplesPerFrame': 0 }],
    ['half a sample per line', { ...VALUES, 'hScan2D.lineScanSamplesPerFrame': 4.5 }],
    ['more samples per line than the file has', { ...VALUES, 'hScan2D.lineScanSamplesPerFrame': 4_000_000_000 }],
    ['NaN samples per line', { ...VALUES, 'hScan2D.lineScanSamplesPerFrame': 'NaN' }],
  ])('refuses a header with %s, naming the file', async (_, values) => {
    const error = await failure(write(fresh(), values));
    expect(error.code).toBe('decode_failed');
    expect(error.message).toMatch(/^scan\.(meta\.txt|pmt\.dat): /);
  });

  it('refuses samples that are not int16', async () => {
    const error = await failure(write(fresh(), { ...VALUES, 'hScan2D.channelsDataType': "'int32'" }));
    expect(error.code).toBe('unsupported_format');
    expect(error.message).toBe('scan.pmt.dat: samples of type int32 are not supported; expected int16');
  });

  it('refuses a header above the limit without reading it', async () => {
    const path = write(fresh());
    truncateSync(path.replace('.pmt.dat', '.meta.txt'), 16 * 2 ** 20 + 1);
    const error = await failure(path);
    expect(error.code).toBe('decode_failed');
    expect(error.message).toBe('scan.meta.txt: the header has 16,777,217 bytes; the limit is 16,777,216');
  });

  it('refuses a header that ends inside a line', async () => {
    const folder = fresh();
    writeTemp(folder, 'scan.meta.txt', alsMeta({ ...VALUES, 'hScan2D.lineScanSamplesPerFrame': 12 }, '').slice(0, -3));
    const error = await failure(writeTemp(folder, 'scan.pmt.dat', alsSamples(count(24))));
    expect(error.message).toBe('scan.meta.txt: the last line of the header ends early. Copy the file again.');
  });

  it.each(['scan.pmt.dat', 'scan.meta.txt'])('asks for the other file when %s is alone', async (name) => {
    const bytes = name.endsWith('txt') ? alsMeta(VALUES) : alsSamples(count(8));
    const folder = fresh();
    const error = await failure(writeTemp(folder, name, bytes));
    expect(error.code).toBe('companion_missing');
    const other = name.endsWith('txt') ? 'scan.pmt.dat' : 'scan.meta.txt';
    const what = name.endsWith('txt') ? 'samples' : 'header';
    expect(error.message).toBe(
      `${name}: "${other}" (the ${what} of the line scan) is missing from ${folder}. Copy it there.`,
    );
  });

  it('does not follow a link out of the folder', async () => {
    const outside = fresh();
    writeTemp(outside, 'real.meta.txt', alsMeta(VALUES));
    const folder = fresh();
    symlinkSync(join(outside, 'real.meta.txt'), join(folder, 'scan.meta.txt'));
    const error = await failure(writeTemp(folder, 'scan.pmt.dat', alsSamples(count(24))));
    expect(error.code).toBe('path_not_allowed');
  });
});
