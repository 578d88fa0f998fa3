/** `GET …/acquisition?metadata=true`, on a real server. */
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.js';
import { type OpenAnswer, openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

const xml = (settings: string) => `<ImageDocument><Metadata>${settings}</Metadata></ImageDocument>`;
const write = (name: string, settings = '<Gain>600</Gain>') =>
  writeTemp(folder, name, writeCzi({ ...stack(2, 1), xml: xml(settings) }));

const get = async (id: string, query = ''): Promise<[number, OpenAnswer]> => {
  const response = await fetch(`${server.url}/api/v2/sessions/${id}/acquisition${query}`);
  return [response.status, (await response.json()) as OpenAnswer];
};

it('adds the metadata to the response only when they are asked for', async () => {
  const { sessionId } = await openOk(server.url, { path: write('a.czi') });
  const [status, plain] = await get(sessionId);
  expect(status).toBe(200);
  expect(plain.source).not.toHaveProperty('metadata');
  expect((await get(sessionId, '?metadata=false'))[1]).toEqual(plain);
  const [, { source, ...rest }] = await get(sessionId, '?metadata=true');
  const { source: plainSource, ...plainRest } = plain;
  expect(rest).toEqual(plainRest);
  expect(source).toEqual({
    ...plainSource,
    metadata: { entries: [{ name: 'Gain', value: '600' }], truncated: false },
  });
});

it.each(['?metadata=1', '?metadata=', '?metadata=true&metadata=true', '?metadat=true'])(
  'refuses the query %s',
  async (query) => {
    const { sessionId } = await openOk(server.url, { path: write('a.czi') });
    const [status, { error }] = await get(sessionId, query);
    expect([status, error]).toEqual([422, 'request_validation_failed']);
  },
);

it('says when there are more than the limit, and how long a value is', async () => {
  const many = Array.from({ length: 11_000 }, (_, i) => `<v${i}>${i}</v${i}>`).join('');
  const { sessionId } = await openOk(server.url, {
    path: write('many.czi', `<Note>${'n'.repeat(3000)}</Note>${many}`),
  });
  const { metadata } = (await get(sessionId, '?metadata=true'))[1].source;
  expect(metadata!.entries).toHaveLength(10_000);
  expect(metadata!.truncated).toBe(true);
  expect(metadata!.entries[0]).toEqual({
    name: 'Note',
    value: 'n'.repeat(1024),
    note: 'The first 1,024 of 3,000 characters',
  });
});

it('refuses a session that has ended', async () => {
  const { sessionId } = await openOk(server.url, { path: write('a.czi') });
  await fetch(`${server.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });
  const [status, { error }] = await get(sessionId, '?metadata=true');
  expect([status, error]).toEqual([404, 'session_not_found']);
});

it('refuses metadata of a file that has changed, and still has its planes', async () => {
  const path = write('changing.czi');
  const { sessionId, channels } = await openOk(server.url, { path });
  writeFileSync(path, writeCzi({ ...stack(2, 1), xml: xml('<Gain>700</Gain>') }));
  const { atime, mtimeMs } = statSync(path);
  utimesSync(path, atime, new Date(mtimeMs + 5000));
  const [status, { error, message }] = await get(sessionId, '?metadata=true');
  expect([status, error]).toEqual([409, 'source_changed']);
  expect(message).toMatch(/^changing\.czi: /);
  expect((await fetch(server.url + channels[0]!.dataUrl)).status).toBe(200);
});

it('reaches the client, which opens the file again when its session has ended', async () => {
  const acquisition = await createClient({ baseUrl: server.url }).open({ path: write('a.czi') });
  const { sessionId } = acquisition.info;
  const expected = { entries: [{ name: 'Gain', value: '600' }], truncated: false };
  expect(await acquisition.metadata()).toEqual(expected);
  await fetch(`${server.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });
  expect(await acquisition.metadata()).toEqual(expected);
  expect(acquisition.info.sessionId).not.toBe(sessionId);
  expect(acquisition.info.source).not.toHaveProperty('metadata');
  await acquisition.close();
});
