/** The script of a cell of a notebook, with a kernel that the test plays. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli, REPOSITORY } from '../../support/cli.js';
import { strippingProxy } from '../../support/stripping-proxy.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the script of a cell was not tested');

const SCRIPT = readFileSync(join(REPOSITORY, 'python', 'src', 'acquisition_store', 'viewer.js'));
const LINE_SCAN = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');
const CHALLENGE = '0123456789abcdef'.repeat(4);

/** A model as anywidget gives it, whose kernel answers what the test says. */
const KERNEL = `
window.start = async (where) => {
  const { default: widget } = await import('/viewer.js');
  const traits = { selection: { T: 0 }, contrast: {}, regions: [], height: 500, _picture: '', _name: 'a file' };
  const heard = new Map();
  const tell = (event, ...given) => (heard.get(event) ?? []).forEach((act) => act(...given));
  window.model = {
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; tell('change:' + name); },
    on: (event, act) => heard.set(event, [...(heard.get(event) ?? []), act]),
    off: () => {},
    save_changes: () => {},
    send: ({ id }) => setTimeout(() => tell('msg:custom', { id, ...where })),
  };
  widget.render({ model: window.model, el: document.body });
};`;

const PROXY = '/user/me/proxy/1';

interface Cell {
  start(where: object): Promise<void>;
  model: { get(name: string): unknown; set(name: string, value: unknown): void };
}

describe.runIf(available)('the script of a cell', () => {
  const cli = new Cli();
  let browser: Browser;
  let notebook: Server;
  let page: Page;
  let url = '';
  let other = '';

  beforeAll(async () => {
    [{ url }, { url: other }] = await Promise.all([
      cli.serve(['--log-level', 'warn']),
      cli.serve(['--log-level', 'warn']),
    ]);
    const proxy = strippingProxy(PROXY, Number(new URL(url).port), []);
    notebook = createServer((request, response) => {
      if (request.url?.startsWith(PROXY)) proxy(request, response);
      else if (request.url === '/viewer.js') response.setHeader('content-type', 'text/javascript').end(SCRIPT);
      else response.setHeader('content-type', 'text/html').end('<!doctype html><body>');
    });
    await new Promise<void>((resolve) => notebook.listen(0, '127.0.0.1', resolve));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    notebook?.close();
    await cli.close();
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const { port } = notebook.address() as { port: number };
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.evaluate(KERNEL);
  });
  afterEach(() => page.close());

  async function prove(server: string): Promise<string> {
    const answer = await fetch(`${server}/api/v2/health`, { headers: { 'X-Acqstore-Challenge': CHALLENGE } });
    return answer.headers.get('X-Acqstore-Proof') ?? '';
  }

  async function start(at: string, proof: string): Promise<void> {
    const opened = await fetch(`${url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: LINE_SCAN }),
    });
    const { sessionId: session } = (await opened.json()) as { sessionId: string };
    const where = { url: at, port: null, token: '', session, challenge: CHALLENGE, proof };
    await page.evaluate((given) => (window as never as Cell).start(given), where);
  }

  const frame = () => page.frameLocator('iframe');
  const model = (name: string) => page.evaluate((trait) => (window as never as Cell).model.get(trait), name);

  it('shows the viewer of the server that the kernel uses', async () => {
    const proof = await prove(url);
    expect(proof).toMatch(/^[0-9a-f]{64}$/);
    await start(url, proof);
    await frame().getByRole('tab').first().waitFor();
    await expect.poll(() => model('contrast'), { timeout: 10_000 }).not.toEqual({});
  });

  it('shows it through a proxy, below a path', async () => {
    const { origin } = new URL(page.url());
    await start(`${origin}${PROXY}`, await prove(url));
    await frame().getByRole('tab').first().waitFor();
    expect(await page.locator('iframe').getAttribute('src')).toBe(`${origin}${PROXY}/demo/v2/`);
  });

  it('shares nothing with another server at that address', async () => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await start(other, await prove(url));
    await page
      .getByRole('status')
      .filter({ hasText: `At ${other}/demo/v2/ is another server than` })
      .waitFor();
    await page.waitForTimeout(500);
    expect(sent.filter((address) => address.includes('/sessions/'))).toEqual([]);
    expect(await page.locator('iframe').isVisible()).toBe(false);
  });

  it('sends a value that is set, and set back before the page tells of it', async () => {
    await start(url, await prove(url));
    await expect.poll(() => model('contrast'), { timeout: 10_000 }).not.toEqual({});
    const before = (await model('contrast')) as Record<string, { max: number }>;
    const [[channel = '', { max = 0 } = {}] = []] = Object.entries(before);
    await page.evaluate(
      ([first, second]) => {
        const { model: traits } = window as never as Cell;
        traits.set('contrast', first);
        traits.set('contrast', second);
      },
      [{ [channel]: { max: max / 2 } }, before] as const,
    );
    await page.waitForTimeout(1000);
    expect(await model('contrast')).toMatchObject({ [channel]: { max } });
    await frame().getByRole('tab').first().waitFor();
  });
});
