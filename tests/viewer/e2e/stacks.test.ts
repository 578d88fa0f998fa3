/** Time points and sections in the page as it is shipped, with the real server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { CardImage, colorOf, type Display, displayOf, STORED, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile, stackValue } from '../../support/viewer-stack.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: stacks in the viewer were not tested');

/** On a loaded machine. */
const SLOW = { timeout: 10_000 };

const folder = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: stacks', () => {
  let viewer: ViewerPage;
  let info: OpenResponse;
  let display: Display;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    info = await viewer.openPath(stackFile(folder));
    await steady(viewer.page);
    display = await displayOf(viewer.page, 'Calcium');
  });
  afterEach(() => viewer.end());

  const press = (key: string) => viewer.page.keyboard.press(key);
  const slider = (name: string) => viewer.page.getByRole('slider', { name: `${name}, slider` });
  const number = (dim: string) => viewer.page.locator(`.stack-bar input[name=${dim}]`);
  const card = (channel = 0) => new CardImage(viewer.page, 'Source', String(channel), info.plane, STORED);
  const expectPlane = async (t: number, z: number, place = [12, 4 + 2 * t] as const) => {
    const [row, column] = place;
    const color = colorOf(stackValue(t, z, 0, row, column), display);
    await expect.poll(() => card().color(row + 0.5, column + 0.5), SLOW).toEqual(color);
  };
  /** Makes each plane late, as a slow disk does. */
  const delayPlanes = (milliseconds: number) =>
    viewer.page.route(/\/window\?/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await route.continue().catch(() => {});
    });

  it('loses no key of a slider, keeps the contrast, and reads every plane in one session', async () => {
    await delayPlanes(60);
    await slider('Time point').focus();
    for (let i = 0; i < 12; i++) await press('ArrowRight');
    // The slider shows what is wanted at once.
    expect(await number('T').inputValue()).toBe('13');
    expect(await slider('Time point').getAttribute('aria-valuetext')).toBe('13 of 14 · 6.0 s');
    await expectPlane(12, 0);
    await viewer.page.getByRole('tab', { name: 'stack.ome.tif T 13 Z 1' }).waitFor();
    await steady(viewer.page);
    expect(await displayOf(viewer.page, 'Calcium')).toEqual(display);
    expect(viewer.requests.filter((url) => url.endsWith('/api/v2/open')).length).toBe(1);
    // Counted again at rest: the largest value of this plane.
    await expect.poll(() => viewer.page.locator('.contrast-panel').innerText(), SLOW).toMatch(/Max\s+1\D?125/);
  });

  it('shows planes while the slider is dragged', async () => {
    const { page } = viewer;
    await delayPlanes(30);
    const box = (await slider('Time point').boundingBox())!;
    const at = (index: number) => box.x + 8 + ((box.width - 16) * index) / (STACK.T - 1);
    await page.mouse.move(at(0), box.y + box.height / 2);
    await page.mouse.down();
    const seen = new Set<string>();
    for (let index = 0; index < STACK.T; index += 0.5) {
      await page.mouse.move(at(index), box.y + box.height / 2);
      seen.add(String(await card().color(2.5, 2.5)));
    }
    expect(seen.size).toBeGreaterThan(3);
    await page.mouse.up();
    await expectPlane(STACK.T - 1, 0, [12, 28]);
  });

  it('steps by keys without a focused control, and lists them in the help', async () => {
    const { page } = viewer;
    for (const key of [']', ']', ']', '[', '}', '}', '{']) await press(key);
    expect([await number('T').inputValue(), await number('Z').inputValue()]).toEqual(['3', '2']);
    await expectPlane(2, 1);
    expect(await slider('Section').getAttribute('aria-valuetext')).toBe('2 of 3 · 2.0 µm');
    // Both channels are of the same plane.
    const dye = await displayOf(page, 'Dye');
    await expect.poll(() => card(1).color(12.5, 8.5)).toEqual(colorOf(stackValue(2, 1, 1, 12, 8), dye));
    await press('F1');
    expect(await page.getByRole('dialog').innerText()).toContain('Show the previous or next time point');
    await press('Escape');
    // A text field takes the key.
    await page.getByLabel('Path of a file or folder').focus();
    await press(']');
    expect(await number('T').inputValue()).toBe('3');
  });

  it('plays in a loop, stops by the same key, and at the end without loop', async () => {
    const { page } = viewer;
    await page.locator('select[name=rate]').selectOption('30');
    await page.mouse.click(5, 5);
    const indices = new Set<string>();
    await press('\\');
    await page.getByRole('button', { name: 'Stop the time points' }).waitFor();
    const started = Date.now();
    let wrapped = false;
    for (let last = 0; !wrapped && Date.now() - started < 20_000; ) {
      const now = Number(await number('T').inputValue());
      wrapped = now < last;
      indices.add(String(now));
      last = now;
    }
    expect(wrapped).toBe(true);
    expect(indices.size).toBeGreaterThan(3);
    await press('\\');
    const stopped = Number(await number('T').inputValue());
    await page.getByRole('button', { name: 'Play the time points' }).waitFor();
    await expectPlane(stopped - 1, 0, [12, Math.min(31, 4 + 2 * (stopped - 1))]);
    await page.getByRole('checkbox', { name: 'Loop' }).uncheck();
    await page.getByRole('button', { name: 'Play the sections' }).click();
    await page.getByRole('button', { name: 'Play the sections' }).waitFor();
    await expect.poll(() => number('Z').inputValue()).toBe('3');
  });

  it('restores the place after a reload, and programs read the shown plane', async () => {
    const { page } = viewer;
    await number('T').fill('6');
    await press('Tab');
    await press('}');
    await expectPlane(5, 1);
    await page.getByRole('button', { name: 'Save…' }).click();
    const program = await page.locator('.export-program').last().innerText();
    expect(program).toContain('"selection": {"T": 5, "Z": 1}'.replaceAll(': ', ':').replaceAll(', ', ','));
    await press('Escape');
    await page.waitForTimeout(500);
    await page.reload();
    await page.getByRole('tab', { name: 'stack.ome.tif T 6 Z 2' }).waitFor();
    expect([await number('T').inputValue(), await number('Z').inputValue()]).toEqual(['6', '2']);
    await expectPlane(5, 1);
  });

  it('projects sections and time points, says so, and returns to the plane', async () => {
    const { page } = viewer;
    await number('T').fill('4');
    await press('Tab');
    await press('}');
    await expectPlane(3, 1);
    const project = async (dim: string, method: string) => {
      await page.locator(`select[name=projection-${dim}]`).selectOption(method);
      await page.locator('.app-task').first().waitFor({ state: 'hidden' });
    };
    const over = (dim: 'T' | 'Z', row: number, column: number) =>
      Array.from({ length: STACK[dim] }, (_, i) =>
        dim === 'Z' ? stackValue(3, i, 0, row, column) : stackValue(i, 1, 0, row, column),
      );
    const expectValue = async (value: number, row: number, column: number) => {
      const wanted = colorOf(value, display);
      await expect.poll(() => card().color(row + 0.5, column + 0.5), SLOW).toEqual(wanted);
    };
    await project('Z', 'max');
    await page.getByText('Maximum of 3 sections').waitFor();
    // Beside the spot of the first section, inside that of the last.
    for (const column of [10, 13, 14, 20]) await expectValue(Math.max(...over('Z', 12, column)), 12, column);
    // The time points go on, and the view is in the address.
    await press(']');
    await expectValue(stackValue(4, 2, 0, 12, 16), 12, 16);
    await page.getByRole('button', { name: 'Save…' }).click();
    expect(await page.locator('.export-program').last().innerText()).toContain('"projection":{"Z":"max"}');
    await press('Escape');
    await page.waitForTimeout(500);
    await page.reload();
    await page.getByText('Maximum of 3 sections').waitFor();
    await expectValue(stackValue(4, 2, 0, 12, 16), 12, 16);
    await press('[');
    await project('Z', '');
    await page.getByRole('tab', { name: 'stack.ome.tif T 4 Z 1' }).waitFor();
    await press('}');
    await project('T', 'mean');
    await page.getByText('Mean of 14 time points').waitFor();
    for (const column of [2, 12, 30]) {
      const values = over('T', 12, column);
      await expectValue(Math.fround(values.reduce((sum, value) => sum + value) / values.length), 12, column);
    }
    await project('T', '');
    await page.getByRole('tab', { name: 'stack.ome.tif T 4 Z 2' }).waitFor();
    await expectPlane(3, 1);
  });

  it('goes on after its session has ended, and says when a plane cannot be read', async () => {
    const { page, url } = viewer;
    await fetch(`${url}/api/v2/sessions/${info.sessionId}`, { method: 'DELETE' });
    await number('T').fill('9');
    await press('Tab');
    await expectPlane(8, 0);
    await page.getByRole('tab', { name: 'stack.ome.tif T 9 Z 1' }).waitFor();
    expect(await page.locator('.app-notice').count()).toBe(0);
    await page.route(/\/window\?T=1&/, (route) =>
      route.fulfill({
        status: 422,
        json: { ok: false, error: 'decode_failed', message: 'stack.ome.tif: page 7 is corrupted.', details: null },
      }),
    );
    await number('T').fill('2');
    await press('Tab');
    await page.getByText('The image still shows the plane before. stack.ome.tif: page 7 is corrupted.').waitFor();
    await page.getByRole('tab', { name: 'stack.ome.tif T 9 Z 1' }).waitFor();
    await page.unroute(/\/window\?T=1&/);
    await page.locator('.stack-failure').getByRole('button', { name: 'Try again' }).click();
    await expectPlane(1, 0);
    expect(await page.locator('.stack-failure').innerText()).toBe('');
  });
});
