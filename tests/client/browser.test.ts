import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as ClientModule from '../../packages/client/src/index.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen } from '../../packages/server/src/server/listen.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker, testDependencies } from '../support/test-app.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the client was not tested in a browser');

declare global {
  /** The built client, in the page. */
  var acq: typeof ClientModule;
}

interface Told {
  code?: string;
  connection?: string | null;
  message?: string;
  hint?: string;
}

const folder = tempFolder();
const FILE_PAGE = pathToFileURL(writeTemp(folder, 'page.html', '<!doctype html><title>file</title>')).href;

describe.runIf(available)('the client in a browser', () => {
  const cli = new Cli();
  let url: string;
  let pages: Server;
  let port: number;
  let browser: Browser;

  beforeAll(async () => {
    url = (await cli.serve()).url;
    pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
    });
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
    port = (pages.address() as AddressInfo).port;
    browser = await launchBrowser({ '*.example': '127.0.0.1' });
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
    await cli.close();
  });

  /** A page at this address that has loaded the built client. */
  async function pageAt(address: string): Promise<Page> {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route('**/built-client/*.js', (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) as string;
      const body = readFileSync(join(REPOSITORY, 'packages/server/dist/client', name), 'utf8');
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' };
      return route.fulfill({ body, headers });
    });
    await page.goto(address);
    // A page of its own origin: the pages of the server take scripts from nowhere else.
    const from = address.startsWith('file:') ? 'https://modules.example' : new URL(address).origin;
    await page.evaluate(`import('${from}/built-client/index.js').then((module) => void (globalThis.acq = module))`);
    return page;
  }

  /** Opens the sample and sums a plane up; or what the client says about it. */
  const openSample = async ({ baseUrl, path, token }: { baseUrl: string; path: string; token?: string }) => {
    try {
      const client = acq.createClient({ baseUrl, ...(token ? { token } : {}) });
      const scan = await client.open({ path });
      const seen: { received: number; total: number }[] = [];
      const plane = await scan.plane(0, { onProgress: (progress) => seen.push(progress) });
      const rows = await scan.rows(0, 10, 2);
      await scan.close();
      const sum = plane.reduce((one, other) => one + other, 0);
      return { length: plane.length, sum, last: seen.at(-1), rows: [...rows] };
    } catch (error) {
      if (!(error instanceof acq.AcqClientError)) throw error;
      const { code, connection, message, hint } = error;
      return { code, connection, message, hint };
    }
  };

  /** By plain HTTP from Node. */
  async function expected() {
    const body = JSON.stringify({ path: SAMPLE });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body });
    const { channels } = (await answer.json()) as ClientModule.OpenResponse;
    const plane = new Float32Array(await (await fetch(url + channels[0]?.dataUrl)).arrayBuffer());
    return { length: 4000 * 96, sum: plane.reduce((a, b) => a + b, 0), rows: [...plane.slice(960, 1152)] };
  }

  it('reads planes with progress on a page of the server', async () => {
    const page = await pageAt(`${url}/docs`);
    const result = await page.evaluate(openSample, { baseUrl: url, path: SAMPLE });
    expect(result).toMatchObject({ ...(await expected()), last: { received: 1_536_000, total: 1_536_000 } });
  });

  it('reads planes on another page of this computer', async () => {
    const page = await pageAt(`http://localhost:${port}/`);
    expect(await page.evaluate(openSample, { baseUrl: url, path: SAMPLE })).toMatchObject(await expected());
    const report = await page.evaluate((baseUrl) => acq.createClient({ baseUrl }).explainConnection(), url);
    expect(report).toMatchObject({ connected: true, cause: 'connected' });
  });

  it('says that no server is running', async () => {
    const page = await pageAt(`http://localhost:${port}/`);
    const gone = await cli.serve();
    await gone.interrupt();
    const told: Told = await page.evaluate(openSample, { baseUrl: gone.url, path: SAMPLE });
    expect(told).toMatchObject({ code: 'unreachable', connection: 'not_running' });
    expect(told.message).toBe(`No server is running at ${gone.url}.`);
  });

  it('tells a page that is not allowed what to do, and that works', async () => {
    const origin = `http://lab.example:${port}`;
    const page = await pageAt(`${origin}/`);
    const told: Told = await page.evaluate(openSample, { baseUrl: url, path: SAMPLE });
    expect(told).toMatchObject({ code: 'unreachable', connection: 'not_running_or_not_allowed' });
    expect(told.message).toContain(origin);
    const [, name, value] = /(--allow-origin) (\S+?),/.exec(told.hint ?? '') ?? [];
    const allowing = await cli.serve([name as string, value as string]);
    const opened = await page.evaluate(openSample, { baseUrl: allowing.url, path: SAMPLE });
    expect(opened).toMatchObject(await expected());
    const tokened = await cli.serve(['--token', 'abc123']);
    const byToken = await page.evaluate(openSample, { baseUrl: tokened.url, path: SAMPLE, token: 'abc123' });
    expect(byToken).toMatchObject(await expected());
  });

  it('tells a page which program responds and blocks it', async () => {
    const page = await pageAt(`http://lab.example:${port}/`);
    // Another program, without CORS.
    const report = await page.evaluate(
      (baseUrl) => acq.createClient({ baseUrl }).explainConnection(),
      `http://localhost:${port}`,
    );
    expect(report).toMatchObject({ connected: false, cause: 'origin_not_allowed' });
  });

  it('tells a local file that it may only use the file dialog', async () => {
    const page = await pageAt(FILE_PAGE);
    const told: Told = await page.evaluate(openSample, { baseUrl: url, path: SAMPLE });
    expect(told).toMatchObject({ code: 'blocked', connection: 'file_page' });
    expect(told.hint).toContain('--allow-file-pages');
    const allowing = await cli.serve(['--allow-file-pages']);
    const opened = await page.evaluate(openSample, { baseUrl: allowing.url, path: SAMPLE });
    expect(opened).toMatchObject(await expected());
  });

  it('tells a local file to pick an expired file again', async () => {
    const sessions = fakeSessions();
    const parts = { ...testDependencies(), sessions, picker: fakePicker() };
    const server = await listen({ ...defaultOptions(), port: 0 }, parts);
    try {
      const page = await pageAt(FILE_PAGE);
      const told: Told = await page.evaluate(async (baseUrl) => {
        const scan = await acq.createClient({ baseUrl }).pick();
        if (!scan) return {};
        await scan.plane(0);
        await fetch(`${baseUrl}/api/v2/sessions/${scan.info.sessionId}`, { method: 'DELETE' });
        try {
          await scan.plane(0);
          return {};
        } catch (error) {
          const { code, message, hint } = error as ClientModule.AcqClientError;
          return { code, message, hint };
        }
      }, server.url);
      expect(told).toMatchObject({ code: 'blocked', hint: 'Pick the file again.' });
      expect(told.message).toMatch(/^The session has ended, and the file could not be opened again: /);
    } finally {
      await server.close();
    }
  });

  it('opens an expired session again', async () => {
    const short = await cli.serve(['--session-ttl', '1']);
    const page = await pageAt(`http://localhost:${port}/`);
    const result = await page.evaluate(
      async ({ baseUrl, path }) => {
        const scan = await acq.createClient({ baseUrl }).open({ path });
        const before = scan.info.sessionId;
        const plane = await scan.plane(0);
        for (;;) {
          const over = await scan.status().catch((error) => acq.hasCode(error, 'session_not_found'));
          if (over === true) break;
          await new Promise((next) => setTimeout(next, 100));
        }
        const again = await scan.plane(0);
        return { reopened: scan.info.sessionId !== before, same: plane.every((sample, i) => sample === again[i]) };
      },
      { baseUrl: short.url, path: SAMPLE },
    );
    expect(result).toEqual({ reopened: true, same: true });
  });

  it('aborts a download', async () => {
    const page = await pageAt(`http://localhost:${port}/`);
    const name = await page.evaluate(
      async ({ baseUrl, path }) => {
        const scan = await acq.createClient({ baseUrl }).open({ path });
        const controller = new AbortController();
        const reading = scan.plane(0, { signal: controller.signal, onProgress: () => controller.abort() });
        return reading.then(
          () => 'came',
          (error) => (error as Error).name,
        );
      },
      { baseUrl: url, path: SAMPLE },
    );
    expect(name).toBe('AbortError');
  });

  it('ends its sessions when the page is closed', async () => {
    const page = await pageAt(`http://localhost:${port}/`);
    const ids = await page.evaluate(
      async ({ baseUrl, path }) => {
        const client = acq.createClient({ baseUrl });
        client.closeOnPageHide();
        const scans = await Promise.all([client.open({ path }), client.open({ path })]);
        return scans.map((scan) => scan.info.sessionId);
      },
      { baseUrl: url, path: SAMPLE },
    );
    const states = () => Promise.all(ids.map(async (id) => (await fetch(`${url}/api/v2/sessions/${id}`)).status));
    expect(await states()).toEqual([200, 200]);
    // Requests that outlive their page are lost while any are intercepted.
    await page.unrouteAll();
    await page.goto('about:blank');
    await expect.poll(states).toEqual([404, 404]);
  });

  it('works in a worker', async () => {
    const page = await pageAt(`http://localhost:${port}/`);
    const length = await page.evaluate(
      ({ baseUrl, path, module }) => {
        const text = `
          import { createClient } from '${module}';
          const scan = await createClient({ baseUrl: '${baseUrl}' }).open({ path: ${JSON.stringify(path)} });
          const plane = await scan.plane(0);
          postMessage(plane, [plane.buffer]);`;
        const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), {
          type: 'module',
        });
        return new Promise<number>((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve((data as Float32Array).length);
          worker.onerror = (event) => reject(new Error(event.message));
        });
      },
      { baseUrl: url, path: SAMPLE, module: `http://localhost:${port}/built-client/index.js` },
    );
    expect(length).toBe(4000 * 96);
  });
});
