/** Twenty open acquisitions in the assembled page at 1280 × 800: tabs, their list, and their order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const COUNT = 20;
const nameOf = (n: number) => `mouse12_session_of_2026-11_scan_${String(n).padStart(4, '0')}.tif`;
const small = (name: string, value: number) =>
  writeTemp(folder, name, writeTiff({ pages: [{ width: 2, height: 2, samples: Uint8Array.of(value, 2, 3, 4) }] }));

describe.runIf(available)('viewer: many open files', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    await viewer.page.locator('.app-sample').waitFor();
    for (let n = 1; n <= COUNT; n++) await viewer.openPath(small(nameOf(n), n));
  }, 240_000);
  afterAll(async () => {
    await viewer?.end();
    await pages.close();
  });

  const list = () => viewer.page.getByRole('listbox', { name: 'Open acquisitions' });
  const find = async (text: string) => {
    await viewer.page.keyboard.press('Alt+KeyA');
    await viewer.page.getByRole('searchbox', { name: 'Find an open acquisition' }).fill(text);
  };
  /** Boxes of the tabs and of their strip. */
  const boxes = () =>
    viewer.page.locator('.app-tabs').evaluate((strip) => {
      const { left, right } = strip.getBoundingClientRect();
      const tabs = [...strip.querySelectorAll('.app-tab')].map((tab) => {
        const box = tab.getBoundingClientRect();
        const isShown = tab.getAttribute('data-selected') === 'true';
        return { isShown, isWhole: box.left >= left - 1 && box.right <= right + 1, width: box.width };
      });
      return { tabs, width: right - left };
    });
  const expectShownWhole = () =>
    expect.poll(async () => (await boxes()).tabs.filter(({ isShown }) => isShown)).toMatchObject([{ isWhole: true }]);

  it('keeps the shown tab in view, names legible and the strip wide', async () => {
    const { tabs, width } = await boxes();
    expect(tabs).toHaveLength(COUNT);
    for (const tab of tabs) expect(tab.width).toBeGreaterThanOrEqual(tab.isShown ? 176 : 144);
    expect(width).toBeGreaterThan(700);
    for (const key of ['Home', 'End', 'ArrowLeft']) {
      await viewer.page.getByRole('tab', { selected: true }).focus();
      await viewer.page.keyboard.press(key);
      await expectShownWhole();
    }
    await viewer.page.keyboard.press('Alt+Digit5');
    await expect.poll(() => viewer.shownTab()).toBe(nameOf(5));
    await expectShownWhole();
    // The end of a name tells one scan from another.
    const tail = viewer.page.locator('.app-tab[data-selected="true"] .app-tab-name > :last-child');
    expect(await tail.innerText()).toBe('_0005.tif');
    expect(await tail.evaluate((one) => one.scrollWidth <= one.clientWidth + 1)).toBe(true);
    await viewer.page.setViewportSize({ width: 900, height: 800 });
    await expectShownWhole();
    await viewer.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('finds an acquisition by its name, shows it by Enter, and closes one by Delete', async () => {
    await find('scan_001');
    await expect.poll(() => list().getByRole('option').count()).toBe(10);
    expect(await viewer.page.getByRole('status').getByText('10 of 20').count()).toBe(1);
    expect(await list().getByRole('option', { selected: true }).innerText()).toContain(nameOf(10));
    await viewer.page.keyboard.press('ArrowUp');
    expect(await list().getByRole('option', { selected: true }).innerText()).toContain(nameOf(19));
    await viewer.page.keyboard.press('ArrowDown');
    await viewer.page.keyboard.press('ArrowDown');
    await viewer.page.keyboard.press('Enter');
    await expect.poll(() => viewer.shownTab()).toBe(nameOf(11));
    await expectShownWhole();
    expect(await list().count()).toBe(0);
    await find('no such scan');
    await viewer.page.getByText('No open file is called “no such scan”.').waitFor();
    await viewer.page.getByRole('searchbox').fill('0020');
    await viewer.page.keyboard.press('Delete');
    await expect.poll(() => viewer.page.getByRole('tab').count()).toBe(COUNT - 1);
    await viewer.page.keyboard.press('Escape');
    expect(
      await viewer.page.getByRole('button', { name: '19 open' }).evaluate((b) => b === document.activeElement),
    ).toBe(true);
  });

  it('closes a tab by the middle button', async () => {
    await viewer.page.keyboard.press('Alt+Digit1');
    await viewer.page.getByRole('tab', { name: nameOf(2) }).click({ button: 'middle' });
    await expect.poll(() => viewer.tabNames()).not.toContain(nameOf(2));
    expect(await viewer.shownTab()).toBe(nameOf(1));
  });

  it('puts tabs into another order by dragging and by keys, and keeps it', async () => {
    const { page } = viewer;
    const middle = async (n: number) => {
      const box = (await page.getByRole('tab', { name: nameOf(n) }).boundingBox())!;
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    await page.keyboard.press('Alt+Digit1');
    await expectShownWhole();
    await page.mouse.move(...(await middle(1)));
    await page.mouse.down();
    const [x, y] = await middle(4);
    await page.mouse.move(x - 20, y, { steps: 4 });
    await page.mouse.move(x + 20, y, { steps: 4 });
    await page.mouse.up();
    const order = async () => (await viewer.tabNames()).slice(0, 4);
    await expect.poll(order).toEqual([3, 4, 1, 5].map(nameOf));
    expect(await viewer.shownTab()).toBe(nameOf(1));
    await page.keyboard.press('Alt+Shift+PageUp');
    await expect.poll(order).toEqual([3, 1, 4, 5].map(nameOf));
    // Escape takes a drag back.
    await page.mouse.move(...(await middle(1)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(5)), { steps: 6 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await expect.poll(order).toEqual([3, 1, 4, 5].map(nameOf));
    // The address has its view, which is written some time after a change.
    await page.waitForTimeout(600);
    await page.reload();
    await expect.poll(order, { timeout: 30_000 }).toEqual([3, 1, 4, 5].map(nameOf));
    await expectShownWhole();
  });
});
