import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Folder } from '../../packages/client/src/contract/files.js';
import { createClient } from '../../packages/client/src/index.js';
import { supportedExtensions } from '../../packages/readers/src/formats/index.js';
import { listRecordings, RECORDING_LIMITS } from '../../packages/server/src/paths/list-recordings.js';
import { Look } from '../../packages/server/src/paths/look.js';
import { lineScan } from '../support/bruker.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const day = join(base, 'day');
const many = join(base, 'many');
const tiff = writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12) }] });
const COUNT = 2_300;
let server: RunningServer;

beforeAll(async () => {
  mkdirSync(join(day, 'cells'), { recursive: true });
  writeOif(day, { ...oifLineScan(), name: 'set.oif' });
  for (const [name, text] of Object.entries({ 'rec.oir': 'OLYMPUSRAWFORMAT', rec_00001: 'part', rec_00002: 'parts' })) {
    writeFileSync(join(day, name), text);
  }
  writeFileSync(join(day, 'scan 2.tif'), tiff);
  writeFileSync(join(day, 'scan 10.tif'), '');
  writeFileSync(join(day, 'settings.xml'), '<settings/>');
  writeBruker(join(day, 'TSeries'), lineScan());
  mkdirSync(many);
  for (let i = 0; i < COUNT; i++) writeFileSync(join(many, `${i}.tif`), tiff);
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(base, 'state'), roots: [day, many] });
});
afterAll(() => server.close());

async function list(path: string, more = ''): Promise<[number, Folder & { error?: string }]> {
  const response = await fetch(`${server.url}/api/v2/folders?path=${encodeURIComponent(path)}&recordings=true${more}`);
  return [response.status, await response.json()];
}

const names = ({ entries }: Folder) => entries.map(({ name }) => name);
const bytesIn = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

it('has each recording once, by names and first bytes, and no files of other programs', async () => {
  const [status, answer] = await list(day);
  expect([status, names(answer)]).toEqual([
    200,
    ['cells', 'rec.oir', 'scan 2.tif', 'scan 10.tif', 'set.oif', 'TSeries'],
  ]);
  const facts = Object.fromEntries(answer.entries.map(({ name, recording }) => [name, recording]));
  expect(facts).toEqual({
    cells: undefined,
    'rec.oir': { format: 'Olympus OIR', files: 3 },
    'scan 2.tif': { format: 'TIFF', files: 1 },
    // Empty, but a recording by its name: it is shown, so that somebody notices.
    'scan 10.tif': { format: null, files: 1 },
    'set.oif': { format: 'Olympus FluoView OIF/OIB', files: 2 },
    TSeries: { format: null, files: 1 },
  });
  expect(answer).not.toHaveProperty('next');
});

it('adds up the files of a recording', async () => {
  const [, { entries }] = await list(day);
  const size = (name: string) => entries.find((entry) => entry.name === name)?.size;
  expect(size('rec.oir')).toBe(16 + 4 + 5);
  expect(size('scan 2.tif')).toBe(tiff.length);
  expect(size('set.oif')).toBe(statSync(join(day, 'set.oif')).size + bytesIn(join(day, 'set.oif.files')));
});

it('goes on after a cursor, also when the file of the cursor is gone', async () => {
  const [, first] = await list(many);
  expect([first.entries.length, first.entries[0]?.name, first.next]).toEqual([1_000, '0.tif', '999.tif']);
  rmSync(join(many, '999.tif'));
  const [, second] = await list(many, `&cursor=${first.next}`);
  expect([second.entries.length, second.entries[0]?.name, second.next]).toEqual([1_000, '1000.tif', '1999.tif']);
  writeFileSync(join(many, '999.tif'), tiff);
  const all: string[] = [];
  for await (const { name } of createClient({ baseUrl: server.url }).recordings(many)) all.push(name);
  expect(all).toEqual(Array.from({ length: COUNT }, (_, i) => `${i}.tif`));
});

it('keeps to the roots, and refuses a cursor without recordings', async () => {
  expect((await list(base))[0]).toBe(403);
  const response = await fetch(`${server.url}/api/v2/folders?path=${encodeURIComponent(many)}&cursor=5.tif`);
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    422,
    'request_validation_failed',
  ]);
});

it('asks the system the same for each file it lists, and nothing for those of other answers', () => {
  const policy = { roots: [], allowedExtensions: supportedExtensions(), platform: process.platform };
  const requests = (page: number) => {
    let count = 0;
    const look = new Look(process.platform, [], undefined, () => count++);
    const { entries } = listRecordings(many, policy, look, undefined, {
      ...RECORDING_LIMITS,
      page,
      milliseconds: 60_000,
    });
    expect(entries).toHaveLength(page);
    return count;
  };
  // What names say is known from the answer before.
  utimesSync(many, 0, 0);
  requests(1);
  const [none, some, more] = [requests(1), requests(101), requests(201)];
  expect(some! - none!).toBeLessThanOrEqual(100 * 4);
  expect(more! - some!).toBe(some! - none!);
});

it('shows files again, with what is in them, after the one that stood for them is gone', async () => {
  const frames = join(day, 'cells');
  for (const t of [1, 2, 3]) writeFileSync(join(frames, `x_t${t}.tif`), tiff);
  expect(names((await list(frames, '&details=true'))[1])).toEqual(['x_t1.tif']);
  expect(names((await list(frames, '&details=true'))[1])).toEqual(['x_t1.tif']);
  rmSync(join(frames, 'x_t1.tif'));
  expect(names((await list(frames, '&details=true'))[1])).toEqual(['x_t2.tif']);
});
