/** The contrast of stacks and projections, in the page as it is shipped with the real server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type Display, displayOf, openContrast, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { omeXml } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the contrast of stacks was not tested');

const SIZES = { T: 1, Z: 7, C: 2, Y: 40, X: 50 };
const folder = tempFolder();

/** Cells in the middle sections are ten times as bright as the first section, which has nothing. */
function plane(z: number, c: number): Uint16Array {
  const brightness = [0, 300, 1500, 3000, 1500, 300, 0][z]! / (c + 1);
  return Uint16Array.from({ length: SIZES.Y * SIZES.X }, (_, i) => {
    const [y, x] = [Math.floor(i / SIZES.X), i % SIZES.X];
    const isCell = (x - 10 - 3 * z) ** 2 + (y - 20) ** 2 < 100;
    return 100 + ((7 * i + 5 * z) % 13) + (isCell ? brightness + x : 0);
  });
}

const planes = (c: number) => Array.from({ length: SIZES.Z }, (_, z) => plane(z, c));
const maximum = (c: number) => planes(c).reduce((a, b) => a.map((value, i) => Math.max(value, b[i]!)));
const shareAbove = (samples: Uint16Array, { max }: Display) => samples.filter((v) => v > max).length / samples.length;

function write(name = 'cells'): string {
  const channels = ['Calcium', 'Dye'].map((name, i) => `<Channel ID="Channel:0:${i}" Name="${name}"/>`);
  const image = { sizes: SIZES, pixels: {}, children: [...channels, '<TiffData/>'] };
  const pages = Array.from({ length: SIZES.Z * SIZES.C }, (_, i) => ({
    ...{ width: SIZES.X, height: SIZES.Y, samples: plane(Math.floor(i / SIZES.C), i % SIZES.C) },
  }));
  const bytes = new TextEncoder().encode(`${omeXml({ images: [image] })}\0`);
  const [first, ...rest] = pages;
  return writeTemp(
    folder,
    `${name}.ome.tif`,
    writeTiff({ pages: [{ ...first!, tags: [{ code: 270, type: 2, bytes }] }, ...rest] }),
  );
}

describe.runIf(available)('viewer: contrast of a stack', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.openPath(write());
    await steady(viewer.page);
  });
  afterEach(() => viewer.end());

  const panel = () => viewer.page.locator('.contrast-panel').innerText();
  const button = (name: string) => viewer.page.getByRole('button', { name, exact: true });
  const project = async (method: '' | 'max') => {
    await viewer.project('Z', method);
    await steady(viewer.page);
  };

  it('clips no section more than its own contrast would, and says which planes it is for', async () => {
    for (const [c, name] of ['Calcium', 'Dye'].entries()) {
      const display = await displayOf(viewer.page, name);
      for (const samples of planes(c)) expect(shareAbove(samples, display)).toBeLessThanOrEqual(0.005);
      // Bright enough: no more than a bin above the brightest sample.
      expect(display.max).toBeLessThanOrEqual(Math.max(...maximum(c)));
      expect(display.min).toBeGreaterThanOrEqual(100);
      expect(display.min).toBeLessThanOrEqual(112);
      expect(await panel()).toContain('Auto is for all 7 planes.');
    }
    // Moving to another section changes nothing.
    const before = await displayOf(viewer.page, 'Calcium');
    await viewer.page.keyboard.press('}');
    await viewer.page.keyboard.press('}');
    await steady(viewer.page);
    expect(await displayOf(viewer.page, 'Calcium')).toEqual(before);
  });

  it('is made for one plane, and for the stack again, at a click', async () => {
    const stack = await displayOf(viewer.page, 'Calcium');
    await viewer.asStored();
    // Waits until the plane on screen has been counted: the statistics are still those of the middle section.
    await button('Auto contrast of this plane: Calcium').click();
    const own = await displayOf(viewer.page, 'Calcium');
    // The first section has no cell.
    expect(own.max).toBeLessThan(150);
    await button('Auto contrast: Calcium').click();
    expect(await displayOf(viewer.page, 'Calcium')).toEqual(stack);
  });

  it('stays what the user chose while the planes were counted', async () => {
    const { page } = viewer;
    let go = (): void => undefined;
    const counting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const asked = page.waitForRequest(/\/statistics/);
    await page.route(/\/statistics/, async (route) => {
      await counting;
      await route.continue();
    });
    await viewer.openPath(write('counted later'));
    await asked;
    await openContrast(page, 'Dye');
    await page.getByLabel('Maximum value of Dye', { exact: true }).fill('777');
    await page.keyboard.press('Enter');
    const finished = page.locator('.contrast-panel[aria-busy="false"]').waitFor();
    go();
    await finished;
    expect((await displayOf(page, 'Dye')).max).toBe(777);
    // The other channel, which nobody has touched, has the range of the stack.
    expect((await displayOf(page, 'Calcium')).max).toBeGreaterThan(1500);
  });

  it('is found once, also for a tab that has let its planes go', async () => {
    const { page } = viewer;
    const asked = () => viewer.requests.filter((url) => url.includes('/statistics')).length;
    await displayOf(page, 'Calcium');
    const before = asked();
    expect(before).toBe(SIZES.Z * SIZES.C);
    // No hidden tab may keep planes.
    await page.evaluate(() => localStorage.setItem('acqstore.hiddenTabs', '0'));
    await viewer.openSample();
    await steady(page);
    const planes = () => viewer.requests.filter((url) => url.includes('/window?')).length;
    const read = planes();
    await page.getByRole('tab', { name: /^cells/ }).click();
    await expect.poll(planes).toBeGreaterThan(read);
    await steady(page);
    await page.waitForLoadState('networkidle');
    expect(asked()).toBe(before);
    await displayOf(page, 'Calcium');
    expect(await panel()).toContain('Auto is for all 7 planes.');
  });

  it('is not waited for any more once a projection is shown', async () => {
    const other = await pages.open();
    await other.page.route('**/statistics?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue().catch(() => {});
    });
    await other.openPath(write());
    const busy = other.page.locator('.contrast-panel[aria-busy="true"]');
    await busy.waitFor();
    await other.project('Z', 'max');
    await busy.waitFor({ state: 'detached', timeout: 8_000 });
    await other.end();
  });

  it('is another one for a projection, and what it was for single sections afterwards', async () => {
    await displayOf(viewer.page, 'Calcium');
    await viewer.page.getByLabel('Maximum value of Calcium', { exact: true }).fill('777');
    await viewer.page.keyboard.press('Enter');
    const chosen = await displayOf(viewer.page, 'Calcium');
    await project('max');
    const projected = await displayOf(viewer.page, 'Calcium');
    expect(shareAbove(maximum(0), projected)).toBeLessThanOrEqual(0.005);
    expect(projected.max).toBeGreaterThan(2000);
    // The largest of seven values of noise is above the noise of one section, for which 100 is right.
    expect(projected.min).toBeGreaterThan(104);
    expect(await button('Auto contrast of this plane: Calcium').count()).toBe(0);
    await project('');
    expect(await displayOf(viewer.page, 'Calcium')).toEqual(chosen);
  });
});
