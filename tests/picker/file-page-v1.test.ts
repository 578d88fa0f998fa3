/** A page from `file://`, as the clients of API v1 are: it finds the server, and opens a file through the dialog. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultOptions } from '../../packages/server/src/options.js';
import { createPicker } from '../../packages/server/src/picker/index.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { createSessions } from '../../packages/server/src/sessions/create.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { type Desktop, describeWithPrograms, startDesktop } from '../support/desktop.js';
import { directGate, findDirectly } from '../support/gate.js';
import { testDependencies } from '../support/test-app.js';
import { oirVector } from '../writers/oir-vector.js';

/** What the client shows of an answer. */
interface Loaded {
  health: { ok: boolean; message?: string };
  path: string;
  numChannels: number;
  msPerLine: number;
  umPerPixel: number;
  planes: Record<
    'calcium' | 'vessels',
    { name: string; role: string; height: number; width: number; samples: number[] }
  >;
  reference: { numChannels: number; lineRoi: number[]; scanPath: object; samples: number[][] };
}

/** Written like the clients of v1: a script in the page, with the address of the server in it. */
const clientPage = (base: string) => `<!doctype html>
<meta charset="utf-8">
<button id="load">Load</button>
<script>
const BASE = ${JSON.stringify(base)};
async function plane(channel) {
  const response = await fetch(BASE + channel.url);
  if (!response.ok) throw new Error((await response.json()).message);
  const samples = new Float32Array(await response.arrayBuffer());
  if (samples.length !== channel.height * channel.width) throw new Error('wrong size');
  return Array.from(samples);
}
async function load(contentType) {
  const health = await (await fetch(BASE + '/api/v1/health')).json();
  if (!health.ok) throw new Error(health.message);
  const response = await fetch(BASE + '/api/v1/pick-and-open', {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: JSON.stringify({ calciumChannel: 0, vesselChannel: 1 }),
  });
  const data = await response.json();
  if (!data.ok) throw new Error(data.error + ': ' + data.message);
  const planes = {};
  for (const role of ['calcium', 'vessels']) {
    const channel = data.channels[role];
    const { name, height, width } = channel;
    planes[role] = { name, role: channel.role, height, width, samples: await plane(channel) };
  }
  const { numChannels, channels, lineRoi, scanPath } = data.reference;
  const samples = await Promise.all(channels.map(plane));
  return {
    health, planes, path: data.source.path, numChannels: data.source.numChannels,
    msPerLine: data.calibration.msPerLine, umPerPixel: data.calibration.umPerPixel,
    reference: { numChannels, lineRoi, scanPath, samples },
  };
}
</script>`;

const TITLE = 'Acquisition Store: open a file for a local HTML file or a page without an address';
const PROGRAMS = ['Xvfb', 'openbox', 'xdotool', 'zenity'];
if (chromiumPath() === undefined) console.warn('NO CHROMIUM: the clients of API v1 were not tested');

describeWithPrograms('a client of API v1 from file://', PROGRAMS, () => {
  let desktop: Desktop;
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  let file: string;

  beforeAll(async () => {
    if (chromiumPath() === undefined) return;
    desktop = await startDesktop();
    mkdirSync(join(desktop.folder, 'elsewhere'));
    file = join(desktop.folder, 'home', 'line.oir');
    writeFileSync(file, oirVector());
    const { env, folder } = desktop;
    const stateDir = join(folder, 'state');
    const picker = createPicker({ find: findDirectly, timeoutSeconds: 60, stateDir, env, platform: 'linux' });
    // What the user picks is not confined to the root.
    const options = { ...defaultOptions(), port: 0, coldStart: true, roots: [join(folder, 'elsewhere')] };
    const services = createSessions(options, ['.oir'], directGate());
    server = await listen(options, { ...testDependencies(), allowedExtensions: ['.oir'], ...services, picker });
    const client = join(folder, 'analyser.html');
    writeFileSync(client, clientPage(server.url));
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.goto(pathToFileURL(client).href);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await desktop?.stop();
  });

  const start = (contentType: string): Promise<Loaded> =>
    page.evaluate((type) => (globalThis as unknown as { load(type: string): Promise<Loaded> }).load(type), contentType);
  const matrix = (rows: number, columns: number, value: (row: number, column: number) => number) =>
    Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));

  it.runIf(chromiumPath()).each([
    ['application/json', 1],
    // A simple request: the browser sends it without asking first.
    ['text/plain', 0],
  ])('reads what the user chose, with a body of type %s', async (contentType, preflights) => {
    const asked: string[] = [];
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    network.on('Network.requestWillBeSent', ({ request: { method, url } }) => {
      if (method === 'OPTIONS') asked.push(url);
    });
    let isDone = false;
    const answer = start(contentType).finally(() => {
      isDone = true;
    });
    await desktop.focus(TITLE);
    for (let attempt = 0; !isDone && attempt < 20; attempt++) {
      // The only file that the dialog lists.
      if (desktop.windows(TITLE).length > 0) desktop.keys('Home', 'Return');
      await sleep(300);
    }
    const loaded = await answer;
    expect(loaded.health).toMatchObject({ ok: true, app: 'acqstore_server' });
    expect([loaded.path, loaded.numChannels]).toEqual([file, 2]);
    expect([loaded.msPerLine, loaded.umPerPixel]).toEqual([1.142, 0.25]);
    const line = { height: 6, width: 4 };
    expect(loaded.planes).toEqual({
      calcium: { name: 'CH1', role: 'calcium', ...line, samples: matrix(6, 4, (y, x) => 1000 + 10 * y + x) },
      vessels: { name: 'CH2', role: 'vessels', ...line, samples: matrix(6, 4, (y, x) => 2000 + 10 * y + x) },
    });
    expect(loaded.reference).toEqual({
      numChannels: 2,
      lineRoi: [0.5, 1, 3, 2.5],
      scanPath: { x: [0.5, 3], y: [1, 2.5] },
      samples: [5000, 10_000].map((base) => matrix(4, 4, (y, x) => base + 10 * y + x)),
    });
    expect(asked).toHaveLength(preflights);
  });

  it.runIf(chromiumPath())('learns that the user closed the dialog', async () => {
    const answer = start('application/json').catch((error: Error) => error.message);
    await desktop.focus(TITLE);
    desktop.keys('Escape');
    expect(await answer).toMatch(/cancelled: No file was chosen\./);
  });

  it.runIf(chromiumPath())('cannot open a file by its path', async () => {
    const outcome = await page.evaluate(
      async ([base, path]) => {
        const body = JSON.stringify({ path });
        const types = ['application/json', 'text/plain'];
        const open = (type: string) =>
          fetch(`${base}/api/v1/open`, { method: 'POST', headers: { 'Content-Type': type }, body }).then(
            (response) => response.status,
            () => 'blocked',
          );
        return Promise.all(types.map(open));
      },
      [server.url, file] as const,
    );
    expect(outcome).toEqual(['blocked', 'blocked']);
  });
});
