/** How much of the window the pictures get, in the page as it is shipped: 1280 × 800 with the sidebar. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { omeTiff, withReferences } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the composition of the viewer was not tested');

const SIZE = { width: 1280, height: 800 };
const folder = tempFolder();

/** Planes of one spot each, which is at another place in every plane. */
function stack(name: string, sizes: { T: number; Z: number; C: number }, side: number): string {
  const count = sizes.T * sizes.Z * sizes.C;
  const pages = Array.from({ length: count }, (_, n) => ({
    width: side,
    height: side,
    samples: Uint16Array.from({ length: side * side }, (_v, i) => (i % (n + 3) === 0 ? 900 : 100 + (i % 7))),
  }));
  const names = ['DAPI', 'GFAP-488', 'Synapsin-647'].slice(0, sizes.C);
  const channels = names.map((channel, i) => `<Channel ID="Channel:0:${i}" Name="${channel}"/>`);
  const pixels = { PhysicalSizeX: 0.5, PhysicalSizeXUnit: 'µm', PhysicalSizeY: 0.5, PhysicalSizeYUnit: 'µm' };
  const image = { sizes: { ...sizes, Y: side, X: side }, pixels, children: [...channels, '<TiffData/>'] };
  return omeTiff(folder, name, pages, image);
}

/** Shares of the window in percent: the stage, and the pixels of all pictures in it. */
function shares(page: Page): Promise<{ stage: number; pictures: number }> {
  return page.evaluate(() => {
    const percent = (area: number) => (100 * area) / (innerWidth * innerHeight);
    const area = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width * height;
    };
    /** The part of a canvas that the image covers: all of it, or that with its shape. */
    const covered = (canvas: HTMLCanvasElement) => {
      const { width, height } = canvas.getBoundingClientRect();
      return document.querySelector('.stack-bar') ? Math.min(width, height) ** 2 : width * height;
    };
    const stage = document.querySelector('[data-part=stage]')!;
    const canvases = [...stage.querySelectorAll<HTMLCanvasElement>('.image-canvas, .channel-card canvas')];
    const large = canvases.filter((one) => !one.matches('.contrast-strip'));
    return { stage: percent(area(stage)), pictures: percent(large.reduce((sum, one) => sum + covered(one), 0)) };
  });
}

/** Boxes of everything that must not move. */
function boxes(page: Page): Promise<string> {
  return page.evaluate(() => {
    const parts = '.image-canvas, .image-captions, [data-part], .app-side, .plot-frame, .measure-heading, .image-tool';
    return [...document.querySelectorAll(parts)]
      .map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [one.className, x, y, width, height].join(' ');
      })
      .join('\n');
  });
}

function diff(before: string, after: string): string[] {
  const lines = before.split('\n');
  return after.split('\n').filter((line, i) => line !== lines[i]);
}

describe.runIf(available)('viewer: composition', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open('/', { viewport: SIZE });
  });
  afterEach(() => viewer.end());

  const open = async (path: string) => {
    await viewer.openPath(path);
    await steady(viewer.page);
  };
  const press = (name: string) => viewer.page.getByRole('button', { name, exact: true }).click();
  const toolbar = () =>
    viewer.page.locator('[data-part=toolbar]').evaluate((one) => ({
      height: one.getBoundingClientRect().height,
      hidden: one.scrollWidth - one.clientWidth,
    }));
  const isPressed = (name: string) =>
    viewer.page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');

  it('gives a line scan with both strips and its reference the room, and one time axis', async () => {
    const { page } = viewer;
    await open(withReferences(folder)[0]![1]);
    await press('Velocity');
    await steady(page);
    // The beginning of the summary, which has the median, is legible.
    const said = page.locator('.measure-summary').first();
    const [shown, whole] = await said.evaluate((one) => [one.clientWidth, one.scrollWidth] as const);
    expect(shown).toBeGreaterThanOrEqual(Math.min(whole, 120));
    const { stage, pictures } = await shares(page);
    expect(stage).toBeGreaterThanOrEqual(70);
    expect(pictures).toBeGreaterThanOrEqual(38);
    expect(await toolbar()).toEqual({ height: 36, hidden: 0 });
    // The strips lie below the pictures with the same left edge and width, and the axis is the last of all.
    const lanes = await page.evaluate(() => {
      const box = (one: Element) => one.getBoundingClientRect();
      const canvas = box(document.querySelector('.image-canvas')!);
      const plots = [...document.querySelectorAll('.measure-strip .u-over')].map(box);
      const axis = box(document.querySelector('.measure-axis')!);
      return {
        apart: plots.map(({ left, width }) => Math.max(Math.abs(left - canvas.left), Math.abs(width - canvas.width))),
        axes: document.querySelectorAll('.measure-axis').length,
        below: plots.every(({ bottom }) => bottom <= axis.top + 1),
      };
    });
    expect(lanes.axes).toBe(1);
    expect(lanes.below).toBe(true);
    for (const pixels of lanes.apart) expect(pixels).toBeLessThanOrEqual(0.5);
    // The reference is in the sidebar, or in the place of the strips.
    const reference = page.getByRole('region', { name: 'Reference image' });
    expect(await reference.evaluate((one) => one.closest('.app-side') !== null)).toBe(true);
    await page.keyboard.press('Alt+r');
    await expect.poll(() => reference.evaluate((one) => one.closest('[data-part=stage]') !== null)).toBe(true);
    expect(await page.locator('.measure-strip').count()).toBe(0);
    await page.keyboard.press('Alt+r');
    expect(await complaints(page)).toEqual([]);
    // Traces along the lines lie below the same samples, too.
    await page.getByRole('button', { name: '+ Region' }).click();
    await press('Trace');
    const plot = page.locator('.stack-traces .u-over');
    await plot.waitFor();
    const [above, below] = [await page.locator('.image-canvas').first().boundingBox(), await plot.boundingBox()];
    expect(Math.abs(above!.x - below!.x)).toBeLessThanOrEqual(0.5);
    expect(Math.abs(above!.width - below!.width)).toBeLessThanOrEqual(0.5);
    // A reload keeps the reference where it is; a plot that is asked for takes its place.
    await page.keyboard.press('Alt+r');
    await page.reload();
    await steady(page);
    await expect.poll(() => page.locator('.app-pictures .image-pane').count()).toBe(2);
    await press('Velocity');
    await page.getByRole('region', { name: 'Velocity over time' }).waitFor();
    expect(await page.locator('.app-pictures .image-pane').count()).toBe(1);
  });

  it('does not move anything when the pointer comes to a picture, a button or a strip', async () => {
    const { page } = viewer;
    await open(withReferences(folder)[0]![1]);
    expect(await isPressed('Profile')).toBe('true');
    const before = await boxes(page);
    const box = (await page.locator('.image-canvas').first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await page.locator('.plot-cursor').first().waitFor();
    expect(diff(before, await boxes(page))).toEqual([]);
    for (const tool of await page.locator('.image-tool').all()) await tool.hover();
    expect(diff(before, await boxes(page))).toEqual([]);
  });

  it('opens fluorescence as a composite of the middle section, beside its channels', async () => {
    const { page } = viewer;
    await open(stack('cells.ome.tif', { T: 1, Z: 6, C: 3 }, 96));
    expect(await viewer.images()).toEqual(['DAPI + GFAP-488 + Synapsin-647, source image']);
    expect(await page.locator('.stack-bar input[name=Z]').inputValue()).toBe('4');
    expect(await viewer.shownTab()).toContain('Z 4');
    // One session was opened for it.
    expect(viewer.requests.filter((url) => url.endsWith('/api/v2/open'))).toHaveLength(1);
    const { stage, pictures } = await shares(page);
    expect(stage).toBeGreaterThanOrEqual(70);
    expect(pictures).toBeGreaterThanOrEqual(45);
    const slider = (await page.getByRole('slider', { name: 'Section, slider' }).boundingBox())!;
    expect(slider.width).toBeGreaterThanOrEqual(600);
    // A click on a card shows its channel alone; the others stay to be chosen.
    const card = page.getByRole('button', { name: 'Only GFAP-488' });
    await card.click();
    await expect.poll(() => viewer.images()).toEqual(['GFAP-488, source image']);
    expect(await card.getAttribute('aria-pressed')).toBe('true');
    expect(await complaints(page)).toEqual([]);
    await card.click();
    await page.locator('.channel-card').first().getByRole('checkbox', { name: 'Show DAPI' }).uncheck();
    await expect.poll(() => viewer.images()).toEqual(['GFAP-488 + Synapsin-647, source image']);
    expect(await complaints(page)).toEqual([]);
  });

  it('writes the names of channels whole above narrow pictures', async () => {
    const { page } = viewer;
    await open(stack('named.ome.tif', { T: 1, Z: 6, C: 3 }, 96));
    for (const layout of ['Channels', 'Orthogonal']) {
      await page.getByRole('button', { name: layout, exact: true }).click();
      const names = page.locator('.image-caption-name');
      await expect.poll(() => names.allTextContents()).toEqual(['DAPI', 'GFAP-488', 'Synapsin-647']);
      const isWhole = (all: Element[]) => all.every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
      await expect.poll(() => names.evaluateAll(isWhole)).toBe(true);
    }
  });

  it('puts the traces beside a square picture, which stays large', async () => {
    const { page } = viewer;
    await open(stack('field.ome.tif', { T: 5, Z: 1, C: 1 }, 96));
    const box = (await page.locator('.image-canvas').first().boundingBox())!;
    await page.keyboard.press('r');
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.4 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height, { steps: 3 });
    await page.mouse.up();
    await press('Trace');
    await page.locator('.stack-traces .u-over').waitFor();
    const { stage, pictures } = await shares(page);
    expect(stage).toBeGreaterThanOrEqual(70);
    expect(pictures).toBeGreaterThanOrEqual(37);
    const { left, right } = await page.evaluate(() => {
      const edge = (one: string) => document.querySelector(one)!.getBoundingClientRect();
      return { left: edge('.stack-traces').left, right: edge('.image-canvas').right };
    });
    expect(left).toBeGreaterThanOrEqual(right);
    expect(await toolbar()).toEqual({ height: 36, hidden: 0 });
  });

  it('has a slider for time points and one for sections, side by side', async () => {
    const { page } = viewer;
    await open(stack('both.ome.tif', { T: 3, Z: 4, C: 2 }, 32));
    for (const name of ['Time point', 'Section']) {
      const box = (await page.getByRole('slider', { name: `${name}, slider` }).boundingBox())!;
      expect(box.width).toBeGreaterThanOrEqual(230);
    }
    expect((await shares(page)).stage).toBeGreaterThanOrEqual(70);
  });

  it('folds the sidebar to a strip, and keeps the width that was dragged', async () => {
    const { page } = viewer;
    await open(stack('fold.ome.tif', { T: 1, Z: 1, C: 1 }, 32));
    const edge = page.getByRole('separator', { name: 'Edge of the sidebar' });
    const width = () => page.locator('.app-side').evaluate((one) => one.getBoundingClientRect().width);
    expect(await width()).toBe(220);
    const { x, y, width: wide } = (await edge.boundingBox())!;
    await page.mouse.move(x + wide / 2, y + 200);
    await page.mouse.down();
    await page.mouse.move(980, y + 200, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(300);
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(280);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.app-side').count()).toBe(0);
    expect((await shares(page)).stage).toBeGreaterThanOrEqual(84);
    await edge.click();
    await expect.poll(width).toBe(280);
    await page.reload();
    await expect.poll(width).toBe(280);
  });

  it('has the switches of the view in a menu, by pointer and by keys', async () => {
    const { page } = viewer;
    await open(stack('menu.ome.tif', { T: 1, Z: 1, C: 2 }, 32));
    const view = page.getByRole('button', { name: 'View', exact: true });
    await page.locator('[role=application]').first().focus();
    await page.keyboard.press('v');
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('.image-menu-word')?.textContent);
    await expect.poll(focused).toBe('Transpose');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Flip');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('menuitemcheckbox', { name: 'Flip' }).getAttribute('aria-checked')).toBe('true');
    expect(await complaints(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    // A key in the picture opened it, and there the focus returns.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('application');
    await view.focus();
    // The whole toolbar is one stop: from its last button, Tab leaves it.
    await page.keyboard.press('End');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save…');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('[role=toolbar]'))).toBe(null);
    // The other shape of a line is behind its arrow, and the button keeps the one that was used last.
    await press('Shapes: line');
    await page.getByRole('menuitemradio', { name: 'Polyline' }).click();
    expect(await isPressed('Polyline')).toBe('true');
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  it('names the tools beside their icons where there is room, and by tooltips elsewhere', async () => {
    const { page } = viewer;
    await open(withReferences(folder)[0]![1]);
    const words = () => page.locator('.image-tool-word:visible').allInnerTexts();
    expect(await words()).toEqual(expect.arrayContaining(['Zoom', 'Region', 'Composite', 'View', 'Velocity', 'Marks']));
    for (const width of [1200, 1000, 700]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await toolbar()).hidden).toBe(0);
    }
    expect(await words()).toEqual([]);
    expect(await page.getByRole('button', { name: 'Zoom', exact: true }).getAttribute('title')).toMatch(
      /^Zoom: .*\(B\)$/,
    );
  });

  it('tells of the recording before the file', async () => {
    const { page } = viewer;
    await open(withReferences(folder)[0]![1]);
    const names = await page.locator('.app-section:last-of-type .app-facts th').allTextContents();
    const [recording, file] = [names.indexOf('Duration'), names.indexOf('Format')];
    expect(recording).toBeGreaterThanOrEqual(0);
    expect(file).toBeGreaterThan(recording);
  });

  it('gives the picture a key when what had the focus is gone', async () => {
    const { page } = viewer;
    await open(stack('keys.ome.tif', { T: 1, Z: 1, C: 2 }, 32));
    await page.reload();
    await steady(page);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    await page.keyboard.press('c');
    await expect.poll(() => viewer.images()).toEqual(['DAPI, source image', 'GFAP-488, source image']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('application');
    // A click on a button of the toolbar does not take the keys away.
    await press('Marks');
    await page.keyboard.press('l');
    await expect.poll(() => isPressed('Line')).toBe('true');
    // Without a cursor, a mark begins in the middle of the view; undo takes all of it back.
    for (const key of ['r', 'Enter', 'Shift+ArrowRight', 'Shift+ArrowDown', 'Enter']) await page.keyboard.press(key);
    const region = page.getByRole('button', { name: /^Region 1/ }).first();
    await region.waitFor();
    await page.keyboard.press('z');
    await expect.poll(() => region.count()).toBe(0);
  });

  it('fits a phone, where one finger moves the image and a long press reads it', async () => {
    const phone = await pages.open('/', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const { page } = phone;
    for (const path of [withReferences(folder)[0]![1], stack('phone.ome.tif', { T: 1, Z: 6, C: 3 }, 96)]) {
      await phone.openPath(path);
      await steady(page);
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      await page.setViewportSize({ width: 390, height: 844 });
    }
    const slider = (await page.getByRole('slider', { name: 'Section, slider' }).boundingBox())!;
    expect(slider.width).toBeGreaterThanOrEqual(270);
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: [number, number][]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const box = (await page.locator('.image-canvas').first().boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const extent = () => page.locator('.image-extent').first().textContent();
    const readout = () => page.locator('.image-readout').innerText();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const zoomed = await extent();
    await touch('touchStart', [[x, y]]);
    await touch('touchMove', [[x - 40, y]]);
    await touch('touchEnd', []);
    await expect.poll(extent).not.toBe(zoomed);
    const moved = await extent();
    await touch('touchStart', [[x, y]]);
    await expect.poll(readout).toMatch(/^y \d+ · x \d+/);
    const first = await readout();
    await touch('touchMove', [[x + 30, y]]);
    await expect.poll(readout).not.toBe(first);
    const read = await readout();
    await touch('touchEnd', []);
    expect(await readout()).toBe(read);
    expect(await extent()).toBe(moved);
    expect(await page.getByRole('menu').count()).toBe(0);
    await phone.end();
  });

  it.each(['light', 'dark'] as const)('has the accent of /docs, in %s colors', async (colorScheme) => {
    const other = await pages.open('/', { colorScheme });
    const color = (selector: string, property: 'color' | 'backgroundColor') =>
      other.page
        .locator(selector)
        .first()
        .evaluate((one, name) => getComputedStyle(one)[name], property);
    const accent = await color('button.primary', 'backgroundColor');
    await other.page.goto(`${other.url}/docs`);
    await other.page.locator('nav a').first().waitFor();
    expect(await color('main a', 'color')).toBe(accent);
    await other.end();
  });
});
