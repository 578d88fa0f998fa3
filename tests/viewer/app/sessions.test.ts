import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: sessions of the viewer were not tested');

describe.runIf(available)('viewer: sessions', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start(['--session-ttl', '4']));
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.page.locator('.app-sample').waitFor();
  });
  afterEach(() => viewer.end());

  it('are renewed while visible, before they end', async () => {
    const renewal = viewer.page.waitForResponse(/\/renew$/);
    const { sessionId } = await viewer.openSample();
    expect((await renewal).status()).toBe(200);
    expect((await renewal).url()).toContain(sessionId);
    const byHand = viewer.page.waitForResponse(/\/renew$/);
    await viewer.page.getByRole('button', { name: 'Server' }).click();
    await viewer.page.getByRole('button', { name: 'Renew' }).click();
    expect((await byHand).status()).toBe(200);
  });

  it('are opened again after they have ended, and the page stays the same', async () => {
    const { page } = viewer;
    const { sessionId } = await viewer.openSample();
    const again = page.waitForResponse('**/api/v2/open');
    await fetch(`${viewer.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });
    const info = await (await again).json();
    expect(info.sessionId).not.toBe(sessionId);
    await page.getByRole('button', { name: 'Server' }).click();
    await expect.poll(() => page.locator('.app-sessions').innerText(), { timeout: 5000 }).toMatch(/0:0\d left/);
    expect(await page.locator('.app-notice').count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(1);
  });

  it('end while the page is hidden, and are opened again when it is visible', async () => {
    const { page } = viewer;
    const { sessionId } = await viewer.openSample();
    const see = (state: string) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await see('hidden');
    await expect.poll(() => viewer.sessionStatus(sessionId), { timeout: 10_000, interval: 300 }).toBe(404);
    const again = page.waitForResponse('**/api/v2/open');
    await see('visible');
    expect((await (await again).json()).sessionId).not.toBe(sessionId);
    expect(await page.locator('.app-notice').count()).toBe(0);
  });

  it('are opened again after a restart of the server', async () => {
    const { page } = viewer;
    const first = await pages.cli.serve(['--log-level', 'warn']);
    await page.goto(`${first.url}/demo/v2/`);
    await viewer.openSample();
    await first.interrupt();
    await page.getByText('No server is running at').waitFor({ timeout: 10_000 });
    const second = await pages.cli.serve(['--log-level', 'warn', '--port', String(first.port)]);
    await expect.poll(() => page.locator('.app-notice').count(), { timeout: 10_000 }).toBe(0);
    await page.getByRole('button', { name: 'Server' }).click();
    await expect.poll(() => page.locator('.app-sessions').innerText(), { timeout: 5000 }).toMatch(/(10:00|9:5\d) left/);
    expect(second.url).toBe(first.url);
    viewer.forgetRequests(first.url);
  });
});
