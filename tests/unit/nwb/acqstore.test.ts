import { describe, expect, it } from 'vitest';
import { openNwbBytes, scenePlane } from '../../support/hdf5.js';
import type { H5Node } from '../../writers/hdf5.js';
import { images, movie, typed, writeNwb } from '../../writers/nwb.js';

const header = {
  physical_unit_y: '0.002',
  physical_unit_x: 0.1,
  physical_label_y: 'seconds',
  physical_label_x: 'um',
  date: '20240102',
  time: '03:04:05',
};
const entry = {
  id: 'acq_image_000',
  display_name: 'cell 3',
  axes: ['C', 'Y', 'X'],
  shape: [2, 3, 4],
  images_container: 'cell_3',
  channel_images: ['green', 'red'],
  sidecar_payload: { image_header_metadata: header },
};
const manifest = (image: object) => JSON.stringify({ format: 'acqstore-nwb', version: 1, kind: 'AcqImage', image });

/** Four pixels along X, three along Y; red is 100 more than green. */
const frame = (t: number) => ({ data: movie(2, 4, 3).data.slice(12 * t, 12 * t + 12), shape: [4, 3] });

function open(scratch: Record<string, string>) {
  const nodes = Object.entries(scratch).map(([name, text]): [string, H5Node] => [
    name,
    { data: { vlen: text }, attrs: typed('ScratchData') },
  ]);
  return openNwbBytes(
    writeNwb({
      acquisition: { cell_3: images({ red: frame(1), green: frame(0), blue: frame(0) }) },
      scratch: Object.fromEntries(nodes),
    }),
  );
}

describe('images that the Python acqstore wrote', () => {
  it.each([
    ['one', { acqstore_manifest_json: manifest(entry) }],
    ['a list', { acqstore_collection_manifest_json: JSON.stringify({ version: 2, images: [entry] }) }],
  ])('are put together, with their calibration: %s', async (_, scratch) => {
    const acquisition = await open(scratch);
    const [first, second, ...more] = acquisition.info.scenes;
    expect(first).toMatchObject({
      name: 'cell 3',
      channels: [{ name: 'green' }, { name: 'red' }],
      sizes: { T: 1, Z: 1, Y: 3, X: 4 },
      steps: {
        Y: { step: 0.002, unit: 'seconds', origin: 'sidecar' },
        X: { step: 0.1, unit: 'micrometer', origin: 'sidecar' },
      },
      date: '20240102',
      time: '03:04:05',
      warnings: [],
    });
    expect(await scenePlane(acquisition, 0)).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
    expect((await scenePlane(acquisition, 0, { channel: 1 }))[11]).toBe(123);
    // What no entry names is an image of its own, with the clock of the file.
    expect([second?.name, second?.date, more]).toEqual(['cell_3/blue', '20240305', []]);
  });

  it.each([
    ['of another shape', { acqstore_manifest_json: manifest({ ...entry, shape: [2, 4, 3] }) }, /4 × 3.*has 3 × 4/],
    ['of a missing image', { acqstore_manifest_json: manifest({ ...entry, channel_images: ['x'] }) }, /is missing/],
    [
      'without images',
      { acqstore_manifest_json: manifest({ ...entry, channel_images: 5 }) },
      /does not list any images/,
    ],
    [
      'of no container',
      { acqstore_manifest_json: manifest({ ...entry, images_container: 7 }) },
      /does not list any images/,
    ],
    ['of nothing', { acqstore_manifest_json: manifest([]) }, /does not list any images/],
    ['that is no JSON', { acqstore_manifest_json: '{' }, /not valid JSON/],
    [
      'of both kinds',
      { acqstore_manifest_json: manifest(entry), acqstore_collection_manifest_json: '{}' },
      /two manifests/,
    ],
  ])('with a manifest %s are images of their own', async (_, scratch, reason) => {
    const { scenes } = (await open(scratch as Record<string, string>)).info;
    expect(scenes.map(({ name }) => name)).toEqual(['cell_3/blue', 'cell_3/green', 'cell_3/red']);
    expect(scenes[0]?.warnings).toContainEqual(expect.stringMatching(reason));
  });
});
