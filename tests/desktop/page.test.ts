/** The control page in a real browser, with the supervisor and the server behind it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../support/axe.js';
import { chromiumPath } from '../support/browser.js';
import { SAMPLE } from '../support/cli.js';
import { buildPage, showControlPage } from '../support/control-page.js';
import { Desk, freePort, send } from '../support/supervisor.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the control page was not tested in a browser');

const desk = new Desk();
let errors: string[];
let browser: Browser;
let context: BrowserContext;
let page: Page;

const tab = (name: string) => page.getByRole('tab', { name }).click();
const shows = (text: string) => page.getByRole('heading', { name: text }).waitFor();

describe.runIf(available)('the control page', () => {
  beforeAll(async () => {
    await desk.start({ assets: await buildPage() });
    ({ browser, context, page, errors } = await showControlPage(desk));
  });
  afterAll(async () => {
    await browser?.close();
    await desk.close();
  });

  it('shows the running server, hides the token, and copies the address', async () => {
    await shows('The server is running');
    expect(page.url()).toBe(`${desk.base}/`);
    const { url } = await desk.until('running');
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByText('The address was copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
    await page.reload();
    await shows('The server is running');
  });

  it('opens a file in the viewer, and lists it', async () => {
    await page.getByLabel('Path of a file or folder').fill(SAMPLE);
    const popup = context.waitForEvent('page');
    await page.keyboard.press('Enter');
    const viewer = await popup;
    await viewer.getByRole('tab', { selected: true, name: 'vessel-kymograph.ome.tif' }).waitFor();
    await viewer.close();
    await page.getByRole('button', { name: /^vessel-kymograph\.ome\.tif/ }).waitFor();
    await page.getByLabel('Path of a file or folder').fill('/nowhere/scan.oir');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('scan.oir').waitFor();
    await page.getByRole('button', { name: 'Dismiss this message' }).click();
  });

  it('lists open acquisitions with their memory and who opened them, shows one in the viewer, and closes it', async () => {
    const { url } = await desk.until('running');
    const rows = page.locator('.acquisitions li');
    for (;;) {
      const count = await rows.count();
      if (count === 0) break;
      await rows
        .first()
        .getByRole('button', { name: /^Close / })
        .click();
      await expect.poll(() => rows.count()).toBeLessThan(count);
    }
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:5173' };
    await send(`${url}/api/v2/open`, 'POST', headers, JSON.stringify({ path: SAMPLE }));
    const row = rows.filter({ hasText: 'http://localhost:5173' });
    await row.getByText('2 planes, 1.54 MB').waitFor();
    expect(await row.textContent()).toContain(SAMPLE);
    expect(await complaints(page)).toEqual([]);
    const popup = context.waitForEvent('page');
    await row.getByRole('button', { name: 'Show vessel-kymograph.ome.tif in the viewer' }).click();
    const viewer = await popup;
    await viewer.getByRole('tab', { selected: true, name: 'vessel-kymograph.ome.tif' }).waitFor();
    await rows.filter({ hasText: 'Opened by the viewer' }).waitFor();
    await viewer.close();
    await row.getByRole('button', { name: 'Close vessel-kymograph.ome.tif' }).press('Enter');
    await row.waitFor({ state: 'detached' });
  });

  it('says why the system has no file dialog', async () => {
    await page.getByRole('button', { name: 'Open file…' }).click();
    await page
      .getByRole('alert')
      .getByText(/file dialog|display/i)
      .waitFor();
    await page.getByRole('button', { name: 'Dismiss this message' }).click();
  });

  it('filters the log', async () => {
    await tab('Log');
    const log = page.getByRole('log');
    await log.getByText(`opening: ${SAMPLE}`).first().waitFor();
    await page.getByLabel('Filter the log').fill('OPENING: /NOWHERE');
    await expect.poll(() => log.locator('.log-line').count()).toBe(1);
    await page.getByLabel('Filter the log').fill('');
  });

  it('saves settings, says what is wrong with them, and applies them by a restart', async () => {
    await tab('Settings');
    const port = await freePort();
    await page.getByLabel('Port', { exact: true }).fill('99999');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The port must be a whole number from 1 to 65535.').waitFor();
    await page.getByLabel('Port', { exact: true }).fill(String(port));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The saved settings apply at the next start').waitFor();
    await page.getByRole('button', { name: 'Restart now' }).click();
    await tab('Server');
    await page.getByText(`http://127.0.0.1:${port}`).waitFor();
  });

  it('asks once whether to look for new versions, and shows one as text', async () => {
    const question = page.getByRole('region', { name: 'New versions' });
    const line = page.getByRole('region', { name: 'New version', exact: true });
    const link = 'https://lab.example/<b>new</b>';
    const site = createServer((_, response) => response.end(JSON.stringify({ version: '9.0.0', url: link })));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    try {
      await tab('Settings');
      await page.getByLabel('Address', { exact: true }).fill('http://lab.example/latest.json');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The address must start with https://.').waitFor();
      expect(await question.count()).toBe(0);
      const { port } = site.address() as AddressInfo;
      await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${port}/latest.json`);
      await page.getByRole('button', { name: 'Save the address' }).click();
      await question.getByText(`Look for new versions at 127.0.0.1:${port} now and once a day?`).waitFor();
      expect(await complaints(page)).toEqual([]);
      await question.getByRole('button', { name: 'Do not look' }).press('Enter');
      await question.waitFor({ state: 'detached' });
      await page.reload();
      await shows('The server is running');
      expect(await question.count()).toBe(0);
      expect(await line.count()).toBe(0);

      await tab('Settings');
      await page.getByLabel('Look for new versions at each start, and once a day').check();
      await line.getByText('Version 9.0.0 is available.').waitFor();
      const anchor = line.getByRole('link', { name: 'https://lab.example/%3Cb%3Enew%3C/b%3E' });
      expect(await anchor.getAttribute('rel')).toBe('noreferrer');
      expect(await complaints(page)).toEqual([]);
      await line.getByRole('button', { name: 'Dismiss this message' }).click();
      await line.waitFor({ state: 'detached' });
      await tab('Server');
    } finally {
      site.close();
    }
  });

  it('stops and starts the server, and reports a crash', async () => {
    await page.getByRole('button', { name: 'Stop server' }).click();
    await shows('The server is stopped');
    await page.getByRole('button', { name: 'Start server' }).click();
    await shows('The server is running');
    process.kill((await desk.until('running')).pid, 'SIGKILL');
    await shows('The server ended unexpectedly by signal SIGKILL.');
    expect(await complaints(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start server' }).click();
    await shows('The server is running');
  });

  it('moves between its panels with arrow keys', async () => {
    await page.getByRole('tab', { name: 'Server' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('log').waitFor();
    await page.keyboard.press('ArrowUp');
    await shows('The server is running');
  });

  it.each(['light', 'dark'] as const)(
    'has no problem that axe-core finds, and fits 720 pixels, in %s colors',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      for (const name of ['Server', 'Log', 'Settings', 'Support']) {
        await tab(name);
        expect(await complaints(page), name).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(720);
        const small = await page
          .locator('button:visible')
          .evaluateAll((buttons) =>
            buttons.filter((button) => button.getBoundingClientRect().height < 24).map((button) => button.outerHTML),
          );
        expect(small, name).toEqual([]);
      }
      expect(errors).toEqual([]);
    },
  );
});
