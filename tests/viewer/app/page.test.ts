import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeCzi } from '../../writers/czi.js';
import { stack } from '../../writers/czi-kinds.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const small = (name: string) =>
  writeTemp(folder, name, writeTiff({ pages: [{ width: 2, height: 2, samples: Uint8Array.of(1, 2, 3, 4) }] }));

describe.runIf(available)('viewer: opening', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.page.locator('.app-sample').waitFor();
  });
  afterEach(() => viewer.end());

  const alert = () => viewer.page.getByRole('alert');

  it('starts with a page that shows what it can open', async () => {
    const { page, url } = viewer;
    expect(page.url()).toBe(`${url}/demo/v2/`);
    const text = await page.locator('main').innerText();
    expect(text).toContain('Nothing leaves this computer');
    expect(text).toMatch(/Server \d+\.\d+\.\d+, API v2, running/);
    const read = (await page.locator('.start-makers dd').allTextContents()).flatMap((text) => text.split(/\s+/));
    const { allowedImportExtensions } = await (await fetch(`${url}/api/v2/capabilities`)).json();
    expect([...new Set(read.filter(Boolean))].sort()).toEqual([...allowedImportExtensions].sort());
  });

  it('shows the channels, details and session of the sample', async () => {
    await viewer.openSample();
    const { page } = viewer;
    expect(await page.title()).toBe('vessel-kymograph.ome.tif – Acquisition Store');
    const facts = await viewer.facts();
    expect(facts).toContain('Recorded 2026-01-15 10:30:00');
    expect(facts).toContain('Samples uint16');
    expect(facts).toContain('Size C 2 × Y 4,000 × X 96');
    expect(facts).toContain('Step of Y 0.00117 s from the file');
    expect(facts).toContain('Step of X 0.284 µm from the file');
    // 4000 lines of 1.17 ms, 96 pixels of 0.284 µm.
    expect(facts).toContain('Duration 4.68 s');
    expect(facts).toContain('Extent of X 27.26 µm');
    expect(await page.getByRole('list', { name: 'Warnings' }).count()).toBe(0);
    expect(await viewer.images()).toEqual(['Calcium, source image', 'Vessel, source image']);
    expect(await page.locator('.app-notice').count()).toBe(0);
    await page.getByRole('button', { name: 'Server', exact: true }).click();
    const session = page.getByRole('table').getByRole('row', { name: 'vessel-kymograph.ome.tif' });
    // Two planes of 4000 × 96 float32 or uint16 samples.
    expect(await session.innerText()).toMatch(/(10:00|9:5\d) left\s+(3\.07|1\.54) MB\s/);
  });

  it('names the tools in words where there is room, and says what the pointer does', async () => {
    const { page } = viewer;
    await page.setViewportSize({ width: 1024, height: 768 });
    await viewer.openSample();
    const toolbar = page.getByRole('toolbar', { name: 'Source image tools' });
    const words = () => toolbar.locator('.image-tool-word:visible').allInnerTexts();
    expect(await words()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect
      .poll(words)
      .toEqual(expect.arrayContaining(['Zoom', 'Pan', 'Region', 'Line', 'Composite', 'View', 'Profile', 'Marks']));
    // One row, also with the words.
    const { height } = (await toolbar.boundingBox())!;
    expect(height).toBeLessThan(56);
    const groups = await toolbar.getByRole('group').evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(groups).toEqual(['Tools', 'Zoom', 'Layout']);
    const hint = page.locator('.app-status-hint');
    expect(await hint.innerText()).toBe('Drag: zoom · Wheel: zoom · Shift + drag: move · R: region · L: velocity');
    await toolbar.getByRole('button', { name: 'Line', exact: true }).click();
    await expect.poll(() => hint.innerText()).toMatch(/^Drag: draw a line · Wheel: zoom · .* B: zoom · R: region$/);
    // What is on looks alike, and unlike what is off.
    const ground = (state: string) =>
      toolbar
        .locator(`.image-tool[aria-pressed="${state}"]`)
        .evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).backgroundColor))]);
    // After the change of color.
    await expect.poll(() => ground('true')).toHaveLength(1);
    const [on] = await ground('true');
    await expect.poll(() => ground('false')).not.toContain(on);
    // A narrow window: images and readout are in view.
    await page.setViewportSize({ width: 390, height: 800 });
    const edge = (selector: string, side: 'right' | 'bottom') =>
      page
        .locator(selector)
        .first()
        .evaluate((one, name) => one.getBoundingClientRect()[name], side);
    await expect.poll(() => edge('.image-canvas', 'right')).toBeLessThanOrEqual(390);
    expect(await edge('.image-readout', 'bottom')).toBeLessThanOrEqual(800);
  });

  it('shows one message at a time, its sentence first and its code on request', async () => {
    const { page } = viewer;
    const field = page.getByLabel('Path of a file or folder');
    const messages = page.locator('.app-notice');
    for (const name of ['first.tif', 'second.tif']) {
      await field.fill(`/no/such/${name}`);
      await page.keyboard.press('Enter');
      await alert().getByText(name).first().waitFor();
    }
    expect(await messages.count()).toBe(1);
    expect(await messages.locator('p').first().innerText()).toMatch(/^second\.tif: there is no file/);
    const code = messages.locator('code', { hasText: 'path_not_found' });
    expect(await code.isVisible()).toBe(false);
    await messages.getByText('Details').click();
    expect(await code.isVisible()).toBe(true);
    // A new attempt makes the message obsolete, also when it succeeds.
    await viewer.openPath(small('third.tif'));
    expect(await messages.count()).toBe(0);
  });

  it('shows an error with its code and keeps what was open', async () => {
    const { sessionId } = await viewer.openSample();
    await (await viewer.pathField()).fill('/no/such/file.tif');
    await viewer.page.keyboard.press('Enter');
    await alert().getByText('/no/such/file.tif').waitFor();
    expect(await (await viewer.pathField()).inputValue()).toBe('/no/such/file.tif');
    expect(await viewer.errorCode()).toBe('path_not_found');
    expect(await viewer.page.getByRole('tab').count()).toBe(1);
    expect(await viewer.sessionStatus(sessionId)).toBe(200);
    await viewer.page.getByRole('button', { name: 'Dismiss this message' }).click();
    expect(await alert().innerText()).toBe('');
  });

  it('shows file names as text, even when they contain HTML', async () => {
    const name = '<img src=x onerror=alert(1)>&amp;.tif';
    const info = await viewer.openPath(small(name));
    expect(info.source.name).toBe(name);
    expect(await viewer.page.locator('.app-tab-name').textContent()).toBe(name);
    expect(await viewer.page.locator('img[src="x"]').count()).toBe(0);
    await viewer.page.getByRole('button', { name: 'Show as JSON' }).click();
    expect(await viewer.page.locator('img[src="x"]').count()).toBe(0);
  });

  it('lists folders when there is no file dialog', async () => {
    await viewer.page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await viewer.page.keyboard.press('Control+o');
    await viewer.page.getByRole('dialog', { name: 'Open a file' }).waitFor();
    expect(viewer.requests.some((url) => url.endsWith('/pick-and-open'))).toBe(false);
  });

  /** The server says that it has a display. */
  async function withFileDialog(): Promise<void> {
    const { page } = viewer;
    await page.route('**/api/v2/capabilities', async (route) => {
      const response = await route.fetch();
      const capabilities = (await response.json()) as { opening: string[] };
      await route.fulfill({ json: { ...capabilities, opening: [...capabilities.opening, 'picker'] } });
    });
    await page.reload();
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
  }

  it('shows no error for a canceled dialog', async () => {
    const { page } = viewer;
    const cancelled = { ok: false, error: 'cancelled', message: 'The dialog was closed.', details: null };
    await withFileDialog();
    await page.route('**/pick-and-open', (route) => route.fulfill({ json: cancelled }));
    const answered = page.waitForResponse('**/pick-and-open');
    await page.getByRole('button', { name: 'Open…', exact: true }).click();
    await answered;
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    expect(await page.locator('.app-notice').count()).toBe(0);
  });

  it('lets the user cancel a running request', async () => {
    const { page } = viewer;
    await withFileDialog();
    await page.route('**/pick-and-open', () => {});
    await page.getByRole('button', { name: 'Open…', exact: true }).click();
    await page.getByText('The file dialog is open on').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    expect(await page.locator('.app-notice').count()).toBe(0);
    await viewer.openSample();
  });

  it('ends a session with its tab, and all sessions when the page closes', async () => {
    const { page } = viewer;
    const first = await viewer.openPath(small('first.tif'));
    const second = await viewer.openSample();
    expect(await viewer.tabNames()).toEqual(['first.tif', 'vessel-kymograph.ome.tif']);
    await page.getByRole('tab', { name: 'first.tif' }).click();
    await page.keyboard.press('Alt+w');
    await expect.poll(() => viewer.sessionStatus(first.sessionId)).toBe(404);
    expect(await viewer.tabNames()).toEqual(['vessel-kymograph.ome.tif']);
    expect(await viewer.sessionStatus(second.sessionId)).toBe(200);
    await page.goto('about:blank');
    await expect.poll(() => viewer.sessionStatus(second.sessionId)).toBe(404);
  });

  it('switches between several acquisitions by pointer and keys', async () => {
    const { page } = viewer;
    for (const name of ['a.tif', 'b.tif', 'c.tif']) await viewer.openPath(small(name));
    const selected = () => viewer.shownTab();
    expect(await selected()).toBe('c.tif');
    await page.keyboard.press('Alt+1');
    expect(await selected()).toBe('a.tif');
    await page.keyboard.press('Alt+PageUp');
    expect(await selected()).toBe('c.tif');
    await page.getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await selected()).toBe('b.tif');
    await page.keyboard.press('Delete');
    expect(await viewer.tabNames()).toEqual(['a.tif', 'c.tif']);
    expect(await page.locator('.app-source strong').innerText()).toBe('c.tif');
  });

  it('opens a file that is already open in the same tab', async () => {
    const path = small('again.tif');
    const first = await viewer.openPath(path);
    const second = await viewer.openPath(`"${path}"`);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(await viewer.page.getByRole('tab').count()).toBe(1);
    await expect.poll(() => viewer.sessionStatus(first.sessionId)).toBe(404);
  });

  it('remembers opened files until they are removed from the list', async () => {
    const { page } = viewer;
    await viewer.openPath(small('remembered.tif'));
    await page.goto(`${viewer.url}/demo/v2/`);
    await page.getByRole('button', { name: 'remembered.tif', exact: false }).first().click();
    await page.getByRole('tab', { name: 'remembered.tif' }).waitFor();
    await page.getByRole('button', { name: 'More ways to open' }).click();
    await page.getByRole('button', { name: 'Remove remembered.tif from the list' }).click();
    await page.goto(`${viewer.url}/demo/v2/`);
    await page.getByText('Files that you open are listed here').waitFor();
  });

  it('opens a dropped path, and says what is wrong with a dropped file', async () => {
    const { page } = viewer;
    const drop = (type: string, text: string) =>
      page.evaluate(
        ([kind, value]) => {
          const transfer = new DataTransfer();
          if (kind === 'file') transfer.items.add(new File(['x'], value));
          else transfer.setData(kind, value);
          // As WebKitGTK: the list of addresses is there, but empty.
          if (kind === 'text/html') transfer.setData('text/uri-list', '');
          document.body.dispatchEvent(
            new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
          );
        },
        [type, text] as const,
      );
    await drop('file', 'scan.oir');
    await alert()
      .getByText(/^scan\.oir: /)
      .waitFor();
    const path = small('drop ped.tif');
    await drop('text/uri-list', `# one\r\nfile://${path.replaceAll(' ', '%20')}\r\n`);
    await page.getByRole('tab', { name: 'drop ped.tif' }).waitFor();
    const link = small('a & b.tif');
    await drop('text/html', `<a href="x">file://${link.replaceAll(' ', '%20').replace('&', '&amp;')}</a>`);
    await page.getByRole('tab', { name: 'a & b.tif' }).waitFor();
  });

  it('selects frames and remembers the selection', async () => {
    const { page } = viewer;
    const frames = [1, 2, 3].map((n) => ({ width: 2, height: 2, samples: Uint16Array.from([n, 10 * n, 0, 0]) }));
    const info = await viewer.openPath(writeTemp(folder, 'frames.tif', writeTiff({ pages: frames })));
    const dim = info.header.dims[1] as string;
    expect(info.header.sizes[dim]).toBe(3);
    await page.locator(`.stack-bar input[name=${dim}]`).fill('3');
    await page.keyboard.press('Tab');
    await page.getByRole('tab', { name: `frames.tif ${dim} 3` }).waitFor();
    await page.getByRole('slider', { name: 'slider' }).first().focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('tab', { name: `frames.tif ${dim} 2` }).waitFor();
    // All planes are read in one session.
    expect(viewer.requests.filter((url) => url.endsWith('/api/v2/open')).length).toBe(1);
    expect(await viewer.sessionStatus(info.sessionId)).toBe(200);
    await page.getByRole('button', { name: 'More ways to open' }).click();
    // As it was opened: at its middle section.
    await page.locator('.app-menu-panel').getByText(`frames.tif ${dim} 2`).waitFor();
  });

  it('shows the last of several choices when an older one arrives late', async () => {
    const { page } = viewer;
    const frames = [1, 2, 3].map((n) => ({ width: 2, height: 2, samples: Uint16Array.of(10 * n, 0, 0, 0) }));
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    let planes = 0;
    await page.route('**/channels/0/window?*', async (route) => {
      const first = !route.request().url().includes('T=') && !route.request().url().includes('Z=');
      planes += 1;
      // The very first plane comes last.
      if (!first) return route.continue();
      const response = await route.fetch();
      await late;
      await route.fulfill({ response }).catch(() => {});
    });
    await page.getByLabel('Path of a file or folder').fill(writeTemp(folder, 'late.tif', writeTiff({ pages: frames })));
    await page.keyboard.press('Enter');
    const field = page.locator('.stack-bar input[type=number]');
    await field.fill('3');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
    release();
    await expect.poll(() => page.locator('.contrast-panel').innerText()).toMatch(/Max\s+30/);
    expect(await page.getByText('Not loaded').count()).toBe(0);
    expect(planes).toBeGreaterThanOrEqual(2);
  });

  it('loads only the chosen channels', async () => {
    const { page } = viewer;
    await viewer.openSample();
    await page.getByText('Channels: 2 of 2 loaded').click();
    const answer = page.waitForResponse('**/api/v2/open');
    await page.getByRole('checkbox', { name: 'Load Calcium' }).uncheck();
    const { channels } = await (await answer).json();
    expect(channels.map(({ name }: { name: string }) => name)).toEqual(['Vessel']);
    await expect.poll(() => page.getByRole('checkbox', { name: 'Load Vessel' }).isDisabled()).toBe(true);
    await expect.poll(() => viewer.images()).toEqual(['Vessel, source image']);
    expect(await page.getByRole('checkbox', { name: 'Load Calcium' }).isChecked()).toBe(false);
  });

  it('shows the progress of a transfer, and keeps loaded channels when it is canceled', async () => {
    const { page } = viewer;
    await page.route('**/channels/0/window?type=native', () => {});
    await page.locator('.app-sample').click();
    // One of the two channels has come.
    await page.getByText('768 kB of 1.54 MB').waitFor();
    expect(await page.getByRole('progressbar', { name: /^Opening/ }).getAttribute('value')).toBe(String(4000 * 96 * 2));
    await page.locator('.app-task').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Not loaded: Calcium').waitFor();
    expect(await page.locator('.app-notice').count()).toBe(0);
    await page.unroute('**/channels/0/window?type=native');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(() => page.getByText('Not loaded: Calcium').count()).toBe(0);
    await expect.poll(() => page.locator('.app-task').count()).toBe(0);
  });

  it('shows the open response, header and session as JSON, and copies them', async () => {
    const { page } = viewer;
    const info = await viewer.openSample();
    await page.getByRole('button', { name: 'Show as JSON' }).click();
    const json = async () => JSON.parse(await page.locator('.app-json').innerText());
    expect(await json()).toEqual(info);
    await page.getByRole('button', { name: 'Header' }).click();
    expect(await json()).toEqual(info.header);
    await page.getByRole('button', { name: 'Session' }).click();
    await expect.poll(async () => (await json())?.totalBytes).toBe(2 * 4000 * 96 * 4);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied').waitFor();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).sessionId).toBe(info.sessionId);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
  });

  it('reads the settings of the microscope when they are shown, and finds them as one types', async () => {
    const { page } = viewer;
    const lens = '<Objective Id="Objective:1" Name="Plan 63x"><LensNA>1.4</LensNA></Objective>';
    const parts = Array.from({ length: 300 }, (_, i) => `<Part${i}>${i}</Part${i}>`).join('');
    const information = `<Information><Instrument><Objectives>${lens}</Objectives></Instrument></Information>`;
    const xml = `<ImageDocument><Metadata>${information}<HardwareSetting>${parts}</HardwareSetting></Metadata></ImageDocument>`;
    const path = writeTemp(folder, 'cell.czi', writeCzi({ ...stack(1, 1), xml }));
    await viewer.openPath(path);
    const asked = () => viewer.requests.filter((url) => url.endsWith('/acquisition?metadata=true')).length;
    expect(asked()).toBe(0);
    const section = page.getByText('Microscope settings');
    await section.click();
    const main = page.getByRole('table', { name: 'Main settings' });
    expect((await main.innerText()).replaceAll('\t', ' ')).toBe('Objective Plan 63x\nNumerical aperture 1.4');
    expect(asked()).toBe(1);
    const list = page.getByRole('region', { name: 'All settings' });
    // The titles of the columns, two paths, and the first settings.
    expect(await list.locator('tr').count()).toBe(1 + 2 + 100);
    await page.getByRole('button', { name: 'Show more (202)' }).click();
    expect(await list.getByRole('row', { name: 'Part299 299' }).count()).toBe(1);
    const search = page.getByLabel('Search names and values');
    await search.fill('lensna OBJECTIVE');
    await page.getByText('1 of 302').waitFor();
    expect(await list.innerText()).toContain('Information › Instrument › Objectives › Objective:1\nLensNA\t1.4');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe('Information/Instrument/Objectives/Objective:1/LensNA\t1.4\n');
    await search.fill('nothing like it');
    await page.getByText('Nothing matches.').waitFor();
    // The file changes before the settings are read again.
    writeFileSync(path, writeCzi({ ...stack(2, 1), xml }));
    await section.click();
    await section.click();
    await alert().getByText('the acquisition changed since it was opened').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('remembers the theme', async () => {
    const { page } = viewer;
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.getByRole('button', { name: /^Theme/ }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });
});
