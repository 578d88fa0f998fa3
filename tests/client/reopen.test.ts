import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type OpenResponse } from '../../packages/client/src/index.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen } from '../../packages/server/src/server/listen.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { tempFolder } from '../support/temp.js';
import { fakePicker, testDependencies } from '../support/test-app.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const cli = new Cli();
let url: string;
beforeAll(async () => {
  url = (await cli.serve()).url;
});
afterAll(() => cli.close());

/** A client whose requests are counted by method and last part of their address. */
function counted(baseUrl = url) {
  const calls: string[] = [];
  /** Waited for before an open is sent. */
  const gate = { opens: Promise.resolve() };
  const client = createClient({
    baseUrl,
    fetch: async (input, init) => {
      const call = `${init?.method} ${String(input).split('/').at(-1)}`;
      calls.push(call);
      if (call === 'POST open') await gate.opens;
      return fetch(input, init);
    },
  });
  const count = (call: string) => calls.filter((one) => one === call).length;
  return { client, calls, count, gate };
}

/** Comparing element by element takes seconds. */
const bytes = (plane: Float32Array | undefined) =>
  Buffer.from(plane?.buffer ?? new ArrayBuffer(0), plane?.byteOffset, plane?.byteLength);
const same = (one: Float32Array | undefined, other: Float32Array | undefined) => bytes(one).equals(bytes(other));

const end = (info: OpenResponse, base = url) =>
  fetch(`${base}/api/v2/sessions/${info.sessionId}`, { method: 'DELETE' });
const state = async (info: OpenResponse) => (await fetch(`${url}/api/v2/sessions/${info.sessionId}`)).status;

describe('a session that has ended', () => {
  it('is opened again with the same choice, once for all readers', async () => {
    const { client, count } = counted();
    const calibration = { X: { step: 0.25, unit: 'micrometer' } } as const;
    const scan = await client.open({ path: SAMPLE, channelIndices: [1, 0], calibration });
    const before = scan.info;
    const planes = await Promise.all([scan.plane(0), scan.plane(1)]);
    const told: string[] = [];
    scan.onReopened = ({ sessionId }) => told.push(sessionId);
    await end(before);
    const again = await Promise.all([scan.plane(0), scan.plane(1), scan.rows(0, 10, 5), scan.plane(0)]);
    const wanted = [...planes, planes[0]?.slice(10 * 96, 15 * 96), planes[0]];
    expect(again.map((plane, i) => same(plane, wanted[i]))).toEqual([true, true, true, true]);
    expect(again.map(({ length }) => length)).toEqual([4000 * 96, 4000 * 96, 5 * 96, 4000 * 96]);
    expect(count('POST open')).toBe(2);
    expect(told).toEqual([scan.info.sessionId]);
    expect(scan.info.sessionId).not.toBe(before.sessionId);
    const withoutIds = (info: typeof before) => ({ ...info, sessionId: null, channels: null, zarr: null });
    expect(withoutIds(scan.info)).toEqual(withoutIds(before));
    expect(scan.info.plane.axes[1]?.step).toBe(0.25);
    await scan.close();
    expect(await state(scan.info)).toBe(404);
  });

  it('is not opened again by status and renewal', async () => {
    const { client, count } = counted();
    const scan = await client.open({ path: SAMPLE });
    await end(scan.info);
    await expect(scan.status()).rejects.toMatchObject({ code: 'session_not_found', status: 404 });
    await expect(scan.renew()).rejects.toMatchObject({ code: 'session_not_found' });
    expect(count('POST open')).toBe(1);
  });

  it('is opened again for other readers when one is aborted', async () => {
    const { client, count, gate } = counted();
    const scan = await client.open({ path: SAMPLE });
    await end(scan.info);
    let letPass = () => {};
    gate.opens = new Promise((pass) => {
      letPass = pass;
    });
    const controller = new AbortController();
    const impatient = scan.plane(0, { signal: controller.signal });
    const patient = scan.plane(1);
    await expect.poll(() => count('POST open')).toBe(2);
    controller.abort();
    await expect(impatient).rejects.toMatchObject({ name: 'AbortError' });
    letPass();
    expect(await patient).toHaveLength(4000 * 96);
    expect(count('POST open')).toBe(2);
  });

  it('leaves no session when it is closed while it is opened again', async () => {
    const { client, count, gate } = counted();
    const scan = await client.open({ path: SAMPLE });
    await end(scan.info);
    let letPass = () => {};
    gate.opens = new Promise((pass) => {
      letPass = pass;
    });
    const reading = scan.plane(0);
    await expect.poll(() => count('POST open')).toBe(2);
    await scan.close();
    letPass();
    await expect(reading).rejects.toMatchObject({ code: 'closed' });
  });

  it('is opened again after the server was restarted', async () => {
    const first = await cli.serve();
    const client = createClient({ baseUrl: first.url });
    const scan = await client.open({ path: SAMPLE });
    const plane = await scan.plane(0);
    await first.interrupt();
    await expect(scan.plane(0)).rejects.toMatchObject({ code: 'unreachable', connection: 'not_running' });
    const second = cli.start(['serve', '--port', String(first.port)]);
    await second.says(/Ctrl-C/);
    expect(same(await scan.plane(0), plane)).toBe(true);
  });

  it('is never mixed with a file that has changed', async () => {
    const { client, count, calls } = counted();
    const path = join(folder, 'scan.tif');
    copyFileSync(SAMPLE, path);
    const scan = await client.open({ path, channelIndices: [0, 1] });
    const { info } = scan;
    await end(info);
    // Of the same shape, a little longer.
    appendFileSync(path, new Uint8Array(200_000));
    await expect(scan.plane(0)).rejects.toMatchObject({ code: 'source_changed', status: null });
    await expect(scan.plane(0)).rejects.toMatchObject({ code: 'source_changed' });
    expect(scan.info).toBe(info);
    // What was opened to compare it was ended again: twice, for two reads.
    expect(count('POST open')).toBe(3);
    expect(calls.filter((call) => call.startsWith('DELETE'))).toHaveLength(2);
    expect(calls).not.toContain(`DELETE ${info.sessionId}`);
  });

  it('is not opened again when the file was overwritten with other samples only', async () => {
    const path = join(folder, 'processed.tif');
    const write = (value: (i: number) => number) => {
      const samples = Uint16Array.from({ length: 64 * 100 }, (_, i) => value(i));
      writeFileSync(path, writeTiff({ pages: [{ width: 64, height: 100, samples }] }));
    };
    const recorded = (i: number) => (i * 7919) % 4096;
    for (const read of ['plane', 'rows', 'native'] as const) {
      write(recorded);
      const scan = await createClient({ baseUrl: url }).open({ path });
      const ways = {
        plane: () => scan.plane(0),
        rows: () => scan.rows(0, 40, 2),
        native: async () => Float32Array.from((await scan.nativePlane(0)) as Uint16Array),
      };
      const first = ways[read];
      const before = await first();
      await end(scan.info);
      write(recorded);
      expect(same(await first(), before)).toBe(true);
      await end(scan.info);
      // Only lines in the middle differ.
      write((i) => (i >= 41 * 64 && i < 60 * 64 ? recorded(i) + 1 : recorded(i)));
      await expect(first()).rejects.toMatchObject({ code: 'source_changed' });
    }
  });

  it('is reported with the name of a deleted file', async () => {
    const path = join(folder, 'gone.tif');
    copyFileSync(SAMPLE, path);
    const scan = await createClient({ baseUrl: url }).open({ path });
    await end(scan.info);
    rmSync(path);
    await expect(scan.plane(0)).rejects.toMatchObject({
      code: 'path_not_found',
      status: 404,
      message: expect.stringMatching(/^The session has ended, and the file could not be opened again: .*gone\.tif/),
    });
  });
});

describe('select', () => {
  it('opens another choice of the same file and ends the session before', async () => {
    const { client } = counted();
    const scan = await client.open({ path: SAMPLE, calibration: { Y: { step: 0.5, unit: 'seconds' } } });
    const next = await scan.select({ channelIndices: [1] });
    expect(next.info.channels.map(({ index }) => index)).toEqual([1]);
    expect(next.info.plane.axes[0]?.step).toBe(0.5);
    expect(scan.closed).toBe(true);
    expect([...client.acquisitions]).toEqual([next]);
    expect(await state(scan.info)).toBe(404);
    await expect(next.select({ selection: { T: 5 } })).rejects.toMatchObject({ code: 'selection_out_of_range' });
    expect(next.closed).toBe(false);
    expect(await next.plane(1)).toHaveLength(4000 * 96);
  });
});

describe('what was picked', () => {
  it('is opened again by its path; nothing picked is no error', async () => {
    const sessions = fakeSessions();
    const picker = fakePicker();
    const server = await listen({ ...defaultOptions(), port: 0 }, { ...testDependencies(), sessions, picker });
    try {
      const client = createClient({ baseUrl: server.url });
      const scan = await client.pick({ extensions: ['.tif'], channelIndices: [0, 1] });
      if (!scan) throw new Error('nothing picked');
      expect(await scan.referencePlane(0)).toHaveLength(15);
      await end(scan.info, server.url);
      expect(await scan.plane(1)).toHaveLength(15);
      expect(sessions.opened.at(-1)).toMatchObject({ path: '/picked.tif', picked: false });
      expect(sessions.opened.at(-1)?.options).toEqual({ channelIndices: [0, 1] });
      picker.next = { status: 'cancelled', reason: 'user' };
      expect(await client.pick()).toBeNull();
      await client.closeAll();
      expect(client.acquisitions.size).toBe(0);
    } finally {
      await server.close();
    }
  });
});
