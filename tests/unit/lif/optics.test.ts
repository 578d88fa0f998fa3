import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { FIELD, openBytes, seriesVector, stampsEvery } from '../../support/lif.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { type LifImageSpec, writeLif } from '../../writers/lif.js';

const open = (image: LifImageSpec) => openBytes(writeLif({ elements: [image] }));

describe('the microscope of a LIF', () => {
  it('is that of the confocal settings, with the detector of each channel', async () => {
    const settings = {
      ...FIELD,
      MicroscopeModel: 'DMI6000B-CS',
      Magnification: '63',
      NumericalAperture: '1.3',
      Immersion: 'GLYC',
      Zoom: '10.5',
      PixelDwellTime: '0.000004875',
      LineTime: '0.0025',
      ScanDirectionXName: 'Bidirectional',
      Pinhole: '8.25E-05',
    };
    const inside =
      '<DetectorList><Detector Name="HyD 1" Channel="1" IsActive="1" Gain="41.5"/><Detector Name="PMT 2" Channel="2" IsActive="0"/>' +
      '<Detector Name="HyD 3" Channel="3" IsActive="1" Gain=""/></DetectorList>' +
      '<Spectro><MultiBand Channel="1" DyeName="Leica/FITC" LeftWorld="493" RightWorld="541.5"/></Spectro>';
    const { info } = await open(seriesVector({ settings, inside, stamps: stampsEvery(6, 2, 0.5) }));
    const [scene] = info.scenes;
    expect(scene?.instrument).toMatchObject({
      microscope: 'DMI6000B-CS',
      objective: { name: 'HC PL APO CS2 63x/1.30 GLYC', magnification: 63, numericalAperture: 1.3, immersion: 'GLYC' },
      zoom: 10.5,
      pixelDwellSeconds: 4.875e-6,
      linePeriodSeconds: 0.0025,
      bidirectional: true,
      stage: { x: 34620.9393053, y: 14743.053975 },
    });
    expect(scene?.instrument?.start).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(scene?.channels).toMatchObject([
      { fluorophore: 'FITC', emissionNm: [493, 541.5], detector: 'HyD 1', gain: 41.5, pinholeUm: 82.5 },
      { detector: 'HyD 3', pinholeUm: 82.5 },
    ]);
    expect(scene?.channels[1]).not.toHaveProperty('gain');
  });

  it('is read beside lists of hardware, of which only the ends matter', async () => {
    // The scanner does not look inside, so it does not notice that this is not well-formed.
    const list = '<Aotf LightSourceName="UV"><LaserLineSetting LaserLine="405" IntensityDev="0.5"></Aotf>';
    const names = ['AotfList', 'FilterWheel', 'LaserArray', 'ShutterList', 'AdditionalZPositionList'];
    const inside =
      names.map((name) => `<${name}>${list}</${name}>`).join('') +
      '<DetectorList><Detector Name="HyD 1" Channel="1" IsActive="1"/><Detector Name="HyD 3" Channel="3" IsActive="1"/></DetectorList>';
    const { info } = await open(seriesVector({ settings: FIELD, inside, stamps: stampsEvery(6, 2, 0.5) }));
    expect(info.scenes[0]?.warnings).toEqual([]);
    expect(info.scenes[0]?.channels).toMatchObject([{ detector: 'HyD 1' }, { detector: 'HyD 3' }]);
  });

  it('is absent without settings', async () => {
    const [scene] = (await open(seriesVector())).info.scenes;
    expect(scene).not.toHaveProperty('instrument');
  });
});

describe('the planes of a LIF', () => {
  it('have a time for each frame, or for each channel of a frame', async () => {
    const times = async (stamps: string[]) => {
      const { time } = await (await open(seriesVector({ stamps }))).readPlaneColumns!(0);
      return time && Array.from(time);
    };
    // 2 times × 3 depths × 2 channels.
    expect(await times(stampsEvery(6, 1, 0.5))).toEqual([0, 0, 0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2, 2.5, 2.5]);
    expect(await times(stampsEvery(6, 2, 0.5))).toEqual([0, 0, 0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2, 2.5, 2.5]);
    expect(await times(stampsEvery(5, 1, 0.5))).toBeUndefined();
    expect(await times([])).toBeUndefined();
  });
});

describeWithSamples('the microscope of a LIF sample', () => {
  it('equals the attributes of its XML', async () => {
    const opened = await openAcquisition(samplePath('lif/Arcadia-Science+readlif/xz-example/xz-example.lif'));
    const [scene] = opened.acquisition.info.scenes;
    opened.close();
    expect(scene?.instrument).toMatchObject({
      microscope: 'DMI6000B-CS',
      objective: { magnification: 63, numericalAperture: 1.3, immersion: 'GLYC' },
      zoom: 10.3574655270055,
      pixelDwellSeconds: 0.000004875,
      bidirectional: false,
    });
    expect(scene?.channels[0]).toMatchObject({ fluorophore: 'FITC', gain: 41.5023978574987, detector: 'HyD 1' });
  });
});
