import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { everything, openNd2, timeSeries } from '../../support/nd2.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { writeNd2 } from '../../writers/nd2.js';
import { bool, f64, level, list, text, u32 } from '../../writers/nd2-tree.js';

const spectrum = (name: string, peaks: number[]) =>
  level(name, [
    level(
      'pPoint',
      peaks.map((peak, i) => level(`Point${i}`, [f64('dWavelength', peak)])),
    ),
  ]);
const filter = (excitation: number[], emission: number[]) =>
  level('pFilterPath', [
    list('m_pFilter', [
      level('', [spectrum('m_ExcitationSpectrum', excitation), spectrum('m_EmissionSpectrum', emission)]),
    ]),
  ]);
const lens = level('pObjectiveSetting', [
  text('wsObjectiveName', 'Plan Apo λ 20x'),
  f64('dObjectiveMag', 20),
  f64('dObjectiveNA', 0.75),
]);
const exposure = (name: string, ms: number, camera: string) =>
  level(name, [
    f64('dExposureTime', ms),
    level('pCameraSetting', [text('CameraUserName', camera), level('FormatFast', [text('big', 'skipped')])]),
    level('pDeviceSetting', [text('m_sMicroscopePhysFullName', 'Nikon Ti2')]),
    lens,
  ]);
const picture = level('SLxPictureMetadata', [
  f64('dTimeAbsolute', 2440587.5 + 20000.25),
  f64('dXPos', 31650.5),
  f64('dYPos', -32211.25),
  f64('dZPos', 9009),
  f64('dZoom', 2.469),
  f64('dObjectiveMag', -1),
  level('sPicturePlanes', [
    level('sPlaneNew', [
      level('a0', [
        u32('uiCompCount', 1),
        u32('uiSampleIndex', 0),
        level('pFluorescentProbe', [text('m_sName', 'GFP'), spectrum('m_EmissionSpectrum', [])]),
        filter([488, 405, 561], [525]),
        f64('dPinholeDiameter', 38.3),
        text('sDescription', 'A'),
      ]),
      level('a1', [u32('uiCompCount', 1), u32('uiSampleIndex', 1), filter([0], [0]), f64('dPinholeDiameter', -1)]),
    ]),
    level('sSampleSetting', [exposure('a0', 20, 'Fusion, SN:500651'), exposure('a1', 1000, 'Andor')]),
  ]),
]);

describe('the microscope of an ND2', () => {
  it('is what the metadata of the first frame state of it, and of each channel', () => {
    const [scene] = openNd2(writeNd2(timeSeries({ picture }))).info.scenes;
    expect(scene?.instrument).toEqual({
      microscope: 'Nikon Ti2',
      objective: { name: 'Plan Apo λ 20x', magnification: 20, numericalAperture: 0.75 },
      zoom: 2.469,
      stage: { x: 31650.5, y: -32211.25, z: 9009 },
      start: '2024-10-04T06:00:00Z',
    });
    const [first, second] = scene!.channels;
    expect(first).toMatchObject({
      fluorophore: 'GFP',
      excitationNm: 488,
      emissionNm: 525,
      exposureSeconds: 0.02,
      detector: 'Fusion, SN:500651',
      pinholeUm: 38.3,
    });
    expect(second).toMatchObject({ exposureSeconds: 1, detector: 'Andor' });
    expect(second).not.toHaveProperty('emissionNm');
    expect(second).not.toHaveProperty('pinholeUm');
  });
});

/** One channel through a filter for 405 nm, as those lines were on or off. */
function channelWith(lines: [name: string, nm: number, power: number, isUsed: boolean][], emission: number[]) {
  const devices = lines.flatMap(([name, nm, power, isUsed]) => [
    bool(`m_bMultiLaserLineUsed${name}`, isUsed),
    u32(`m_uiMultiLaserLineWavelength${name}`, nm),
    f64(`m_dMultiLaserLinePower${name}`, power),
  ]);
  const tree = level('SLxPictureMetadata', [
    level('sPicturePlanes', [
      level('sPlaneNew', [level('a0', [u32('uiCompCount', 1), u32('uiSampleIndex', 0), filter([405], emission)])]),
      level('sSampleSetting', [level('a0', [level('pDeviceSetting', devices)])]),
    ]),
  ]);
  const [scene] = openNd2(writeNd2(timeSeries({ components: 1, picture: tree }))).info.scenes;
  const { excitationNm, laserPower } = scene!.channels[0]!;
  return { excitationNm, laserPower };
}

describe('the laser of an ND2 channel', () => {
  const off: [string, number, number, boolean] = ['0-00', 405, 84, false];

  it('is the line that was on, regardless of the line that the filter was made for', () => {
    const line: typeof off = ['0-01', 488, 95.6938, true];
    expect(channelWith([off, line], [512])).toEqual({ excitationNm: 488, laserPower: 95.6938 });
    expect(channelWith([off, ['1-02', 488, 0, true]], [512])).toEqual({ excitationNm: 488, laserPower: 0 });
    expect(channelWith([off, ['0-01', 488, 250, true]], [512])).toEqual({ excitationNm: 488, laserPower: undefined });
  });

  it.each([
    ['several were on', [['0-01', 488, 5, true] as typeof off, ['1-00', 450, 5, true] as typeof off], [512], 405],
    ['none was on', [off], [512], 405],
    ['the channel has no emission', [['0-01', 488, 5, true] as typeof off], [0], 405],
    ['its emission is shorter', [['0-01', 640, 5, true] as typeof off], [512], 405],
  ])('is not known where %s', (_, lines, emission, excitationNm) => {
    expect(channelWith(lines, emission)).toEqual({ excitationNm, laserPower: undefined });
  });
});

describe('the planes of an ND2', () => {
  it('have the times, positions and exposures of their frames', async () => {
    const tables = { X: [1, 2, 3], Y: [0, 0, 0], Z1: [7, 7.5, 8], Camera_ExposureTime1: [500, 500, 250] };
    const opened = openNd2(writeNd2(timeSeries({ tables })));
    const columns = await opened.readPlaneColumns!(0);
    expect(Object.keys(columns).sort()).toEqual(['time', 'x', 'z']);
    expect(Array.from(columns.time!)).toEqual([0, 0, 0.5, 0.5, 1, 1]);
    expect(Array.from(columns.x!)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(Array.from(columns.z!)).toEqual([7, 7, 7.5, 7.5, 8, 8]);
    const [frame] = timeSeries().frames;
    const single = timeSeries({ components: 1, tables, frames: [0, 1, 2].map((number) => ({ ...frame!, number })) });
    const { picture: _, ...plain } = single;
    const gray = await openNd2(writeNd2(plain)).readPlaneColumns!(0);
    expect(Array.from(gray.exposure!)).toEqual([0.5, 0.5, 0.25]);
  });

  it('are those of the scene, and have no values where a table is short', async () => {
    const opened = openNd2(writeNd2({ ...everything(), tables: { X: [10, 11, 12] } }));
    const { sizes, channels } = opened.info.scenes[1]!;
    const columns = await opened.readPlaneColumns!(1);
    expect(columns.x).toHaveLength(sizes.T * sizes.Z * channels.length);
    expect(columns.x!.some(Number.isNaN)).toBe(true);
  });
});

/** By the package `nd2`. */
describeWithSamples('the microscope of ND2 samples', () => {
  it('equals what an independent reader reads', async () => {
    const opened = await openAcquisition(samplePath('nd2/soft-matter+pims/cluster.nd2'));
    const [scene] = opened.acquisition.info.scenes;
    const columns = await opened.acquisition.readPlaneColumns!(0);
    opened.close();
    expect(scene?.instrument).toMatchObject({
      objective: { name: 'Plan Apo λ 60x', magnification: 60, numericalAperture: 0.95 },
      zoom: 2.469,
    });
    expect(scene?.channels).toMatchObject([
      { excitationNm: 488, emissionNm: 525, pinholeUm: 38.314176245210724 },
      { excitationNm: 561, emissionNm: 700, pinholeUm: 38.314176245210724 },
    ]);
    expect(columns.time?.[2]).toBeCloseTo(1.4593510068655013, 12);
    expect(columns.x?.[0]).toBe(-26056.951209195162);
    expect(columns.y?.[0]).toBe(-4155.462732842248);
  });

  it('has the line and the power of the laser that was on', async () => {
    const opened = await openAcquisition(
      samplePath('nd2/Arcadia-Science+arcadia-microscopy-tools/example-multichannel.nd2'),
    );
    opened.close();
    const lasers = opened.acquisition.info.scenes[0]?.channels.map((channel) => [
      channel.name,
      channel.excitationNm,
      channel.laserPower,
    ]);
    expect(lasers).toEqual([
      ['Mono', undefined, undefined],
      ['DAPI', 405, 84.0336],
      ['FITC BP', 488, 95.6938],
      ['TRITC BP', 561, 33.4734],
    ]);
  });
});
