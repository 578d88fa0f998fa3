import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lutTable } from '../../../packages/viewer/src/luts/luts.ts';
import { HIGH_COLOR, LOW_COLOR } from '../../../packages/viewer/src/model/display.ts';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';
import { nearestRank } from '../analysis/naive.ts';

const SIDE = 16;
/** Every fourth value from 0 to 1020, in no order. */
const SAMPLES = Uint16Array.from({ length: SIDE * SIDE }, (_, at) => ((at * 77) % 256) * 4);

describe.runIf(chromiumPath())('viewer: contrast', () => {
  const pages = new ViewerPages();
  const path = writeTemp(
    tempFolder(),
    'square.tif',
    writeTiff({ pages: [{ width: SIDE, height: SIDE, samples: SAMPLES }] }),
  );
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
  });
  afterEach(() => viewer.end());

  const end = (name: 'Minimum' | 'Maximum', channel: string) =>
    viewer.page.getByRole('slider', { name: `${name} of ${channel}`, exact: true });

  const rangeOf = async (channel: string) => [
    Number(await end('Minimum', channel).getAttribute('aria-valuenow')),
    Number(await end('Maximum', channel).getAttribute('aria-valuenow')),
  ];

  it('starts with the percentiles of each plane', async () => {
    const { channels } = await viewer.openSample();
    for (const { name, dataUrl } of channels) {
      const bytes = await (await fetch(new URL(dataUrl, viewer.url))).arrayBuffer();
      const plane = new Float32Array(bytes).sort();
      const expected = [0.0035, 0.9965].map((fraction) => plane[Math.ceil(fraction * plane.length) - 1]);
      await expect.poll(() => rangeOf(name)).toEqual(expected);
    }
  });

  it('colors each sample by table, range and gamma', async () => {
    const { channels } = await viewer.openPath(path);
    const { page } = viewer;
    const name = channels[0]?.name as string;
    await expect.poll(() => rangeOf(name)).toEqual([nearestRank(SAMPLES, 0.0035), nearestRank(SAMPLES, 0.9965)]);
    for (const [label, text] of [
      [`Minimum value of ${name}`, '200'],
      [`Maximum value of ${name}`, '800'],
      [`Gamma of ${name}`, '2'],
    ] as const) {
      await page.getByLabel(label).fill(text);
      await page.getByLabel(label).press('Enter');
    }
    await page.getByLabel(`Colors of ${name}`).selectOption('viridis');
    await page.getByLabel('Clipping').check();
    const table = lutTable('viridis');
    const expected = [...SAMPLES].map((value) => {
      if (value < 200) return LOW_COLOR.join();
      if (value > 800) return HIGH_COLOR.join();
      const index = Math.round(255 * ((value - 200) / 600) ** 2);
      return table.slice(3 * index, 3 * index + 3).join();
    });
    const shown = () =>
      page.locator('.image-canvas').evaluate((canvas: HTMLCanvasElement, side) => {
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        // Samples are square, and the whole image is in the middle.
        const size = Math.min(canvas.width, canvas.height);
        return Array.from({ length: side * side }, (_, at) => {
          const x = (canvas.width - size) / 2 + (((at % side) + 0.5) / side) * size;
          const y = (canvas.height - size) / 2 + ((Math.floor(at / side) + 0.5) / side) * size;
          return [...context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.slice(0, 3)].join();
        });
      }, SIDE);
    await expect.poll(shown).toEqual(expected);
  });

  it('can be reached and used by keys alone', async () => {
    const { channels } = await viewer.openSample();
    const { page } = viewer;
    const [first, second] = channels.map(({ name }) => name) as [string, string];
    await expect.poll(() => rangeOf(second).then(([min, max]) => (max as number) > (min as number))).toBe(true);
    await page.getByLabel('Log counts').focus();
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element?.textContent;
        return element?.getAttribute('aria-label') ?? label;
      });
    const order: (string | null | undefined)[] = [];
    for (let stop = 0; stop < 13; stop++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual([
      'Lock ranges',
      'Clipping',
      'Smoothing of the images',
      'Line phase in samples: how far every second line is moved',
      'Estimate',
      `Show ${first}`,
      `Colors of ${first}`,
      `Solo: ${first}`,
      `Contrast of ${first}`,
      `Minimum of ${first}`,
      `Maximum of ${first}`,
      `Show ${second}`,
      `Colors of ${second}`,
    ]);
    await end('Maximum', first).focus();
    await page.keyboard.press('End');
    const highest = Number(await end('Maximum', first).getAttribute('aria-valuemax'));
    expect((await rangeOf(first))[1]).toBe(highest);
    await page.getByRole('button', { name: `Solo: ${first}` }).press('Enter');
    await expect.poll(() => page.locator('.image-canvas').count()).toBe(1);
    await page.getByRole('button', { name: `Contrast of ${first}` }).press('Enter');
    await page.getByRole('button', { name: `Apply to all: ${first}` }).press('Enter');
    expect(await rangeOf(second)).toEqual(await rangeOf(first));
  });
});
