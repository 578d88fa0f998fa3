import { expect, it } from 'vitest';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { channelId, type OirSpec, writeOir } from '../../writers/oir.js';

const folder = tempFolder();
const [ONE, TWO] = [channelId(1), channelId(2)];

async function open(region: string, { document, root }: { document?: string; root?: string } = {}) {
  const spec: OirSpec = {
    width: 4,
    height: 3,
    depth: 2,
    channels: [
      { id: ONE, name: 'CH1', order: '1' },
      { id: TWO, name: 'CH2', order: '2', ...(document !== undefined && { document }) },
    ],
    sample: () => 1,
    region,
    ...(root !== undefined && { root }),
  };
  const opened = await openFiles(folder, { 'a.oir': writeOir(spec) });
  opened.close();
  const [scene] = opened.acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
}

const scanner = (type: string, speed: number, zoom: number, roundtrip: boolean) =>
  `<s:scannerSettings type="${type}"><s:param><s:area><c:zoom>${zoom}</c:zoom></s:area><s:speed><c:speed>${speed}</c:speed>` +
  `<c:roundtrip>${roundtrip}</c:roundtrip><c:speedInformation><c:lineSpeed>1.142</c:lineSpeed></c:speedInformation>` +
  '</s:speed></s:param></s:scannerSettings>';
const laser = (id: string, wavelength: number, power: number, enable = 'true') =>
  `<s:mainLaser laserDataId="${id}"><c:transmissivity>${power}</c:transmissivity></s:mainLaser>` +
  `<s:imagingMainLaser id="${id}" enable="${enable}"><c:wavelength>${wavelength}</c:wavelength></s:imagingMainLaser>`;
const channel = (id: string, body: string) => `<s:channel id="${id}">${body}</s:channel>`;

it('has the objective, and the settings of the scanner in use', async () => {
  const lens =
    '<o:objectiveLens><o:name>UPLXAPO20X</o:name><o:magnification>20.0</o:magnification><o:naValue>0.8</o:naValue>' +
    '<o:immersion>DRY</o:immersion></o:objectiveLens>';
  const scene = await open(lens + scanner('Resonant', 0.067, 1, true) + scanner('Galvano', 2, 3, false));
  expect(scene.instrument).toEqual({
    objective: { name: 'UPLXAPO20X', magnification: 20, numericalAperture: 0.8, immersion: 'DRY' },
    zoom: 3,
    pixelDwellSeconds: 2e-6,
    linePeriodSeconds: 0.001142,
    bidirectional: false,
  });
});

it('finds the optics of a channel by its id', async () => {
  const band = '<w:startWavelength>540</w:startWavelength><w:endWavelength>500</w:endWavelength>';
  const scene = await open(
    channel(TWO, `<p:dyeName>EGFP</p:dyeName><w:range>${band}</w:range><p:laserDataId>L488</p:laserDataId>`) +
      channel(
        TWO,
        '<p:dyeName>Other</p:dyeName><p:deviceName>SD1</p:deviceName><c:pinholeDiameter>150</c:pinholeDiameter>',
      ) +
      channel(
        ONE,
        '<p:dyeName>None</p:dyeName><p:dyeData><p:emissionWavelength>568</p:emissionWavelength></p:dyeData>',
      ) +
      `<s:pmt channelId="${TWO}"><s:voltage>612</s:voltage><s:gain>1.5</s:gain></s:pmt>${laser('L488', 488, 15)}`,
  );
  expect(scene.channels).toEqual([
    { name: 'CH1', emissionNm: 568 },
    {
      name: 'CH2',
      fluorophore: 'EGFP',
      excitationNm: 488,
      emissionNm: [500, 540],
      detector: 'SD1',
      gain: 1.5,
      pinholeUm: 150,
      laserPower: 15,
    },
  ]);
});

it('takes the first of several pinholes of a channel', async () => {
  const pinhole = (diameter: number) => `<c:pinhole><c:pinholeDiameter>${diameter}</c:pinholeDiameter></c:pinhole>`;
  expect((await open(channel(ONE, pinhole(150) + pinhole(300)))).channels[0]).toEqual({ name: 'CH1', pinholeUm: 150 });
});

it('fills what the recording does not say of a channel from the document of the channel', async () => {
  const named = '<p:dyeName>EGFP</p:dyeName>';
  const document =
    '<p:dyeName>Other</p:dyeName><p:deviceName>RNDD2</p:deviceName><p:pinholeDiameter>105</p:pinholeDiameter>';
  const scene = await open(channel(TWO, named), { document });
  expect(scene.channels).toEqual([
    { name: 'CH1' },
    { name: 'CH2', fluorophore: 'EGFP', detector: 'RNDD2', pinholeUm: 105 },
  ]);
});

it('names the microscope', async () => {
  const scene = await open('', { root: '<i:system><b:systemName>FV3000</b:systemName></i:system>' });
  expect(scene.instrument).toEqual({ microscope: 'FV3000' });
});

it('names no laser of a channel with several, or with one that is off', async () => {
  const lasers = laser('A', 488, 1) + laser('B', 561, 2) + laser('C', 640, 3, 'false');
  const named = (...ids: string[]) => ids.map((id) => `<p:laserDataId>${id}</p:laserDataId>`).join('');
  const scene = await open(channel(ONE, named('A', 'B')) + channel(TWO, named('C')) + lasers);
  expect(scene.channels).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
});
