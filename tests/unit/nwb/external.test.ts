import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openNwbBytes, scenePlane } from '../../support/hdf5.js';
import { tempFolder } from '../../support/temp.js';
import { imagingPlane, series, writeNwb } from '../../writers/nwb.js';
import { writeTiff } from '../../writers/tiff.js';

const page = (start: number) => ({
  width: 4,
  height: 3,
  samples: Uint16Array.from({ length: 12 }, (_, i) => start + i),
});
const one = writeTiff({ pages: [page(0), page(100)] });
const two = writeTiff({ pages: [page(200)] });
const numbers = (start: number) => Array.from({ length: 12 }, (_, i) => start + i);

const nwb = (external: string[]) =>
  writeNwb({
    acquisition: {
      Movie: series({ external, rate: 20, plane: 'p', data: { data: new Uint8Array(0), shape: [0, 0, 0] } }),
    },
    planes: { p: imagingPlane({ spacing: [1e-6, 2e-6] }) },
  });

describe('frames in files beside the NWB file', () => {
  it('are read one file after the other, rows as the TIFF has them', async () => {
    const acquisition = await openNwbBytes(nwb(['./one.tif', 'two.tif']), { 'one.tif': one, 'two.tif': two });
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes).toEqual({ T: 3, Z: 1, Y: 3, X: 4 });
    expect(scene?.sampleType).toBe('uint16');
    expect(scene?.steps).toMatchObject({ T: { step: 0.05 }, X: { step: 1 }, Y: { step: 2 } });
    expect(scene?.warnings).toEqual([]);
    for (const t of [0, 1, 2]) expect(await scenePlane(acquisition, 0, { t })).toEqual(numbers(100 * t));
  });

  it.each([
    [
      'missing.tif',
      /the frames are in "missing\.tif", which was not found in the folder of demo\.nwb\. Put missing\.tif there\./,
    ],
    ['a/b/missing.tif', /Put missing\.tif there/],
    ['film.avi', /which was not found .* Save the frames as film\.tif there/],
    [
      'https://a.example/x.tif',
      /the frames are at https:\/\/a\.example\/x\.tif, and files are never downloaded\. Put x\.tif/,
    ],
    ['../../secret.tif', /Put secret\.tif/],
  ])('%s is named when it is missing', async (name, message) => {
    await expect(openNwbBytes(nwb([name]))).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringMatching(message),
    });
  });

  it.each(['https://a.example/', 's3://bucket/..', '.', ''])('%j names no file', async (name) => {
    await expect(openNwbBytes(nwb([name]))).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('are refused when they are a film, or a stack in one page', async () => {
    const film = { 'film.avi': Buffer.from('RIFF....') };
    await expect(openNwbBytes(nwb(['film.avi']), film)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(
        /"film\.avi", which is not a TIFF file\. Save them as film\.tif in the folder of demo\.nwb/,
      ),
    });
    const stack = writeTiff({
      pages: [{ ...page(0), tags: [{ code: 270, type: 2, text: 'ImageJ=1.53\nimages=9\n' }] }],
    });
    await expect(openNwbBytes(nwb(['s.tif']), { 's.tif': stack })).rejects.toThrow(/ImageJ stack of 9 frames/);
  });

  it.each([
    ['https://a.example/data/one.tif', 'one.tif'],
    ['s3://bucket/prefix/one.tif', 'one.tif'],
    ['file:///home/somebody/one.tif', 'one.tif'],
    ['file:/home/somebody/one.tif', 'one.tif'],
    ['https://a.example/scan%20one.tif?versionId=3#part', 'scan one.tif'],
    ['https://a.example/scan%20one.tif', 'scan%20one.tif'],
    ['s3://bucket/50%/one#2.tif', 'one#2.tif'],
    ['https://a.example/x%2F..%2Fone.tif', 'one.tif'],
    ['/home/somebody/one.tif', 'one.tif'],
    ['C:\\data\\one.tif', 'one.tif'],
    ['..\\one.tif', 'one.tif'],
    ['frames/one.tif', 'one.tif'],
    ['film.avi', 'film.tif'],
    ['https://a.example/film.mp4', 'film.tif'],
  ])('of %s are found in %s beside the file, with a warning', async (external, name) => {
    const acquisition = await openNwbBytes(nwb([external]), { [name]: one });
    expect(await scenePlane(acquisition, 0, { t: 1 })).toEqual(numbers(100));
    expect(acquisition.info.scenes[0]?.warnings).toEqual([
      `The frames of "${external}" are read from ${name} in the same folder.`,
    ]);
  });

  it.each([
    [['https://a.example/1/f.tif', 'https://a.example/2/f.tif']],
    [['f.tif', 's3://a/f.tif']],
    [['s3://a/f.tif', 'f.tif']],
  ])('of %j are never read from one file', async (external) => {
    await expect(openNwbBytes(nwb(external), { 'f.tif': one })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/have the same base name/),
    });
  });

  it('may be named twice', async () => {
    const acquisition = await openNwbBytes(nwb(['one.tif', './one.tif']), { 'one.tif': one });
    expect(acquisition.info.scenes[0]).toMatchObject({ sizes: { T: 4 }, warnings: [] });
  });

  it('must lie in the folder of the file', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'in/frames'), { recursive: true });
    writeFileSync(join(root, 'secret.tif'), one);
    writeFileSync(join(root, 'in/frames/one.tif'), one);
    writeFileSync(join(root, 'in/out.nwb'), nwb(['../secret.tif']));
    writeFileSync(join(root, 'in/ok.nwb'), nwb(['frames/one.tif']));
    symlinkSync(join(root, 'secret.tif'), join(root, 'in/link.tif'));
    writeFileSync(join(root, 'in/link.nwb'), nwb(['https://a.example/link.tif']));
    await expect(openAcquisition(join(root, 'in/out.nwb'))).rejects.toMatchObject({ code: 'companion_missing' });
    await expect(openAcquisition(join(root, 'in/link.nwb'))).rejects.toMatchObject({ code: 'path_not_allowed' });
    const opened = await openAcquisition(join(root, 'in/ok.nwb'));
    expect(await scenePlane(opened.acquisition, 0, { t: 1 })).toEqual(numbers(100));
    expect(opened.fingerprints()).toHaveLength(2);
    opened.close();
  });
});
