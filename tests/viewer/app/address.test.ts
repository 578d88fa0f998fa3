import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: addresses of the viewer were not tested');

const OF_SAMPLE = `?path=${encodeURIComponent(SAMPLE)}`;

describe.runIf(available)('viewer: address', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  afterEach(() => viewer.end());

  /** Opens the page of a server directly at an address. */
  async function open(query: string, url = pages.url): Promise<ViewerPage> {
    viewer = await pages.open(`/demo/v2/${query}`, {}, url);
    return viewer;
  }

  const serveWithToken = () =>
    pages.cli.serve(['--host', '0.0.0.0', '--token', 'let-me-in', '--root', dirname(SAMPLE), '--log-level', 'warn']);

  it('opens the file in its address, and restores the view after a reload', async () => {
    const { page } = await open(OF_SAMPLE);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    await page.getByText('Channels: 2 of 2 loaded').click();
    await page.getByRole('checkbox', { name: 'Load Calcium' }).uncheck();
    await page.waitForURL((url) => url.hash.startsWith('#view=') && url.searchParams.get('path') === SAMPLE);
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
    await viewer.viewSwitch('Transpose');
    await page.waitForURL(({ hash }) => {
      const { channels, source } = JSON.parse(Buffer.from(hash.slice('#view='.length), 'base64url').toString());
      return channels?.length === 1 && source?.orientation?.transposed === false;
    });
    await page.reload();
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
    expect(await viewer.viewSwitch('Transpose', 'read')).toBe(false);
  });

  it('follows another link to the same file', async () => {
    const { page } = await open(OF_SAMPLE);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByText('Channels: 2 of 2 loaded').waitFor();
    await page.waitForURL(/#view=/);
    const view = { channels: [1], source: { views: {}, displays: {}, toggles: {}, marks: [] } };
    const text = Buffer.from(JSON.stringify(view)).toString('base64url');
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `view=${text}`);
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
    expect(await page.getByRole('tab').count()).toBe(2);
    await page.evaluate(() => {
      location.hash = 'view=broken!';
    });
    await page.getByText('The view in this link cannot be read.').waitFor();
  });

  it('says that the session of a link has ended, and opens its file where the link has the path', async () => {
    const { page } = await open(`?session=${'0'.repeat(32)}`);
    await page.getByText('Session 00000000… has ended or never existed.').waitFor();
    await page.goto(`${viewer.url}/demo/v2/?session=${'0'.repeat(32)}&path=${encodeURIComponent(SAMPLE)}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    await page.getByText('Its file is being opened again').waitFor();
  });

  it('asks for the token of a server that requires one, or takes it from the address', async () => {
    const remote = await serveWithToken();
    const { page } = await open(OF_SAMPLE, remote.url);
    await page.getByRole('button', { name: 'Open this file' }).click();
    const field = page.getByLabel('This server requires a token');
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('does not accept this token').waitFor();
    await field.fill('let-me-in');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    expect(await field.count()).toBe(0);
    const other = await pages.browser.newPage();
    await other.goto(`${remote.url}/demo/v2/#token=let-me-in`);
    await other.locator('.app-sample').waitFor();
    expect(other.url()).toBe(`${remote.url}/demo/v2/`);
    await other.close();
  });

  it('opens the file of a session as soon as the token has been entered', async () => {
    const remote = await serveWithToken();
    const opened = await fetch(`${remote.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer let-me-in' },
      body: JSON.stringify({ path: SAMPLE }),
    });
    const { sessionId } = (await opened.json()) as { sessionId: string };
    const { page } = await open(`?session=${sessionId}`, remote.url);
    const field = page.getByLabel('This server requires a token');
    await field.fill('let-me-in');
    expect(await page.getByText('Session ').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    // The token is stored for this browser tab now.
    await page.goto(`${remote.url}/demo/v2/?session=${'0'.repeat(32)}`);
    await page.getByText('Session 00000000… has ended or never existed.').waitFor();
    expect(await field.count()).toBe(0);
  });
});
