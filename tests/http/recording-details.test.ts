import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Folder } from '../../packages/client/src/contract/files.js';
import type { DescribedRecording, RecordingDetails } from '../../packages/client/src/contract/recordings.js';
import { lineScan } from '../support/bruker.js';
import { SAMPLE } from '../support/cli.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { omeMember } from '../support/ome-members.js';
import { createServer, type RunningServer } from '../support/server.js';
import { writeSplitRecording } from '../support/split-recording.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { ndSet } from '../writers/metamorph-nd.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const day = join(base, 'day');
const many = join(base, 'many');
const set = join(base, 'set');
const parts = join(base, 'parts');
const COUNT = 230;
let server: RunningServer;

const plain = (rows: number, columns: number) =>
  writeTiff({
    pages: [
      { width: columns, height: rows, samples: Uint16Array.from({ length: rows * columns }, (_, i) => i % columns) },
    ],
  });

beforeAll(async () => {
  mkdirSync(join(day, 'cells'), { recursive: true });
  copyFileSync(SAMPLE, join(day, 'scan.ome.tif'));
  writeOif(day, { ...oifLineScan(), name: 'set.oif' });
  writeFileSync(join(day, 'one.ome.tif'), omeMember('one.ome.tif', 'two.ome.tif'));
  writeFileSync(join(day, 'two.ome.tif'), omeMember('two.ome.tif', 'one.ome.tif'));
  writeFileSync(join(day, 'damaged.tif'), 'II*\0\xff\xff\xff\x7f', 'latin1');
  writeFileSync(join(day, 'settings.xml'), '<settings/>');
  writeBruker(join(day, 'TSeries'), lineScan());
  writeSplitRecording(day);
  for (const t of [1, 2, 3]) writeFileSync(join(day, `alike_t${t}.tif`), plain(30, 40));
  for (const [t, rows] of [20, 20, 25].entries()) writeFileSync(join(day, `other_t${t}.tif`), plain(rows, 40));
  mkdirSync(set);
  const spec = { stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 3, sections: 2 };
  for (const [name, bytes] of Object.entries(ndSet(spec))) writeFileSync(join(set, name), bytes);
  mkdirSync(many);
  for (let i = 0; i < COUNT; i++) writeFileSync(join(many, `${i}.tif`), plain(3, 4));
  for (const folder of ['lost', 'bad', 'links']) mkdirSync(join(parts, folder), { recursive: true });
  mkdirSync(join(base, 'secret'));
  writeFileSync(join(base, 'secret/hidden.tif'), plain(3, 4));
  symlinkSync(join(base, 'secret/hidden.tif'), join(day, 'out.tif'));
  server = await createServer({
    port: 0,
    decodeWorkers: 2,
    stateDir: join(base, 'state'),
    roots: [day, many, set, parts],
  });
});
afterAll(() => server.close());

async function ask<T = Folder>(path: string, query: Record<string, string>): Promise<[number, T & { error?: string }]> {
  const response = await fetch(`${server.url}${path}?${new URLSearchParams(query)}`);
  return [response.status, await response.json()];
}

async function listAll(path: string, more: Record<string, string> = {}): Promise<Folder['entries']> {
  const entries: Folder['entries'] = [];
  let cursor: string | undefined;
  do {
    const query = { path, recordings: 'true', details: 'true', ...more, ...(cursor === undefined ? {} : { cursor }) };
    const [, page] = await ask('/api/v2/folders', query);
    entries.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}

const told = (entries: Folder['entries'], name: string) =>
  entries.find((entry) => entry.name === name)?.recording?.details;
const describe = (path: string, more: Record<string, string> = {}) =>
  ask<DescribedRecording>('/api/v2/recordings', { path, ...more });

it('lists each recording once by its contents, with what is in it, and writes nothing', async () => {
  const state = () =>
    readdirSync(day, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(join(day, name)).mtimeMs]);
  const before = state();
  const entries = await listAll(day);
  expect(
    entries.map(({ name, recording }) => [
      name,
      recording?.details?.ok,
      (recording?.details as RecordingDetails)?.files,
    ]),
  ).toEqual([
    ['alike_t1.tif', true, 3],
    ['cells', undefined, undefined],
    ['damaged.tif', false, undefined],
    ['one.ome.tif', true, 2],
    // Of unequal size: each is a recording, though their names look like parts.
    ['other_t0.tif', true, 1],
    ['other_t1.tif', true, 1],
    ['other_t2.tif', true, 1],
    ['run_00001_00001.tif', true, 3],
    ['scan.ome.tif', true, 1],
    ['set.oif', true, expect.any(Number)],
    ['TSeries', true, expect.toBeOneOf([null, expect.any(Number)])],
  ]);
  expect(told(entries, 'run_00001_00001.tif')).toMatchObject({
    recording: { parts: 3, part: 0, along: ['T'], evidence: 'frame numbers' },
    sizes: { T: 10 },
    formatName: 'TIFF',
  });
  expect(told(entries, 'alike_t1.tif')).toMatchObject({
    sizes: { T: 3, Y: 30, X: 40 },
    recording: { evidence: 'names' },
  });
  expect(told(entries, 'damaged.tif')).toEqual({
    ok: false,
    error: 'decode_failed',
    message: expect.stringContaining('damaged.tif'),
  });
  expect(told(entries, 'scan.ome.tif')).toMatchObject({
    steps: { X: { unit: 'micrometer', origin: 'file' }, Y: { unit: 'seconds' } },
    channels: expect.arrayContaining(['Vessel']),
    warnings: [],
  });
  expect(told(entries, 'scan.ome.tif')).not.toHaveProperty('thumbnail');
  expect(state()).toEqual(before);
});

it('goes on where the last answer ended, and lists parts once however the answers are cut', async () => {
  const [, first] = await ask('/api/v2/folders', { path: many, recordings: 'true', details: 'true' });
  expect([first.entries.length <= 100, first.next === first.entries.at(-1)?.name]).toEqual([true, true]);
  const all = await listAll(many);
  expect(all.map(({ name }) => name)).toEqual(Array.from({ length: COUNT }, (_, i) => `${i}.tif`));
  // A list that begins behind the first file of a recording.
  const query = { path: day, recordings: 'true', details: 'true', cursor: 'run_00001_00001.tif' };
  const [, rest] = await ask('/api/v2/folders', query);
  expect(rest.entries[0]?.name).toBe('scan.ome.tif');
  expect(told(await listAll(day), 'run_00001_00001.tif')).toMatchObject({ files: 3 });
});

it('goes on for each caller where their own last answer ended', async () => {
  const whole = { path: day, recordings: 'true', details: 'true' };
  const names = ({ entries }: Folder) => entries.map(({ name }) => name);
  const listFor = async (query: Record<string, string>, origin?: string): Promise<Folder> => {
    const url = `${server.url}/api/v2/folders?${new URLSearchParams(query)}`;
    return (await fetch(url, origin === undefined ? {} : { headers: { origin } })).json() as Promise<Folder>;
  };
  expect(names(await listFor(whole))).not.toContain('two.ome.tif');
  const rest = { ...whole, cursor: 'one.ome.tif' };
  expect(names(await listFor(rest))).not.toContain('two.ome.tif');
  // A page of the server is another caller, who has not seen the first file.
  expect(names(await listFor(rest, server.url))).toContain('two.ome.tif');
});

it('adds small pictures when asked', async () => {
  const details = told(await listAll(day, { thumbnails: 'true' }), 'alike_t1.tif') as RecordingDetails;
  const png = Buffer.from(details.thumbnail!.replace('data:image/png;base64,', ''), 'base64');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([40, 30]);
});

it('describes one recording, and all of it for any of its files', async () => {
  const [status, second] = await describe(join(day, 'run_00001_00002.tif'), { thumbnail: 'true' });
  expect([status, second.first, second.others]).toEqual([
    200,
    'run_00001_00001.tif',
    ['run_00001_00001.tif', 'run_00001_00003.tif'],
  ]);
  expect(second.details).toMatchObject({ files: 3, sizes: { T: 10 }, recording: { parts: 3, part: 1 } });
  expect(second.details.thumbnail).toMatch(/^data:image\/png;base64,/);
  const [, first] = await describe(join(day, 'run_00001_00001.tif'));
  expect([first.first, first.others]).toEqual([undefined, ['run_00001_00002.tif', 'run_00001_00003.tif']]);
  const [, alone] = await describe(join(day, 'other_t1.tif'));
  expect([alone.first, alone.others, alone.details.files]).toEqual([undefined, undefined, 1]);
});

it('lists a set once by the file that describes it', async () => {
  const entries = await listAll(set);
  expect(entries.map(({ name }) => name)).toEqual(['a.nd']);
  expect(told(entries, 'a.nd')).toMatchObject({ sizes: { T: 3 }, files: 13 });
  const [, stack] = await describe(join(set, 'a_w2GFP_s2_t2.stk'));
  expect([stack.first, stack.details.sizes.T, stack.details.channels, stack.others?.length]).toEqual([
    'a.nd',
    3,
    ['DAPI', 'GFP'],
    12,
  ]);
  const [, first] = await describe(join(set, 'a_w1DAPI_s1_t1.stk'));
  expect([first.first, first.others?.length]).toEqual(['a.nd', 12]);
});

it('lists the files that are left when the first one of their recording is gone', async () => {
  const folder = join(parts, 'lost');
  for (const t of [1, 2, 3]) writeFileSync(join(folder, `x_t${t}.tif`), plain(30, 40));
  expect((await listAll(folder)).map(({ name }) => name)).toEqual(['x_t1.tif']);
  rmSync(join(folder, 'x_t1.tif'));
  const left = await listAll(folder);
  expect(left.map(({ name }) => name)).toEqual(['x_t2.tif']);
  expect(told(left, 'x_t2.tif')).toMatchObject({ files: 2, sizes: { T: 2 } });
});

it('tells of files that can be opened beside a damaged one', async () => {
  const folder = join(parts, 'bad');
  for (const t of [1, 3]) writeFileSync(join(folder, `y_t${t}.tif`), plain(30, 40));
  writeFileSync(join(folder, 'y_t2.tif'), 'II*\0\xff\xff\xff\x7f', 'latin1');
  const entries = await listAll(folder);
  expect(entries.map(({ recording }) => recording?.details?.ok)).toEqual([true, false, true]);
  for (const name of ['y_t1.tif', 'y_t3.tif']) {
    expect(told(entries, name)).toMatchObject({ files: 1, sizes: { T: 1 } });
    expect(told(entries, name)).not.toHaveProperty('recording');
  }
  expect((await describe(join(folder, 'y_t1.tif')))[0]).toBe(200);
});

it('lists a link to a later file of a recording in another folder', async () => {
  symlinkSync(join(day, 'alike_t2.tif'), join(parts, 'links/mine.tif'));
  const entries = await listAll(join(parts, 'links'));
  expect(entries.map(({ name }) => name)).toEqual(['mine.tif']);
  expect(told(entries, 'mine.tif')).toMatchObject({ ok: true, files: 3, sizes: { T: 3 } });
});

it('keeps to the roots and the rules of the list', async () => {
  const outside = join(base, 'secret');
  const details = { recordings: 'true', details: 'true' };
  expect((await ask('/api/v2/folders', { path: outside, ...details }))[0]).toBe(403);
  expect((await describe(join(outside, 'hidden.tif')))[0]).toBe(403);
  expect((await describe(join(day, 'out.tif')))[0]).toBe(403);
  expect((await describe(join(day, 'damaged.tif')))[1].error).toBe('decode_failed');
  expect((await describe('day/one.ome.tif'))[0]).toBe(422);
  expect(await ask('/api/v2/folders', { path: day, details: 'true' })).toMatchObject([
    422,
    { error: 'request_validation_failed' },
  ]);
  expect((await ask('/api/v2/folders', { path: day, recordings: 'true', thumbnails: 'true' }))[0]).toBe(422);
  expect((await ask('/api/v2/recordings', {}))[0]).toBe(422);
  const page = await fetch(`${server.url}/api/v2/recordings?path=${encodeURIComponent(join(day, 'one.ome.tif'))}`, {
    headers: { origin: 'https://other.example' },
  });
  expect(page.status).toBe(403);
});

it('stops when the client leaves, and goes on serving', async () => {
  const leave = new AbortController();
  const query = new URLSearchParams({ path: many, recordings: 'true', details: 'true', thumbnails: 'true' });
  const left = fetch(`${server.url}/api/v2/folders?${query}`, { signal: leave.signal });
  setTimeout(() => leave.abort(), 20);
  await expect(left).rejects.toThrow(/abort/i);
  const [status] = await describe(join(day, 'scan.ome.tif'));
  expect(status).toBe(200);
});

it('lets who opens a file go between the recordings of a list', async () => {
  let isListed = false;
  const list = listAll(many, { thumbnails: 'true' }).finally(() => {
    isListed = true;
  });
  const body = JSON.stringify({ path: join(day, 'scan.ome.tif') });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/api/v2/open`, { method: 'POST', body, headers });
  expect([response.status, isListed]).toEqual([200, false]);
  await list;
});
