/**
 * The dearest small request of each route, and what bounds its work on the main thread. The work is counted: characters and
 * samples between two turns of the event loop, slices of computations, bytes of the answer.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ANALYSIS_LIMITS } from '../../packages/client/src/contract/values.js';
import { SLICE_SAMPLES } from '../../packages/readers/src/derive/analysis/slices.js';
import { Addresses } from '../../packages/server/src/server/addresses.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker, REPOSITORY } from '../support/test-app.js';
import { type Answer, counted, measureWork, type Sent, send } from '../support/work-meter.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';
import { writeSparseTiff } from '../writers/tiff-sparse.js';

vi.mock('../../packages/readers/src/derive/analysis/slices.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../packages/readers/src/derive/analysis/slices.js')>();
  const { counted: counts } = await import('../support/work-meter.js');
  function* countSlices<T>(computation: Generator<void, T>): Generator<void, T> {
    for (;;) {
      const { done, value } = computation.next();
      counts.slices++;
      if (done) return value;
      yield;
    }
  }
  const inSlices: typeof original.inSlices = (computation, signal) =>
    original.inSlices(countSlices(computation), signal);
  return { ...original, inSlices };
});

/** Characters in one turn: a body of 64 KiB and its answer, or a piece of a long answer. */
const TURN_CHARACTERS = 400_000;
/** Samples in one turn: a slice that was nearly full, and one more piece. */
const TURN_ELEMENTS = 2 * SLICE_SAMPLES;
const KIB = 1024;
const MIB = 1024 * KIB;

const [ROWS, COLUMNS] = [2048, 2048];
const SAMPLES = ROWS * COLUMNS;
/** Of the plane that is read once for each region: its samples fill a slice. */
const SLICE_ROWS = SLICE_SAMPLES / COLUMNS;
const TIMES = 6;
const SIDE = 256;
const SCENES = 1_800;
const STAMPS = 5_000;

interface Dearest {
  /** Routes as the framework names them; a name that ends with `*` is the start of several. */
  routes: readonly string[];
  /** For the documentation: the request, and what bounds its work. */
  request: string;
  bound: string;
  send(): Sent | readonly Sent[];
  /** Bytes of the answer, at most and at least. */
  bytes: number;
  minBytes?: number;
  /** Samples that have to be passed for the answer. */
  samples?: number;
  status?: number;
}

const folder = tempFolder();
const sessions = { plane: '', floats: '', slice: '', stack: '', scenes: '', times: '', wide: '' };
let uploadId = '';

const V2 = '/api/v2';
const SESSION = `${V2}/sessions/:sessionId`;
const CHANNEL = `${SESSION}/channels/:channelIndex`;
const JSON_BODY = { 'content-type': 'application/json' };
const get = (path: string): Sent => ({ method: 'GET', path });
const post = (path: string, body: object): Sent => ({
  method: 'POST',
  path,
  headers: JSON_BODY,
  body: JSON.stringify(body),
});
const ofPlane = (path: string) => `${V2}/sessions/${sessions.plane}/channels/0/${path}`;
/** A body of 64 KiB in which each entry is wrong. */
const wrong = (name: string) => ({ [name]: new Array(16_000).fill('a').map((text, i) => (i % 2 ? text : [])) });
const manyFields = () => Object.fromEntries(Array.from({ length: 7_000 }, (_, i) => [`x${i}`, 0]));
const everyPercent = Array.from({ length: ANALYSIS_LIMITS.percentiles }, (_, i) => i).join(',');

const TABLE: readonly Dearest[] = [
  {
    routes: [`GET ${V2}`, ...['health', 'user', 'capabilities', 'examples'].map((name) => `GET ${V2}/${name}`)],
    request: 'any',
    bound: 'lists of formats and samples that do not depend on the request',
    send: () => ['', '/health', '/user', '/capabilities', '/examples'].map((name) => get(V2 + name)),
    bytes: 8 * KIB,
  },
  {
    routes: [`POST ${V2}/open`],
    request: 'a file with very many scenes; a body of 64 KiB in which all is wrong',
    bound: '`LIMITS.scenes`, `LIMITS.channels`; 64 KiB of JSON at a time; 1,000 faults',
    send: () => [
      post(`${V2}/open`, { path: join(folder, 'scenes.ome.tif'), decode: 'later' }),
      post(`${V2}/open`, wrong('channelIndices')),
      post(`${V2}/open`, manyFields()),
      { ...post(`${V2}/open`, {}), body: '['.repeat(60_000) },
    ],
    bytes: MIB,
    minBytes: 90 * KIB,
  },
  {
    routes: [`POST ${V2}/pick-and-open`],
    request: 'the same; a list of 64 KiB of channels',
    bound: 'as `open`',
    send: () => [
      post(`${V2}/pick-and-open`, {}),
      post(`${V2}/pick-and-open`, wrong('extensions')),
      post(`${V2}/pick-and-open`, { channelIndices: Array.from({ length: 11_000 }, (_, i) => i).concat(0) }),
    ],
    bytes: MIB,
  },
  {
    routes: [`GET ${V2}/folders`],
    request: 'a folder with more than 10,000 files',
    bound: '10,000 entries, listed by a look-up thread; 64 KiB of JSON at a time',
    send: () => get(`${V2}/folders?path=${encodeURIComponent(join(folder, 'many'))}`),
    bytes: 2 * MIB,
    minBytes: 200 * KIB,
  },
  {
    routes: [`GET ${V2}/recordings`],
    request: 'the same with `details` and `thumbnails`; a file with very many scenes with a thumbnail',
    bound:
      '100 recordings, or 2 s and what has begun by then, in turns with other lists; 96 × 96 pixels; 20 s for each recording',
    send: () => [
      get(
        `${V2}/folders?recordings=true&details=true&thumbnails=true&path=${encodeURIComponent(join(folder, 'many'))}`,
      ),
      get(`${V2}/recordings?thumbnail=true&path=${encodeURIComponent(join(folder, 'scenes.ome.tif'))}`),
    ],
    bytes: MIB,
  },
  {
    routes: [`POST ${V2}/locate`],
    request: 'the name of a file that no folder has',
    bound: 'one second of a look-up thread',
    send: () => post(`${V2}/locate`, { name: 'nowhere.tif', size: 1, modified: 1 }),
    bytes: KIB,
  },
  {
    routes: [
      `POST ${V2}/uploads`,
      `PUT ${V2}/uploads/:uploadId/files/*`,
      `POST ${V2}/uploads/:uploadId/open`,
      `DELETE ${V2}/uploads/:uploadId`,
    ],
    request: 'a file of any size',
    bound: 'the size that was announced, within `--upload-budget`; written as it arrives',
    send: () => {
      const upload = `${V2}/uploads/${uploadId}`;
      return [
        post(`${V2}/uploads`, { name: 'b.tif', size: 0 }),
        {
          method: 'PUT',
          path: `${upload}/files/a.tif`,
          headers: { 'content-type': 'application/octet-stream' },
          body: 'x'.repeat(MIB),
        },
        post(`${upload}/open`, wrong('channelIndices')),
        { method: 'DELETE', path: upload },
      ];
    },
    bytes: MIB,
  },
  {
    routes: [`GET ${SESSION}`, `POST ${SESSION}/renew`, `DELETE ${SESSION}`],
    request: 'a session with very many channels',
    bound: '`LIMITS.channels`; 64 KiB of JSON at a time',
    send: () => [get(`${V2}/sessions/${sessions.scenes}`), post(`${V2}/sessions/${sessions.scenes}/renew`, {})],
    bytes: 2 * KIB,
  },
  {
    routes: [`GET ${SESSION}/acquisition`],
    request: '`metadata=true`, of a file with very many scenes',
    bound: '`LIMITS.scenes`; 10,000 entries with 2,097,152 characters; 64 KiB of JSON at a time',
    send: () => get(`${V2}/sessions/${sessions.scenes}/acquisition?metadata=true`),
    bytes: MIB,
    minBytes: 90 * KIB,
  },
  {
    routes: [`GET ${SESSION}/events`],
    request: 'any',
    bound: 'one look a second for each acquisition, by a look-up thread: 1,000 files and 256 folders; 256 followers',
    send: () => ({ ...get(`${V2}/sessions/${sessions.times}/events`), until: 'revision' }),
    bytes: KIB,
  },
  {
    routes: [`GET ${SESSION}/coordinates`],
    request: 'a recording with very many time stamps',
    bound: '100,000 values of each axis (`MAX_COORDINATES`); 64 KiB of JSON at a time',
    send: () => get(`${V2}/sessions/${sessions.times}/coordinates`),
    bytes: 200 * KIB,
    minBytes: 60 * KIB,
  },
  {
    routes: [`GET ${SESSION}/planes`],
    request: 'a recording with very many time stamps',
    bound: '100,000 rows (`MAX_COORDINATES`); columns of at most `LIMITS.coordinates` planes; 64 KiB of JSON at a time',
    send: () => get(`${V2}/sessions/${sessions.times}/planes`),
    bytes: 300 * KIB,
    minBytes: 60 * KIB,
  },
  {
    routes: [`GET ${CHANNEL}/data`, `GET ${SESSION}/reference/channels/:channelIndex/data`],
    request: 'a whole plane, or any range',
    bound: '`--max-plane-bytes`; sent from the memory of the plane, without copies',
    send: () => [
      get(ofPlane('data')),
      { ...get(ofPlane('data')), headers: { range: 'bytes=1-20000000' } },
      { ...get(ofPlane('data')), headers: { range: `bytes=${'0-1,'.repeat(2_000)}0-1` } },
    ],
    bytes: 2 * 4 * SAMPLES + 20_000_000,
    minBytes: 4 * SAMPLES,
  },
  {
    routes: [`GET ${CHANNEL}/window`],
    request: 'every second column, in the type of the file',
    bound: '`--max-plane-bytes`; copied 65,536 samples at a time, as fast as they are read',
    send: () => [get(ofPlane('window?every=1,2')), get(ofPlane('window?type=native&every=1,2&as=npy'))],
    bytes: 3 * SAMPLES + KIB,
    minBytes: 3 * SAMPLES,
  },
  {
    routes: [`GET ${CHANNEL}/overview`],
    request: 'as many cells as are allowed',
    bound: '4,194,304 cells (`overviewCells`); slices of 1,048,576 samples',
    send: () => get(ofPlane('overview?height=2048&width=2048&as=npy')),
    bytes: 12 * ANALYSIS_LIMITS.overviewCells + KIB,
    minBytes: 12 * ANALYSIS_LIMITS.overviewCells,
    samples: SAMPLES,
  },
  {
    routes: [`GET ${CHANNEL}/statistics`],
    request: '100 percentiles and 65,536 bins of a whole plane',
    bound: '`percentiles`, `bins`; slices of 1,048,576 samples; 64 KiB of JSON at a time',
    send: () => [
      get(
        `${V2}/sessions/${sessions.floats}/channels/0/statistics` +
          `?percentiles=${everyPercent}&bins=${ANALYSIS_LIMITS.bins}&range=0,1e-9`,
      ),
      get(`${V2}/sessions/${sessions.wide}/channels/0/statistics`),
    ],
    bytes: 4 * MIB,
    minBytes: MIB,
    // Of float32: two passes for percentiles, and a list of 65,536 counts for each of their ranks.
    samples: 4 * SAMPLES + 2 * (ANALYSIS_LIMITS.percentiles - 1) * 65_536,
  },
  {
    routes: [`POST ${CHANNEL}/profile`],
    request: 'the longest line, and the widest',
    bound:
      '262,144 places (`profilePlaces`), 1,048,576 samples with `width` (`profileSamples`); slices of 65,536 samples; ' +
      '64 KiB of JSON at a time',
    send: () => [
      post(ofPlane('profile'), {
        points: [
          [0.3, 0.7],
          [185_360.1, 185_360.9],
        ],
      }),
      post(ofPlane('profile'), {
        points: [
          [0.5, 1000.3],
          [1_000.7, 1000],
        ],
        width: 1_000,
      }),
      post(ofPlane('profile'), {
        points: [
          [-1e9, -1e9],
          [1e9, 1e9],
        ],
        width: 1_000,
      }),
      post(ofPlane('profile'), wrong('points')),
    ],
    bytes: 30 * MIB,
    minBytes: 8 * MIB,
    samples: 16 * (ANALYSIS_LIMITS.profilePlaces + 1_000_000),
  },
  {
    routes: [`POST ${CHANNEL}/traces`],
    request: '64 regions that are the whole plane, along Y and T',
    bound: '`regions`; slices of 1,048,576 samples, counted once for each region',
    send: () => {
      const regions = new Array(ANALYSIS_LIMITS.regions).fill({});
      return [
        post(`${V2}/sessions/${sessions.slice}/channels/0/traces`, { along: 'Y', regions }),
        post(`${V2}/sessions/${sessions.stack}/channels/0/traces`, { along: 'T', regions }),
        post(`${V2}/sessions/${sessions.wide}/channels/0/traces`, { along: 'Y', regions: [{ columns: [0, 9] }] }),
        post(ofPlane('traces'), wrong('regions')),
      ];
    },
    bytes: 4 * SLICE_ROWS * ANALYSIS_LIMITS.regions + MIB,
    minBytes: 4 * SLICE_ROWS * ANALYSIS_LIMITS.regions,
    samples: ANALYSIS_LIMITS.regions * (SLICE_SAMPLES + TIMES * SIDE * SIDE),
  },
  {
    routes: [`GET ${SESSION}/0.4.ome.zarr/*`, `GET ${SESSION}/0.5.ome.zarr/*`],
    request: 'the OME-XML of very many scenes; a chunk; the display range of a channel',
    bound: '`LIMITS.scenes`, 64 KiB of XML at a time; 1,024 × 1,024 samples; 262,144 samples of each channel',
    send: () => {
      const keys = ['OME/METADATA.ome.xml', 'OME/.zattrs', '.zgroup', `${SCENES - 1}/.zmetadata`];
      const many = keys.map((key) => get(`${V2}/sessions/${sessions.scenes}/0.4.ome.zarr/${key}`));
      const store = `${V2}/sessions/${sessions.plane}/0.5.ome.zarr`;
      return [...many, get(`${store}/0/0/c/0/0/0/1/1`), get(`${store}/0/1/c/0/0/0/0/0`), get(`${store}/0/zarr.json`)];
    },
    bytes: 8 * MIB,
    minBytes: 3 * MIB,
  },
  {
    routes: ['POST /api/v1/open', 'POST /api/v1/pick-and-open', 'GET /api/v1/health'],
    request: 'a body of 64 KiB in which all is wrong',
    bound: 'as in v2',
    send: () => [
      get('/api/v1/health'),
      post('/api/v1/open', wrong('channels')),
      post('/api/v1/pick-and-open', wrong('extensions')),
    ],
    bytes: 16 * MIB,
  },
  {
    routes: ['GET /api/v1/session/:sessionId/channel/:role', 'GET /api/v1/session/:sessionId/reference/channel/:n'],
    request: 'a whole plane',
    bound: 'as `data`',
    send: () => get(`/api/v1/session/${'0'.repeat(32)}/channel/calcium`),
    status: 404,
    bytes: KIB,
  },
  {
    routes: [
      ...['GET /', 'GET /demo*', 'GET /docs*', 'GET /client/*', 'GET /llms.txt'],
      ...['GET /openapi.json', 'GET /api/v1/openapi.json'],
    ],
    request: 'any',
    bound: 'files of the package, read at the start; `openapi.json` is made once',
    send: () =>
      ['/', '/demo/', '/demo/v2/', '/docs', '/llms.txt', '/client/acquisition-store.js', '/openapi.json'].map(get),
    bytes: 2 * MIB,
  },
];

const TABLE_HEAD = '| route | dearest request | bound |\n| --- | --- | --- |\n';

const routes = new Set<string>();
let server: RunningServer;

beforeAll(async () => {
  mkdirSync(join(folder, 'many'));
  for (let i = 0; i < 1_500; i++) writeFileSync(join(folder, 'many', `recording ${i} of a long experiment.tif`), '');
  const add = vi.spyOn(Addresses.prototype, 'add');
  const picker = fakePicker();
  picker.next = { status: 'cancelled', reason: 'user' };
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder }, { picker });
  for (const [url, method] of add.mock.calls) routes.add(`${method} ${url}`);
  add.mockRestore();
  // Made for the first who asks.
  await send(server.url, get('/openapi.json'));
  await send(server.url, get('/api/v1/openapi.json'));
  const open = async (path: string) => (await openOk(server.url, { path })).sessionId;
  sessions.plane = await open(writeSparseTiff(join(folder, 'plane.tif'), { width: COLUMNS, height: ROWS }));
  const floats = { width: COLUMNS, height: ROWS, bits: 32 } as const;
  sessions.floats = await open(writeSparseTiff(join(folder, 'floats.tif'), floats));
  sessions.slice = await open(writeSparseTiff(join(folder, 'slice.tif'), { width: COLUMNS, height: SLICE_ROWS }));
  sessions.wide = await open(writeSparseTiff(join(folder, 'wide.tif'), { width: SAMPLES, height: 1 }));
  sessions.stack = await open(writeStack());
  sessions.scenes = (await openOk(server.url, { path: writeScenes(), decode: 'later' })).sessionId;
  sessions.times = (await openOk(server.url, { path: writeTimes(), decode: 'later' })).sessionId;
  const answer = await fetch(`${server.url}${V2}/uploads`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ name: 'a.tif', size: MIB }),
  });
  uploadId = ((await answer.json()) as { uploadId: string }).uploadId;
}, 60_000);
afterAll(() => server.close());

function writeStack(): string {
  const image = { sizes: { X: SIDE, Y: SIDE, T: TIMES } };
  return writePages('stack.ome.tif', SIDE, TIMES, omeXml({ images: [image] }));
}

function writeScenes(): string {
  const images = Array.from({ length: SCENES }, (_, i) => ({
    name: `Position ${i}`,
    sizes: { X: 2, Y: 2 },
    children: [tiffData({ IFD: i, PlaneCount: 1 })],
  }));
  return writePages('scenes.ome.tif', 2, SCENES, omeXml({ images }));
}

function writeTimes(): string {
  const sizes = { X: 2, Y: 2, T: STAMPS };
  const times = Array.from({ length: STAMPS }, (_, t) => `<Plane TheZ="0" TheC="0" TheT="${t}" DeltaT="${t / 3}"/>`);
  return writePages('times.ome.tif', 2, STAMPS, omeXml({ images: [{ sizes, children: ['<TiffData/>', ...times] }] }));
}

function writePages(name: string, side: number, count: number, xml: string): string {
  const page = { width: side, height: side, samples: new Uint16Array(side * side) };
  const described = { ...page, tags: [{ code: 270, type: 2, text: xml }] };
  return writeTemp(folder, name, writeTiff({ pages: [described, ...new Array(count - 1).fill(page)] }));
}

const covers = (name: string, route: string) =>
  name === route || (name.endsWith('*') && !name.includes(':') && route.startsWith(name.slice(0, -1)));

describe('the dearest request', () => {
  it('is known for every route', () => {
    const names = TABLE.flatMap((entry) => entry.routes);
    // HEAD does what GET does, without the body.
    const own = [...routes].filter((route) => !route.startsWith('HEAD '));
    expect(own.length).toBeGreaterThan(40);
    expect(own.filter((route) => !names.some((name) => covers(name, route)))).toEqual([]);
    expect(names.filter((name) => !own.some((route) => covers(name, route)))).toEqual([]);
  });

  it.each(TABLE.map((entry) => [entry.routes[0]!, entry] as const))('of %s is bounded', async (_name, entry) => {
    const [work, answers] = await measureWork(async () => {
      const sent = [entry.send()].flat() as Sent[];
      const received: Answer[] = [];
      for (const one of sent) received.push(await send(server.url, one));
      return received;
    });
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
    expect(answers[0]!.status, answers[0]!.text).toBe(entry.status ?? 200);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    expect(bytes).toBeLessThanOrEqual(entry.bytes);
    expect(bytes).toBeGreaterThanOrEqual(entry.minBytes ?? 0);
    expect(work.turnCharacters).toBeLessThanOrEqual(TURN_CHARACTERS);
    expect(work.turnElements).toBeLessThanOrEqual(TURN_ELEMENTS);
    // A slice ends with the piece that fills it.
    expect(work.slices).toBeGreaterThanOrEqual(Math.floor((0.9 * (entry.samples ?? 0)) / SLICE_SAMPLES));
    expect(counted.slices).toBe(work.slices);
  });

  it('is in the documentation', () => {
    const file = join(REPOSITORY, 'docs/operating.md');
    const text = readFileSync(file, 'utf8');
    const rows = TABLE.map(({ routes: names, request, bound }) => {
      const shown = names.map((name) => `\`${name.replace(/:(\w+)/g, '{$1}')}\``).join(', ');
      return `| ${shown} | ${request} | ${bound} |\n`;
    });
    const [before, after] = [
      text.indexOf(TABLE_HEAD) + TABLE_HEAD.length,
      text.indexOf('\n\n', text.indexOf(TABLE_HEAD)) + 1,
    ];
    const expected = text.slice(0, before) + rows.join('') + text.slice(after);
    if (process.env['UPDATE_DOCS']) writeFileSync(file, expected);
    else expect(text).toBe(expected);
  });
});
