/** Files of sets that another file describes, on a real server. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { firstSample, type NdSpec, ndSet } from '../writers/metamorph-nd.js';

const root = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: root });
});
afterAll(() => server.close());

const SPEC: NdSpec = { stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 3, sections: 2 };

let folders = 0;
function write(files: Record<string, Uint8Array>): (name: string) => string {
  const folder = join(root, `case-${folders++}`);
  mkdirSync(folder);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return (name) => join(folder, name);
}

async function sampleAt(address: string): Promise<number> {
  const response = await fetch(server.url + address);
  expect(response.status, await response.clone().text()).toBe(200);
  return new Float32Array(await response.arrayBuffer())[0]!;
}

describe('a stack of a MetaMorph set', () => {
  it('is opened alone, and names the set', async () => {
    const path = write(ndSet(SPEC));
    const { source, header } = await openOk(server.url, { path: path('a_w2GFP_s2_t2.stk') });
    expect(header.sizes).toMatchObject({ Z: 2 });
    expect(header.sizes['T']).toBeUndefined();
    expect(source.recording).toEqual({
      ...{ parts: 12, part: 9, along: ['S', 'T', 'C'] },
      ...{ evidence: 'master file', master: 'a.nd' },
    });
  });

  it('opens the set when asked to, at its own plane', async () => {
    const path = write(ndSet(SPEC));
    const opened = await openOk(server.url, { path: path('a_w2GFP_s2_t2.stk'), parts: 'all' });
    expect(opened.header.sizes).toMatchObject({ C: 2, T: 3, Z: 2 });
    expect([opened.parts, opened.selection, opened.source.recording?.part]).toEqual(['all', { S: 1, T: 1, Z: 0 }, 9]);
    expect(opened.channels.map(({ name }) => name)).toEqual(['DAPI', 'GFP']);
    for (const t of [0, 1, 2])
      for (const wave of [0, 1])
        expect(await sampleAt(`${opened.channels[wave]!.dataUrl}?T=${t}&Z=1`)).toBe(
          firstSample({ wave, stage: 1, time: t, z: 1 }),
        );
    // The same planes as by the file of the set.
    const set = await openOk(server.url, { path: path('a.nd'), selection: { S: 1, T: 1 } });
    expect([set.header.sizes, set.header.physicalUnits]).toEqual([opened.header.sizes, opened.header.physicalUnits]);
    expect(set.source.recording).toBeUndefined();
  });

  it('is not shared with the whole, which ends when a further file appears', async () => {
    const { 'a_w2GFP_s2_t3.stk': last, ...files } = ndSet(SPEC);
    const path = write(files);
    const request = { path: path('a_w1DAPI_s1_t1.stk'), parts: 'all', decode: 'later' };
    const before = await openOk(server.url, request);
    expect(before.source.recording?.parts).toBe(11);
    writeFileSync(path('a_w2GFP_s2_t3.stk'), last!);
    const after = await openOk(server.url, request);
    expect(after.source.recording?.parts).toBe(12);
    const alone = await openOk(server.url, { path: path('a_w1DAPI_s1_t1.stk') });
    rmSync(path('a.nd'));
    const again = await openOk(server.url, { path: path('a_w1DAPI_s1_t1.stk') });
    expect(again.source.revision).toBe(alone.source.revision);
    expect(again.source.recording?.evidence).not.toBe('master file');
  });

  it.each([
    ['of a set with a longer name', 'a_t1', 'a_t1_w1DAPI_s1_t1.stk', 'a_t1.nd'],
    ['whose .nd is spelled in capitals', 'a', 'a_w1DAPI_s1_t1.stk', 'A.ND'],
  ])('names its own set: one %s', async (_, stem, member, master) => {
    const { [`${stem}.nd`]: nd, ...files } = ndSet({ ...SPEC, stem });
    const path = write({ ...files, [master]: nd! });
    const { source } = await openOk(server.url, { path: path(member) });
    expect(source.recording).toMatchObject({ parts: 12, part: 0, evidence: 'master file', master });
  });

  it.each([
    ['is damaged', { 'a.nd': Uint8Array.of(1, 2, 3) }],
    ['is of a plate', { 'a.nd': new TextEncoder().encode('"HTSInfoFile", Version 1.0\r\n') }],
    ['is of another set', { 'b.nd': ndSet(SPEC)['a.nd']! }],
  ])('is not of a set when the .nd %s', async (_, nd) => {
    const { 'a.nd': _own, ...files } = ndSet(SPEC);
    const path = write({ ...files, ...nd });
    const { source } = await openOk(server.url, { path: path('a_w1DAPI_s1_t1.stk') });
    expect(source.recording?.evidence).not.toBe('master file');
  });

  it('is not of a set for a stack whose name only begins with that of the set', async () => {
    const files = ndSet({ ...SPEC, stages: ['left'], times: 2 });
    const stray = files['a_w1DAPI_s1_t1.stk']!;
    const path = write({ ...files, 'a_w1DAPI_s1_t1_OverView.tif': stray, 'a_w1DAPI_t9.stk': stray });
    for (const name of ['a_w1DAPI_s1_t1_OverView.tif', 'a_w1DAPI_t9.stk']) {
      expect((await openOk(server.url, { path: path(name) })).source.recording?.evidence).not.toBe('master file');
    }
  });

  it('is opened alone where sets may not be opened', async () => {
    const limited = await createServer({
      port: 0,
      decodeWorkers: 1,
      stateDir: join(root, 's'),
      allowExtensions: ['.tif', '.stk'],
    });
    try {
      const path = write(ndSet(SPEC));
      const { source } = await openOk(limited.url, { path: path('a_w1DAPI_s1_t1.stk') });
      expect(source.recording?.evidence).not.toBe('master file');
      const [, { error, source: whole }] = await postOpen(limited.url, {
        path: path('a_w1DAPI_s1_t1.stk'),
        parts: 'all',
      });
      expect([error, whole?.recording?.evidence]).not.toContain('master file');
    } finally {
      await limited.close();
    }
  });
});
