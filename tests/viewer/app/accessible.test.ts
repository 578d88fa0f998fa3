import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { LONG } from '../../support/long.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { oirVector } from '../../writers/oir-vector.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: accessibility of the viewer was not tested');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = tempFolder();

interface AxeResults {
  violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
  passes: unknown[];
}

/** What breaks WCAG 2.2 A and AA, or good practice, as text. */
async function breaches(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  expect(passes.length).toBeGreaterThan(10);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

describe.runIf(available)('viewer: accessible', () => {
  const pages = new ViewerPages();
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  const squares = Array.from({ length: 3 }, (_, c) => ({
    width: 16,
    height: 16,
    samples: Uint16Array.from({ length: 256 }, (_v, i) => (i * (c + 3)) % 97),
  }));

  async function states(viewer: ViewerPage): Promise<Record<string, string[]>> {
    const { page } = viewer;
    const found: Record<string, string[]> = {};
    const look = async (name: string) => {
      found[name] = await breaches(page);
    };
    await page.locator('.app-sample').waitFor();
    await look('start');
    await page.goto(`${viewer.url}/demo/v2/?path=/data/scan.oir`);
    await page.getByRole('button', { name: 'Open this file' }).waitFor();
    await page.locator('.app-sample').waitFor();
    await look('file named by the address');
    await page.goto(`${viewer.url}/demo/v2/`);
    await viewer.openSample();
    await page.locator('[role=application] canvas').first().hover();
    await look('kymograph');
    await page.getByRole('button', { name: /^Composite/ }).click();
    await look('composite');
    await viewer.openPath(writeTemp(folder, 'frames.tif', writeTiff({ pages: squares })));
    await look('image with frames');
    await viewer.openPath(writeTemp(folder, 'line.oir', oirVector()));
    await look('with reference, several tabs');
    await page.getByLabel('Path of a file or folder').fill('/no/such/file.tif');
    await page.keyboard.press('Enter');
    await page.locator('.app-notice-error').waitFor();
    await look('error');
    await page.getByRole('button', { name: 'Recent' }).click();
    await look('menu');
    await page.keyboard.press('Escape');
    for (const [name, open] of [
      ['help', () => page.keyboard.press('F1')],
      ['server', () => page.getByRole('button', { name: 'Server' }).click()],
      ['json', () => page.getByRole('button', { name: 'All of it as JSON' }).click()],
    ] as const) {
      await open();
      await page.locator('dialog').waitFor();
      await look(name);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
    }
    return found;
  }

  it.each(LONG ? (['light', 'dark'] as const) : (['dark'] as const))(
    'in %s colors, in every state',
    async (colorScheme) => {
      // The page allows no foreign script: the test brings one.
      const viewer = await pages.open('/', { colorScheme, bypassCSP: true });
      const found = await states(viewer);
      expect(Object.keys(found)).toHaveLength(11);
      for (const [state, list] of Object.entries(found)) expect(list, state).toEqual([]);
      await viewer.end();
    },
  );

  it('by keys alone: opens, moves to the image, reads a sample, closes', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    await page.locator('.app-sample').waitFor();
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: here, body } = document;
        return here === body ? '' : `${here?.getAttribute('aria-label') ?? ''} ${here?.textContent ?? ''}`;
      });
    const tabTo = async (wanted: RegExp) => {
      for (let i = 0; i < 80; i++) {
        if (wanted.test(await focused())) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`never reached ${wanted}`);
    };
    await tabTo(/Sample:/);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    await tabTo(/Calcium, source image/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => page.locator('footer').innerText()).toMatch(/Calcium\s+\d+/);
    // No trap: the focus goes on.
    await tabTo(/All of it as JSON/);
    await page.keyboard.press('Alt+w');
    await page.getByRole('heading', { name: 'Open an acquisition' }).waitFor();
    await viewer.end();
  });

  it('fits small and large windows without scrolling sideways', async () => {
    for (const [width, height] of [
      [640, 360],
      ...(LONG
        ? ([
            [1280, 720],
            [3840, 2160],
          ] as const)
        : []),
    ] as const) {
      const viewer = await pages.open('/', { viewport: { width, height } });
      const wide = () => viewer.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      await viewer.page.locator('.app-sample').waitFor();
      expect(await wide(), `start at ${width}`).toBeLessThanOrEqual(0);
      await viewer.openSample();
      expect(await wide(), `sample at ${width}`).toBeLessThanOrEqual(0);
      const samples = Uint8Array.of(1, 2, 3, 4);
      for (const name of ['a', 'b', 'c', 'd', 'e'].map((one) => `a rather long name of a file ${one}.tif`)) {
        await viewer.openPath(writeTemp(folder, name, writeTiff({ pages: [{ width: 2, height: 2, samples }] })));
      }
      expect(await wide(), `tabs at ${width}`).toBeLessThanOrEqual(0);
      expect(await viewer.page.getByLabel('Path of a file or folder').inputValue()).toBe('');
      await viewer.end();
    }
  });
});
