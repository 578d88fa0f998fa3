/**
 * Every state of the page in light and dark colors: nothing that axe-core finds, no target that is too small (WCAG 2.2), and
 * no control that is cut off in narrow or wide windows. A few of the states in `npm test`, all of them in `npm run test:long`.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { cutOff } from '../../support/fits.js';
import { LONG } from '../../support/long.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { stackFile } from '../../support/viewer-stack.js';
import { oirVector } from '../../writers/oir-vector.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the states of the viewer were not tested');

const folder = tempFolder();
const pages = new ViewerPages();

/** One after the other on the same page. Each does what leads to its state from the one before. */
type States = readonly (readonly [name: string, act: (viewer: ViewerPage) => Promise<unknown>])[];

const button = ({ page }: ViewerPage, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const press =
  (key: string) =>
  ({ page }: ViewerPage) =>
    page.keyboard.press(key);
const click = (name: string | RegExp) => (viewer: ViewerPage) => button(viewer, name).first().click();
const open = async (viewer: ViewerPage, path: string) => {
  await viewer.openPath(path);
  await steady(viewer.page);
};
const closeDialog = async ({ page }: ViewerPage) => {
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('dialog').count()).toBe(0);
};
const drawInView = async (viewer: ViewerPage) => {
  for (const kind of ['+ Region', '+ Line']) await button(viewer, kind).click();
};
const lutFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

const smallTiff = () => writeTiff({ pages: [{ width: 16, height: 16, samples: new Uint16Array(256) }] });

/** Drops a file that a page made: it has no place on the disk. */
async function drop(page: Page, name: string, bytes: Uint8Array = new Uint8Array(5000)): Promise<void> {
  const base64 = Buffer.from(bytes).toString('base64');
  await page.evaluate(
    (file) => {
      const data = Uint8Array.from(atob(file.base64), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([data], file.name));
      for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    { name, base64 },
  );
}

const STACK: States = [
  ['a stack', (viewer) => open(viewer, stackFile(folder))],
  [
    'traces with ΔF/F₀',
    async (viewer) => {
      const { page } = viewer;
      await drawInView(viewer);
      await click('Trace')(viewer);
      const strip = page.getByRole('region', { name: 'Traces of the regions' });
      await strip.getByRole('checkbox', { name: 'ΔF/F₀' }).check();
      await strip.getByText('Region 1 · Calcium ΔF/F₀').waitFor();
    },
  ],
  [
    'a row of the table of marks that is being renamed',
    async (viewer) => {
      await click('Marks')(viewer);
      await viewer.page.getByLabel('Name of Region 1').fill('a spark with a rather long name');
    },
  ],
];

const STACK_TOO: States = [
  [
    'the dialog on what the planes are',
    async (viewer) => {
      await click('Planes are…')(viewer);
      await viewer.page.getByLabel('Planes are').selectOption('TZC');
      await viewer.page.getByLabel('Number of sections').fill('5');
    },
  ],
  [
    'a kymograph',
    async (viewer) => {
      await closeDialog(viewer);
      await viewer.page.getByRole('button', { name: 'Go to Line 2' }).click();
      await viewer.openKymograph();
      await viewer.page.getByRole('tab', { name: /kymograph of Line 2/, selected: true }).waitFor();
      await steady(viewer.page);
    },
  ],
  [
    'a projection',
    async (viewer) => {
      await press('Alt+1')(viewer);
      await viewer.project('Z', 'max');
      await viewer.page.getByText('Maximum of 3 sections').waitFor();
      await steady(viewer.page);
    },
  ],
  [
    'a plane that cannot be read',
    async (viewer) => {
      const { page } = viewer;
      await viewer.project('Z', '');
      await page.getByRole('tab', { name: /stack.ome.tif T 1 Z 2/, selected: true }).waitFor();
      await page.route(/\/window\?T=8/, (route) =>
        route.fulfill({
          status: 422,
          json: { ok: false, error: 'decode_failed', message: 'stack.ome.tif: page 7 is corrupted.', details: null },
        }),
      );
      await page.locator('.stack-bar input[name=T]').fill('9');
      await page.keyboard.press('Tab');
      await page.getByText('The image still shows the plane before.').waitFor();
    },
  ],
];

const LINE_SCAN: States = [
  ['the start page', ({ page }) => page.locator('.app-sample').waitFor()],
  ['a line scan', (viewer) => open(viewer, SAMPLE)],
  [
    'a velocity over time',
    async (viewer) => {
      await click('Velocity')(viewer);
      await viewer.page.getByText(/^median /).waitFor();
    },
  ],
  [
    'profiles of a region',
    async (viewer) => {
      await click('Velocity')(viewer);
      await drawInView(viewer);
    },
  ],
  [
    'the settings of a channel, with clipping',
    async ({ page }) => {
      const channel = page.getByRole('button', { name: /^Contrast of / }).first();
      if ((await channel.getAttribute('aria-expanded')) === 'false') await channel.click();
      await page.getByRole('checkbox', { name: 'Clipping' }).check();
    },
  ],
  [
    'a color table file that is refused',
    async ({ page }) => {
      await page.locator('input[type=file][aria-label^="Color table"]').first().setInputFiles(lutFile('a.lut', 'no'));
      await page.locator('.contrast-problem').waitFor();
    },
  ],
  [
    'an added color table',
    async (viewer) => {
      const text = Array.from({ length: 256 }, (_, i) => `${i} ${255 - i} ${i}`).join('\n');
      const input = viewer.page.locator('input[type=file][aria-label^="Color table"]').first();
      await input.setInputFiles(lutFile('my table.lut', text));
      await button(viewer, /^Remove table/).waitFor();
    },
  ],
  [
    'smoothed images',
    async ({ page }) => {
      await page.getByLabel('Smoothing of the images').selectOption('gaussian');
      await page.getByLabel('Standard deviation of the Gaussian in samples').waitFor();
      await steady(page);
    },
  ],
  ['a composite', click(/^Composite/)],
  [
    'a search in the settings of the microscope',
    async ({ page }) => {
      await page.getByText('Microscope settings').click();
      await page.getByLabel('Search names and values').fill('channel');
    },
  ],
  ['the dialog for calibration', click('Calibrate…')],
  [
    'the dialog for calibration with a wrong number',
    async ({ page }) => page.getByLabel('Line period (ms)').fill('a few'),
  ],
  [
    'the dialog for saving',
    async (viewer) => {
      await closeDialog(viewer);
      await click(/^Save…/)(viewer);
      await viewer.page.getByRole('dialog', { name: 'Save and share' }).waitFor();
    },
  ],
  [
    'the dialog for saving with a saved region',
    async (viewer) => {
      const dialog = viewer.page.getByRole('dialog', { name: 'Save and share' });
      await dialog.getByRole('tab', { name: 'Numbers' }).click();
      await dialog.getByLabel('Part').selectOption({ label: 'Region 1' });
      await dialog.getByRole('button', { name: /^NumPy/ }).click();
      await dialog.getByText(/ was saved\./).waitFor();
    },
  ],
  ['the dialog for saving with the images', async ({ page }) => page.getByRole('tab', { name: 'Image' }).click()],
  [
    'the dialog for saving with other programs',
    async ({ page }) => {
      await page.getByRole('tab', { name: 'Link and programs' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save and share' });
      for (const group of await dialog.getByRole('group').all()) await group.getByRole('radio').last().check();
      await page.getByRole('tab', { name: 'Figure' }).click();
    },
  ],
];

const FILES: States = [
  [
    'a reference and several tabs',
    async (viewer) => {
      await open(viewer, SAMPLE);
      const samples = Uint16Array.from({ length: 256 }, (_, i) => i);
      await open(viewer, writeTemp(folder, 'image.tif', writeTiff({ pages: [{ width: 16, height: 16, samples }] })));
      await open(viewer, writeTemp(folder, 'line.oir', oirVector()));
      await viewer.page.getByRole('region', { name: 'Reference image' }).getByRole('application').first().focus();
    },
  ],
  [
    'the dialog for saving a reference',
    async (viewer) => {
      await click(/^Save…/)(viewer);
      await viewer.page.getByRole('dialog', { name: 'Save and share' }).waitFor();
    },
  ],
  [
    'two files side by side',
    async (viewer) => {
      await closeDialog(viewer);
      await press('Alt+s')(viewer);
      await button(viewer, /^Link files/).waitFor();
      await steady(viewer.page);
    },
  ],
  ['two tables of marks side by side', click('Marks')],
  ['the table of sessions', click(/^Server/)],
  [
    'the keys',
    async (viewer) => {
      await closeDialog(viewer);
      await press('F1')(viewer);
      await viewer.page.getByRole('dialog').waitFor();
    },
  ],
  [
    'recent files',
    async (viewer) => {
      await closeDialog(viewer);
      await click('More ways to open')(viewer);
    },
  ],
  [
    'a folder',
    async (viewer) => {
      await press('Escape')(viewer);
      await press('Control+o')(viewer);
      const dialog = viewer.page.getByRole('dialog', { name: 'Open a file' });
      await dialog.getByRole('button', { name: /line\.oir/ }).waitFor();
    },
  ],
  [
    'an error with its details',
    async (viewer) => {
      await closeDialog(viewer);
      await (await viewer.pathField()).fill(join(folder, 'missing.tif'));
      await press('Enter')(viewer);
      await viewer.page.locator('.app-notice-error summary').click();
    },
  ],
  [
    'a message',
    async (viewer) => {
      await open(viewer, writeTemp(tempFolder(), 'the only one.tif', smallTiff()));
      await press('Alt+ArrowDown')(viewer);
      await viewer.page.locator('.app-notice-info').waitFor();
    },
  ],
  [
    'a file that is being sent',
    async (viewer) => {
      const { page } = viewer;
      await page.route('**/api/v2/uploads/*/files/**', () => {});
      await drop(page, 'slow.tif', smallTiff());
      await expect.poll(() => viewer.shownTab()).toContain('slow.tif');
      await click('Save…')(viewer);
      await page.getByRole('tab', { name: 'Link and programs' }).click();
      await page.getByRole('button', { name: 'Send it to the server' }).click();
      await press('Escape')(viewer);
      await page.getByText('Sending slow.tif to the server').waitFor();
    },
  ],
];

const SCENES: Readonly<Record<string, States>> = LONG
  ? { 'a stack': [...STACK, ...STACK_TOO], 'a line scan': LINE_SCAN, 'several files': FILES }
  : { 'a stack': STACK };

describe.runIf(available)('viewer: every state', () => {
  let viewer: ViewerPage;
  beforeAll(() => pages.start(['--upload-budget', '1MB']));
  afterAll(() => pages.close());
  afterEach(() => viewer.page.close());

  const cases = Object.entries(SCENES).flatMap(([name, states]) =>
    (LONG ? (['light', 'dark'] as const) : (['dark'] as const)).map((colors) => [name, colors, states] as const),
  );
  it.each(cases)('of %s in %s colors is accessible, and fits the window', async (_name, colorScheme, states) => {
    viewer = await pages.open('/', { colorScheme, bypassCSP: true, viewport: { width: 1440, height: 900 } });
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await viewer.page.reload();
    const problems: Record<string, string[]> = {};
    for (const [state, act] of states) {
      await act(viewer);
      problems[state] = [...(await complaints(viewer.page)), ...(await cutOff(viewer.page))];
    }
    expect(Object.fromEntries(Object.entries(problems).filter(([, list]) => list.length > 0))).toEqual({});
  });
});
