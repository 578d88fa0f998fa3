import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findInstrument } from '../../../packages/readers/src/formats/oif/instrument.js';
import { parseMain } from '../../../packages/readers/src/formats/oif/parse.js';
import { parseSettingsText } from '../../../packages/readers/src/io/olympus-settings.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { sceneOf } from '../../support/native.js';
import { lineScan } from '../../support/oif.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder } from '../../support/temp.js';
import { writeOif } from '../../writers/oif.js';

const root = tempFolder();

it('has the dye, wavelengths and gain of each active channel', () => {
  const channel = (number: number, active: number, dye: string) =>
    `[GUI Channel ${number} Parameters]\nCH Activate=${active}\nCH Name="C${number}"\nDyeName="${dye}"\n` +
    `EmissionWavelength=0\nExcitationWavelength=48${number}\nAnalogPMTGain=1000\n`;
  const text = `[Acquisition Parameters Common]\nZoomValue=6.0\n${channel(1, 1, 'None')}${channel(2, 0, 'X')}${channel(3, 1, 'FITC')}`;
  const raw = parseMain(parseSettingsText(text));
  expect(raw.zoom).toBe(6);
  expect(raw.optics).toEqual([
    { fluorophore: undefined, excitationNm: 481, emissionNm: 0, gain: 1, laserPower: undefined },
    { fluorophore: 'FITC', excitationNm: 483, emissionNm: 0, gain: 1, laserPower: undefined },
  ]);
});

async function instrumentOf(acquisition: string[]) {
  const spec = lineScan();
  const planes = spec.planes.map((plane) => ({ ...plane, acquisition }));
  const opened = await openAcquisition(writeOif(mkdtempSync(join(root, 'set-')), { ...spec, planes }));
  opened.close();
  return sceneOf(opened, 0).instrument;
}

it('has the objective and the timing of the first plane', async () => {
  const name = 'ObjectiveLens Name="UPLFLN   40X  NA:0.75"';
  expect(
    await instrumentOf([name, 'Magnification=40.0', 'ObjectiveLens NAValue=0.75', 'Time Per Pixel="8.0"']),
  ).toEqual({
    microscope: 'FLUOVIEW FV1000',
    objective: { name: 'UPLFLN 40X NA:0.75', magnification: 40, numericalAperture: 0.75 },
    pixelDwellSeconds: 8e-6,
    linePeriodSeconds: 0.002,
  });
});

it('leaves out what the software marks as unknown, and impossible apertures', async () => {
  const unknown = { microscope: 'FLUOVIEW FV1000', linePeriodSeconds: 0.002 };
  expect(await instrumentOf(['Magnification=9999.0', 'ObjectiveLens NAValue=9999.0'])).toEqual(unknown);
  expect(await instrumentOf(['Magnification=0.0', 'ObjectiveLens NAValue=75', 'ObjectiveLens Name=""'])).toEqual(
    unknown,
  );
});

it.each([
  ['Oneway', false],
  ['Roundtrip', true],
  ['Other', undefined],
])('reads the scan direction %s', (direction, bidirectional) => {
  const main = parseSettingsText(`[Acquisition Parameters Common]\nScanDirection="${direction}"`);
  expect(findInstrument(main, undefined).bidirectional).toBe(bidirectional);
});

it('has the power of the laser whose wavelength a channel names', () => {
  const laser = (number: string, wavelength: number, power: number) =>
    `LaserWavelength${number}=${wavelength}\nLaserTransmissivity${number}=${power}\n`;
  const channel = (number: number, wavelength: number) =>
    `[GUI Channel ${number} Parameters]\nCH Activate=1\nCH Name="C${number}"\nExcitationWavelength=${wavelength}\n`;
  const lasers = laser('01', 488, 0.3) + laser('02', 0, 7) + laser('03', 635, 12);
  const text = `[Acquisition Parameters Common]\n${lasers}${[635, 488, 543, 0].map((nm, i) => channel(i + 1, nm)).join('')}`;
  const powers = parseMain(parseSettingsText(text)).optics.map(({ laserPower }) => laserPower);
  expect(powers).toEqual([12, 0.3, undefined, undefined]);
});

it.each([
  ['100000', 100],
  ['0', undefined],
  ['9999', undefined],
  ['2500000', undefined],
])('reads a pinhole of %s nm for the channel of the first plane', async (diameter, pinholeUm) => {
  const spec = lineScan();
  const acquisition = [`PinholeDiameter=${diameter}`];
  const planes = spec.planes.map((plane) => ({ ...plane, acquisition }));
  const opened = await openAcquisition(writeOif(mkdtempSync(join(root, 'set-')), { ...spec, planes }));
  opened.close();
  expect(sceneOf(opened, 0).channels.map((channel) => channel.pinholeUm)).toEqual([pinholeUm, undefined]);
});

it.each([
  [976, '.976'],
  [5, '.005'],
  [0, ''],
  [1000, ''],
  [-1, ''],
])('begins at the second of the date and %d ms', async (milliseconds, fraction) => {
  const opened = await openAcquisition(writeOif(mkdtempSync(join(root, 'set-')), { ...lineScan(), milliseconds }));
  opened.close();
  expect(sceneOf(opened, 0).instrument?.start).toBe(`2012-07-26T15:13:35${fraction}`);
});

/** Read out of the settings by hand. */
describeWithSamples('the microscope of an OIF sample', () => {
  it('equals its settings', async () => {
    const path = 'oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif';
    const opened = await openAcquisition(samplePath(path));
    const [scene] = opened.acquisition.info.scenes;
    opened.close();
    expect(scene?.instrument).toEqual({
      microscope: 'FLUOVIEW FV1000',
      objective: { name: 'LUMPLFL 60X W/IR NA:0.90', magnification: 60, numericalAperture: 0.9 },
      zoom: 6,
      pixelDwellSeconds: 2e-6,
      linePeriodSeconds: 0.001359999,
      bidirectional: false,
      start: '2021-01-21T18:20:54.797',
    });
    expect(scene?.channels[0]).toMatchObject({ excitationNm: 488, gain: 1, pinholeUm: 250, laserPower: 5 });
    expect(scene?.channels[0]).not.toHaveProperty('fluorophore');
    expect(scene?.channels[0]).not.toHaveProperty('emissionNm');
  });
});
