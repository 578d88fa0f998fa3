/** Windows and analysis of planes over HTTP, on a real server. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileResponse, Statistics } from '../../packages/client/src/contract/analysis.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { LONG } from '../support/long.js';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';
import { writeSparseTiff } from '../writers/tiff-sparse.js';

const ROWS = 300;
const COLUMNS = 40;
const folder = tempFolder();
const samples = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => (i * 7919) % 1000);
samples[5] = Number.NaN;
samples[6] = Infinity;
samples[7] = -Infinity;
const FILE = writeTemp(folder, 'scan.tif', writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples }] }));

let server: RunningServer;
let info: OpenResponse;
let base = '';
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  info = await openOk(server.url, { path: FILE });
  base = `${server.url}/api/v2/sessions/${info.sessionId}/channels/0`;
});
afterAll(() => server.close());

const get = (path: string, init?: RequestInit) => fetch(`${base}/${path}`, init);
const post = (path: string, body: object) =>
  get(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function array(response: Response): Promise<{ shape: number[]; values: Float32Array }> {
  expect(response.status, await response.clone().text()).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('x-array-dtype')).toBe('<f4');
  const bytes = await response.arrayBuffer();
  expect(Number(response.headers.get('content-length'))).toBe(bytes.byteLength);
  const shape = response.headers.get('x-array-shape')!.split(',').map(Number);
  return { shape, values: new Float32Array(bytes) };
}

async function refused(response: Response): Promise<[status: number, error: string, message: string]> {
  const { error, message } = (await response.json()) as { error: string; message: string };
  return [response.status, error, message];
}

describe('window', () => {
  it('is the whole plane without parameters', async () => {
    const { shape, values } = await array(await get('window'));
    expect(shape).toEqual([ROWS, COLUMNS]);
    expect(values).toEqual(samples);
  });

  it('has the samples of its rows and columns, every few of them', async () => {
    const { shape, values } = await array(await get('window?rows=10:291&columns=3:40&every=4,5'));
    expect(shape).toEqual([71, 8]);
    const expected: number[] = [];
    for (let row = 10; row < 291; row += 4) {
      for (let column = 3; column < 40; column += 5) expected.push(samples[row * COLUMNS + column]!);
    }
    expect([...values]).toEqual(expected);
  });

  it('is a NumPy file when asked for, aligned to 64 bytes', async () => {
    const bytes = Buffer.from(await (await get('window?rows=1:3&as=npy')).arrayBuffer());
    expect(bytes.toString('latin1', 0, 8)).toBe('\x93NUMPY\x01\x00');
    const start = 10 + bytes.readUInt16LE(8);
    expect(start % 64).toBe(0);
    expect(bytes.toString('latin1', 10, start)).toMatch(
      /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 40\), \} *\n$/,
    );
    expect(bytes.length - start).toBe(2 * COLUMNS * 4);
    expect(bytes.readFloatLE(start)).toBe(samples[COLUMNS]);
  });

  it('answers HEAD with the same headers', async () => {
    const head = await get('window?rows=0:2', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '320']);
    expect(head.headers.get('x-array-shape')).toBe('2,40');
  });
});

describe('overview', () => {
  it.runIf(LONG)('is the same from the file of a large plane as from the plane in memory', async () => {
    const path = writeSparseTiff(join(folder, 'long.tif'), { width: 420, height: 40_000 });
    const lines = Buffer.from(Uint16Array.from({ length: 1000 * 420 }, (_, i) => i * 7919).buffer);
    const file = openSync(path, 'r+');
    for (const row of [0, 16_777, 39_000]) writeSync(file, lines, 0, lines.length, 256 + 840 * row);
    closeSync(file);
    const { channels } = await openOk(server.url, { path, decode: 'later' });
    const address = server.url + channels[0]!.dataUrl;
    const overview = async () => array(await fetch(address.replace(/data$/, 'overview?height=300&width=420')));
    const far = await overview();
    expect(far.values.some((value) => value > 60_000)).toBe(true);
    await (await fetch(address)).arrayBuffer();
    const near = await overview();
    expect(Buffer.compare(Buffer.from(near.values.buffer), Buffer.from(far.values.buffer))).toBe(0);
  });

  it('has the smallest, largest and mean sample of each cell', async () => {
    const { shape, values } = await array(await get('overview?height=30&width=4&rows=1:300&columns=0:40'));
    expect(shape).toEqual([3, 30, 4]);
    const cell: number[] = [];
    for (let row = 1; row < 1 + Math.floor(299 / 30); row++) {
      cell.push(...samples.subarray(row * COLUMNS, row * COLUMNS + 10));
    }
    expect(values[0]).toBe(Math.min(...cell));
    expect(values[120]).toBe(Math.max(...cell));
    expect(values[240]).toBeCloseTo(cell.reduce((sum, value) => sum + value, 0) / cell.length, 3);
  });

  it('is the same by blocks of rows, which are kept, and without room for them', async () => {
    const cells: number[][] = [[], [], []];
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 2; j++) {
        const part: number[] = [];
        for (let row = 75 * i; row < 75 * (i + 1); row++) {
          part.push(...samples.subarray(row * COLUMNS + 20 * j, row * COLUMNS + 20 * (j + 1)));
        }
        const finite = part.filter(Number.isFinite);
        cells[0]!.push(Math.min(...finite));
        cells[1]!.push(Math.max(...finite));
        cells[2]!.push(Math.fround(finite.reduce((sum, value) => sum + value, 0) / finite.length));
      }
    }
    const expected = cells.flat();
    for (let i = 0; i < 2; i++) {
      expect([...(await array(await get('overview?height=4&width=2'))).values]).toEqual(expected);
    }
    const small = await createServer({
      ...{ port: 0, decodeWorkers: 1, stateDir: folder },
      memoryBudgetBytes: samples.byteLength + 1000,
    });
    try {
      const { channels } = await openOk(small.url, { path: FILE });
      const address = small.url + channels[0]!.dataUrl.replace(/data$/, 'overview?height=4&width=2');
      expect([...(await array(await fetch(address))).values]).toEqual(expected);
    } finally {
      await small.close();
    }
  });

  it('has at most as many cells as samples', async () => {
    expect((await array(await get('overview'))).shape).toEqual([3, ROWS, COLUMNS]);
    expect((await array(await get('overview?rows=0:1&columns=5:8'))).shape).toEqual([3, 1, 3]);
  });

  it('refuses more cells than the limit, and sizes that are not numbers', async () => {
    const tall = writeTemp(
      folder,
      'tall.tif',
      writeTiff({ pages: [{ width: 1, height: 70_000, samples: new Uint8Array(70_000) }] }),
    );
    const { sessionId } = await openOk(server.url, { path: tall });
    const big = await fetch(`${server.url}/api/v2/sessions/${sessionId}/channels/0/overview?height=4194305`);
    expect((await refused(big)).slice(0, 2)).toEqual([422, 'request_validation_failed']);
    for (const size of ['0', '-1', '1.5', 'x', '', '1e3']) {
      expect((await refused(await get(`overview?height=${size}`))).slice(0, 2)).toEqual([
        422,
        'request_validation_failed',
      ]);
    }
  });
});

describe('statistics', () => {
  it('are of the finite samples, with percentiles and a histogram', async () => {
    const response = await get('statistics?percentiles=0,50,100&bins=4&range=0,1000');
    expect(response.status).toBe(200);
    const result = (await response.json()) as Statistics;
    const finite = [...samples].filter(Number.isFinite).sort((a, b) => a - b);
    const sum = finite.reduce((total, value) => total + value, 0);
    expect(result).toMatchObject({
      ...{ ok: true, apiVersion: 'v2', rows: [0, ROWS], columns: [0, COLUMNS], samples: ROWS * COLUMNS },
      ...{ finite: finite.length, nan: 1, posInf: 1, negInf: 1, min: 0, max: 999, sum },
    });
    expect(result.mean).toBeCloseTo(sum / finite.length, 9);
    const middle = finite.length / 2;
    expect(result.percentiles).toEqual([
      { percent: 0, value: 0 },
      {
        percent: 50,
        value: finite.length % 2 === 1 ? finite[middle - 0.5] : (finite[middle - 1]! + finite[middle]!) / 2,
      },
      { percent: 100, value: 999 },
    ]);
    expect(result.histogram?.edges).toEqual([0, 250, 500, 750, 1000]);
    expect(result.histogram?.counts.reduce((total, count) => total + count)).toBe(finite.length);
  });

  it('are those of the numbers of integers below zero, of a part and of few samples', async () => {
    const [width, height] = [203, 150];
    const integers = Int16Array.from({ length: width * height }, (_, i) => (i * 7919) % 40_000);
    integers.set([-32_768, 32_767], 3 * width + 5);
    const path = writeTemp(folder, 'signed.tif', writeTiff({ pages: [{ width, height, samples: integers }] }));
    const { sessionId } = await openOk(server.url, { path });
    const address = `${server.url}/api/v2/sessions/${sessionId}/channels/0/statistics`;
    for (const [first, end] of [
      [1, 150],
      [3, 6],
    ] as const) {
      const part: number[] = [];
      for (let row = first; row < end; row++) part.push(...integers.subarray(row * width + 2, (row + 1) * width));
      part.sort((a, b) => a - b);
      const query = `rows=${first}:${end}&columns=2:${width}&percentiles=0,30,100&bins=3&range=-10000,20000`;
      const result = (await (await fetch(`${address}?${query}`)).json()) as Statistics;
      const sum = part.reduce((total, value) => total + value, 0);
      const mean = sum / part.length;
      const variance = part.reduce((total, value) => total + (value - mean) ** 2, 0) / part.length;
      expect(result).toMatchObject({ finite: part.length, nan: 0, min: -32_768, max: 32_767, sum });
      expect(Math.abs(result.mean! - mean)).toBeLessThan(1e-9);
      expect(Math.abs(result.std! - Math.sqrt(variance))).toBeLessThan(1e-8);
      const position = 0.3 * (part.length - 1);
      const low = part[Math.floor(position)]!;
      const between = low + (part[Math.floor(position) + 1]! - low) * (position % 1);
      expect(result.percentiles.map(({ value }) => value)).toEqual([-32_768, expect.closeTo(between, 9), 32_767]);
      const inside = (from: number, to: number) => part.filter((value) => value >= from && value < to).length;
      expect(result.histogram).toEqual({
        edges: [-10_000, 0, 10_000, 20_000],
        counts: [inside(-10_000, 0), inside(0, 10_000), inside(10_000, 20_001)],
        ...{ below: inside(-32_768, -10_000), above: inside(20_001, 32_768) },
      });
    }
  });

  it('are null where nothing is finite', async () => {
    const result = (await (await get('statistics?rows=0:1&columns=5:8&percentiles=50&bins=3')).json()) as Statistics;
    expect(result).toMatchObject({ finite: 0, min: null, max: null, mean: null, std: null, sum: 0, histogram: null });
    expect(result.percentiles).toEqual([{ percent: 50, value: null }]);
  });

  it.each([
    'percentiles=101',
    'percentiles=-1',
    'percentiles=1,,2',
    'percentiles=1e999',
    `percentiles=${'1,'.repeat(100)}1`,
    'bins=0',
    'bins=65537',
    'bins=3&range=5,1',
    'bins=3&range=1',
    'bins=3&range=-1e308,1e308',
    'range=1,2',
    'bin=3',
    'bins=3&bins=4',
  ])('refuse %s', async (query) => {
    const [status, error] = await refused(await get(`statistics?${query}`));
    expect([status, error]).toEqual([422, 'request_validation_failed']);
  });
});

describe('profile', () => {
  it('has samples along a line, and its distance', async () => {
    const result = (await (
      await post('profile', {
        points: [
          [10, 0],
          [10, 4],
          [13, 4],
        ],
      })
    ).json()) as ProfileResponse;
    expect(result).toMatchObject({ ok: true, apiVersion: 'v2', length: 7, spacing: 1, unit: 'Pixels' });
    expect(result.distance).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const places = [
      [10, 0],
      [10, 1],
      [10, 2],
      [10, 3],
      [10, 4],
      [11, 4],
      [12, 4],
      [13, 4],
    ] as const;
    expect(result.values).toEqual(places.map(([row, column]) => samples[row * COLUMNS + column]));
  });

  it('measures the distance in the unit of both axes, else in pixels', async () => {
    const step = (unit: string, step: number) => ({ step, unit });
    const lineOf = async (calibration: object, end: number[][] = [[3, 4]]) => {
      const { sessionId } = await openOk(server.url, { path: FILE, calibration });
      const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/channels/0/profile`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ points: [[0, 0], ...end] }),
      });
      const { unit, distance } = (await response.json()) as ProfileResponse;
      return [unit, distance.at(-1)];
    };
    expect(await lineOf({ Y: step('micrometer', 2), X: step('micrometer', 2) })).toEqual(['micrometer', 10]);
    expect(await lineOf({ Y: step('seconds', 2), X: step('micrometer', 2) })).toEqual([null, 5]);
    // Around a corner between two places: 1.5 × 2 µm down, then 1.7 × 0.5 µm to the right.
    const corner = [
      [1.5, 0],
      [1.5, 1.7],
    ];
    const [unit, length] = await lineOf({ Y: step('micrometer', 2), X: step('micrometer', 0.5) }, corner);
    expect([unit, Number(length).toFixed(12)]).toEqual(['micrometer', '3.850000000000']);
  });

  const LINE = {
    points: [
      [0, 0],
      [-3, 4],
      [12, 17.5],
    ],
    width: 2,
  };

  it('is an array of float64 when asked for, and a NumPy file', async () => {
    const { distance, rows, columns, values } = (await (await post('profile', LINE)).json()) as ProfileResponse;
    expect(values).toContain(null);
    const expected = Float64Array.from([
      ...distance,
      ...rows,
      ...columns,
      ...values.map((value) => value ?? Number.NaN),
    ]);
    const raw = await post('profile', { ...LINE, as: 'raw' });
    expect(raw.headers.get('x-array-shape')).toBe(`4,${values.length}`);
    expect(raw.headers.get('x-array-dtype')).toBe('<f8');
    const bytes = Buffer.from(await raw.arrayBuffer());
    expect(new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)).toEqual(expected);
    const file = Buffer.from(await (await post('profile', { ...LINE, as: 'npy' })).arrayBuffer());
    expect(file.toString('latin1', 0, 128)).toContain(`'<f8', 'fortran_order': False, 'shape': (4, ${values.length})`);
    expect(file.subarray(-bytes.length)).toEqual(bytes);
  });

  it('has 200,000 lines, and nothing outside the plane', async () => {
    const line = {
      points: [
        [0, 1],
        [200_000, 1],
      ],
    };
    const answer = (await (await post('profile', line)).json()) as ProfileResponse;
    expect(answer.length).toBe(200_000);
    expect(answer.rows.every((row, i) => row === i)).toBe(true);
    expect(answer.rows).toHaveLength(200_001);
    expect(answer.values.slice(0, ROWS)).toEqual(Array.from({ length: ROWS }, (_, row) => samples[row * COLUMNS + 1]));
    expect(answer.values.slice(ROWS).every((value) => value === null)).toBe(true);
    expect(Object.keys(answer)).toEqual([
      'ok',
      'apiVersion',
      'length',
      'spacing',
      'unit',
      'distance',
      'rows',
      'columns',
      'values',
    ]);
  });

  it.each([
    [
      'places',
      [
        [0, 0],
        [0, 262_143],
      ],
      1,
      undefined,
    ],
    [
      'places',
      [
        [0, 0],
        [0, 262_143.5],
      ],
      1,
      'The line has 262,145 places, one for each pixel of its length and one more; the limit is 262,144 (profilePlaces).',
    ],
    [
      'samples',
      [
        [0, 0],
        [0, 1023],
      ],
      1000,
      undefined,
    ],
    [
      'samples',
      [
        [0, 0],
        [0, 30_000],
      ],
      35,
      'The line has 30,001 places with 35 samples each (`width`); the limit is 1,048,576 samples (profileSamples).',
    ],
    [
      'far points',
      [
        [0, 0],
        [1e300, 1],
      ],
      1,
      'The line has too many places, one for each pixel of its length and one more; the limit is 262,144 (profilePlaces).',
    ],
    [
      'points whose distance is not a number',
      [
        [-1.7e308, 0],
        [1.7e308, 1],
        [-1.7e308, 0],
      ],
      1,
      'The line has too many places, one for each pixel of its length and one more; the limit is 262,144 (profilePlaces).',
    ],
  ])('has a limit of %s', async (_name, points, width, message) => {
    const answer = await post('profile', { points, width, as: 'raw' });
    if (message === undefined) expect(answer.status).toBe(200);
    else expect(await refused(answer)).toEqual([422, 'region_out_of_range', message]);
  });

  it('refuses numbers that JSON cannot have', async () => {
    const body = '{"points": [[0, 0], [0, 1e999]]}';
    const answer = await get('profile', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect((await refused(answer)).slice(0, 2)).toEqual([422, 'request_validation_failed']);
  });

  it.each([
    [
      {
        points: [
          [1, 1],
          [1, 1],
        ],
      },
      'region_out_of_range',
    ],
    [
      {
        points: [
          [0, 0],
          [0, 1],
        ],
        as: 'csv',
      },
      'request_validation_failed',
    ],
    [
      {
        points: [
          [0, 0],
          [0, 3_000_000],
        ],
      },
      'region_out_of_range',
    ],
    [
      {
        points: [
          [0, 0],
          [0, 3000],
        ],
        width: 1000,
      },
      'region_out_of_range',
    ],
    [{ points: [[0, 0]] }, 'request_validation_failed'],
    [{ points: [[0, 0], [1]] }, 'request_validation_failed'],
    [
      {
        points: [
          [0, 0],
          [1, '1'],
        ],
      },
      'request_validation_failed',
    ],
    [
      {
        points: [
          [0, 0],
          [1, 1],
        ],
        width: 0,
      },
      'request_validation_failed',
    ],
    [
      {
        points: [
          [0, 0],
          [1, 1],
        ],
        more: 0,
      },
      'request_validation_failed',
    ],
  ])('refuses %j', async (body, code) => {
    expect((await refused(await post('profile', body))).slice(0, 2)).toEqual([422, code]);
  });
});

describe('traces', () => {
  it('follow regions along the rows', async () => {
    const regions = [{ columns: [0, 10] }, { columns: [39, 40] }];
    const { shape, values } = await array(await post('traces', { along: 'Y', regions, every: 7, statistic: 'max' }));
    expect(shape).toEqual([2, 43]);
    for (const i of [1, 20, 42]) {
      const rows = Array.from({ length: Math.min(7, ROWS - 7 * i) }, (_, k) => 7 * i + k);
      const of = (first: number, end: number) =>
        Math.max(...rows.flatMap((row) => [...samples.subarray(row * COLUMNS + first, row * COLUMNS + end)]));
      expect([values[i], values[43 + i]]).toEqual([of(0, 10), of(39, 40)]);
    }
  });

  it('follow the pixels of any shape along time points', async () => {
    const text = 'ImageJ=1.53t\nimages=3\nframes=3\n';
    const pages = [1, 10, 100].map((factor, i) => ({
      ...{ width: 6, height: 4, tags: i === 0 ? [{ code: 270, type: 2, text }] : [] },
      samples: Float32Array.from({ length: 24 }, (_, at) => factor * at),
    }));
    const file = writeTemp(folder, 'stack.tif', writeTiff({ pages }));
    const { sessionId } = await openOk(server.url, { path: file });
    const url = `${server.url}/api/v2/sessions/${sessionId}/channels/0/traces`;
    const send = (regions: object[]) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ along: 'T', regions }),
      });
    const runs = [
      [0, 2, 3],
      [2, 0, 2],
      [2, 4, 6],
      [3, 5, 6],
    ];
    const { shape, values } = await array(await send([{ runs }, { rows: [2, 3], columns: [0, 2] }]));
    expect(shape).toEqual([2, 3]);
    // Samples 2, 12, 13, 16, 17 and 23.
    expect([...values]).toEqual([...[1, 10, 100].map((n) => Math.fround((n * 83) / 6)), 12.5, 125, 1250]);
    for (const wrong of [
      [[4, 0, 1]],
      [[0, 3, 3]],
      [[0, 0, 7]],
      [
        [1, 0, 1],
        [0, 0, 1],
      ],
      [
        [1, 0, 3],
        [1, 2, 4],
      ],
    ]) {
      const [status, code, message] = await refused(await send([{ runs: wrong }]));
      expect([status, code]).toEqual([422, 'region_out_of_range']);
      expect(message).toContain('`regions[0].runs`');
    }
    expect((await refused(await send([{ runs, rows: [0, 1] }])))[1]).toBe('region_out_of_range');
    // The same run again and again: it is looked at only where there are not too many.
    const many = async (count: number) => (await refused(await send([{ runs: Array(count).fill([0, 0, 1]) }])))[1];
    expect(await many(4_096)).toBe('region_out_of_range');
    expect(await many(4_097)).toBe('request_validation_failed');
  });

  it.each([
    [{ along: 'Y', regions: [{ runs: [[0, 0, 1]] }] }, 'region_out_of_range'],
    [{ along: 'T', regions: [{ runs: [] }] }, 'request_validation_failed'],
    [{ along: 'T', regions: [{ runs: [[0, 1]] }] }, 'request_validation_failed'],
    [{ along: 'Y', regions: [{ columns: [0, 41] }] }, 'region_out_of_range'],
    [{ along: 'Y', regions: [{ columns: [5, 5] }] }, 'region_out_of_range'],
    [{ along: 'Y', regions: [] }, 'request_validation_failed'],
    [{ along: 'Q', regions: [{ columns: [0, 1] }] }, 'request_validation_failed'],
    [{ along: 'Y', regions: Array(65).fill({ columns: [0, 1] }) }, 'request_validation_failed'],
  ])('refuse %j', async (body, code) => {
    expect((await refused(await post('traces', body))).slice(0, 2)).toEqual([422, code]);
  });
});

describe('every analysis', () => {
  const operations = [
    ['window', () => get('window')],
    ['overview', () => get('overview')],
    ['statistics', () => get('statistics')],
    [
      'profile',
      () =>
        post('profile', {
          points: [
            [0, 0],
            [1, 1],
          ],
        }),
    ],
    ['traces', () => post('traces', { along: 'Y', regions: [{ columns: [0, 1] }] })],
  ] as const;

  it.each(['rows=5:5', 'rows=6:5', 'rows=0:301', 'columns=0:41', 'columns=999999999999999:1'])(
    'of a window %s is refused, and the message says what is allowed',
    async (query) => {
      for (const name of ['window', 'overview', 'statistics']) {
        const [status, error, message] = await refused(await get(`${name}?${query}`));
        expect([status, error]).toEqual([422, 'region_out_of_range']);
        expect(message).toContain(query);
        expect(message).toMatch(/at most (300|40)\.$/);
      }
    },
  );

  it.each(['rows=5', 'rows=-1:5', 'rows=1.5:5', 'rows=a:b', 'rows=1:2&rows=3:4', 'row=1:2', 'X=1'])(
    'refuses the parameter %s',
    async (query) => {
      for (const name of ['window', 'overview', 'statistics']) {
        expect((await refused(await get(`${name}?${query}`))).slice(0, 2)).toEqual([422, 'request_validation_failed']);
      }
    },
  );

  it.each(operations)('%s is for whoever has the id of the session, also without an origin', async (_name, send) => {
    expect((await send()).status).toBe(200);
    const foreign = await get('statistics', { headers: { origin: 'https://evil.example' } });
    expect((await refused(foreign)).slice(0, 2)).toEqual([403, 'origin_not_allowed']);
    const file = await get('overview', { headers: { origin: 'null' } });
    expect(file.headers.get('access-control-expose-headers')).toContain('X-Array-Shape');
  });

  it('of a session or channel that does not exist is refused', async () => {
    const missing = base.replace(info.sessionId, '0'.repeat(32));
    expect((await refused(await fetch(`${missing}/statistics`))).slice(0, 2)).toEqual([404, 'session_not_found']);
    expect((await refused(await fetch(`${base.replace(/0$/, '7')}/window`))).slice(0, 2)).toEqual([
      404,
      'channel_not_found',
    ]);
    expect((await refused(await fetch(`${base.replace(/0$/, '-1')}/window`))).slice(0, 2)).toEqual([
      422,
      'channel_out_of_range',
    ]);
  });

  it('of a plane that was dropped from memory decodes it again', async () => {
    const small = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, memoryBudgetBytes: 60_000 });
    try {
      const first = await openOk(small.url, { path: FILE });
      expect((await postOpen(small.url, { path: FILE }))[0]).toBe(200);
      const response = await fetch(`${small.url}/api/v2/sessions/${first.sessionId}/channels/0/statistics`);
      expect(((await response.json()) as Statistics).max).toBe(999);
    } finally {
      await small.close();
    }
  });
});

describe('the acquisition of a session', () => {
  it('is its open response again, until the session ends', async () => {
    const opened = await openOk(server.url, { path: FILE });
    const address = `${server.url}/api/v2/sessions/${opened.sessionId}/acquisition`;
    const response = await fetch(address, { headers: { origin: 'null' } });
    expect(await response.json()).toEqual(opened);
    await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}`, { method: 'DELETE' });
    expect((await refused(await fetch(address))).slice(0, 2)).toEqual([404, 'session_not_found']);
  });
});

describe('native window', () => {
  const native = async (file: string, query: string) => {
    const { sessionId } = await openOk(server.url, { path: file });
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/channels/0/window?type=native${query}`);
    expect(response.status, await response.clone().text()).toBe(200);
    return { dtype: response.headers.get('x-array-dtype'), bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it.each([
    ['uint16', '<u2', Uint16Array.of(0, 1, 65_535, 7, 300, 9)],
    ['int8', '|i1', Int8Array.of(0, 1, -128, 7, -3, 127)],
    ['uint32', '<u4', Uint32Array.of(0, 1, 4_294_967_295, 16_777_217, 3, 9)],
    ['float64', '<f8', Float64Array.of(0, 0.1, -1e300, Number.NaN, 3, 9)],
    ['uint64', '<u8', BigUint64Array.of(0n, 1n, 2n ** 64n - 1n, 2n ** 53n + 1n, 5n, 9n)],
  ])('has the exact samples of %s', async (name, dtype, samples) => {
    const path = writeTemp(folder, `${name}.tif`, writeTiff({ pages: [{ width: 3, height: 2, samples }] }));
    const whole = await native(path, '');
    expect(whole.dtype).toBe(dtype);
    expect(whole.bytes.equals(Buffer.from(samples.buffer))).toBe(true);
    const part = await native(path, '&rows=1:2&every=1,2');
    const size = samples.BYTES_PER_ELEMENT;
    expect(part.bytes.equals(Buffer.concat([3, 5].map((i) => Buffer.from(samples.buffer, i * size, size))))).toBe(true);
  });

  it('has the dtype of the file in its NumPy header', async () => {
    const path = writeTemp(
      folder,
      'npy.tif',
      writeTiff({ pages: [{ width: 1, height: 1, samples: Uint16Array.of(9) }] }),
    );
    const { bytes } = await native(path, '&as=npy');
    expect(bytes.toString('latin1', 10, 60)).toContain("'descr': '<u2'");
    expect(bytes.readUInt16LE(bytes.length - 2)).toBe(9);
  });

  it('refuses another type', async () => {
    expect((await get('window?type=float64')).status).toBe(422);
  });
});
