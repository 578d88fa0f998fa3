/** The real server behind a proxy that strips a path, as that of Jupyter does, and behind a tunnel at another port. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.js';
import { SAMPLE } from '../support/cli.js';
import { strippingProxy } from '../support/stripping-proxy.js';
import { type ViewerPage, ViewerPages } from '../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: pages behind a proxy were not tested');

const PREFIX = '/user/me/proxy/8767';

/** Listens on a free port of 127.0.0.1. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe.runIf(available)('the pages', () => {
  const pages = new ViewerPages();
  /** What was asked for outside of the path of the server. */
  const strays: string[] = [];
  let proxy: Server;
  let tunnel: Server;
  let behind: string;
  let tunneled: string;

  beforeAll(async () => {
    await pages.start();
    const port = Number(new URL(pages.url).port);
    proxy = createHttpServer(strippingProxy(PREFIX, port, strays));
    behind = `http://localhost:${await listening(proxy)}${PREFIX}`;
    tunnel = createServer((socket) => {
      const onward = connect({ host: '127.0.0.1', port });
      for (const end of [socket, onward]) end.on('error', () => [socket, onward].map((one) => one.destroy()));
      socket.pipe(onward).pipe(socket);
    });
    tunneled = `http://localhost:${await listening(tunnel)}`;
  });
  afterAll(async () => {
    await pages.close();
    proxy?.close();
    tunnel?.close();
  });

  const places = [
    ['behind a path', () => behind],
    ['behind a tunnel at another port', () => tunneled],
  ] as const;

  async function shown(viewer: ViewerPage): Promise<void> {
    const { channels } = await viewer.openSample();
    expect(await viewer.images()).toHaveLength(channels.length);
    expect(await viewer.page.locator('.app-notice-error').count()).toBe(0);
  }

  it.each(places)('redirect to each other %s', async (_where, base) => {
    for (const [from, to] of [
      ['/', '/demo/v2/'],
      ['/demo/v2', '/demo/v2/'],
      ['/demo', '/demo/'],
      ['/docs/', '/docs'],
    ] as const) {
      const response = await fetch(base() + from, { headers: { accept: 'text/html' } });
      expect([from, response.status, response.url]).toEqual([from, 200, base() + to]);
    }
  });

  it.each(places)('open the sample in the viewer %s', async (_where, base) => {
    const viewer = await pages.open('/', {}, base());
    expect(viewer.page.url()).toBe(`${base()}/demo/v2/`);
    await shown(viewer);
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    await viewer.page.getByRole('tab', { name: 'Link and programs' }).click();
    const programs = viewer.page.locator('.export-program');
    // The dialog is loaded when it opens.
    await programs.first().waitFor();
    expect(await programs.count()).toBe(2);
    for (const text of await programs.allTextContents()) expect(decodeURIComponent(text)).toContain(base());
    await viewer.end();
  });

  it('describe the API and send its requests behind a path', async () => {
    const viewer = await pages.open('/docs', {}, behind);
    const { page } = viewer;
    await page.locator('#openAcquisition').waitFor();
    // The forms move when the path of the sample has come, and a click could miss its button.
    await page.waitForLoadState('networkidle');
    const form = page.locator('#openAcquisition form');
    await form.locator('textarea').fill(JSON.stringify({ path: SAMPLE }));
    await form.getByRole('button', { name: 'Send' }).click();
    await form.locator('output').getByText('200 OK').waitFor();
    expect(await form.innerText()).toContain(`${behind}/api/v2/open`);
    await page.getByRole('link', { name: 'Viewer' }).click();
    await page.waitForURL(`${behind}/demo/v2/`);
    await viewer.end();
  });

  it('load the demo of API v1 and lead to the viewer behind a path', async () => {
    const viewer = await pages.open('/demo', {}, behind);
    const { page } = viewer;
    await page.getByText('No file is loaded.').waitFor();
    const answer = page.waitForResponse((response) => response.url().endsWith('/api/v1/pick-and-open'));
    await page.getByRole('button', { name: 'Load…' }).click();
    // There is no display.
    expect((await answer).url()).toBe(`${behind}/api/v1/pick-and-open`);
    await page
      .getByRole('alert')
      .getByText(/dialog/)
      .waitFor();
    await page.getByRole('link', { name: 'Go to the current viewer' }).click();
    await page.waitForURL(`${behind}/demo/v2/`);
    await viewer.end();
  });

  it('can import the client, which reads planes behind a path', async () => {
    const viewer = await pages.open('/docs', {}, behind);
    // As text: the transform of the test would replace `import`.
    const read = `(async () => {
      const { createClient } = await import('${behind}/client/acquisition-store.js');
      const acquisition = await createClient({ baseUrl: '${behind}' }).open({ path: ${JSON.stringify(SAMPLE)} });
      const samples = await acquisition.plane(0);
      await acquisition.close();
      return [acquisition.info.channels[0].dataUrl, samples.length];
    })()`;
    const [dataUrl, samples] = await viewer.page.evaluate<[string, number]>(read);
    expect(dataUrl).toMatch(/^\/api\/v2\/sessions\//);
    expect(samples).toBeGreaterThan(0);
    await viewer.end();
  });

  it('ask for nothing outside of their path', () => {
    expect(strays.filter((url) => url !== '/favicon.ico')).toEqual([]);
  });
});
