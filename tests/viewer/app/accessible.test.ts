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
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  // Only violations are described in full; each passed rule is still listed, with one element.
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      resultTypes: ['violations'],
    }),
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
    const problems: Record<string, string[]> = {};
    const look = async (name: string) => {
      problems[name] = await breaches(page);
    };
    await page.locator('.app-sample').waitFor();
    await look('start');
    await page.goto(`${viewer.url}/demo/v2/?path=/data/scan.oir`);
    await page.getByRole('button', { name: 'Open this file' }).waitFor();
    await page.locator('.app-sample').waitFor();
    await look('file in the address');
    await page.goto(`${viewer.url}/demo/v2/`);
    await viewer.openSample();
    await page.locator('[role=application] canvas').first().hover();
    await look('kymograph');
    await page.getByText('Microscope settings').click();
    await page.getByLabel('Search names and values').fill('channel');
    await look('microscope settings');
    await page.getByRole('button', { name: 'Velocity', exact: true }).click();
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    for (const kind of ['+ Region', '+ Line']) await page.getByRole('button', { name: kind }).click();
    await page.getByText(/^median /).waitFor();
    await look('velocity and table of marks');
    await page.getByRole('button', { name: 'Velocity', exact: true }).click();
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    await page.getByRole('button', { name: /^Composite/ }).click();
    await look('composite');
    await viewer.openPath(writeTemp(folder, 'frames.tif', writeTiff({ pages: squares })));
    await look('image with frames');
    await viewer.openPath(writeTemp(folder, 'line.oir', oirVector()));
    await look('with reference, several tabs');
    await (await viewer.pathField()).fill('/no/such/file.tif');
    await page.keyboard.press('Enter');
    await page.locator('.app-notice-error').waitFor();
    await look('error');
    await viewer.pathField();
    await look('ways to open');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+KeyA');
    await page.getByRole('searchbox', { name: 'Find an open acquisition' }).waitFor();
    await look('list of open acquisitions');
    await page.keyboard.press('Escape');
    for (const [name, open] of [
      ['help', () => page.keyboard.press('F1')],
      ['server', () => page.getByRole('button', { name: 'Server' }).click()],
      ['calibrate', () => page.getByRole('button', { name: 'Calibrate…' }).click()],
      ['json', () => page.getByRole('button', { name: 'Show as JSON' }).click()],
    ] as const) {
      await open();
      await page.locator('dialog').waitFor();
      await look(name);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
    }
    return problems;
  }

  it.each(LONG ? (['light', 'dark'] as const) : (['dark'] as const))(
    'has no problem that axe finds in %s colors in any state',
    async (colorScheme) => {
      // The page allows no foreign script: the test brings one.
      const viewer = await pages.open('/', { colorScheme, bypassCSP: true });
      const problems = await states(viewer);
      expect(Object.keys(problems)).toHaveLength(15);
      for (const [state, list] of Object.entries(problems)) expect(list, state).toEqual([]);
      await viewer.end();
    },
  );

  it('works by keys alone: opens, moves to the image, reads a sample, closes', async () => {
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
    await tabTo(/Open the sample:/);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    await tabTo(/Calcium, source image/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => page.locator('footer').innerText()).toMatch(/Calcium\s+\d+/);
    // No trap: the focus goes on.
    await tabTo(/^ Details$/);
    await page.keyboard.press('ArrowDown');
    await tabTo(/Show as JSON/);
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
      expect(await (await viewer.pathField()).inputValue()).toBe('');
      await viewer.end();
    }
  });
});
