import { describe, expect, it } from 'vitest';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { tempFolder } from '../../support/temp.js';
import { countingPage, description, withFixture } from '../../support/tiff-cases.js';
import { binData, omeXml } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const SIZES = { X: 4, Y: 3, C: 2, T: 2 };

const INSTRUMENT =
  '<Instrument ID="Instrument:0"><Microscope Manufacturer="Zeiss" Model="LSM 980"/>' +
  '<Detector ID="Detector:0" Model="GaAsP" Type="PMT"/><Detector ID="Detector:1" Type="CCD"/>' +
  '<Objective ID="Objective:0" Model="Plan 63x" NominalMagnification="63" LensNA="1.4" Immersion="Oil"/>' +
  '<Objective ID="Objective:1" Model="Plan 5x" NominalMagnification="5"/></Instrument>';
const CHANNELS = [
  '<Channel ID="Channel:0" Name="DAPI" Fluor="DAPI" ExcitationWavelength="405" EmissionWavelength="0.461" ' +
    'EmissionWavelengthUnit="µm" PinholeSize="31.5"><DetectorSettings ID="Detector:0" Gain="650"/></Channel>',
  '<Channel ID="Channel:1" Name="GFP" ExcitationWavelength="488"><DetectorSettings ID="Detector:1"/></Channel>',
];
/** Planes of two channels and two time points; the second of each has no exposure. */
const PLANES = [0, 1, 2, 3].map((i) => {
  const [t, c] = [i >> 1, i & 1];
  const exposure = t === 0 ? ` ExposureTime="${10 * (c + 1)}" ExposureTimeUnit="ms"` : '';
  const position = `PositionX="${0.001 * i}" PositionXUnit="mm" PositionY="5" PositionZ="${i}" PositionZUnit="µm"`;
  return `<Plane TheZ="0" TheC="${c}" TheT="${t}" DeltaT="${t * 2 + c / 10}"${exposure} ${position}/>`;
});

function document(content: string[]): string {
  const image = { sizes: SIZES, children: [...CHANNELS, ...content, ...PLANES] };
  const xml = omeXml({ images: [image] });
  return xml
    .replace('<Image ', `${INSTRUMENT}<Image `)
    .replace('<Pixels', '<InstrumentRef ID="Instrument:0"/><ObjectiveSettings ID="Objective:0"/><Pixels');
}

const tiff = () => {
  const xml = description(document(['<TiffData/>']));
  return writeTiff({ pages: [0, 1, 2, 3].map((i) => countingPage(i, i === 0 ? [xml] : [])) });
};
const inXml = () => document([0, 1, 2, 3].map(() => binData(new Uint8Array(24), { BigEndian: 'false' })));

async function columnsOf({ acquisition }: OpenedAcquisition) {
  const columns = (await acquisition.readPlaneColumns?.(0)) ?? {};
  return Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [name, Array.from(values as Float64Array)]),
  );
}

describe.each([
  ['OME-TIFF', 'a.ome.tif', tiff],
  ['OME-XML with pixels', 'a.ome', inXml],
] as const)('%s', (_, name, write) => {
  it('says who took it, and with what', async () => {
    await withFixture(root, { [name]: write() }, async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.instrument).toEqual({
        microscope: 'Zeiss LSM 980',
        objective: { name: 'Plan 63x', magnification: 63, numericalAperture: 1.4, immersion: 'Oil' },
        stage: { x: 0, z: 0 },
      });
      expect(scene?.channels).toEqual([
        {
          ...{ name: 'DAPI', fluorophore: 'DAPI', excitationNm: 405, emissionNm: 461, exposureSeconds: 0.01 },
          ...{ detector: 'GaAsP', gain: 650, pinholeUm: 31.5 },
        },
        { name: 'GFP', excitationNm: 488, exposureSeconds: 0.02, detector: 'CCD' },
      ]);
    });
  });

  it('has the time, exposure and position of each plane; a position without a unit is left out', async () => {
    await withFixture(root, { [name]: write() }, async (opened) => {
      expect(await columnsOf(opened)).toEqual({
        time: [0, 0.1, 2, 2.1],
        exposure: [0.01, 0.02, Number.NaN, Number.NaN],
        x: [0, 1, 2, 3],
        z: [0, 1, 2, 3],
      });
    });
  });
});

describe('a document with several images', () => {
  const objective = (i: number) => `<Objective ID="Objective:${i}" Model="${i}x" NominalMagnification="${i}"/>`;
  const instruments = (count: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        `<Instrument ID="Instrument:${i}"><Microscope Model="M${i}"/>` +
        `<Detector ID="Detector:${i}" Model="D${i}"/>${objective(10 * (i + 1))}</Instrument>`,
    ).join('');
  const references = (i: number) =>
    `<InstrumentRef ID="Instrument:${i}"/><ObjectiveSettings ID="Objective:${10 * (i + 1)}"/>`;

  /** @param of the instrument of each image; null for an image without references */
  const scenesOf = async (of: (number | null)[], count: number) => {
    const detector = (i: number) => `<Channel ID="C:${i}"><DetectorSettings ID="Detector:${i}"/></Channel>`;
    const images = of.map((i, ifd) => ({
      sizes: { X: 4, Y: 3 },
      children: [detector(i ?? 0), `<TiffData IFD="${ifd}" PlaneCount="1"/>`],
    }));
    let image = 0;
    const xml = omeXml({ images })
      .replace('<Image ', `${instruments(count)}<Image `)
      .replaceAll('<Pixels', () => {
        const i = of[image++] ?? null;
        return `${i === null ? '' : references(i)}<Pixels`;
      });
    const bytes = writeTiff({ pages: of.map((_, i) => countingPage(i, i === 0 ? [description(xml)] : [])) });
    return withFixture(root, { 'a.ome.tif': bytes }, async ({ acquisition }) => acquisition.info.scenes);
  };
  const named = (scenes: Awaited<ReturnType<typeof scenesOf>>) =>
    scenes.map(({ instrument, channels: [channel] }) => [
      instrument?.microscope,
      instrument?.objective?.magnification,
      channel?.detector,
    ]);

  it('gives an instrument to the image that names it, and to no other', async () => {
    expect(named(await scenesOf([0, null], 1))).toEqual([
      ['M0', 10, 'D0'],
      [undefined, undefined, undefined],
    ]);
    expect(named(await scenesOf([1, 0], 2))).toEqual([
      ['M1', 20, 'D1'],
      ['M0', 10, 'D0'],
    ]);
  });

  it('gives the only instrument to all images when none names it', async () => {
    expect(named(await scenesOf([null, null], 1))).toEqual([
      ['M0', 10, 'D0'],
      ['M0', 10, 'D0'],
    ]);
  });
});

describe('OME-XML of 2008', () => {
  it('has its microscope in elements instead of attributes', async () => {
    const xml = `<OME><Instrument ID="Instrument:0"><Microscope Manufacturer="Leica" Model="Unknown"/><Objective ID="O:1"
      Model="HC PL APO"><Immersion>Oil</Immersion><LensNA>0.14E1</LensNA><NominalMagnification>63</NominalMagnification>
      </Objective></Instrument><Image Name="i"><ObjectiveRef ID="O:1"/><Pixels DimensionOrder="XYCZT" PixelType="uint16"
      SizeC="1" SizeT="1" SizeX="4" SizeY="3" SizeZ="1"><TiffData/><Plane TheZ="0" TheT="0" TheC="0"><PlaneTiming
      ExposureTime="0.5" DeltaT="3"/></Plane></Pixels></Image></OME>`;
    await withFixture(
      root,
      { 'a.ome.tif': writeTiff({ pages: [countingPage(0, [description(xml)])] }) },
      async (opened) => {
        const [scene] = opened.acquisition.info.scenes;
        expect(scene?.instrument).toEqual({
          microscope: 'Leica',
          objective: { name: 'HC PL APO', magnification: 63, numericalAperture: 1.4, immersion: 'Oil' },
        });
        expect(scene?.channels[0]?.exposureSeconds).toBe(0.5);
        expect(await columnsOf(opened)).toEqual({ time: [3], exposure: [0.5] });
      },
    );
  });

  it('with numbers that are not finite, or planes outside the sizes, says nothing of them', async () => {
    const planes = [
      '<Plane TheZ="0" TheT="9" TheC="0" DeltaT="1"/>',
      '<Plane TheZ="0" TheT="0" TheC="0" DeltaT="NaN"/>',
    ];
    const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3 }, children: ['<TiffData/>', ...planes] }] });
    await withFixture(
      root,
      { 'a.ome.tif': writeTiff({ pages: [countingPage(0, [description(xml)])] }) },
      async (opened) => {
        expect(opened.acquisition.info.scenes[0]?.instrument).toBeUndefined();
        expect(await columnsOf(opened)).toEqual({});
      },
    );
  });
});
