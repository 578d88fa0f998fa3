import { expect, it } from 'vitest';
import { openIms } from '../../../packages/readers/src/formats/ims/index.js';
import { CountingSource } from '../../support/counting-source.js';
import { volume } from '../../support/hdf5.js';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type H5Group, writeHdf5 } from '../../writers/hdf5.js';
import { type ImsSpec, imsTree, writeIms } from '../../writers/ims.js';

const folder = tempFolder();

async function open(over: Partial<ImsSpec>) {
  const opened = await openFiles(folder, { 'a.ims': writeIms(volume(over)) });
  opened.close();
  const [scene] = opened.acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
}

const optics = async (...channelAttributes: Record<string, string>[]) => (await open({ channelAttributes })).channels;

it('has the objective, the microscope and the start of the recording', async () => {
  const image = {
    LensPower: '63x',
    NumericalAperture: '1,40',
    ObjectiveName: 'HC PL APO CS2 63x/1.40 OIL',
    ObjectiveImmersion: 'OIL',
    MicroscopeModel: 'DMI8-CS',
    RecordingDate: '2019-12-31 23:59:58.500',
  };
  const times = ['2019-12-31 22:59:58.500', '2019-12-31 22:59:59.500'];
  // The time points count from the first one, whatever zone the date of the recording is in.
  expect((await open({ image, times })).instrument?.start).toBe('2019-12-31T22:59:58');
  const epoch = ['1970-01-01 00:00:00.000', '1970-01-01 00:00:01.000'];
  expect((await open({ image, times: epoch })).instrument).toEqual({
    microscope: 'DMI8-CS',
    objective: { name: 'HC PL APO CS2 63x/1.40 OIL', magnification: 63, numericalAperture: 1.4, immersion: 'OIL' },
    start: '2019-12-31T23:59:58',
  });
});

it.each([
  ['20', { magnification: 20 }],
  ['20.0 X', { magnification: 20 }],
  ['0', undefined],
  ['', undefined],
  ['Plan-Apochromat', undefined],
  ['20x/0.8', undefined],
])('reads a lens power of "%s"', async (LensPower, objective) => {
  expect((await open({ image: { LensPower } })).instrument?.objective).toEqual(objective);
});

it('takes the aperture of a channel, where the image has none that is possible', async () => {
  const channelAttributes = [{}, { NumericalAperture: '0.8' }];
  const { instrument } = await open({ image: { NumericalAperture: '80' }, channelAttributes });
  expect(instrument).toEqual({ objective: { numericalAperture: 0.8 } });
});

it('has no instrument where the file states nothing', async () => {
  expect(await open({})).not.toHaveProperty('instrument');
});

it('has the wavelengths of each channel', async () => {
  const andor = { LSMExcitationWavelength: '561 nm nm', LSMEmissionWavelength: '594 nm' };
  const other = { ExcitationWavelength: '488', EmissionWavelength: '525.5', LSMEmissionWavelength: '' };
  expect(await optics(andor, other)).toEqual([
    { name: 'Green', excitationNm: 561, emissionNm: 594 },
    { name: 'Red', excitationNm: 488, emissionNm: 525.5 },
  ]);
});

it('leaves out wavelengths that are unknown or no numbers in nm', async () => {
  const unknown = { LSMExcitationWavelength: '0', LSMEmissionWavelength: '(not specified)' };
  const micrometers = { LSMExcitationWavelength: '0.561 um', LSMEmissionWavelength: '5e2' };
  expect(await optics(unknown, micrometers)).toEqual([{ name: 'Green' }, { name: 'Red' }]);
});

it('reads ordinary texts, and numbers', async () => {
  const spec = volume({ plainAttributes: true, channelAttributes: [{ LSMExcitationWavelength: '488' }] });
  const tree = imsTree(spec);
  const info = tree.members?.['DataSetInfo'] as H5Group | undefined;
  const image = info?.members?.['Image'] as H5Group | undefined;
  Object.assign(image?.attrs ?? {}, { LensPower: Float32Array.of(40) });
  const opened = await openFiles(folder, { 'a.ims': writeHdf5(tree, spec) });
  opened.close();
  const [scene] = opened.acquisition.info.scenes;
  expect(scene?.instrument).toEqual({ objective: { magnification: 40 } });
  expect(scene?.channels[0]).toEqual({ name: 'Green', excitationNm: 488 });
});

it('reads nothing more than without these attributes', () => {
  const readsOf = (names: readonly string[]) => {
    const values = Object.fromEntries(names.map((name) => [name, '488']));
    const source = new CountingSource(writeIms(volume({ image: values, channelAttributes: [values, values] })));
    openIms(source);
    return { reads: source.reads, bytes: source.bytes };
  };
  const read = ['LensPower', 'NumericalAperture', 'ObjectiveName', 'LSMExcitationWavelength', 'LSMEmissionWavelength'];
  const ignored = read.map((name) => `x${name.slice(1)}`);
  expect(readsOf(read)).toEqual(readsOf(ignored));
});
