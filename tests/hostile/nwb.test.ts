import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { images, imagingPlane, movie, type NwbSpec, series, writeNwb } from '../writers/nwb.js';
import { writeTiff } from '../writers/tiff.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const plane = imagingPlane({ spacing: [5e-7, 2.5e-7], channels: ['Green'], rate: 10 });
const SPEC: NwbSpec = {
  acquisition: {
    Frames: series({
      data: { ...movie(3, 4, 3), chunks: [1, 2, 3], filters: ['shuffle', 'gzip', 'fletcher32'] },
      dimension: [4, 3],
      timestamps: [0, 1, 2],
      plane: 'p',
      fieldOfView: [2e-6, 1e-6],
    }),
    Lines: series({
      type: 'TimeSeries',
      data: { data: Float32Array.from({ length: 24 }, (_, i) => i), shape: [6, 4] },
      rate: 500,
    }),
    Film: series({ type: 'ImageSeries', external: ['film.tif'], rate: 30 }),
    Images: images({ a: { data: movie(1, 4, 3).data, shape: [4, 3], resolution: 2000 } }),
  },
  planes: { p: plane },
};
const film = writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint8Array(12) }] });
const entry = {
  shape: [3, 4],
  images_container: 'Images',
  channel_images: ['a'],
  sidecar_payload: { image_header_metadata: { physical_unit_y: 0.002, physical_label_y: 'seconds' } },
};
const OWN: NwbSpec = {
  acquisition: { Images: images({ a: { data: movie(1, 4, 3).data, shape: [4, 3] } }) },
  scratch: { acqstore_manifest_json: { data: { vlen: JSON.stringify({ image: entry }) } } },
};
const FILES = [
  { name: 'old metadata', bytes: writeNwb(SPEC) },
  { name: 'new metadata', bytes: writeNwb({ ...SPEC, kind: 'new' }) },
  { name: 'manifest of acqstore', bytes: writeNwb(OWN) },
];

const open = (bytes: Uint8Array) => openBytes('demo.nwb', bytes, { 'film.tif': film });

describe('damaged NWB files', () => {
  const perFile = Math.ceil(hostileCases(9_000) / FILES.length);

  it.each(FILES)(`$name, ${perFile} cases`, { timeout: 7_200_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(perFile / 20);
    expect(outcomes.refused).toBeGreaterThan(perFile / 50);
  });

  it.each(FILES)('$name, cut at each of 128 places: true planes', async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 128));
  });

  it.each(FILES)(`$name, ${perFile} times a few bytes: true planes`, { timeout: 7_200_000 }, async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueChanges(Math.ceil(perFile / 2), 0.08);
  });
});
