import { expect, it } from 'vitest';
import { openNwb } from '../../../packages/readers/src/formats/nwb/index.js';
import { CountingSource } from '../../support/counting-source.js';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import type { Content } from '../../writers/hdf5-types.js';
import { imagingPlane, movie, type PlaneSpec, type SeriesSpec, series, typed, writeNwb } from '../../writers/nwb.js';

const folder = tempFolder();
const UNCERTAIN = /does not say whether/;

function bytesOf(plane: PlaneSpec, one: SeriesSpec = {}, device: Record<string, Content> = {}) {
  return writeNwb({
    acquisition: { S: series({ data: movie(2, 4, 3), dimension: [4, 3], rate: 10, plane: 'p', ...one }) },
    planes: { p: imagingPlane(plane) },
    devices: { [plane.device ?? 'Device']: { attrs: { ...typed('Device'), ...device }, members: {} } },
  });
}

async function open(...parts: Parameters<typeof bytesOf>) {
  const opened = await openFiles(folder, { 'a.nwb': bytesOf(...parts) });
  opened.close();
  const [scene] = opened.acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
}

const plane: PlaneSpec = { channels: ['Green'], indicator: 'GCaMP6f', excitation: 920, emission: [525.5] };

it('has the optics of the imaging plane and its optical channel', async () => {
  const scene = await open(plane, { attrs: { pmt_gain: Float32Array.of(0.7), exposure_time: Float32Array.of(0.25) } });
  expect(scene.channels).toEqual([
    { name: 'Green', fluorophore: 'GCaMP6f', excitationNm: 920, emissionNm: 525.5, exposureSeconds: 0.25, gain: 0.7 },
  ]);
  expect(scene.warnings).toEqual([]);
  expect(Object.keys(scene.instrument ?? {})).toEqual(['start']);
});

it('does not guess which of several optical channels a series shows', async () => {
  const scene = await open({ ...plane, channels: ['Green', 'Red'], emission: [525, 610] });
  expect(scene.channels).toEqual([{ name: 'S', fluorophore: 'GCaMP6f', excitationNm: 920 }]);
});

it.each(['none', 'N/A', 'unknown', '', ' - '])('leaves out the indicator "%s"', async (indicator) => {
  expect((await open({ channels: ['Green'], indicator })).channels).toEqual([{ name: 'Green' }]);
});

it('says that a wavelength is none, unless nobody entered one', async () => {
  const wrong = await open({ ...plane, excitation: 9.2e-7, emission: [Number.NaN] });
  expect(wrong.channels).toEqual([{ name: 'Green', fluorophore: 'GCaMP6f' }]);
  expect(wrong.warnings).toEqual(['`excitation_lambda` is 9.2e-7, which is not a wavelength in nm; it was ignored.']);
  expect((await open({ ...plane, excitation: 0, emission: [Number.NaN] })).warnings).toEqual([]);
});

it('gives the colors of a camera no optics', async () => {
  const data = { data: new Uint8Array(2 * 4 * 3 * 3), shape: [2, 4, 3, 3] };
  const scene = await open(plane, { type: 'ImageSeries', data });
  expect(scene.channels.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
  expect(scene.channels.every((channel) => !('excitationNm' in channel))).toBe(true);
});

it.each([
  ['Bergamo II', { manufacturer: 'Thorlabs' }, 'Thorlabs Bergamo II'],
  ['Bergamo II', {}, 'Bergamo II'],
  ['Bergamo II', { manufacturer: 'unknown' }, 'Bergamo II'],
  ['ThorlabsBergamo', { manufacturer: 'Thorlabs' }, 'ThorlabsBergamo'],
  ['Microscope', { manufacturer: 'Bruker', model_name: 'Ultima 2P' }, 'Bruker Ultima 2P'],
  ['Microscope', { manufacturer: 'Bruker' }, 'Bruker'],
  ['Device 1', {}, undefined],
] as const)('calls the device %s %j', async (device, attributes, expected) => {
  const texts = Object.fromEntries(Object.entries(attributes).map(([name, text]) => [name, { vlen: text }]));
  expect((await open({ ...plane, device }, {}, texts)).instrument?.microscope).toBe(expected);
});

it('opens without a device that is missing', async () => {
  const bytes = writeNwb({
    acquisition: { S: series({ data: movie(2, 4, 3), rate: 10, plane: 'p' }) },
    planes: { p: imagingPlane({ ...plane, device: 'gone' }) },
  });
  const opened = await openFiles(folder, { 'b.nwb': bytes });
  opened.close();
  const [scene] = opened.acquisition.info.scenes;
  expect(scene?.channels[0]?.fluorophore).toBe('GCaMP6f');
  expect(scene?.warnings.filter((text) => !UNCERTAIN.test(text))).toEqual([]);
});

it('finds small values in the pages that were read for others', async () => {
  const readsOf = async (spec: PlaneSpec) => {
    const source = new CountingSource(bytesOf({ spacing: [5e-7, 5e-7], rate: 10, ...spec }));
    await openNwb(source, 'a.nwb', { openAnyCase: () => undefined });
    return source.reads;
  };
  expect(await readsOf({ ...plane, device: 'Bergamo II' })).toBeLessThanOrEqual((await readsOf({})) + 1);
});
