/** Measured times and positions over HTTP: what was measured beats what was set before. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Coordinates, PlaneTable } from '../../packages/client/src/contract/coordinates.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { timeSeries } from '../support/nd2.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { dims, PIXEL_TYPES, writeCzi } from '../writers/czi.js';
import { cziXml } from '../writers/czi-kinds.js';
import { type PlaneIndex, writeMicroManager } from '../writers/micro-manager.js';
import { writeNd2 } from '../writers/nd2.js';
import { scanimageFrames } from '../writers/scanimage.js';
import { writeStk } from '../writers/stk.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

interface Opened {
  opened: OpenResponse;
  coordinates: Coordinates;
}

async function open(path: string, query = '', request: object = {}): Promise<Opened> {
  const [status, opened] = await postOpen<OpenResponse>(server.url, { path, ...request });
  expect(status).toBe(200);
  const response = await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}/coordinates${query}`);
  expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, '']);
  return { opened, coordinates: (await response.json()) as Coordinates };
}

const stepOf = ({ header }: OpenResponse, axis: string) => {
  const at = header.dims.indexOf(axis);
  return [header.physicalUnits[at], header.physicalUnitsLabels[at], header.calibration[at]];
};

interface OmeFile {
  pixels?: string;
  planes: { t?: number; z?: number; more: string }[];
  date?: string;
}

/** One page for each plane of one channel. */
function ome(name: string, { pixels = '', planes, date }: OmeFile): string {
  const path = join(folder, `${name}.ome.tif`);
  const count = (axis: 't' | 'z') => 1 + Math.max(...planes.map((plane) => plane[axis] ?? 0));
  const xml =
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">' +
    `${date ? `<AcquisitionDate>${date}</AcquisitionDate>` : ''}` +
    `<Pixels ID="Pixels:0" Type="uint16" SizeX="4" SizeY="3" SizeC="1" SizeZ="${count('z')}" SizeT="${count('t')}" ` +
    `DimensionOrder="XYZCT" ${pixels}><Channel ID="Channel:0:0" SamplesPerPixel="1"/><TiffData/>` +
    planes.map(({ t = 0, z = 0, more }) => `<Plane TheC="0" TheZ="${z}" TheT="${t}" ${more}/>`).join('') +
    '</Pixels></Image></OME>';
  const pages = planes.map((_, i) => countingPage(i, i === 0 ? [description(xml)] : []));
  writeFileSync(path, writeTiff({ pages }));
  return path;
}

const times = (values: (number | string)[], unit = 's') =>
  values.map((value, t) => ({ t, more: `DeltaT="${value}" DeltaTUnit="${unit}"` }));

describe('times of an OME-TIFF', () => {
  it('beat a TimeIncrement that contradicts them, with a warning', async () => {
    const path = ome('nominal', { pixels: 'TimeIncrement="5"', planes: times([0, 30, 60, 90]) });
    const { opened, coordinates } = await open(path);
    expect(stepOf(opened, 'T')).toEqual([30, 'seconds', 'file']);
    expect(opened.warnings).toEqual([
      'T step: TimeIncrement says 5 s, but the time stamps (DeltaT) are 30 s apart. Showing 30 s.',
    ]);
    expect(coordinates.axes).toEqual({
      T: { unit: 'seconds', source: 'time stamps (DeltaT)', uneven: false, values: [0, 30, 60, 90] },
    });
    expect(opened.header.coordinates).toEqual({
      T: { unit: 'seconds', source: 'time stamps (DeltaT)', uneven: false },
    });
  });

  it('in milliseconds are served in seconds, and uneven ones are said', async () => {
    const path = ome('frap', { planes: times([0, 100, 200, 5000, 10_000, 15_000], 'ms'), date: '2026-03-04T05:06:07' });
    const { opened, coordinates } = await open(path);
    expect(stepOf(opened, 'T')).toEqual([3, 'seconds', 'file']);
    expect(coordinates.start).toBe('2026-03-04T05:06:07');
    expect(coordinates.axes.T).toMatchObject({ uneven: true, values: [0, 0.1, 0.2, 5, 10, 15] });
    expect(opened.warnings[0]).toContain('0.1 s to 5 s apart (median 4.8 s)');
  });

  it('that are NaN, or run backwards, never fail an open', async () => {
    const missing = await open(ome('missing', { planes: times([0, 'NaN', 2, 'soon']) }));
    expect(missing.coordinates.axes.T?.values).toEqual([0, null, 2, null]);
    expect(missing.coordinates.start).toBeNull();
    const backwards = await open(ome('backwards', { pixels: 'TimeIncrement="2"', planes: times([5, 3, 4]) }));
    expect(stepOf(backwards.opened, 'T')).toEqual([2, 'seconds', 'file']);
    expect(backwards.opened.warnings).toEqual([expect.stringContaining('not in ascending order')]);
    expect(backwards.opened.header).not.toHaveProperty('coordinates');
    expect(backwards.coordinates.axes).toEqual({});
  });
});

describe('depths of an OME-TIFF', () => {
  const sections = (values: number[], unit?: string) =>
    values.map((value, z) => ({ z, more: `PositionZ="${value}"${unit ? ` PositionZUnit="${unit}"` : ''}` }));

  it('beat a PhysicalSizeZ that contradicts them', async () => {
    const path = ome('depths', { pixels: 'PhysicalSizeZ="1"', planes: sections([100, 100.5, 101], 'µm') });
    const { opened, coordinates } = await open(path, '?axis=Z');
    expect(stepOf(opened, 'Z')).toEqual([0.5, 'micrometer', 'file']);
    expect(opened.warnings).toEqual([
      expect.stringContaining('PhysicalSizeZ says 1 µm, but the positions (PositionZ)'),
    ]);
    expect(coordinates.axes.Z?.values).toEqual([0, 0.5, 1]);
  });

  it('without a unit count only when they agree with the step', async () => {
    const agree = await open(ome('same', { pixels: 'PhysicalSizeZ="0.5"', planes: sections([2, 2.5, 3]) }));
    expect(agree.coordinates.axes.Z?.values).toEqual([0, 0.5, 1]);
    expect(agree.opened.warnings).toEqual([]);
    const differ = await open(ome('differ', { pixels: 'PhysicalSizeZ="0.5"', planes: sections([2, 4, 6]) }));
    expect(stepOf(differ.opened, 'Z')).toEqual([0.5, 'micrometer', 'file']);
    expect(differ.opened.warnings).toEqual([expect.stringContaining('have no unit and are 2 apart')]);
    expect(differ.coordinates.axes).toEqual({});
  });
});

describe('coordinates of a session', () => {
  it('are those of one axis when it is named', async () => {
    const { coordinates } = await open(ome('axis', { planes: times([0, 1, 2]) }), '?axis=Z');
    expect(coordinates.axes).toEqual({});
  });

  it('are an array in a NumPy file when asked for', async () => {
    const [, { sessionId }] = await postOpen<OpenResponse>(server.url, {
      path: ome('npy', { planes: times([1, 'NaN', 4]) }),
    });
    const url = `${server.url}/api/v2/sessions/${sessionId}/coordinates`;
    const response = await fetch(`${url}?as=npy&axis=T`);
    expect(response.headers.get('x-array-shape')).toBe('3');
    expect(response.headers.get('x-array-dtype')).toBe('<f8');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 128).toString('latin1')).toContain(
      "'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
    );
    const values = new Float64Array(bytes.buffer.slice(bytes.byteOffset + bytes.length - 24));
    expect([...values]).toEqual([0, Number.NaN, 3]);
    for (const query of ['as=npy', 'as=raw&axis=Z']) {
      const refused = await fetch(`${url}?${query}`);
      expect([query, refused.status]).toEqual([query, 422]);
      expect(((await refused.json()) as { message: string }).message).toContain('`axis`');
    }
  });

  it('refuse another axis', async () => {
    const [, { sessionId }] = await postOpen<OpenResponse>(server.url, { path: ome('x', { planes: times([0, 1]) }) });
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/coordinates?axis=X`);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      422,
      'request_validation_failed',
    ]);
  });

  it('of a MetaMorph stack are the creation times of its planes', async () => {
    const planes = [0, 1, 2, 3, 60].map((second) => ({
      samples: new Uint16Array(12),
      info: { created: [2_461_056, 37_800_000 + second * 1000] as [number, number] },
    }));
    const path = join(folder, 'uneven.stk');
    writeFileSync(path, writeStk({ width: 4, height: 3, planes }));
    const { opened, coordinates } = await open(path);
    expect(stepOf(opened, 'T')).toEqual([15, 'seconds', 'derived']);
    expect(coordinates.axes.T).toMatchObject({ source: 'creation times', values: [0, 1, 2, 3, 60] });
    expect(opened.warnings).toEqual([expect.stringContaining('1 s to 57 s apart')]);
  });
});

const tableOf = async (path: string, query = '') => {
  const [, { sessionId }] = await postOpen<OpenResponse>(server.url, { path });
  const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/planes${query}`);
  return { status: response.status, table: (await response.json()) as PlaneTable };
};

it('start when the first time point of a CZI did, and its planes when the first was taken, not with the document', async () => {
  const tags = (at: string) => `<METADATA><Tags><AcquisitionTime>${at}</AcquisitionTime></Tags></METADATA>`;
  const blocks = ['2016-02-12T09:47:08.2794823Z', '2016-02-12T09:48:08.3049156Z'].map((at, t) => ({
    dims: dims({ X: 2, Y: 2, T: [t, 1], C: [0, 1] }),
    pixelType: PIXEL_TYPES.Gray8,
    data: new Uint8Array(4),
    metadata: tags(at),
  }));
  const first = '<StartTime>2016-02-12T09:47:02.9445604Z</StartTime>';
  const dimensions = `<T>${first}<Positions><List><Offsets>0 60.075</Offsets></List></Positions></T>`;
  const path = join(folder, 'started-later.czi');
  writeFileSync(path, writeCzi({ blocks, xml: cziXml({ dimensions, acquired: '2016-02-12T09:41:02.4915604Z' }) }));
  const { opened, coordinates } = await open(path);
  expect(opened.source.instrument?.start).toBe('2016-02-12T09:41:02.4915604Z');
  expect(coordinates).toMatchObject({ start: '2016-02-12T09:47:02.94456Z', axes: { T: { values: [0, 60.075] } } });
  const { table } = await tableOf(path);
  expect(table).toMatchObject({ start: '2016-02-12T09:47:08.279482Z', columns: { time: [0, 60.0254333] } });
});

it('start with the recording where the start of the first time point is unset', async () => {
  const block = { dims: dims({ X: 2, Y: 2, T: [0, 1] }), pixelType: PIXEL_TYPES.Gray8, data: new Uint8Array(4) };
  const blocks = [block, { ...block, dims: dims({ X: 2, Y: 2, T: [1, 1] }) }];
  const offsets = '<Positions><List><Offsets>0 60</Offsets></List></Positions>';
  const dimensions = `<T><StartTime>0001-01-01T00:00:00Z</StartTime>${offsets}</T>`;
  const path = join(folder, 'unset.czi');
  writeFileSync(path, writeCzi({ blocks, xml: cziXml({ dimensions, acquired: '2016-02-12T09:41:02Z' }) }));
  const { coordinates } = await open(path);
  expect(coordinates).toMatchObject({ start: '2016-02-12T09:41:02Z', axes: { T: { values: [0, 60] } } });
});

it('start at the clock of the first frame, not at that of saving', async () => {
  const path = join(folder, 'saved-later.nd2');
  writeFileSync(path, writeNd2(timeSeries()));
  const { opened, coordinates } = await open(path);
  expect([opened.header.date, opened.header.time]).toEqual(['20250417', '16:39:00']);
  expect(coordinates.start).toMatch(/^2025-04-17T23:39:00(\.\d+)?Z$/);
  expect(coordinates.start).toBe(opened.source.instrument?.start);
});

describe('the table of planes', () => {
  it('has a row for each plane, with the time of its frame', async () => {
    const path = ome('table', { planes: times([10.5, 12.5, 'NaN', 16.5]), date: '2026-03-04T05:06:07.75+02:00' });
    const { table } = await tableOf(path);
    // `DeltaT` counts from the date of the image: the first plane came 10.5 s later.
    expect(table).toMatchObject({ total: 4, start: '2026-03-04T05:06:18.25+02:00' });
    expect(table.columns).toMatchObject({ T: [0, 1, 2, 3], Z: [0, 0, 0, 0], C: [0, 0, 0, 0], time: [0, 2, null, 6] });
    expect(table.columns).not.toHaveProperty('exposure');
  });

  it('is read in parts', async () => {
    const path = ome('parts', { planes: times([0, 1, 2, 3, 4]) });
    const { table } = await tableOf(path, '?from=3&count=100000');
    expect([table.total, table.columns.T, table.columns.time]).toEqual([5, [3, 4], [3, 4]]);
    const beyond = await tableOf(path, '?from=5');
    expect([beyond.status, beyond.table.columns.T]).toEqual([200, []]);
    expect((await tableOf(path, '?count=100001')).status).toBe(422);
  });
});

describe('times of a long Micro-Manager recording', () => {
  it('are read when they are asked for', async () => {
    const path = join(folder, 'long_MMStack.tif');
    const seconds = Array.from({ length: 300 }, (_, t) => t + (t > 122 ? 60 : 0));
    const pages = seconds.map((at, t) =>
      countingPage(t, [{ code: 51123, type: 2, text: JSON.stringify({ 'ElapsedTime-ms': 1000 * at }) }]),
    );
    const index = seconds.map((_, t): PlaneIndex => [0, 0, t, 0]);
    writeFileSync(path, writeMicroManager({ summary: { Frames: 300, Interval_ms: 1000 }, pages, index }));
    const { opened, coordinates } = await open(path);
    expect(coordinates.axes.T?.values).toEqual(seconds);
    expect(opened.header.coordinates?.T?.uneven).toBe(true);
    expect(opened.warnings.join()).toContain('not evenly spaced, judging by 64 of their 300 time stamps');
    expect(opened.warnings.join()).not.toContain('longest');
  });
});

describe('times of a long ScanImage recording', () => {
  const path = join(folder, 'long.tif');
  const header = { 'hChannels.channelSave': 1, 'hRoiManager.scanFramePeriod': 0.05 };
  const seconds = Array.from({ length: 200 }, (_, i) => Number((0.05 * i + (i > 120 ? 9 : 0)).toFixed(6)));
  beforeAll(() => {
    const frames = seconds.map((at, i) => ({ number: i + 1, value: 0, seconds: at }));
    writeFileSync(path, scanimageFrames(header, frames));
  });

  it('are read when they are asked for', async () => {
    const { opened, coordinates } = await open(path);
    expect(opened.header.coordinates?.T).toEqual({
      unit: 'seconds',
      source: 'time stamps (frameTimestamps)',
      uneven: true,
    });
    expect(coordinates.axes.T).toEqual({ ...opened.header.coordinates?.T, values: seconds });
    expect(opened.warnings).toContainEqual(expect.stringContaining('9.05 s follow T = 120'));
  });

  it('are read in parts, and as an array', async () => {
    const { opened, coordinates } = await open(path, '?axis=T&from=120&count=2');
    expect(coordinates.axes.T?.values).toEqual(seconds.slice(120, 122));
    const raw = await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}/coordinates?axis=T&as=raw`);
    expect(Array.from(new Float64Array(await raw.arrayBuffer()))).toEqual(seconds);
  });
});
