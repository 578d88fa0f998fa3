import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AcqClient, createClient, type OpenResponse } from '../../packages/client/src/index.js';
import { Cli, EXAMPLE, SAMPLE } from '../support/cli.js';

const [ROWS, COLUMNS] = [4000, 96];
const cli = new Cli();
let url: string;
let client: AcqClient;

beforeAll(async () => {
  url = (await cli.serve()).url;
  client = createClient({ baseUrl: url });
});
afterAll(() => cli.close());

/** The plane as the server sends it, by plain HTTP. */
async function rawPlane(info: OpenResponse, index = 0): Promise<Float32Array<ArrayBuffer>> {
  return new Float32Array(await (await fetch(url + info.channels[index]?.dataUrl)).arrayBuffer());
}

describe('a client', () => {
  it('reads health, index, capabilities, user and examples', async () => {
    expect(await client.health()).toEqual({ ok: true, apiVersion: 'v2' });
    expect((await client.index()).links.open.href).toBe('/api/v2/open');
    expect((await client.capabilities()).supportedImportExtensions).toContain('.tif');
    expect((await client.user()).user).toBeNull();
    expect((await client.examples()).examples.map(({ path }) => path)).toEqual([EXAMPLE]);
  });
});

describe('files', () => {
  it('are listed by folder, and found again by name, size and time', async () => {
    const { path, entries } = await client.folder(dirname(SAMPLE));
    expect(path).toBe(dirname(SAMPLE));
    expect((await client.folder()).entries.length).toBeGreaterThan(0);
    const sample = entries.find((entry) => entry.path === SAMPLE);
    const { name = '', size = 0, modified = 0 } = sample as { name: string; size: number; modified: number };
    await (await client.open({ path: SAMPLE })).close();
    expect(await client.locate({ name, size, modified })).toEqual([SAMPLE]);
    expect(await client.locate({ name, size: size + 1, modified })).toEqual([]);
  });
});

describe('files that are sent', () => {
  const source = () => {
    const file = new Blob([readFileSync(SAMPLE)]);
    return { name: 'sent.ome.tif', files: [{ path: 'sent.ome.tif', data: file }] };
  };

  it('open like files of the server, and are sent again when it has forgotten them', async () => {
    const progress: number[] = [];
    const sent = await client.upload(
      source(),
      { channelIndices: [1] },
      { onProgress: (now) => progress.push(now.received) },
    );
    expect([sent.info.source.path, sent.info.channels.length]).toEqual(['sent.ome.tif', 1]);
    expect(progress.at(-1)).toBe(statSync(SAMPLE).size);
    const plane = await sent.plane(1);
    // The file goes with its last session.
    await fetch(`${url}/api/v2/sessions/${sent.info.sessionId}`, { method: 'DELETE' });
    const again = await sent.plane(1);
    expect(Buffer.from(again.buffer).equals(Buffer.from(plane.buffer))).toBe(true);
    const beside = await sent.openAgain({ decode: 'later' }, { signal: AbortSignal.timeout(60_000) });
    const other = await sent.select({ channelIndices: [0] });
    // It keeps the file, which nobody else uses.
    await other.close();
    expect(sent.closed).toBe(true);
    const kept = await beside.plane(1);
    expect(Buffer.from(kept.buffer).equals(Buffer.from(plane.buffer))).toBe(true);
    await beside.close();
    expect(other.info.channels.map(({ index }) => index)).toEqual([0]);
  });

  it('leave nothing on the server when they are no acquisition, or when the sending is stopped', async () => {
    const bad = { name: 'bad.tif', files: [{ path: 'bad.tif', data: new Blob(['no image']) }] };
    await expect(client.upload(bad)).rejects.toMatchObject({ code: 'unsupported_format' });
    const reason = new Error('enough');
    const controller = new AbortController();
    const stop = () => controller.abort(reason);
    await expect(client.upload(source(), {}, { signal: controller.signal, onProgress: stop })).rejects.toBe(reason);
    const folder = join(cli.stateDir, 'uploads');
    const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    await expect.poll(files).toEqual([]);
  });
});

describe('an acquisition', () => {
  it('has the open response and its planes', async () => {
    const scan = await client.open({ path: SAMPLE, channelIndices: [1, 0] });
    expect(scan.info.channels.map(({ index }) => index)).toEqual([1, 0]);
    for (const position of [0, 1]) {
      const index = scan.info.channels[position]?.index as number;
      const plane = await scan.plane(index);
      expect(plane).toHaveLength(ROWS * COLUMNS);
      const raw = await rawPlane(scan.info, position);
      expect(Buffer.from(plane.buffer).equals(Buffer.from(raw.buffer))).toBe(true);
    }
    await scan.close();
  });

  it('reads only the requested rows of a plane', async () => {
    const scan = await client.open({ path: SAMPLE });
    const whole = await rawPlane(scan.info);
    const seen: number[] = [];
    const rows = await scan.rows(0, 1000, 3, { onProgress: ({ total }) => seen.push(total) });
    expect(rows).toEqual(whole.slice(1000 * COLUMNS, 1003 * COLUMNS));
    expect(seen).toEqual([3 * COLUMNS * 4]);
    await expect(scan.rows(0, 3999, 2)).rejects.toMatchObject({ code: 'range_not_satisfiable' });
    await expect(scan.plane(7)).rejects.toMatchObject({ code: 'channel_not_found' });
    await expect(scan.referencePlane(0)).rejects.toMatchObject({ code: 'reference_channel_not_found' });
  });

  it('renews and ends its session', async () => {
    const scan = await client.open({ path: SAMPLE });
    expect((await scan.status()).totalBytes).toBe(2 * ROWS * COLUMNS * 4);
    expect((await scan.renew()).sessionId).toBe(scan.info.sessionId);
    expect(client.acquisitions).toContain(scan);
    await scan.close();
    await scan.close();
    expect(client.acquisitions).not.toContain(scan);
    expect((await fetch(url + scan.info.channels[0]?.dataUrl)).status).toBe(404);
    await expect(scan.plane(0)).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('errors', () => {
  it('have the code, the status, the fields and the request', async () => {
    const error = await client.open({ path: 'relative.tif' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'AcqClientError', code: 'request_validation_failed', status: 422 });
    expect(error.details[0].location).toEqual(['body', 'path']);
    expect(error.requestId).toMatch(/./);
  });

  it('are not used for an abort', async () => {
    const reason = new Error('enough');
    await expect(client.open({ path: SAMPLE }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const scan = await client.open({ path: SAMPLE });
    const reading = scan.plane(0, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
