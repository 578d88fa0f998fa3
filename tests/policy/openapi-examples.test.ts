import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { fakePicker, REPOSITORY } from '../support/test-app.js';

const SAMPLE = resolve(REPOSITORY, 'examples/vessel-kymograph.ome.tif');
/** The session, as the examples name it. */
const SHOWN_SESSION = '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44';
const FILE = resolve(REPOSITORY, 'packages/server/src/server/openapi/examples.json');

type Json = Record<string, unknown>;
interface OperationExamples {
  request?: Record<string, Json>;
  responses?: Record<string, Record<string, Json>>;
}

const picker = fakePicker();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: tempFolder() }, { picker });
});
afterAll(() => server.close());

it('the examples of the OpenAPI document are what the server answers for its sample', async () => {
  const made = await makeExamples();
  if (process.env['UPDATE_DOCS']) write(made);
  else expect(JSON.parse(readFileSync(FILE, 'utf8')), 'run: UPDATE_DOCS=1 npx vitest run tests/policy').toEqual(made);
});

/** Real calls on the real server, with the path and the id of this run replaced. */
async function makeExamples(): Promise<Record<string, OperationExamples>> {
  const examples: Record<string, OperationExamples> = {};
  let session = '';
  let upload = '';
  const call = async (id: string, name: string, method: string, address: string, body?: object) => {
    const isFile = body instanceof Uint8Array;
    const json = body === undefined ? {} : { 'content-type': `application/${isFile ? 'octet-stream' : 'json'}` };
    const response = await fetch(
      `${server.url}/api/v2${address.replace('SESSION', session).replace('UPLOAD', upload)}`,
      {
        method,
        headers: { ...json, ...(address.endsWith('/data') ? { range: 'bytes=2000000-' } : {}) },
        ...(body === undefined ? {} : { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
      },
    );
    const { request = {}, responses = {} } = examples[id] ?? {};
    if (body && response.ok && !isFile) request[name] = JSON.parse(toShown(body));
    examples[id] = { request, responses };
    // Arrays have no example.
    if (!response.headers.get('content-type')?.startsWith('application/json')) return;
    const answer = (await response.json()) as Json & { sessionId?: string; uploadId?: string };
    if (answer.uploadId !== undefined) upload = answer.uploadId;
    if (answer.sessionId !== undefined) session = answer.sessionId;
    const shown = toShown(answer)
      .replaceAll(/[0-9a-f]{32}/g, SHOWN_SESSION)
      .replace(/"ttlSecondsRemaining":[\d.]+/, '"ttlSecondsRemaining":598.5');
    responses[response.status] = { ...responses[response.status], [name]: JSON.parse(shown) };
  };

  await call('getIndex', 'index', 'GET', '');
  await call('getHealth', 'healthy', 'GET', '/health');
  await call('getCapabilities', 'all', 'GET', '/capabilities');
  await call('getUser', 'nobody', 'GET', '/user');
  await call('listExamples', 'sample', 'GET', '/examples');
  await call('listFolder', 'samples', 'GET', `/folders?path=${encodeURIComponent(dirname(SAMPLE))}`);
  await call('listFolder', 'noSuchFolder', 'GET', '/folders?path=/data/missing');
  await call('describeRecording', 'sample', 'GET', `/recordings?path=${encodeURIComponent(SAMPLE)}`);
  const step = { step: 0.002, unit: 'seconds' };
  await call('openAcquisition', 'whole', 'POST', '/open', { path: SAMPLE });
  await call('getAcquisition', 'withMetadata', 'GET', '/sessions/SESSION/acquisition?metadata=true');
  await call('getCoordinates', 'even', 'GET', '/sessions/SESSION/coordinates');
  await call('getPlaneTable', 'channels', 'GET', '/sessions/SESSION/planes');
  await call('openAcquisition', 'oneChannel', 'POST', '/open', { path: SAMPLE, channelIndices: [1] });
  await call('openAcquisition', 'calibrated', 'POST', '/open', { path: SAMPLE, calibration: { Y: step } });
  await call('openAcquisition', 'twoFaults', 'POST', '/open', { path: 'scan.oir', channelIndices: ['0'] });
  await call('openAcquisition', 'noSuchChannel', 'POST', '/open', { path: SAMPLE, channelIndices: [2] });
  await call('openAcquisition', 'noSuchFile', 'POST', '/open', { path: '/data/missing.tif' });
  await call('openAcquisition', 'noReader', 'POST', '/open', { path: '/data/notes.txt' });
  picker.next = { status: 'ok', path: SAMPLE };
  await call('pickAndOpen', 'anyFile', 'POST', '/pick-and-open', {});
  picker.next = { status: 'cancelled', reason: 'user' };
  await call('pickAndOpen', 'cancelled', 'POST', '/pick-and-open', {
    extensions: ['.oir', '.tif'],
    channelIndices: [0],
  });
  const { size, mtimeMs } = statSync(SAMPLE);
  const known = { name: 'vessel-kymograph.ome.tif', size, modified: Math.floor(mtimeMs) };
  await call('locateFile', 'dropped', 'POST', '/locate', known);
  await call('createUpload', 'file', 'POST', '/uploads', { name: known.name, size });
  await call('createUpload', 'tooLarge', 'POST', '/uploads', { name: 'stack.nd2', size: 9e9 });
  await call('openUpload', 'incomplete', 'POST', '/uploads/UPLOAD/open', {});
  await call('uploadFile', 'file', 'PUT', `/uploads/UPLOAD/files/${known.name}`, readFileSync(SAMPLE));
  await call('openUpload', 'whole', 'POST', '/uploads/UPLOAD/open', {});
  await call('deleteUpload', 'deleted', 'DELETE', '/uploads/UPLOAD');
  await call('deleteUpload', 'gone', 'DELETE', '/uploads/UPLOAD');
  await call('getSession', 'open', 'GET', '/sessions/SESSION');
  await call('renewSession', 'renewed', 'POST', '/sessions/SESSION/renew');
  await call('getChannelData', 'outside', 'GET', '/sessions/SESSION/channels/0/data');
  const channel = '/sessions/SESSION/channels/0';
  const points = [
    [0, 10],
    [3, 14],
  ];
  await call('getOmeZarr04', 'attributes', 'GET', '/sessions/SESSION/0.4.ome.zarr/0/.zattrs');
  await call('getOmeZarr05', 'array', 'GET', '/sessions/SESSION/0.5.ome.zarr/0/0/zarr.json');
  await call('getStatistics', 'part', 'GET', `${channel}/statistics?rows=0:1000&percentiles=1,50,99&bins=4`);
  await call('getStatistics', 'outside', 'GET', `${channel}/statistics?rows=0:9999`);
  await call('getProfile', 'line', 'POST', `${channel}/profile`, { points, width: 3 });
  await call('getTraces', 'columns', 'POST', `${channel}/traces`, { along: 'Y', regions: [{ columns: [20, 40] }] });
  await call('getTraces', 'noRegion', 'POST', `${channel}/traces`, { along: 'Y', regions: [{ columns: [5, 5] }] });
  await call('deleteSession', 'deleted', 'DELETE', '/sessions/SESSION');
  await call('getOmeZarr05', 'ended', 'GET', '/sessions/SESSION/0.5.ome.zarr/0/zarr.json');
  await call('getSession', 'ended', 'GET', '/sessions/SESSION');
  // One long response is enough.
  delete examples['openAcquisition']?.responses?.['200']?.['oneChannel'];
  delete examples['openAcquisition']?.responses?.['200']?.['calibrated'];
  delete examples['openUpload']?.responses?.['200']?.['whole'];
  delete examples['pickAndOpen']?.responses?.['200']?.['anyFile'];
  return examples;
}

/** JSON with the places and times of this run replaced. */
function toShown(value: object): string {
  return JSON.stringify(value)
    .replaceAll(REPOSITORY, '/opt/acquisition-store')
    .replaceAll(/"modified":\d+/g, '"modified":1767225600000');
}

function write(made: Record<string, OperationExamples>): void {
  writeFileSync(FILE, JSON.stringify(made));
  const biome = resolve(REPOSITORY, 'node_modules/@biomejs/biome/bin/biome');
  const { status, stderr } = spawnSync(process.execPath, [biome, 'check', '--write', FILE], { cwd: REPOSITORY });
  expect(status, String(stderr)).toBe(0);
}
