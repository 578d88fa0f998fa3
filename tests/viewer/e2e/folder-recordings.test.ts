/** What the list of a folder says of the recordings in it: dimensions, times, warnings, and parts once. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { lineScan } from '../../support/bruker.js';
import { lineScan as oifLineScan } from '../../support/oif.js';
import { omeMember } from '../../support/ome-members.js';
import { writeSplitRecording } from '../../support/split-recording.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { writeBruker } from '../../writers/bruker.js';
import { writeCzi } from '../../writers/czi.js';
import { stack } from '../../writers/czi-kinds.js';
import { writeOif } from '../../writers/oif.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: recordings in folders were not tested');

const folder = join(tempFolder(), 'day');

const plain = (rows: number, columns: number) =>
  writeTiff({
    pages: [
      { width: columns, height: rows, samples: Uint16Array.from({ length: rows * columns }, (_, i) => i % columns) },
    ],
  });

/** Twenty recordings and more. */
function fill(): void {
  mkdirSync(folder);
  writeBruker(join(folder, 'TSeries-1'), lineScan());
  writeOif(folder, { ...oifLineScan(), name: 'line.oif' });
  writeTemp(folder, 'one.ome.tif', omeMember('one.ome.tif', 'two.ome.tif'));
  writeTemp(folder, 'two.ome.tif', omeMember('two.ome.tif', 'one.ome.tif'));
  writeTemp(folder, 'cells.czi', writeCzi(stack(2, 3)));
  writeTemp(folder, 'damaged.tif', 'II*\0\xff\xff\xff\x7f');
  for (let t = 1; t <= 3; t++) writeTemp(folder, `bead_t${t}.tif`, plain(48, 64));
  for (let i = 1; i <= 14; i++) writeTemp(folder, `snap ${String.fromCharCode(96 + i)}.tif`, plain(30 + i, 64));
  writeSplitRecording(folder);
}

describe.runIf(available)('viewer: recordings in a folder', () => {
  const pages = new ViewerPages();
  beforeAll(async () => {
    fill();
    await pages.start(['--root', folder]);
  });
  afterAll(() => pages.close());

  const rowsOf = (page: Page) => page.getByRole('list', { name: 'Folders and files' }).getByRole('button');
  const rowOf = (page: Page, name: string) => rowsOf(page).filter({ has: page.getByText(name, { exact: true }) });
  const kindOf = (page: Page, name: string) => rowOf(page, name).locator('.files-kind').textContent();

  async function list(page: Page): Promise<void> {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+O');
    await rowsOf(page).first().waitFor();
    if ((await rowsOf(page).count()) === 1) await page.keyboard.press('Enter');
    await rowOf(page, 'cells.czi').waitFor();
  }

  it('says of the rows in view what is in them, and has parts once', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/api/v2/recordings')) asked.push(basename(searchParams.get('path')!));
    });
    await list(page);
    await expect.poll(() => kindOf(page, 'cells.czi')).toContain('T 2 · Z 3 · 7 × 5 · 2 channels · Zeiss CZI');
    await expect
      .poll(() => kindOf(page, 'bead_t1.tif'))
      .toContain('T 3 · 64 × 48 · 1 channel · 3 files · 1 warning · TIFF');
    expect(await rowOf(page, 'bead_t2.tif').count()).toBe(0);
    await expect.poll(() => kindOf(page, 'damaged.tif')).toMatch(/^expected an IFD/);
    await expect
      .poll(() => rowOf(page, 'bead_t1.tif').locator('.files-warnings').textContent())
      .toMatch(/\d warnings?$/);
    expect(await rowOf(page, 'bead_t1.tif').getAttribute('title')).toMatch(/\n.*joined by the numbers/);
    // Rows that were never in view cost nothing.
    expect(asked).not.toContain('snap n.tif');
    expect(await complaints(page)).toEqual([]);
    const picture = process.env['SAVE_FOLDER_PICTURE'];
    if (picture) {
      await page.waitForTimeout(6_000);
      await page.screenshot({ path: picture });
    }
    await viewer.end();
  });

  it('opens all files of a row that stands for them', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await list(page);
    await page.getByRole('searchbox', { name: 'Filter this folder' }).fill('run_');
    await expect.poll(() => kindOf(page, 'run_00001_00001.tif')).toContain('T 10 · ');
    expect(await rowsOf(page).count()).toBe(1);
    const request = page.waitForRequest(
      (one) => one.url().endsWith('/api/v2/open') && one.postData()!.includes('"all"'),
    );
    await rowOf(page, 'run_00001_00001.tif').click();
    expect((await request).postDataJSON()).toMatchObject({ path: join(folder, 'run_00001_00001.tif'), parts: 'all' });
    await viewer.end();
  });

  it('stops asking when the dialog closes', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    let asked = 0;
    await page.route('**/api/v2/recordings?*', () => void asked++);
    const canceled: string[] = [];
    page.on('requestfailed', (request) => {
      if (request.url().includes('/api/v2/recordings?')) canceled.push(request.url());
    });
    await list(page);
    await expect.poll(() => asked).toBe(2);
    await page.keyboard.press('Escape');
    await expect.poll(() => canceled.length).toBe(2);
    await viewer.end();
  });
});
