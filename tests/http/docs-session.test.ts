/** Every operation of /docs, tried from top to bottom on the real server, as a newcomer does. */
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.js';
import { SAMPLE } from '../support/cli.js';
import { ViewerPages } from '../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the operations of the documentation were not tried');

/** What cannot work here, and what it answers: no display, and a sample without a reference image. */
const REFUSED: Record<string, number> = {
  pickAndOpen: 501,
  getReferenceChannelData: 404,
  headReferenceChannelData: 404,
};

describe.runIf(available)('/docs, from top to bottom', () => {
  const pages = new ViewerPages();
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  it('gets an answer from every operation, without typing anything', async () => {
    const { page, complaints } = await pages.open('/docs');
    await page.locator('section.operation form').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('#createUpload input[type=file]').setInputFiles(SAMPLE);
    const ids = await page.locator('section.operation:has(form)').evaluateAll((all) => all.map((one) => one.id));
    expect(ids).toHaveLength(35);
    const answers: Record<string, string> = {};
    for (const id of ids) {
      const form = page.locator(`#${id} form`);
      await form.getByRole('button', { name: 'Send' }).click();
      const status = form.locator('output > p').filter({ hasText: / ms$/ });
      await status.waitFor();
      answers[id] = (await status.textContent()) ?? '';
    }
    for (const [id, answer] of Object.entries(answers)) {
      expect(answer, id).toMatch(new RegExp(`^${REFUSED[id] ?? 200} `));
    }
    const opened = page.locator('#openUpload output pre').first();
    expect(await opened.textContent()).toContain(basename(SAMPLE));
    expect(complaints).toEqual([]);
  });

  it('sends parameters in the address, and keys with their slashes', async () => {
    const { page } = await pages.open('/docs');
    await page.locator('#getWindow form').waitFor();
    const call = async (id: string, values: Record<string, string>) => {
      for (const [name, value] of Object.entries(values)) await page.locator(`#${id} input[name=${name}]`).fill(value);
      return page.locator(`#${id}-snippet pre`).textContent();
    };
    const id = 'a'.repeat(32);
    expect(await call('getWindow', { sessionId: id, rows: '0:4', T: '0' })).toContain(
      `/api/v2/sessions/${id}/channels/0/window?rows=0%3A4&T=0'`,
    );
    expect(await call('getOmeZarr05', { sessionId: id })).toContain(`/${id}/0.5.ome.zarr/0/zarr.json'`);
    expect(await call('uploadFile', { uploadId: id, key: 'a b.oif.files/s_C001.tif' })).toContain(
      `/api/v2/uploads/${id}/files/a%20b.oif.files/s_C001.tif' \\\n  -H 'Content-Type: application/octet-stream' \\\n  --data-binary '@scan.tif'`,
    );
    await page.locator('#uploadFile').getByRole('button', { name: 'Send' }).click();
    await page.getByText('Choose a file first.').waitFor();
  });
});
