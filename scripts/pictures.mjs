// Makes the pictures of README.md and docs/viewer.md: drives Chromium against a real server with the sample.
// Run it after `npm run build`: node scripts/pictures.mjs [name ...]
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SIZE = { width: 1280, height: 760 };

/**
 * What each picture shows, and the part of the page that it consists of.
 *
 * @type {Record<string, { file: string, clip?: string, size?: typeof SIZE, take(page: import('playwright-core').Page, sample: string, copy: string): Promise<void> }>}
 */
const PICTURES = {
  page: {
    file: 'docs/demo.png',
    size: { width: 1440, height: 900 },
    async take(page, sample) {
      await open(page, sample);
      await page.getByRole('button', { name: 'Profile', exact: true }).click();
      await drag(page, [0.4, 0.5], [0.6, 0.5], 1);
      await drawRegion(page, [0.16, 0.32], [0.4, 0.08]);
      await page.getByRole('button', { name: 'Velocity', exact: true }).click();
      const velocity = page.getByRole('region', { name: 'Velocity over time' });
      await velocity.getByLabel('Channel').selectOption('Vessel');
      await page.getByRole('button', { name: 'Marks', exact: true }).click();
      await steady(page);
      await drawLine(page, [0.185, 0.72], [0.235, 0.24]);
      await drawLine(page, [0.362, 0.7], [0.425, 0.18]);
      await drawLine(page, [0.752, 0.68], [0.818, 0.2]);
      await name(page, 'Region 1', 'calcium transient');
      await name(page, 'Line 2', 'red cell');
      // The velocity of the whole scan, not of the region.
      await page.getByRole('button', { name: 'Go to red cell' }).click();
      await velocity.getByText(/^median [^0]/).waitFor({ timeout: 120_000 });
      await point(page, 0.25, 0.2);
    },
  },
  zoom: {
    file: 'docs/viewer-zoom.png',
    clip: '.app-images',
    async take(page, sample) {
      await open(page, sample);
      await drag(page, [0.34, 0.5], [0.62, 0.5]);
      await point(page, 0.4, 0.14);
    },
  },
  contrast: {
    file: 'docs/viewer-contrast.png',
    clip: '.app-side',
    async take(page, sample) {
      await open(page, sample);
    },
  },
  marks: {
    file: 'docs/viewer-marks.png',
    async take(page, sample) {
      await open(page, sample);
      await drag(page, [0.4, 0.5], [0.6, 0.5], 1);
      // Along three of the dark stripes.
      await drawLine(page, [0.185, 0.72], [0.235, 0.24]);
      await drawLine(page, [0.362, 0.7], [0.425, 0.18]);
      await drawLine(page, [0.752, 0.68], [0.818, 0.2]);
      await point(page, 0.1, 0.9);
    },
  },
  figure: {
    file: 'docs/viewer-figure.png',
    async take(page, sample) {
      await open(page, sample);
      await drag(page, [0.4, 0.5], [0.6, 0.5], 1);
      await page.getByRole('button', { name: 'Save…' }).click();
      await page.locator('.figure-paper img').waitFor();
    },
  },
  menu: {
    file: 'docs/viewer-menu.png',
    clip: '.app-images',
    async take(page, sample) {
      await open(page, sample);
      await drag(page, [0.4, 0.5], [0.6, 0.5], 1);
      await drawLine(page, [0.362, 0.7], [0.425, 0.18]);
      const [x, y] = await at(page, [0.3935, 0.44]);
      await page.mouse.click(x, y, { button: 'right' });
      await page.getByRole('menu').waitFor();
    },
  },
  beside: {
    file: 'docs/viewer-side-by-side.png',
    async take(page, sample, copy) {
      await open(page, copy);
      await open(page, sample);
      await page.keyboard.press('Alt+s');
      await page.locator('.app-column').first().waitFor();
      await page.getByRole('button', { name: 'Sidebar' }).click();
      await steady(page);
      await drag(page, [0.2, 0.5], [0.6, 0.5]);
      await point(page, 0.5, 0.2);
    },
  },
};

/**
 * @param {import('playwright-core').Page} page
 * @param {string} path
 */
async function open(page, path) {
  // The field is on the first page, and below the bar while an acquisition is shown.
  await page.keyboard.press('Alt+KeyP');
  await page.getByLabel('Path of a file or folder').first().fill(path);
  await page.keyboard.press('Enter');
  const name = path.split(/[\\/]/).at(-1) ?? path;
  await page.getByRole('tab', { selected: true, name }).waitFor();
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await steady(page);
}

/**
 * Waits until everything is loaded, counted and drawn.
 * @param {import('playwright-core').Page} page
 */
async function steady(page) {
  await page.locator('.app-task').first().waitFor({ state: 'hidden' });
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(1500);
}

/**
 * Page coordinates of fractions of an image, the last by default.
 * @param {import('playwright-core').Page} page
 * @param {[number, number]} fractions
 * @returns {Promise<[number, number]>}
 */
async function at(page, [x, y], card = -1) {
  const images = page.locator('.image-canvas');
  const box = await (card < 0 ? images.last() : images.nth(card)).boundingBox();
  if (!box) throw new Error('the image is not on screen');
  return [box.x + x * box.width, box.y + y * box.height];
}

/**
 * @param {import('playwright-core').Page} page
 * @param {number} x
 * @param {number} y
 */
async function point(page, x, y) {
  await page.mouse.move(...(await at(page, [x, y], 0)));
  await page.waitForTimeout(500);
}

/**
 * @param {import('playwright-core').Page} page
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
async function drag(page, from, to, card = 0) {
  const [start, end] = [await at(page, from, card), await at(page, to, card)];
  await page.mouse.move(...start);
  await page.mouse.down();
  await page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2);
  await page.mouse.move(...end);
  await page.mouse.up();
  await page.waitForTimeout(1500);
}

/**
 * Draws a line on the last image, which shows the vessel.
 * @param {import('playwright-core').Page} page
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
async function drawLine(page, from, to) {
  await page.locator('.image-stage').last().focus();
  await page.keyboard.press('l');
  await drag(page, from, to, (await page.locator('.image-canvas').count()) - 1);
  await page.keyboard.press('b');
}

/**
 * Draws a region on the first image.
 * @param {import('playwright-core').Page} page
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
async function drawRegion(page, from, to) {
  await page.locator('.image-stage').first().focus();
  await page.keyboard.press('r');
  await drag(page, from, to);
  await page.keyboard.press('b');
}

/**
 * Renames a mark in the table.
 * @param {import('playwright-core').Page} page
 * @param {string} mark
 * @param {string} text
 */
async function name(page, mark, text) {
  await page.getByLabel(`Name of ${mark}`).fill(text);
  await page.keyboard.press('Enter');
}

/**
 * Starts a server on a free port. Its state is kept out of the user's folders.
 * @param {string} folder
 */
async function serve(folder) {
  const env = { ...process.env, XDG_STATE_HOME: folder, DISPLAY: '', WAYLAND_DISPLAY: '' };
  const child = spawn(
    process.execPath,
    [join(root, 'packages/server/dist/cli/main.js'), 'serve', '--port', '0', '--log-level', 'warn'],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const match = /Viewer\s+(http:\S+)\/demo\/v2\//.exec(text);
      if (match) resolve(match[1]);
    });
    child.once('exit', () => reject(new Error(`the server did not start: ${text}`)));
  });
  return { url, stop: () => child.kill() };
}

const folder = mkdtempSync(join(tmpdir(), 'acqstore-pictures-'));
const { url, stop } = await serve(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--font-render-hinting=none', '--force-color-profile=srgb'],
});
try {
  const { examples } = await (await fetch(`${url}/api/v2/examples`)).json();
  const sample = examples[0].path;
  const copy = join(folder, 'vessel-kymograph-2.ome.tif');
  copyFileSync(sample, copy);
  const wanted = process.argv.slice(2);
  for (const [scene, { file, clip, size, take }] of Object.entries(PICTURES)) {
    if (wanted.length > 0 && !wanted.includes(scene)) continue;
    const page = await browser.newPage({ viewport: size ?? SIZE, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(`${url}/demo/v2/`);
    await take(page, sample, copy);
    const part = clip === undefined ? page : page.locator(clip).first();
    await part.screenshot({ path: join(root, file), animations: 'disabled' });
    await page.close();
    console.log(file);
  }
} finally {
  await browser.close();
  stop();
  rmSync(folder, { recursive: true, force: true });
}
