import { describe, expect, it } from 'vitest';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { dims, PIXEL_TYPES, writeCzi } from '../../writers/czi.js';
import { cziXml } from '../../writers/czi-kinds.js';

const folder = tempFolder();

const tags = (t: number, c: number, padding = '') =>
  `<METADATA>${padding}<Tags><AcquisitionTime>2024-03-05T09:08:0${t}.${c}234567Z</AcquisitionTime><DetectorState>&lt;CameraState Id=""&gt;` +
  `&lt;ExposureTime&gt;${(c + 1) * 1e8}&lt;/ExposureTime&gt;&lt;/CameraState&gt;</DetectorState>` +
  `<StageXPosition>+00000001697${t}.1530</StageXPosition><StageYPosition>-000000018621.4890</StageYPosition>` +
  '<FocusPosition>+000000001115.1300</FocusPosition></Tags></METADATA>';

const plane = (t: number, c: number, metadata?: string) => ({
  dims: dims({ X: 2, Y: 2, T: [t, 1] as const, C: [c, 1] as const }),
  pixelType: PIXEL_TYPES.Gray8,
  data: new Uint8Array(4),
  ...(metadata === undefined ? {} : { metadata }),
});

const rounded = (column: Float64Array | undefined) => Array.from(column ?? [], (value) => Number(value.toFixed(6)));

describe('the planes of a CZI', () => {
  it('have times, exposures and positions of the stage, read when asked for', async () => {
    const blocks = [
      plane(0, 0, tags(0, 0)),
      plane(0, 1, tags(0, 1)),
      // Further than what is read at once.
      plane(1, 1, tags(1, 1, ' '.repeat(5000))),
      plane(1, 0),
    ];
    const xml = cziXml({ acquired: '2024-03-05T09:07:59Z' });
    const opened = await openFiles(folder, { 'a.czi': writeCzi({ blocks, xml }) });
    const columns = await opened.acquisition.readPlaneColumns!(0);
    opened.close();
    // From the start of the recording, to the ten-millionth of a second that the file has.
    expect(columns.isFromStart).toBe(true);
    expect([...columns.time!]).toEqual([1.0234567, 1.1234567, Number.NaN, 2.1234567]);
    expect(rounded(columns.exposure)).toEqual([0.1, 0.2, Number.NaN, 0.2]);
    expect(rounded(columns.x)).toEqual([16970.153, 16970.153, Number.NaN, 16971.153]);
    expect(rounded(columns.y)).toEqual([-18621.489, -18621.489, Number.NaN, -18621.489]);
    expect(rounded(columns.z)).toEqual([1115.13, 1115.13, Number.NaN, 1115.13]);
  });

  it('have times since 1970 where the time zone of the start is not known', async () => {
    const xml = cziXml({ acquired: '2024-03-05T09:07:59' });
    const opened = await openFiles(folder, { 'a.czi': writeCzi({ blocks: [plane(0, 0, tags(0, 0))], xml }) });
    const columns = await opened.acquisition.readPlaneColumns!(0);
    opened.close();
    expect(columns).not.toHaveProperty('isFromStart');
    expect(columns.time![0]).toBeCloseTo(Date.parse('2024-03-05T09:08:00.023Z') / 1000 + 0.0004567, 6);
  });

  it('have no values where the subblocks are corrupted', async () => {
    const bytes = writeCzi({ blocks: [plane(0, 0, tags(0, 0)), plane(1, 0, tags(1, 0))], xml: cziXml({}) });
    bytes.fill(0xff, 544 + 32, 544 + 40);
    const opened = await openFiles(folder, { 'a.czi': bytes });
    const columns = await opened.acquisition.readPlaneColumns!(0);
    opened.close();
    expect(rounded(columns.x)).toEqual([Number.NaN, 16971.153]);
  });
});

const INSTRUMENT =
  '<Instrument><Microscopes><Microscope Id="M:1"><System>LSM 880, AxioObserver</System></Microscope></Microscopes>' +
  '<Detectors><Detector Id="D:0"><Type>Airyscan</Type><Manufacturer><Model></Model></Manufacturer></Detector>' +
  '<Detector Id="D:1" Name="Axiocam 506"/></Detectors><Objectives><Objective Id="O:9"/><Objective Id="O:1">' +
  '<LensNA>1.2000000000000002</LensNA><NominalMagnification>40</NominalMagnification><Immersion>Water</Immersion>' +
  '<Manufacturer><Model>C-Apochromat 40x/1.2 W</Model></Manufacturer></Objective></Objectives></Instrument>';
const FIRST =
  '<Channel Id="Channel:0" Name="A"><Fluor>ATTO 488</Fluor><ExcitationWavelength>488</ExcitationWavelength>' +
  '<EmissionWavelength>571</EmissionWavelength><DetectorSettings><Gain>600</Gain><Detector Id="D:0"/></DetectorSettings>' +
  '<PinholeSize>41.5</PinholeSize><LightSourcesSettings><LightSourceSettings><Attenuation>0.98999999999999999</Attenuation>' +
  '</LightSourceSettings></LightSourcesSettings><LaserScanInfo><PixelTime>2.0480000000000001e-006</PixelTime>' +
  '<ZoomX>1.8</ZoomX><LineTime>3e-5</LineTime></LaserScanInfo></Channel>';
const SECOND =
  '<Channel Id="Channel:1" Name="B"><ExposureTime>200000000</ExposureTime><IlluminationWavelength><Ranges>450-488</Ranges>' +
  '</IlluminationWavelength><DetectionWavelength><Ranges>735-499</Ranges></DetectionWavelength><DetectorSettings>' +
  '<Detector Id="D:1"/></DetectorSettings><LightSourcesSettings><LightSourceSettings><Intensity>50.00 %</Intensity>' +
  '</LightSourceSettings></LightSourcesSettings></Channel>';

describe('the microscope of a CZI', () => {
  it('is what the file states of it, of the scanner and of the channels', async () => {
    const image = '<ObjectiveSettings><ObjectiveRef Id="O:1"/></ObjectiveSettings><MicroscopeRef Id="M:1"/>';
    const xml = cziXml({ channels: [FIRST, SECOND], image }).replace('<Image>', `${INSTRUMENT}<Image>`);
    const opened = await openFiles(folder, { 'a.czi': writeCzi({ blocks: [plane(0, 0), plane(0, 1)], xml }) });
    const [scene] = opened.acquisition.info.scenes;
    opened.close();
    expect(scene?.instrument).toEqual({
      microscope: 'LSM 880, AxioObserver',
      objective: { name: 'C-Apochromat 40x/1.2 W', magnification: 40, numericalAperture: 1.2, immersion: 'Water' },
      zoom: 1.8,
      pixelDwellSeconds: 2.048e-6,
      start: '2024-03-05T09:08:07.1234567Z',
    });
    expect(scene?.channels).toEqual([
      {
        name: 'A',
        fluorophore: 'ATTO 488',
        excitationNm: 488,
        emissionNm: 571,
        detector: 'Airyscan',
        gain: 600,
        pinholeUm: 41.5,
        laserPower: 1,
      },
      {
        name: 'B',
        excitationNm: [450, 488],
        emissionNm: [499, 735],
        exposureSeconds: 0.2,
        detector: 'Axiocam 506',
        laserPower: 50,
      },
    ]);
  });
});
