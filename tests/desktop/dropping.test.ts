/** Files that are dropped on the control page, and files that the settings exclude, in a real browser. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../support/axe.js';
import { chromiumPath } from '../support/browser.js';
import { SAMPLE } from '../support/cli.js';
import { buildPage, type ControlPage, showControlPage } from '../support/control-page.js';
import { Desk, freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: dropping on the control page was not tested');

const NAME = 'scan 1 µ & 2.ome.tif';
const folder = tempFolder();
const viewers: string[] = [];
/** Why the browser does not start; empty when it does. */
let noBrowser = '';
const desk = new Desk();
let control: ControlPage;

/** A file of its own: no folder was opened before. */
function newFile(inside: string, name = NAME): string {
  const home = join(folder, inside);
  mkdirSync(home, { recursive: true });
  copyFileSync(SAMPLE, join(home, name));
  return join(home, name);
}

async function onViewer(url: string): Promise<void> {
  if (noBrowser !== '') throw new Error(noBrowser);
  viewers.push(url);
}

/** Drops data as another program or window does. */
async function dropData(data: Record<string, string>): Promise<void> {
  await control.page.evaluate((entries) => {
    const dataTransfer = new DataTransfer();
    for (const [type, text] of entries) dataTransfer.setData(type, text);
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, Object.entries(data));
}

/** Drops files and folders as the system does. */
async function dropFiles(...files: string[]): Promise<void> {
  const devtools = await control.page.context().newCDPSession(control.page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    if (type !== 'dragOver') continue;
    await control.page.getByText('Drop files or a folder to open them').waitFor();
    expect(await complaints(control.page)).toEqual([]);
  }
}

const alert = () => control.page.getByRole('alert').innerText();
const lastOpened = () => desk.state.recent[0]?.path;

describe.runIf(available)('the control page', () => {
  beforeAll(async () => {
    await desk.start({ assets: await buildPage(), onViewer });
    control = await showControlPage(desk);
    await desk.until('running');
  });
  afterEach(() => expect(control.errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await control?.browser.close();
    await desk.close();
  });

  it.each([
    ['a list of addresses', (url: string) => ({ 'text/uri-list': `# a comment\r\n${url}\r\n` })],
    // As WebKitGTK gives it to pages.
    [
      'a link',
      (url: string) => ({
        'text/uri-list': '',
        'text/html': `<a style="color: red">${url.replace('&', '&amp;')}</a>`,
      }),
    ],
  ])('opens a file by its path that is dropped as %s', async (kind, data) => {
    viewers.length = 0;
    const path = newFile(kind);
    await dropData(data(pathToFileURL(path).href));
    await expect.poll(lastOpened).toBe(path);
    await control.page.getByText(`${NAME} is open in the viewer.`).waitFor();
    expect(viewers).toHaveLength(1);
  });

  it('says that the browser does not start, and offers the address', async () => {
    noBrowser = 'xdg-open exited with code 3';
    await dropData({ 'text/uri-list': pathToFileURL(newFile('no-browser')).href });
    await expect
      .poll(alert)
      .toContain(`The browser did not start (${noBrowser}). Open this address in a browser: http:`);
    expect(await complaints(control.page)).toEqual([]);
    await control.page.getByRole('alert').getByRole('button', { name: 'Copy the address' }).click();
    await control.page.getByText('The address was copied.').waitFor();
    const copied = await control.page.evaluate(() => navigator.clipboard.readText());
    expect((await fetch(copied)).status).toBe(200);
    noBrowser = '';
  });

  it('says that a file of a second start is open', async () => {
    const path = newFile('second start', 'second start.ome.tif');
    await desk.supervisor.openFile(path);
    await control.page.getByText('second start.ome.tif is open in the viewer.').waitFor();
  });

  it('opens each of several files', async () => {
    const paths = ['several', 'several/deeper'].map((inside) => newFile(inside));
    await dropData({ 'text/uri-list': paths.map((path) => pathToFileURL(path).href).join('\r\n') });
    await expect.poll(() => desk.state.recent.slice(0, 2).map(({ path }) => path)).toEqual([...paths].reverse());
  });

  it.each([
    ['an address of the web', { 'text/uri-list': 'https://lab.example/scan.tif' }],
    ['a file of another computer', { 'text/uri-list': 'file://evil.example/share/scan.tif' }],
    ['a page with a link to a file', { 'text/uri-list': '', 'text/html': '<p>see <a>file:///etc/hostname</a></p>' }],
  ])('does not open %s', async (_, data) => {
    const before = lastOpened();
    await dropData(data);
    await expect.poll(alert).toContain('The dropped item is not a file on this computer.');
    expect(desk.lines.filter(({ text }) => /evil\.example|hostname/.test(text))).toEqual([]);
    expect(lastOpened()).toBe(before);
  });

  it('finds a file without a path where others were opened, and says what to do about one elsewhere', async () => {
    const elsewhere = newFile('elsewhere/inner');
    writeFileSync(elsewhere, Buffer.concat([readFileSync(elsewhere), Buffer.alloc(7)]));
    await dropFiles(elsewhere);
    await expect.poll(alert).toContain(`${NAME}: the browser does not tell where a dropped file is`);
    expect(await complaints(control.page)).toEqual([]);
    await control.page.getByRole('alert').getByRole('button', { name: 'Open file…' }).click();
    await expect.poll(alert).toMatch(/display/i);
    await dropFiles(elsewhere);
    viewers.length = 0;
    await control.page.getByRole('alert').getByRole('button', { name: 'Open viewer' }).click();
    await expect.poll(() => viewers).toEqual([expect.stringMatching(/\/demo\/v2\/$/)]);

    const first = newFile('known');
    await desk.post('open', { path: first });
    const second = newFile('known', 'second.ome.tif');
    await dropFiles(second);
    await expect.poll(lastOpened).toBe(second);
  });

  it('opens a dropped folder that lies beside others, by its main file or as a whole', async () => {
    await desk.post('open', { path: newFile('sets/one') });
    const inner = newFile('sets/two', 'inner.ome.tif');
    await dropFiles(join(folder, 'sets/two'));
    await expect.poll(lastOpened).toBe(inner);
    const empty = join(folder, 'sets/three');
    mkdirSync(empty);
    writeFileSync(join(empty, 'notes.txt'), 'not an acquisition');
    await dropFiles(empty);
    await expect.poll(alert).toContain('three');
    expect(desk.lines.map(({ text }) => text)).toContain(`opening: ${empty}`);
  });

  it('offers to allow the folder of a file that the settings exclude, and restarts the server then', async () => {
    const path = newFile('outside');
    const port = await freePort();
    await desk.post('settings', { ...desk.state.settings, port, roots: [join(folder, 'known')] });
    await desk.post('restart');
    await desk.until('running');
    await desk.post('open', { path: join(folder, 'known', NAME) });
    await expect.poll(() => desk.state.open?.list.length).toBe(1);
    const { page } = control;
    await page.getByLabel('Path of a file or folder').fill(path);
    await page.keyboard.press('Enter');
    await expect
      .poll(alert)
      .toContain(
        `${NAME} is in ${join(folder, 'outside')}, outside the folders that may be opened. If you allow this folder, it is ` +
          'added to the settings; the server restarts and closes 1 open acquisition.',
      );
    expect(desk.state.settings.roots).toHaveLength(1);
    expect(await complaints(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow the folder' }).press('Enter');
    await expect.poll(lastOpened).toBe(path);
    expect((JSON.parse(readFileSync(desk.settingsFile, 'utf8')) as { root: string[] }).root).toEqual([
      join(folder, 'known'),
      join(folder, 'outside'),
    ]);
    await page.getByText(`${NAME} is open in the viewer.`).waitFor();
  });
});
