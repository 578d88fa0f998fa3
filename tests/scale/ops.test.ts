/** Probes, metrics and the drain of a server, over their real listeners. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Cli, REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { createServer } from '../support/server.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';
import { withoutPackage } from '../support/without-package.js';

const base = tempFolder();
const FILE = join(REPOSITORY, 'packages/server/warm-up', 'scan.oir');

describe('the operations listener', () => {
  let server: RunningServer;
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.opsPort}${path}`, init);
  const metrics = async () => (await ask('/metrics')).text();
  const valueIn = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    );

  beforeAll(async () => {
    const opsListen = 'localhost:0';
    const more = {
      port: 0,
      decodeWorkers: 2,
      stateDir: base,
      opsListen,
      roots: [REPOSITORY],
      allowHosts: ['scrape.lab'],
    };
    server = await createServer({ ...more });
  });
  afterAll(() => server?.close());

  it('counts requests by the pattern of their address, opens by format and outcome, and planes by where they were', async () => {
    const post = (path: string, body: object) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const opened = (await (await post('/api/v2/open', { path: FILE, ttlSeconds: 60 })).json()) as OpenResponse;
    for (let i = 0; i < 3; i++) await (await fetch(server.url + opened.channels[0]!.dataUrl)).arrayBuffer();
    await post('/api/v2/open', { path: join(REPOSITORY, 'packages/server/warm-up', 'missing.oir') });
    await fetch(`${server.url}/nowhere/${opened.sessionId}`);
    const text = await metrics();
    expect(valueIn(text, 'acqstore_open_seconds_count{format="oir",outcome="ok"}')).toBe(1);
    expect(valueIn(text, 'acqstore_open_seconds_count{format="unknown",outcome="path_not_found"}')).toBe(1);
    expect(valueIn(text, 'acqstore_planes_total{from="decoded"}')).toBe(1);
    expect(valueIn(text, 'acqstore_planes_total{from="cache"}')).toBe(3);
    const route = '/api/v2/sessions/:sessionId/channels/:channelIndex/data';
    expect(valueIn(text, `acqstore_http_seconds_count{route="${route}",method="GET",status="200"}`)).toBe(3);
    expect(valueIn(text, 'acqstore_http_seconds_count{route="none",method="GET",status="404"}')).toBe(1);
    expect(valueIn(text, 'acqstore_cache_bytes')).toBeGreaterThan(0);
    expect(valueIn(text, 'acqstore_sessions')).toBe(1);
    expect(valueIn(text, 'acqstore_queue')).toBe(0);
    expect(valueIn(text, 'acqstore_workers{state="busy"}')).toBeGreaterThanOrEqual(0);
    expect(valueIn(text, 'acqstore_root_ready{root="0"}')).toBe(1);
    expect(text).toContain('acqstore_process_resident_memory_bytes');
    // Nothing of a user.
    for (const secret of [opened.sessionId, FILE, 'scan.oir']) expect(text).not.toContain(secret);
  });

  const statusFor = (path: string, host?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: server.opsPort! });
      socket.end(`GET ${path} HTTP/1.0\r\n${host === undefined ? '' : `Host: ${host}\r\n`}\r\n`);
      socket.once('data', (part) => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(part.toString())?.[1])));
      socket.once('error', reject);
    });

  it.each([
    undefined,
    'localhost',
    '127.0.0.1:9999',
    '[::1]:9767',
    '10.0.0.7:9767',
    '192.0.2.11',
    '[fd00::7]:9767',
    'scrape.lab',
    'Scrape.Lab:9767',
  ])('answers probes and scrapers that send the Host %s', async (host) => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect([path, await statusFor(path, host)]).toEqual([path, 200]);
  });

  it.each([
    'evil.example',
    'evil.example:9767',
    'localhost.evil.example:9767',
    '10.0.0.7.nip.io:9767',
    'scrape.lab.evil.example',
    'xscrape.lab',
    '10.7:9767',
    '0x0a000007',
    '10.0.0.7:99999',
    '[fd00::7',
    'fd00::7',
    '[fd00::7].evil.example',
    '[10.0.0.7]',
    '',
  ])('refuses a page whose name was rebound to it: %j', async (host) => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect([path, await statusFor(path, host)]).toEqual([path, 403]);
  });

  it('never answers pages', async () => {
    const readiness = await ask('/readyz');
    expect([readiness.status, await readiness.json()]).toEqual([
      200,
      { ready: true, draining: false, roots: ['ready'], store: 'none' },
    ]);
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect((await ask(path, { headers: { origin: 'http://localhost' } })).status).toBe(403);
      expect((await ask(path, { method: 'POST' })).status).toBe(405);
    }
    expect((await ask('/api/v2/health')).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  it('tells clients where the time of an open and of a plane went', async () => {
    const opened = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:9999' },
      body: JSON.stringify({ path: join(REPOSITORY, 'packages/server/warm-up', 'zstd.czi') }),
    });
    const timing = /^wait;dur=(\d+\.\d), open;dur=(\d+\.\d), decode;dur=(\d+\.\d)$/;
    const [, , openMs, decode] = timing.exec(opened.headers.get('server-timing') ?? '') ?? [];
    expect(Number(openMs)).toBeGreaterThan(0);
    expect(Number(decode)).toBeGreaterThan(0);
    expect(opened.headers.get('timing-allow-origin')).toBe('http://localhost:9999');
    expect(opened.headers.get('access-control-expose-headers')).toContain('Server-Timing');
    const { channels } = (await opened.json()) as OpenResponse;
    const plane = await fetch(server.url + channels[0]!.dataUrl);
    expect(timing.exec(plane.headers.get('server-timing') ?? '')?.[3]).toBe('0.0');
    const health = await fetch(`${server.url}/api/v2/health`);
    expect(health.headers.get('timing-allow-origin')).toBeNull();
  });

  it('is not ready while it drains, and still answers everything, on connections that end', async () => {
    const draining = await createServer({
      ...{ port: 0, decodeWorkers: 1, stateDir: join(base, 'draining'), opsListen: '127.0.0.1:0' },
    });
    try {
      draining.drain();
      const readiness = await fetch(`http://127.0.0.1:${draining.opsPort}/readyz`);
      expect([readiness.status, await readiness.json()]).toMatchObject([503, { ready: false, draining: true }]);
      expect((await fetch(`http://127.0.0.1:${draining.opsPort}/livez`)).status).toBe(200);
      const opened = await fetch(`${draining.url}/api/v2/open`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: FILE }),
      });
      expect([opened.status, opened.headers.get('connection')]).toEqual([200, 'close']);
    } finally {
      await draining.close();
    }
    await expect(fetch(`http://127.0.0.1:${draining.opsPort}/livez`)).rejects.toThrow();
  });
});

describe('acqstore serve', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  it('drains after SIGTERM, and ends at once on a second one', async () => {
    const port = await freePort();
    const args = ['--ops-listen', `127.0.0.1:${port}`, '--drain-seconds', '4'];
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    const first = await cli.serve(args);
    expect(await ready()).toBe(200);
    const start = performance.now();
    first.child.kill('SIGTERM');
    await expect.poll(ready).toBe(503);
    expect((await fetch(`${first.url}/api/v2/health`)).status).toBe(200);
    expect((await first.ended).code).toBe(0);
    expect(performance.now() - start).toBeGreaterThan(4_000);
    const second = await cli.serve(args);
    second.child.kill('SIGTERM');
    await expect.poll(ready).toBe(503);
    second.child.kill('SIGTERM');
    // By the signal: after the drain, it would end by itself.
    expect((await second.ended).signal).toBe('SIGTERM');
  }, 30_000);

  it.runIf(LONG)(
    'needs prom-client for the listener alone',
    async () => {
      const env = withoutPackage('prom-client');
      const server = await cli.serve([], env);
      expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);
      await server.interrupt();
      const { code, stderr } = await cli.run(['serve', '--port', '0', '--ops-listen', '127.0.0.1:0'], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Run: npm install prom-client@15')]);
    },
    30_000,
  );

  it.runIf(LONG)(
    'refuses an address without a port',
    async () => {
      const { code, stderr } = await cli.run(['serve', '--port', '0', '--ops-listen', 'localhost']);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('--ops-listen localhost: must be an address and a port'),
      ]);
    },
    30_000,
  );
});
