/** Ways into the viewer without typing a path: dropped files, folders in the page, the start page. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { lineScan, NAME } from '../../support/bruker.js';
import { lineScan as oifLineScan } from '../../support/oif.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile } from '../../support/viewer-stack.js';
import { writeBruker } from '../../writers/bruker.js';
import { writeOif } from '../../writers/oif.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: ways into the viewer were not tested');

const folder = join(tempFolder(), 'day 1+2');
const tiff = (value: number) =>
  writeTiff({ pages: [{ width: 24, height: 16, samples: new Uint16Array(384).map((_, i) => value + i) }] });

describe.runIf(available)('viewer: getting in', () => {
  const pages = new ViewerPages();
  beforeAll(async () => {
    mkdirSync(folder);
    for (const [i, name] of ['scan 1.tif', 'scan 2.tif', 'scan 10.tif'].entries()) writeTemp(folder, name, tiff(i));
    mkdirSync(join(folder, 'cells'));
    mkdirSync(join(folder, 'sets'));
    writeOif(join(folder, 'sets'), { ...oifLineScan(), name: 'set.oif' });
    writeTemp(join(folder, 'sets'), 'settings.xml', '<settings/>');
    mkdirSync(join(folder, NAME));
    writeBruker(join(folder, NAME), lineScan());
    await pages.start(['--root', folder, '--upload-budget', '1MB']);
  });
  afterAll(() => pages.close());

  /** Drops a file that a page made: it has no place on the disk. */
  async function drop(page: Page, name: string, bytes: Uint8Array, lastModified: number): Promise<void> {
    await page.evaluate(
      ({ name, base64, lastModified }) => {
        const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([data], name, { lastModified }));
        for (const type of ['dragover', 'drop']) {
          document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }
      },
      { name, base64: Buffer.from(bytes).toString('base64'), lastModified },
    );
  }

  it('lists folders where there is no file dialog, and opens with the keyboard alone', async () => {
    const viewer = await pages.open('/', { bypassCSP: true });
    const { page } = viewer;
    await page.locator('.app-sample').or(page.locator('.start-makers dt')).first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+O');
    const dialog = page.getByRole('dialog', { name: 'Open a file' });
    const rows = dialog.getByRole('list', { name: 'Folders and files' }).getByRole('button');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(1);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('day 1+2');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => rows.locator('.files-name').allInnerTexts())
      .toEqual(['cells', NAME, 'scan 1.tif', 'scan 2.tif', 'scan 10.tif', 'sets']);
    expect(await complaints(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('cells');
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.innerText()).toContain('Nothing here that can be opened.');
    await page.keyboard.press('Backspace');
    await expect.poll(() => rows.count()).toBe(6);
    // Letters go to the filter.
    await page.keyboard.type('2.t');
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => viewer.shownTab()).toContain('scan 2.tif');
    expect(await page.locator('dialog').count()).toBe(0);
    await viewer.end();
  });

  it('lists a set of files once, with its format', async () => {
    const viewer = await pages.open('/');
    const { page } = viewer;
    await page.locator('.app-sample').or(page.locator('.start-makers dt')).first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+O');
    const rows = page.getByRole('list', { name: 'Folders and files' }).getByRole('button');
    await rows.filter({ hasText: 'day 1+2' }).click();
    await rows.filter({ hasText: 'sets' }).click();
    await expect.poll(() => rows.locator('.files-name').allInnerTexts()).toEqual(['set.oif']);
    expect(await rows.locator('.files-kind').allInnerTexts()).toEqual(['2 files · Olympus FluoView OIF/OIB']);
    await rows.first().click();
    await expect.poll(() => viewer.shownTab()).toContain('set.oif');
    await viewer.end();
  });

  it.runIf(process.platform === 'linux')('says how many files have names that are not UTF-8', async () => {
    const latin1 = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
    const names = ['caf\u{e9}.tif', '\u{fc}ber.tif'].map(latin1);
    const viewer = await pages.open('/');
    const { page } = viewer;
    const note = page.getByRole('dialog', { name: 'Open a file' }).locator('.files-foot', { hasText: 'UTF-8' });
    try {
      for (const [i, text] of [
        '1 entry is not listed: its name is not UTF-8. Rename it to open it.',
        '2 entries are not listed: their names are not UTF-8. Rename them to open them.',
      ].entries()) {
        writeFileSync(names[i]!, tiff(i));
        // Keys are heard when the start page is there.
        await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
        await page.keyboard.press('Control+O');
        await page.getByRole('button', { name: 'day 1+2' }).click();
        await expect.poll(() => note.allInnerTexts()).toEqual([text]);
        await page.keyboard.press('Escape');
        await page.reload();
      }
    } finally {
      for (const name of names) rmSync(name, { force: true });
    }
    await viewer.end();
  });

  it('opens the next and the previous file of the folder by keys, in place of the shown one', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await viewer.openPath(join(folder, 'scan 1.tif'));
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => viewer.shownTab()).toContain('scan 2.tif');
    await page.getByRole('button', { name: 'More ways to open' }).click();
    await page.getByRole('button', { name: 'Next file in the folder' }).click();
    await expect.poll(() => viewer.shownTab()).toContain('scan 10.tif');
    await expect.poll(() => page.getByRole('tab').count()).toBe(1);
    await page.keyboard.press('Alt+ArrowDown');
    await expect
      .poll(() => page.locator('.app-notices').innerText())
      .toContain('scan 10.tif is the last file in its folder.');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => viewer.shownTab()).toContain('scan 2.tif');
    await viewer.end();
  });

  it('opens a dropped file where it lies, when the server finds it', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const path = join(folder, 'scan 10.tif');
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await drop(page, basename(path), readFileSync(path), Math.floor(statSync(path).mtimeMs));
    await expect.poll(() => viewer.shownTab()).toContain('scan 10.tif');
    await expect.poll(() => page.url()).toContain('path=');
    expect(viewer.requests.some((url) => url.includes('/uploads'))).toBe(false);
    await viewer.end();
  });

  /** Sends the shown file, which the page reads itself. */
  async function send(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Link and programs' }).click();
    await page.getByText('no link and no other program can open it here').waitFor();
    await page.getByRole('button', { name: 'Send it to the server' }).click();
  }

  it('reads a dropped file that the server does not find itself, and sends it when asked', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await drop(page, 'from elsewhere.tif', tiff(5), 1_700_000_000_000);
    await expect.poll(() => viewer.shownTab()).toContain('from elsewhere.tif');
    await page.locator('[role=application] canvas').first().waitFor();
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    expect(await viewer.facts()).toContain('Format tif');
    // A reload could not open it by its name.
    expect(page.url()).not.toContain('path=');
    const recents = await page.evaluate(() => localStorage.getItem('acqstore.recents'));
    expect(recents ?? '').not.toContain('elsewhere');
    await page.getByText('Read in this page, not sent').waitFor();
    expect(viewer.requests.filter((url) => /uploads|sessions|api.v2.open/.test(url))).toEqual([]);
    await send(page);
    await page.getByText('Sent to the server; it has no path').waitFor();
    // Nor does a file that was sent have a link.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByText('No link can open it again.').waitFor();
    expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
    await viewer.end();
  });

  it('makes a kymograph of a line on a stack that the page reads itself', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    const bytes = readFileSync(stackFile(tempFolder()));
    await drop(page, 'given.ome.tif', bytes, 1_700_000_000_000);
    await expect.poll(() => viewer.shownTab()).toContain('given.ome.tif');
    await page.locator('[role=application] canvas').first().waitFor();
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    await page.locator('[role=application]').first().focus();
    await page.keyboard.press('l');
    const { x, y, width, height } = (await page.locator('canvas.image-canvas').first().boundingBox())!;
    await page.mouse.move(x + 0.4 * width, y + 0.4 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.6 * width, y + 0.6 * height, { steps: 3 });
    await page.mouse.up();
    await viewer.openKymograph();
    const name = 'given.ome.tif, kymograph of Line 1';
    await page.getByRole('tab', { name, selected: true }).waitFor();
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    expect(await viewer.facts()).toContain(`Size C 2 × Y ${STACK.T} × X `);
    expect(viewer.requests.filter((url) => /uploads|sessions/.test(url))).toEqual([]);
    await viewer.end();
  });

  it('shows how far the sending is, and stops it on Cancel', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await page.route('**/api/v2/uploads/*/files/**', () => {});
    const ended = page.waitForRequest(
      (request) => request.method() === 'DELETE' && request.url().includes('/uploads/'),
    );
    // Only an upload that the server has begun has to be ended there.
    const begun = page.waitForRequest((request) => /\/uploads\/.*\/files\//.test(request.url()));
    await drop(page, 'slow.tif', tiff(5), 1_700_000_000_000);
    await expect.poll(() => viewer.shownTab()).toContain('slow.tif');
    await send(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.app-task').innerText()).toContain('Sending slow.tif to the server');
    await begun;
    await page.locator('.app-task').getByRole('button', { name: 'Cancel' }).click();
    await ended;
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    expect(await viewer.tabNames()).toHaveLength(1);
    expect(await page.locator('.app-notice-error').count()).toBe(0);
    await viewer.end();
  });

  it('says what is wrong with a file that is too large or that nothing opens', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await drop(page, 'empty.tif', new Uint8Array(1_000), 1_700_000_000_000);
    await expect.poll(() => page.locator('.app-notices').innerText()).toContain('not that of a .tif file');
    const samples = new Uint16Array(600_000);
    await drop(page, 'large.tif', writeTiff({ pages: [{ width: 1000, height: 600, samples }] }), 1_700_000_000_000);
    await expect.poll(() => viewer.shownTab()).toContain('large.tif');
    await send(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.app-notices').innerText()).toContain('--upload-budget');
    await drop(page, 'notes.docx', tiff(1), 1_700_000_000_000);
    await expect
      .poll(() => page.locator('.app-notices').innerText())
      .toContain('notes.docx: not a file that this server can open.');
    await viewer.end();
  });

  it('opens a dropped folder where it lies', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    const devtools = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder, NAME)], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
      if (type === 'dragOver') await page.getByText('Drop files, a folder or a path to open them').waitFor();
    }
    await expect.poll(() => viewer.shownTab()).toContain(`${NAME}.xml`);
    await viewer.end();
  });

  it('gives the picture the focus after a path was entered, and lists a folder whose path was', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role'));
    for (const name of ['scan 1.tif', 'scan 2.tif']) {
      await viewer.openPath(join(folder, name));
      await expect.poll(focused).toBe('application');
    }
    await (await viewer.pathField()).fill(folder);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Open a file' });
    await dialog.getByRole('button', { name: /^scan 10\.tif/ }).waitFor();
    expect(await page.locator('.app-notice').count()).toBe(0);
    await viewer.end();
  });

  it('takes a path with a plus from the address, and asks for the whole of a typed path', async () => {
    const viewer = await pages.open(`/demo/v2/?path=${join(folder, 'scan 1.tif').replaceAll(' ', '%20')}`);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Open this file' }).click();
    await expect.poll(() => viewer.shownTab()).toContain('scan 1.tif');
    await (await viewer.pathField()).fill('scan 1.tif');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.app-notices').innerText())
      .toContain('“scan 1.tif” is only a part of a path.');
    expect(await page.locator('.app-notices').innerText()).not.toContain('body');
    await viewer.end();
  });

  it('starts with formats by maker and pictures of recent files', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    expect(await page.locator('.start-makers dt').allTextContents()).toEqual(
      expect.arrayContaining([
        'Olympus / Evident',
        'Zeiss',
        'Nikon',
        'Leica',
        'Bruker Prairie View',
        'ScanImage',
        'OME-Zarr',
      ]),
    );
    await viewer.openPath(join(folder, 'scan 1.tif'));
    await expect.poll(() => page.evaluate(() => localStorage.getItem('acqstore.recents'))).toContain('data:image/webp');
    await page.keyboard.press('Alt+W');
    const picture = page.locator('.start-recents img.recent-picture');
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(280);
    await viewer.end();
  });
});
