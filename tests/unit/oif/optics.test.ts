import { expect, it } from 'vitest';
import { parseMain } from '../../../src/formats/oif/parse.js';
import { parseSettingsText } from '../../../src/io/olympus-settings.js';
import { openAcquisition } from '../../../src/open.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';

it('has the dye, wavelengths and gain of each active channel', () => {
  const channel = (number: number, active: number, dye: string) =>
    `[GUI Channel ${number} Parameters]\nCH Activate=${active}\nCH Name="C${number}"\nDyeName="${dye}"\n` +
    `EmissionWavelength=0\nExcitationWavelength=48${number}\nAnalogPMTGain=1000\n`;
  const text = `[Acquisition Parameters Common]\nZoomValue=6.0\n${channel(1, 1, 'None')}${channel(2, 0, 'X')}${channel(3, 1, 'FITC')}`;
  const raw = parseMain(parseSettingsText(text));
  expect(raw.zoom).toBe(6);
  expect(raw.optics).toEqual([
    { fluorophore: undefined, excitationNm: 481, emissionNm: 0, gain: 1000 },
    { fluorophore: 'FITC', excitationNm: 483, emissionNm: 0, gain: 1000 },
  ]);
});

/** Read out of the settings by hand. */
describeWithSamples('the microscope of an OIF sample', () => {
  it('equals its settings', async () => {
    const path = 'oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif';
    const opened = await openAcquisition(samplePath(path));
    const [scene] = opened.acquisition.info.scenes;
    opened.close();
    expect(scene?.instrument).toEqual({ zoom: 6, start: '2021-01-21T18:20:54' });
    expect(scene?.channels[0]).toMatchObject({ excitationNm: 488, gain: 1000 });
    expect(scene?.channels[0]).not.toHaveProperty('fluorophore');
    expect(scene?.channels[0]).not.toHaveProperty('emissionNm');
  });
});
