import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Notes } from '../../packages/readers/src/base/notes.js';
import { describeScenes } from '../../packages/readers/src/derive/writers/ome-tiff.js';
import { describePlane } from '../../packages/readers/src/derive/writers/plane-text.js';
import type { CutJob } from '../../packages/readers/src/derive/writers/types.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { toOmeXml } from '../../packages/readers/src/model/metadata/ome-xml.js';
import { defaultStep } from '../../packages/readers/src/model/metadata/steps.js';
import { planeName, RASTER } from '../support/bruker.js';
import { SAMPLE } from '../support/cli.js';
import { lineScan } from '../support/lsm.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { dims, PIXEL_TYPES, writeCzi } from '../writers/czi.js';
import { cziXml } from '../writers/czi-kinds.js';
import { writeLsm } from '../writers/lsm.js';
import { movie, series as nwbSeries, writeNwb } from '../writers/nwb.js';
import { exportTo } from './support.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

const NAME = 'TSeries-1';
/** Three time points of two sections, of which the last one is late. */
const TIMES = [0, 10, 40];

function writeSeries(): string {
  const objective = { objectiveLens: '40X LUMPlanFL/IR', objectiveLensMag: 40, objectiveLensNA: 0.8 };
  const stage = (z: number) => ({ positionCurrent: { XAxis: 7, YAxis: 8, ZAxis: z } });
  const planes = TIMES.flatMap((_, t) =>
    [0, 5].map((z, i) => ({ file: planeName(t + 1, 1, i + 1, NAME), rows: 2, columns: 2, value: () => 10 * t + z })),
  );
  return writeBruker(join(folder, 'bruker'), {
    name: NAME,
    state: { ...RASTER, ...objective, linesPerFrame: 2, pixelsPerLine: 2 },
    sequences: TIMES.map((time, t) => ({
      type: 'TSeries ZSeries Element',
      cycle: t + 1,
      frames: [0, 5].map((z, i) => ({
        ...{ relativeTime: 0.1 * i, absoluteTime: time + 0.5 * i, state: stage(z) },
        files: [{ channel: 1, file: planeName(t + 1, 1, i + 1, NAME) }],
      })),
    })),
    planes,
  });
}

const series = writeSeries();

async function xmlOf(path: string): Promise<string> {
  const text = readFileSync(path).toString('utf8');
  return text.slice(text.indexOf('<?xml'), text.indexOf('</OME>'));
}

/** The attributes of elements, in the order of the document. */
function attributesOf(xml: string, name: string): Record<string, string>[] {
  return [...xml.matchAll(new RegExp(`<${name}( [^>]*?)?/?>`, 'g'))].map(([, text = '']) =>
    Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  );
}

it('gives each plane its time and position, and the scene its objective', async () => {
  const output = await exportTo(folder, 'series.ome.tif', { path: series, format: 'ome-tiff' });
  const xml = await xmlOf(output);
  const units = { DeltaTUnit: 's', PositionXUnit: 'µm', PositionYUnit: 'µm', PositionZUnit: 'µm' };
  const plane = (t: number, z: number, time: number) => ({
    ...{ TheC: '0', TheT: String(t), TheZ: String(z), DeltaT: String(time), ...units },
    ...{ PositionX: '7', PositionY: '8', PositionZ: String(5 * z) },
  });
  expect(attributesOf(xml, 'Plane')).toEqual(TIMES.flatMap((time, t) => [plane(t, 0, time), plane(t, 1, time + 0.5)]));
  expect(attributesOf(xml, 'Objective')).toEqual([
    { ID: 'Objective:0', Model: '40X LUMPlanFL/IR', LensNA: '0.8', NominalMagnification: '40' },
  ]);
  const { source } = await openOk(server.url, { path: output });
  expect(source.instrument?.objective).toEqual({ name: '40X LUMPlanFL/IR', magnification: 40, numericalAperture: 0.8 });
  const coordinates = async (path: string) => {
    const { sessionId } = await openOk(server.url, { path });
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/coordinates`);
    const { axes } = (await response.json()) as { axes: Record<string, { values: number[] }> };
    return [axes['T']?.values, axes['Z']?.values];
  };
  expect(await coordinates(output)).toEqual(await coordinates(series));
  expect(await coordinates(output)).toEqual([TIMES, [0, 5]]);
});

it('counts the times of a CZI from the date of its document, as its planes do', async () => {
  const at = ['2016-02-12T09:47:08.2794823Z', '2016-02-12T09:48:08.3049156Z'];
  const blocks = at.map((time, t) => ({
    dims: dims({ X: 2, Y: 2, T: [t, 1] }),
    pixelType: PIXEL_TYPES.Gray8,
    data: new Uint8Array(4),
    metadata: `<METADATA><Tags><AcquisitionTime>${time}</AcquisitionTime></Tags></METADATA>`,
  }));
  const bytes = writeCzi({ blocks, xml: cziXml({ acquired: '2016-02-12T09:41:02.4915604Z' }) });
  const path = writeTemp(folder, 'dated.czi', bytes);
  const xml = await xmlOf(await exportTo(folder, 'dated.ome.tif', { path, format: 'ome-tiff' }));
  expect(xml).toContain('<AcquisitionDate>2016-02-12T09:41:02.4915604Z</AcquisitionDate>');
  expect(attributesOf(xml, 'Plane').map(({ DeltaT }) => DeltaT)).toEqual(['365.7879219', '425.8133552']);
});

it('counts the times of an NWB from the start of its session', async () => {
  const S = nwbSeries({ data: movie(3, 4, 3), dimension: [4, 3], timestamps: [411.5, 412, 412.5] });
  const path = writeTemp(folder, 'later.nwb', writeNwb({ acquisition: { S } }));
  const xml = await xmlOf(await exportTo(folder, 'later.ome.tif', { path, format: 'ome-tiff' }));
  expect(xml).toContain('<AcquisitionDate>2024-03-05T14:18:23-05:00</AcquisitionDate>');
  expect(attributesOf(xml, 'Plane').map(({ DeltaT }) => DeltaT)).toEqual(['411.5', '412', '412.5']);
});

it('keeps the times of a part', async () => {
  const choice = { time: { start: 1, end: 3 }, z: { start: 1, end: 2 } };
  const xml = await xmlOf(await exportTo(folder, 'part.ome.tif', { path: series, format: 'ome-tiff', choice }));
  expect(attributesOf(xml, 'Plane').map(({ TheT, TheZ, DeltaT }) => [TheT, TheZ, DeltaT])).toEqual([
    ['0', '0', '10.5'],
    ['1', '0', '40.5'],
  ]);
  expect(attributesOf(xml, 'Pixels')[0]).toMatchObject({ TimeIncrement: '30' });
});

const scene: SceneInfo = {
  ...{
    name: 'a',
    sampleType: 'uint8',
    sizes: { T: 2, Z: 1, Y: 3, X: 4 },
    date: '',
    time: '',
    reference: null,
    warnings: [],
  },
  channels: [
    {
      ...{ name: 'GFP', fluorophore: 'EGFP "2"', excitationNm: 488, emissionNm: [500, 550], exposureSeconds: 0.05 },
      ...{ detector: 'HyD', gain: 2.5, pinholeUm: 31 },
    },
    { name: 'DIC', role: 'transmitted' },
  ],
  steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: defaultStep(), X: defaultStep() },
  instrument: {
    microscope: 'Stand',
    objective: { name: 'Plan', magnification: 63, numericalAperture: 1.4, immersion: 'oil (1.518)' },
    stage: { x: 1, y: -2 },
  },
};

it.each([
  ['2024-05-06T07:08:09.125+02:00', '2024-05-06T07:08:09.125+02:00'],
  ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09Z'],
  // The same moment by the clock of UTC.
  ['2024-05-06T05:08:09.125Z', '2024-05-06T07:08:09.125+02:00'],
  ['2024-05-06T12:38:09Z', '2024-05-06T07:08:09-05:30'],
  // Another moment, or not as `xs:dateTime` has it.
  ['2024-05-06T05:08:08.125Z', '2024-05-06T07:08:09'],
  ['2024-05-06T05:01:09Z', '2024-05-06T07:08:09'],
  ['2024-05-06T22:08:09Z', '2024-05-06T07:08:09'],
  ['2024-05-06T07:08:09+0200', '2024-05-06T07:08:09'],
  // By the same clock, later.
  ['2024-05-06T07:15:00.5+02:00', '2024-05-06T07:08:09+02:00'],
  ['2024-05-06T07:15:00.5', '2024-05-06T07:08:09'],
])('dates an image that starts at %s: %s', (start, date) => {
  const dated = { ...scene, date: '20240506', time: '07:08:09', instrument: { start } };
  const xml = toOmeXml({ format: 'tif', scenes: [dated, { ...dated, date: '', time: '' }] }, { name: 'a' });
  expect(xml.match(/<AcquisitionDate>[^<]*/g)).toEqual([`<AcquisitionDate>${date}`]);
});

it('orders the elements of an instrument as the schema has them', () => {
  const xml = toOmeXml(
    { format: 'tif', scenes: [scene, { ...scene, instrument: {}, channels: [{ name: 'x' }] }] },
    { name: 'a' },
  );
  expect(xml).toContain(
    '<Instrument ID="Instrument:0"><Microscope Model="Stand"/><Detector ID="Detector:0:0" Model="HyD"/>' +
      '<Objective ID="Objective:0" Model="Plan" Immersion="Oil" LensNA="1.4" NominalMagnification="63"/>' +
      '<Filter ID="Filter:0:0:Emission"><TransmittanceRange CutIn="500" CutInUnit="nm" CutOut="550" CutOutUnit="nm"/></Filter>' +
      '</Instrument><Image ID="Image:0" Name="a"><InstrumentRef ID="Instrument:0"/><ObjectiveSettings ID="Objective:0"/>' +
      '<StageLabel Name="stage" X="1" XUnit="µm" Y="-2" YUnit="µm"/><Pixels',
  );
  expect(xml).toContain(
    '<Channel ID="Channel:0:0" Name="GFP" SamplesPerPixel="1" Fluor="EGFP &quot;2&quot;" ExcitationWavelength="488" ' +
      'ExcitationWavelengthUnit="nm" PinholeSize="31" PinholeSizeUnit="µm"><DetectorSettings ID="Detector:0:0" Gain="2.5"/>' +
      '<LightPath><EmissionFilterRef ID="Filter:0:0:Emission"/></LightPath></Channel>' +
      '<Channel ID="Channel:0:1" Name="DIC" SamplesPerPixel="1" IlluminationType="Transmitted"/>',
  );
  expect(xml).toContain('<Image ID="Image:1" Name="a"><Pixels');
});

const T = { unit: 'seconds', source: expect.any(String), uneven: true, values: TIMES };
const Z = { unit: 'micrometer', uneven: false, values: [0, 5] };
const instrument = { objective: { magnification: 40 } };

it('puts measured values and the instrument into the attributes of OME-Zarr, as the server does', async () => {
  const output = await exportTo(folder, 'series.ome.zarr', { path: series, format: 'ome-zarr' });
  const { sessionId } = await openOk(server.url, { path: series });
  const served = await fetch(`${server.url}/api/v2/sessions/${sessionId}/0.5.ome.zarr/0/zarr.json`);
  for (const text of [readFileSync(join(output, 'zarr.json'), 'utf8'), await served.text()]) {
    const { attributes } = JSON.parse(text);
    expect(attributes.acquisition_store).toMatchObject({ coordinates: { T, Z }, instrument });
  }
});

it('puts them beside a NumPy array, of the chosen part only', async () => {
  const choice = { time: { start: 1, end: 3 } };
  await exportTo(folder, 'series.npy', { path: series, format: 'npy', choice });
  const document = JSON.parse(readFileSync(join(folder, 'series.json'), 'utf8'));
  expect(document).toMatchObject({ coordinates: { T: { values: [10, 40] }, Z }, instrument });
  expect(document.header.physicalUnits[1]).toBe(30);
});

it('writes the time of a plane, and those of uneven lines, into CSV', async () => {
  const csv = async (name: string, path: string, choice = {}) =>
    readFileSync(await exportTo(folder, name, { path, format: 'csv', choice }), 'utf8')
      .trimEnd()
      .split('\n');
  const frame = await csv('frame.csv', series, { time: { start: 2, end: 3 }, z: { start: 1, end: 2 } });
  expect(frame).toEqual(expect.arrayContaining(['# time: 40.5 seconds', '# depth: 5 micrometer', '25,25']));
  const stamps = [50, 50.002, 50.004, 51.004, 51.006, 51.008];
  const scan = writeTemp(folder, 'scan.lsm', writeLsm(lineScan({ info: { stamps, interval: 0 } })));
  const lines = await csv('scan.csv', scan);
  const rows = lines.filter((line) => !line.startsWith('#')).map((line) => Number(line.split(',')[0]));
  expect(rows).toEqual([0, 0.002, 0.004, 1.004, 1.006, 1.008]);
  expect(lines.find((line) => line.startsWith('# first column'))).toBe(
    '# first column: time of the row in seconds, by its time stamps',
  );
});

/** A job without files. */
function jobOf(planeCount: number) {
  const notes = new Notes();
  const cut = { info: { format: 'tif', scenes: [scene] }, planeCount, readPlanes: async () => undefined };
  return { notes, job: { cut, name: 'a.tif', notes } };
}

it('gives the planes of a channel its exposure time, and says when there are too many to describe', async () => {
  const few = jobOf(4);
  const [xml = ''] = await describeScenes(few.job);
  expect(attributesOf(xml, 'Plane')).toEqual(
    ['0', '1'].map((TheT) => ({ TheC: '0', TheT, TheZ: '0', ExposureTime: '0.05', ExposureTimeUnit: 's' })),
  );
  const many = jobOf(250_001);
  expect([await describeScenes(many.job), many.notes.list()]).toEqual([
    [],
    [
      expect.stringMatching(
        /^a\.tif: the times and positions of the 250,001 planes are not in the OME-XML; the limit is 250,000/,
      ),
    ],
  ]);
});

it('says when a plane was taken by its index in time when the file has no table of planes', async () => {
  const { job } = jobOf(4);
  const at = { unit: 'seconds' as const, source: 'frame times', uneven: false };
  const coordinates = { T: { ...at, values: Float64Array.of(3, 4.5) } };
  const described = (t: number) => {
    const first = { scene: 0, channel: 0, t, z: 0 };
    const cut = { ...job.cut, info: { format: 'tif', scenes: [{ ...scene, coordinates }] }, first, sceneIndices: [0] };
    return describePlane({ ...job, cut } as unknown as CutJob);
  };
  expect(await described(0)).toContain('time: 3 seconds');
  expect(await described(1)).toContain('time: 4.5 seconds');
});

it('gives the axis of a line scan that is a length its resolution', async () => {
  const bytes = readFileSync(await exportTo(folder, 'scan.ome.tif', { path: SAMPLE, format: 'ome-tiff' }));
  const ifd = bytes.readUInt32LE(4);
  const tags = new Map<number, number>();
  for (let i = 0; i < bytes.readUInt16LE(ifd); i++) {
    const at = ifd + 2 + 12 * i;
    tags.set(bytes.readUInt16LE(at), bytes.readUInt32LE(at + 8));
  }
  const x = tags.get(282)!;
  expect(bytes.readUInt32LE(x) / bytes.readUInt32LE(x + 4)).toBeCloseTo(1e4 / 0.284, 3);
  expect([tags.get(283), tags.get(296)]).toEqual([undefined, 3]);
});
