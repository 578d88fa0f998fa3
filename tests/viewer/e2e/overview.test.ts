/** The overview bar below the time axis of a line scan, in the page as it is shipped. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { frames, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the overview bar was not tested');

describe.runIf(available)('viewer: the overview bar of a line scan', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
  });
  afterEach(() => viewer.end());

  const bar = () => viewer.page.getByRole('slider', { name: 'Shown part of the recording' });
  const box = async () => (await bar().boundingBox())!;
  /** Left and right end of the window on the bar, as shares of it. */
  const shown = () =>
    bar().evaluate((one) => {
      const whole = one.getBoundingClientRect();
      const part = one.querySelector('.measure-overview-shown')!.getBoundingClientRect();
      return [(part.left - whole.left) / whole.width, (part.right - whole.left) / whole.width] as const;
    });
  /** What the picture says that it shows of the time axis, in seconds. */
  const extent = async () => {
    const text = await viewer.page.locator('.image-extent').first().innerText();
    const [, unit, from, to] = /^time \((m?s)\) ([\d.,]+) to ([\d.,]+);/.exec(text)!;
    return [from, to].map((end) => Number(end!.replaceAll(',', '')) * (unit === 'ms' ? 1e-3 : 1));
  };
  const drag = async (from: number, to: number) => {
    const { x, y, width, height } = await box();
    const { mouse } = viewer.page;
    await mouse.move(x + from * width, y + height / 2);
    await mouse.down();
    await mouse.move(x + ((from + to) / 2) * width, y + height / 2);
    await mouse.move(x + to * width, y + height / 2);
    await mouse.up();
    await frames(viewer.page);
  };
  const isShown = async (from: number, to: number) => {
    await frames(viewer.page);
    const pixel = 1 / (await box()).width;
    const [left, right] = await shown();
    expect(
      [Math.abs(left - from), Math.abs(right - to)].every((off) => off <= 1.5 * pixel),
      `${left} ${right}`,
    ).toBe(true);
  };

  it('shows the whole recording, and moves and zooms by its window, the wheel and keys', async () => {
    const { page } = viewer;
    await viewer.openSample();
    await steady(page);
    const [, end] = (await extent()) as [number, number];
    const { x, y, width, height } = await box();
    const [picture, axis] = await Promise.all(
      ['.image-canvas', '.measure-axis'].map((part) => page.locator(part).first().boundingBox()),
    );
    expect([x, width]).toEqual([picture!.x, picture!.width]);
    expect(y).toBe(axis!.y + axis!.height);
    expect(height).toBe(24);
    await isShown(0, 1);
    // The edges zoom, the window moves, and the picture follows.
    await drag(0.998, 0.498);
    await drag(0, 0.25);
    await isShown(0.25, 0.5);
    await drag(0.4, 0.6);
    await isShown(0.45, 0.7);
    const pixel = end / width;
    const [from, to] = (await extent()) as [number, number];
    expect(Math.abs(from - 0.45 * end)).toBeLessThan(1.5 * pixel);
    expect(Math.abs(to - 0.7 * end)).toBeLessThan(1.5 * pixel);
    // A drag is one step of undo, however long it takes.
    await page.locator('.image-stage').first().focus();
    await page.keyboard.press('z');
    await isShown(0.25, 0.5);
    // A press beside the window brings it there, and goes on as a drag.
    await drag(0.8, 0.7);
    await isShown(0.575, 0.825);
    // The window stays within the recording.
    await drag(0.7, 2);
    await isShown(0.75, 1);
    await page.mouse.move(x + 0.75 * width, y + 12);
    await page.mouse.wheel(0, -100);
    await expect.poll(async () => (await shown())[1]).toBeLessThan(0.98);
    await isShown(0.75, 0.75 + 0.25 / 1.2);
    await page.mouse.dblclick(x + 0.8 * width, y + 12);
    await isShown(0, 1);
    // The same by keys; the words are those of the picture.
    await bar().focus();
    for (const key of ['+', 'Shift+ArrowRight', 'Home']) await page.keyboard.press(key);
    await isShown(0, 1 / 2.25);
    await page.keyboard.press('ArrowRight');
    await isShown(0.1 / 2.25, 1.1 / 2.25);
    const words = await bar().getAttribute('aria-valuetext');
    expect(words).toMatch(/^[\d.]+ to [\d.]+ m?s of [\d.]+ m?s$/);
    await page.keyboard.press('End');
    await isShown(1 - 1 / 2.25, 1);
    await page.keyboard.press('0');
    await isShown(0, 1);
    expect(await complaints(page)).toEqual([]);
  });

  it('is there without strips, and only where time runs to the right', async () => {
    const { page } = viewer;
    await viewer.openSample();
    await page.getByRole('button', { name: 'Profile', exact: true }).click();
    expect(await page.locator('.measure-strip').count()).toBe(0);
    await bar().waitFor();
    await page.locator('.image-stage').first().focus();
    await page.keyboard.press('t');
    await bar().waitFor({ state: 'detached' });
  });
});
