import { describe, expect, it } from 'vitest';
import { CoveringTarget } from '../../support/covering-target.js';
import { native, openFiles, planeOf, smallImage } from '../../support/ome-zarr.js';
import { axis, imageFiles, json } from '../../writers/ome-zarr.js';

describe('an image of acqstore', () => {
  it('has the calibration and date of its sidecar', async () => {
    const [scene] = openFiles(await native()).info.scenes;
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'sidecar' });
    expect(scene?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'sidecar' });
    expect([scene?.date, scene?.time]).toEqual(['20240506', '07:08:09']);
  });

  it('has its reference image and the line on it', async () => {
    const acquisition = openFiles(await native());
    const reference = acquisition.info.scenes[0]?.reference;
    expect(reference).toMatchObject({
      sizes: { Y: 8, X: 8 },
      lineRoi: [1, 2, 6.5, 4],
      scanPath: { x: [1, 2, 6.5], y: [2, 3, 4] },
      steps: { Y: { step: 0.4, origin: 'sidecar' }, X: { step: 0.5, origin: 'file' } },
    });
    expect(reference?.channels).toHaveLength(2);
    const target = new CoveringTarget(8, 8);
    await acquisition.readReference?.(0, 1, target);
    expect(target.complete).toBe(true);
  });

  it('takes the line from the path when its text has none', async () => {
    const reference_image_metadata = { scan_path_x_pixels: [1, 5], scan_path_y_pixels: [2, 2], line_roi: '' };
    const [scene] = openFiles(await native('', { sidecar: { reference_image_metadata } })).info.scenes;
    expect(scene?.reference?.lineRoi).toEqual([1, 2, 5, 2]);
  });

  it.each([
    ['a reference that is not there', { reference_image: 'gone' }, /The reference image was ignored: gone is missing/],
    ['a path out of the store', { reference_image: '../other' }, /leads out of the store/],
    ['a sidecar out of the store', { sidecar: '/etc/passwd' }, /leads out of the store/],
  ])('is served without %s', async (_, manifest, warning) => {
    const [scene] = openFiles(await native('', { manifest })).info.scenes;
    expect(scene?.reference).toBeNull();
    expect(scene?.warnings).toContainEqual(expect.stringMatching(warning));
  });

  it('is served when its path is none, with a warning', async () => {
    const reference_image_metadata = { scan_path_x_pixels: [1, 5], scan_path_y_pixels: [2] };
    const [scene] = openFiles(await native('', { sidecar: { reference_image_metadata } })).info.scenes;
    expect([scene?.reference?.scanPath, scene?.reference?.lineRoi]).toEqual([null, null]);
    expect(scene?.warnings).toEqual(['The scan path was ignored: it has 2 x and 1 y coordinates, or invalid numbers.']);
  });

  it('may have its header among the attributes', async () => {
    const files = await imageFiles(
      smallImage({ version: 3, axes: [axis('c'), axis('y'), axis('x')], scale: [1, 1, 1] }),
    );
    const document = JSON.parse(Buffer.from(files.get('zarr.json') as Uint8Array).toString());
    document.attributes.acqstore_pixels = {
      header: {
        dims: ['C', 'Y', 'X'],
        physical_units: [1, 0.003, 0.3],
        physical_units_labels: ['Channels', 'seconds', 'um'],
        date: '20240102',
        time: '03:04:05',
      },
    };
    files.set('zarr.json', json(document));
    const [scene] = openFiles(files).info.scenes;
    expect(scene?.steps.Y).toEqual({ step: 0.003, unit: 'seconds', origin: 'file' });
    expect(scene?.steps.X).toEqual({ step: 0.3, unit: 'micrometer', origin: 'file' });
    expect([scene?.date, scene?.time]).toEqual(['20240102', '03:04:05']);
  });
});

describe('a collection of acqstore', () => {
  it('has its images as scenes, each with its own reference', async () => {
    const paths = ['acq_images/acq_image_000', 'acq_images/acq_image_001'];
    const files = new Map((await Promise.all(paths.map((path) => native(path)))).flatMap((one) => [...one]));
    const acq_images = [...paths, 'acq_images/gone'].map((path, i) => ({
      id: `acq_image_00${i}`,
      name: `cell ${i}`,
      ome_zarr_path: path,
      manifest_path: `${path}/acqstore/manifest.json`,
    }));
    files.set('acqstore/acq_image_collection.json', json({ format: 'acqstore-acq-image-collection', acq_images }));
    const acquisition = openFiles(files);
    const { scenes } = acquisition.info;
    expect(scenes.map(({ name }) => name)).toEqual(['cell 0', 'cell 1']);
    expect(scenes.map(({ reference }) => reference?.lineRoi)).toEqual([
      [1, 2, 6.5, 4],
      [1, 2, 6.5, 4],
    ]);
    expect(scenes[0]?.warnings).toEqual(['The image cell 2 was skipped: the group is missing']);
    expect((await planeOf(acquisition, { scene: 1 }))[10]).toBe(22);
  });
});
