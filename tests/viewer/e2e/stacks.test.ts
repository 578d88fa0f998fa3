/** Time points and sections in the page as it is shipped, with the real server. */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { CardImage, colorOf, type Display, displayOf, LYING, STORED, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, STEPS, stackFile, stackValue } from '../../support/viewer-stack.js';

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
    await viewer.asStored();
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
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // A text field takes the key.
    const field = await viewer.pathField();
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await press(']');
    expect(await field.inputValue()).toBe(']');
    expect(await number('T').inputValue()).toBe('3');
  });

  it('plays in a loop, stops by the same key, and at the end without loop', async () => {
    const { page } = viewer;
    await (await viewer.stackSetting('select[name=rate]')).selectOption('30');
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
    await (await viewer.stackSetting('input[name=loop]')).uncheck();
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
    await page.getByRole('tab', { name: 'Link and programs' }).click();
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
    let shown = display;
    /** A projection has its own contrast. */
    const project = async (dim: 'T' | 'Z', method: '' | 'max' | 'mean') => {
      await viewer.project(dim, method);
      await page.locator('.app-task').first().waitFor({ state: 'hidden' });
      await steady(page);
      shown = await displayOf(page, 'Calcium');
    };
    const over = (dim: 'T' | 'Z', row: number, column: number) =>
      Array.from({ length: STACK[dim] }, (_, i) =>
        dim === 'Z' ? stackValue(3, i, 0, row, column) : stackValue(i, 1, 0, row, column),
      );
    const expectValue = async (value: number, row: number, column: number) => {
      const wanted = colorOf(value, shown);
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
    await page.getByRole('tab', { name: 'Link and programs' }).click();
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

  /** Opens the stack with marks, as a link does. */
  const openMarks = async (marks: readonly Mark[]) => {
    const { page, url } = viewer;
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks } });
    await page.goto('about:blank');
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(stackFile(folder))}#view=${view}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: 'stack.ome.tif T 1 Z 1' }).waitFor();
    await steady(page);
  };
  const region = (id: string, rows: readonly [number, number], columns: readonly [number, number]): Mark => ({
    id,
    kind: 'region',
    from: { row: rows[0], column: columns[0] },
    to: { row: rows[1], column: columns[1] },
  });
  const savedText = async (act: () => Promise<void>) => {
    const [file] = await Promise.all([viewer.page.waitForEvent('download'), act()]);
    return readFile(await file.path(), 'utf8');
  };

  it('traces the mean of regions over time, with ΔF/F₀ of a chosen baseline', async () => {
    const { page } = viewer;
    const regions = [
      { rows: [10, 14], columns: [8, 12] },
      { rows: [2, 5], columns: [20, 30] },
    ] as const;
    await openMarks(regions.map(({ rows, columns }, i) => region(String(i + 1), rows, columns)));
    await press('}');
    await page.getByRole('button', { name: 'Trace' }).click();
    const strip = page.getByRole('region', { name: 'Traces of the regions' });
    await strip.getByRole('button', { name: 'Overlay' }).click();
    await strip.getByText('Region 2 · Dye').waitFor();
    await strip.getByRole('checkbox', { name: 'ΔF/F₀' }).check();
    const baseline = strip.getByRole('combobox', { name: /^F₀/ });
    expect(await baseline.inputValue()).toBe('percentile');
    expect(await strip.getByLabel('Percentile of the baseline').inputValue()).toBe('20');
    await baseline.selectOption('range');
    await strip.getByLabel('Last time point of the baseline').fill('3');
    await press('Tab');
    await strip.getByText('Region 1 · Calcium ΔF/F₀').waitFor();
    // The section that was chosen after the link was opened.
    await expect.poll(() => strip.locator('.stack-trace-state').innerText(), SLOW).toBe('');
    const text = await savedText(() => strip.getByRole('button', { name: 'Save CSV' }).click());
    const [head = '', ...lines] = text.trim().split('\n');
    expect(head.startsWith('time point,time (s),Region 1 · Calcium,')).toBe(true);
    expect(head).toContain('mean of time point 1 to 3');
    expect(lines.length).toBe(STACK.T);
    const mean = (t: number, c: number, i: 0 | 1) => {
      const { rows, columns } = regions[i];
      const values: number[] = [];
      for (let y = rows[0]; y < rows[1]; y++)
        for (let x = columns[0]; x < columns[1]; x++) values.push(stackValue(t, 1, c, y, x));
      return values.reduce((sum, value) => sum + value) / values.length;
    };
    const f0 = [0, 1, 2].map((t) => Math.fround(mean(t, 0, 0))).reduce((sum, value) => sum + value) / 3;
    for (const t of [0, 3, 7, 13]) {
      const [point, time, first, change, second] = (lines[t] ?? '').split(',').map(Number) as number[];
      expect([point, time]).toEqual([t + 1, t * STEPS.T]);
      expect(first).toBeCloseTo(mean(t, 0, 0), 3);
      expect(change).toBeCloseTo((mean(t, 0, 0) - f0) / f0, 5);
      expect(second).toBeCloseTo(mean(t, 0, 1), 3);
    }
    expect(await complaints(page)).toEqual([]);
  });

  it('has one baseline for traces and the table of marks, and one color for a region', async () => {
    const { page } = viewer;
    await openMarks([region('1', [2, 6], [2, 8]), region('2', [2, 6], [12, 18]), region('3', [12, 18], [12, 20])]);
    await page.getByRole('button', { name: 'Trace' }).click();
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    const strip = page.getByRole('region', { name: 'Traces of the regions' });
    await strip.getByRole('button', { name: 'Overlay' }).click();
    const table = page.getByRole('region', { name: 'Table of marks' });
    const list = page.getByRole('region', { name: 'Regions and lines' });
    const legend = strip.getByRole('listitem').filter({ hasText: 'Region 3 · Calcium' });
    const ground = (swatch: Locator) => swatch.evaluate((element) => getComputedStyle(element).backgroundColor);
    const painted = () =>
      page.locator('.image-card canvas, [data-card] canvas').evaluateAll((all) =>
        all.reduce((count, canvas) => {
          const context = (canvas as HTMLCanvasElement).getContext('2d');
          if (context === null) return count;
          const { data } = context.getImageData(0, 0, context.canvas.width, context.canvas.height);
          let found = 0;
          for (let i = 0; i < data.length; i += 4)
            if (data[i] === 0x3d && data[i + 1] === 0xdc && data[i + 2] === 0x97) found += 1;
          return count + found;
        }, 0),
      );
    const expectColor = async () => {
      await legend.waitFor();
      const row = table.locator('tbody tr', { has: page.locator('[aria-label^="3: "]') });
      const item = list.getByRole('listitem').filter({ hasText: 'Region 3' });
      for (const swatch of [
        legend.locator('.plot-swatch'),
        row.locator('.measure-swatch'),
        item.locator('.measure-swatch'),
      ])
        expect(await ground(swatch)).toBe('rgb(8, 112, 74)');
      await expect.poll(painted).toBeGreaterThan(20);
    };
    await expectColor();
    await list.getByRole('button', { name: 'Remove region 2' }).click();
    await strip.getByText('Region 2 · Calcium').waitFor({ state: 'hidden' });
    await expectColor();
    const marks = await savedText(() => table.getByRole('button', { name: 'Save marks as CSV' }).click());
    const [titles = '', first = '', third = ''] = marks.split('\n');
    const color = titles.split(',').indexOf('color');
    expect([first, third].map((line) => line.split(',')[color])).toEqual(['#5cc8ff', '#3ddc97']);

    const saveTraces = () => savedText(() => strip.getByRole('button', { name: 'Save CSV' }).click());
    expect((await saveTraces()).split('\n')[0]).toMatch(/dF\/F0 \(F0 = [\d.]+, 20th percentile of all time points\)/);
    await strip.getByRole('checkbox', { name: 'ΔF/F₀' }).check();
    await table.getByRole('combobox', { name: /^F₀/ }).selectOption('mark 1');
    expect(await strip.getByRole('combobox', { name: /^F₀/ }).inputValue()).toBe('mark 1');
    expect((await saveTraces()).split('\n')[0]).toContain(', mean of Region 1)');
    const compared = await savedText(() => table.getByRole('button', { name: 'Save marks as CSV' }).click());
    expect(compared.split('\n')[0]).toContain('Calcium ΔF/F₀ (F₀: mean of Region 1)');
  });

  it('opens a kymograph of a line in a tab of its own, calibrated, and again after a reload', async () => {
    const { page } = viewer;
    await openMarks([{ id: '1', kind: 'line', from: { row: 12.5, column: 2.5 }, to: { row: 12.5, column: 28.5 } }]);
    await press('}');
    await viewer.openKymograph();
    const name = 'stack.ome.tif, kymograph of Line 1';
    const expectKymograph = async () => {
      await page.getByRole('tab', { name, selected: true }).waitFor();
      await steady(page);
      const facts = await viewer.facts();
      expect(facts).toContain('Size C 2 × Y 14 × X 27');
      expect(facts).toContain(`Step of Y ${STEPS.T} s`);
      expect(facts).toContain(`Step of X ${STEPS.pixel} µm`);
      const plane = { ...info.plane, axes: [{ step: STEPS.T }, { step: STEPS.pixel }] } as OpenResponse['plane'];
      const kymograph = new CardImage(page, 'Source', '0', plane, LYING);
      for (const [t, k] of [
        [0, 2],
        [3, 8],
        [5, 20],
        [13, 26],
      ] as const) {
        const value = stackValue(t, 1, 0, 12, 2 + k);
        // The range of the contrast is that of the plane before until the picture has its own.
        const expected = async () => String(colorOf(value, await displayOf(page, 'Calcium')));
        await expect
          .poll(async () => String(await kymograph.color(t + 0.5, k + 0.5)) === (await expected()), SLOW)
          .toBe(true);
      }
    };
    await expectKymograph();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Link and programs' }).click();
    expect(await page.locator('.export-program').last().innerText()).toContain('"points":[[12,2],[12,28]]');
    await page.getByRole('tab', { name: 'Numbers' }).click();
    const csv = await savedText(() => page.locator('[data-job=csv]').click());
    const rows = csv
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    // Positions are those of the middles of the samples.
    expect(rows[0]?.slice(0, 3)).toEqual(['time (s) \\ x (um)', String(STEPS.pixel / 2), String(1.5 * STEPS.pixel)]);
    for (let t = 0; t < STACK.T; t++) {
      const values = Array.from({ length: 27 }, (_, k) => stackValue(t, 1, 0, 12, 2 + k));
      expect(rows[t + 1]?.map(Number)).toEqual([(t + 0.5) * STEPS.T, ...values]);
    }
    await press('Escape');
    await page.waitForTimeout(500);
    await page.reload();
    await expectKymograph();
  });
});
