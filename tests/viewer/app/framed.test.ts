/** The viewer in a frame of another page, as in a notebook: who may show it, and what both share. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli, REPOSITORY } from '../../support/cli.js';
import { tempFolder } from '../../support/temp.js';
import { stackFile } from '../../support/viewer-stack.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer in a frame was not tested');

const GUIDE = join(REPOSITORY, 'docs', 'how-to', 'notebooks.md');
const LINE_SCAN = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');

interface Told {
  shown?: boolean;
  state?: {
    selection: Record<string, number>;
    contrast: Record<string, { min: number; max: number; visible: boolean }>;
    regions: { id: string; kind: string; points: number[][]; name?: string; T?: number }[];
  };
}

/** The script of a page around the viewer, as programs write it. */
const AROUND = `
window.told = [];
window.show = (address, connect) => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = 'width: 1200px; height: 600px';
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || data.acquisitionStore !== 'ready') return;
    const { port1, port2 } = new MessageChannel();
    window.port = port1;
    port1.onmessage = ({ data }) => window.told.push(data);
    frame.contentWindow.postMessage({ acquisitionStore: 'connect', ...connect }, '*', [port2]);
  });
  frame.src = address;
};`;

describe.runIf(available)('viewer: in a frame', () => {
  const cli = new Cli();
  const folder = tempFolder();
  let browser: Browser;
  let around: Server;
  let page: Page;
  let url = '';
  let port = 0;

  beforeAll(async () => {
    ({ url } = await cli.serve(['--log-level', 'warn', '--allow-origin', 'http://lab.example']));
    around = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
    );
    await new Promise<void>((resolve) => around.listen(0, '127.0.0.1', resolve));
    ({ port } = around.address() as { port: number });
    browser = await launchBrowser({ 'lab.example': `127.0.0.1:${port}`, 'evil.example': `127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await browser?.close();
    around?.close();
    await cli.close();
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  });
  afterEach(() => page.close());

  async function open(path: string, more: object = {}): Promise<string> {
    const answer = await fetch(`${url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path, decode: 'later', ...more }),
    });
    const { sessionId } = (await answer.json()) as { sessionId: string };
    return sessionId;
  }

  async function showIn(origin: string, connect: object): Promise<void> {
    await page.goto(`${origin}/`);
    await page.evaluate(AROUND);
    const given = [`${url}/demo/v2/`, connect] as const;
    await page.evaluate(([address, message]) => (window as never as Around).show(address, message), given);
  }

  const told = () => page.evaluate(() => (window as never as Around).told) as Promise<Told[]>;
  const last = async () => (await told()).filter(({ state }) => state).at(-1)?.state;
  const set = (state: unknown) =>
    page.evaluate((given) => (window as never as Around).port.postMessage({ state: given }), state);
  const viewer = () => page.frames().find((frame) => frame.url().includes('/demo/v2/')) as Frame;
  const HERE = () => `http://127.0.0.1:${port}`;

  it.each([
    ['a page of this computer', () => HERE()],
    ['a page that the operator allows', () => 'http://lab.example'],
  ])('is shown in %s', async (_, origin) => {
    await showIn(origin(), { session: await open(LINE_SCAN) });
    await expect.poll(async () => (await told())[0], { timeout: 10_000 }).toEqual({ shown: true });
    await viewer().getByRole('tab').first().waitFor();
  });

  it('is not shown in any other page', async () => {
    await showIn('http://evil.example', { session: await open(LINE_SCAN) });
    await page.waitForTimeout(1500);
    expect(await told()).toEqual([]);
    expect(await page.frames()[1]?.evaluate(() => document.title)).not.toMatch(/Acquisition/);
  });

  it('is not shown in a page of this computer where the server has a token, which that page may lack', async () => {
    const guarded = await cli.serve(['--log-level', 'warn', '--token', 'a-token-of-the-lab']);
    await page.goto(`${HERE()}/`);
    await page.evaluate(AROUND);
    const given = [`${guarded.url}/demo/v2/`, { session: 'any' }] as const;
    await page.evaluate(([address, message]) => (window as never as Around).show(address, message), given);
    await page.waitForTimeout(1500);
    expect(await told()).toEqual([]);
    expect(await page.frames()[1]?.evaluate(() => document.title)).not.toMatch(/Acquisition/);
  });

  it('shares no other file when its session cannot be opened', async () => {
    await page.goto(`${HERE()}/`);
    await page.evaluate(AROUND);
    const first = [`${url}/demo/v2/`, { session: await open(LINE_SCAN) }] as const;
    await page.evaluate(([address, message]) => (window as never as Around).show(address, message), first);
    await expect.poll(last, { timeout: 10_000 }).toMatchObject({ regions: [] });
    await page.evaluate(() => {
      const { told, port } = window as never as Around;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => told.push({ second: data } as never);
      document
        .querySelector('iframe')
        ?.contentWindow?.postMessage({ acquisitionStore: 'connect', session: 'gone' }, '*', [port2]);
      port.close();
    });
    await page.waitForTimeout(1500);
    expect((await told()).flatMap((one) => (one as { second?: object }).second ?? [])).toEqual([{ shown: false }]);
  });

  it('tells what is on screen, and shows what it is told', async () => {
    await showIn(HERE(), { session: await open(LINE_SCAN) });
    await expect.poll(last, { timeout: 10_000 }).toMatchObject({ regions: [] });
    const [[channel = '', { max = 0 } = {}] = []] = Object.entries((await last())?.contrast ?? {});
    await set({
      contrast: { [channel]: { max: max / 2 }, unknown: { max: 7 }, toString: { max: 7 } },
      regions: [
        {
          kind: 'region',
          points: [
            [100, 3],
            [400, 9],
          ],
          name: 'vessel',
        },
        {
          kind: 'line',
          points: [
            [0, 0],
            [200, 12],
          ],
          id: '7',
        },
        { kind: 'star', points: [[0, 0]] },
        { kind: 'point', points: 'x' },
        {
          kind: 'region',
          points: [
            [Number.NaN, 3],
            [400, 9],
          ],
        },
      ],
    });
    await expect.poll(async () => (await last())?.regions.length, { timeout: 5000 }).toBe(2);
    const state = (await last())!;
    expect(state.regions).toEqual([
      {
        id: '1',
        kind: 'region',
        points: [
          [100, 3],
          [400, 9],
        ],
        name: 'vessel',
      },
      {
        id: '7',
        kind: 'line',
        points: [
          [0, 0],
          [200, 12],
        ],
      },
    ]);
    expect(state.contrast[channel]).toMatchObject({ max: max / 2, visible: true });
    // What the user does in the viewer.
    await viewer().getByRole('button', { name: 'Sidebar' }).waitFor();
    await viewer().evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await viewer().locator('canvas').first().click();
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await last())?.regions, { timeout: 5000 }).toEqual([]);
  });

  it('begins with the place that it is told, and follows both sides', async () => {
    const session = await open(stackFile(folder), { selection: { T: 1, Z: 2 } });
    await showIn(HERE(), { session, state: { selection: { T: 2, Z: 1, S: 9, Q: 3 } } });
    await expect.poll(async () => (await last())?.selection, { timeout: 10_000 }).toMatchObject({ T: 2, Z: 1 });
    await set({ selection: { T: 0 } });
    await expect.poll(async () => (await last())?.selection, { timeout: 5000 }).toMatchObject({ T: 0, Z: 1 });
    await set({ selection: { T: 1e9, Z: -1 } });
    await expect.poll(async () => (await last())?.selection, { timeout: 5000 }).toMatchObject({ T: 13, Z: 1 });
  });

  it('keeps marks on their planes, and one of each id', async () => {
    await showIn(HERE(), { session: await open(stackFile(folder)) });
    await expect.poll(last, { timeout: 10_000 }).toMatchObject({ regions: [] });
    await set({
      regions: [
        { kind: 'point', points: [[4.5, 6.5]], T: 2, Z: 0 },
        { kind: 'point', points: [[5.5, 6.5]], id: '9' },
        { kind: 'point', points: [[7.5, 6.5]], id: '9' },
      ],
    });
    await expect
      .poll(async () => (await last())?.regions, { timeout: 5000 })
      .toEqual([
        { id: '1', kind: 'point', points: [[4.5, 6.5]], T: 2, Z: 0 },
        { id: '9', kind: 'point', points: [[5.5, 6.5]] },
      ]);
  });

  it('listens to the page around it alone', async () => {
    const session = await open(LINE_SCAN);
    await showIn(HERE(), { session });
    await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBeGreaterThan(0);
    const tabs = await viewer().getByRole('tab').count();
    await viewer().evaluate(
      (id) => {
        window.postMessage({ acquisitionStore: 'connect', session: id }, '*', [new MessageChannel().port2]);
      },
      await open(stackFile(folder)),
    );
    await page.waitForTimeout(1500);
    expect(await viewer().getByRole('tab').count()).toBe(tabs);
  });

  it('adds no step of Back to the page around it', async () => {
    await page.goto('about:blank');
    await showIn(HERE(), { session: await open(LINE_SCAN) });
    await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBeGreaterThan(0);
    const before = await page.evaluate(() => history.length);
    await viewer().evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    expect(await page.evaluate(() => history.length)).toBe(before);
    expect(before).toBe(2);
  });

  it('is shown by the script of the guide', async () => {
    const [, script = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
    await page.goto(`${HERE()}/`);
    await page.evaluate(
      (session) => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        Object.assign(window, { sessionId: session });
      },
      await open(LINE_SCAN),
    );
    const heard: unknown[] = [];
    page.on('console', async (message) => heard.push(await message.args()[0]?.jsonValue()));
    await page.addScriptTag({ content: script.replaceAll('http://127.0.0.1:8767', url) });
    await page.evaluate((address) => document.querySelector('iframe')?.setAttribute('src', address), `${url}/demo/v2/`);
    await expect.poll(() => heard, { timeout: 10_000 }).toContainEqual({ shown: true });
    await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toMatchObject({ state: { regions: [] } });
  });

  it('says in the page why a session cannot be shown', async () => {
    await showIn(HERE(), { session: 'gone' });
    await expect.poll(async () => (await told())[0], { timeout: 10_000 }).toEqual({ shown: false });
    await viewer().getByText('has ended or never existed').waitFor();
  });
});

interface Around {
  told: Told[];
  port: MessagePort;
  show(address: string, connect: object): void;
}
