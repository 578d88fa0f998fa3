import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../src/open.js';
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

  it('are named when they are not there, or no TIFF', async () => {
    await expect(openNwbBytes(nwb(['missing.tif']))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/its pixels are in "missing\.tif", which is not beside the file/),
    });
    const film = { 'film.avi': Buffer.from('RIFF....') };
    await expect(openNwbBytes(nwb(['film.avi']), film)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/"film\.avi", which is no TIFF/),
    });
    await expect(openNwbBytes(nwb(['https://a.example/x.tif']))).rejects.toThrow(/not beside the file/);
    const stack = writeTiff({
      pages: [{ ...page(0), tags: [{ code: 270, type: 2, text: 'ImageJ=1.53\nimages=9\n' }] }],
    });
    await expect(openNwbBytes(nwb(['s.tif']), { 's.tif': stack })).rejects.toThrow(/ImageJ stack of 9 frames/);
  });

  it('must lie in the folder of the file', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'in/frames'), { recursive: true });
    writeFileSync(join(root, 'secret.tif'), one);
    writeFileSync(join(root, 'in/frames/one.tif'), one);
    writeFileSync(join(root, 'in/out.nwb'), nwb(['../secret.tif']));
    writeFileSync(join(root, 'in/ok.nwb'), nwb(['frames/one.tif']));
    await expect(openAcquisition(join(root, 'in/out.nwb'))).rejects.toMatchObject({ code: 'path_not_allowed' });
    const opened = await openAcquisition(join(root, 'in/ok.nwb'));
    expect(await scenePlane(opened.acquisition, 0, { t: 1 })).toEqual(numbers(100));
    expect(opened.fingerprints()).toHaveLength(2);
    opened.close();
  });
});
