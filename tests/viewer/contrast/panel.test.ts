import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HIGH_COLOR, LOW_COLOR, NAN_COLOR } from '../../../packages/viewer/src/model/display.ts';
import { chromiumPath, launchBrowser } from '../../support/browser.ts';
import { openContrast } from '../../support/viewer-image.js';
import { nearestRank } from '../analysis/naive.ts';
import { type HarnessWindow, openHarness, type ShowOptions } from './harness.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** 12-bit counts, few of them bright. */
const FIRST = Array.from({ length: 5000 }, (_, at) => Math.floor(((at * 7919) % 20_011) ** 2 / 100_000));
const SECOND = Array.from({ length: 5000 }, (_, at) => Math.sin(at) * 2 + (at % 1000 === 0 ? 10 : 0));
SECOND[7] = Number.NaN;

let browser: Browser;
let page: Page;
const errors: string[] = [];

const display = (channel: number) =>
  page.evaluate((at) => (globalThis as unknown as HarnessWindow).harness.display(at), channel);

/** Shows planes, with the panel of the first channel open. */
async function show(planes: number[][], options: ShowOptions = {}) {
  await page.evaluate(([all, more]) => (globalThis as unknown as HarnessWindow).harness.show(all, more), [
    planes,
    options,
  ] as const);
  await openContrast(page, 'Channel 1');
}

const handle = (end: 'Minimum' | 'Maximum', channel = 1) =>
  page.getByRole('slider', { name: `${end} of Channel ${channel}`, exact: true });

const plot = (channel = 1) => page.locator('.contrast-plot').nth(channel - 1);

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error('not on screen');
  return box;
}

async function drag(from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

/** Middle of a handle. */
async function grip(end: 'Minimum' | 'Maximum', channel = 1) {
  const { x, y, width, height } = await boxOf(handle(end, channel));
  return { x: x + width / 2, y: y + height / 2 };
}

if (!chromiumPath()) console.warn('NO CHROMIUM: the contrast panel was not tested in a browser');

describe.runIf(chromiumPath())('the contrast panel', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 400, height: 1000 } });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await openHarness(page);
  });
  beforeEach(() => show([FIRST, SECOND]));
  afterAll(async () => {
    await browser?.close();
    expect(errors).toEqual([]);
  });

  it('has one row per channel, and all settings of the one that is open', async () => {
    await show([FIRST, SECOND, FIRST, SECOND]);
    const fields = () => page.getByLabel(/^Minimum value of/).evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(await fields()).toEqual(['Minimum value of Channel 1']);
    await page.getByRole('button', { name: 'Contrast of Channel 3' }).click();
    expect(await fields()).toEqual(['Minimum value of Channel 3']);
    await page.getByRole('button', { name: 'Contrast of Channel 3' }).click();
    expect(await fields()).toEqual([]);
    const rows = await page.locator('.contrast-channel').all();
    const [first, last] = [await boxOf(rows[0] as Locator), await boxOf(rows[3] as Locator)];
    expect(last.y + last.height - first.y).toBeLessThanOrEqual(200);
    for (const target of await page.locator('.contrast-head :is(button, input, select)').all()) {
      const { width, height } = await boxOf(target);
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    expect(await plot().evaluate((element) => element.getBoundingClientRect().height)).toBe(24);
  });

  it('sets the range and the colors of a row', async () => {
    const { x, width, y, height } = await boxOf(plot(2));
    await drag(await grip('Maximum', 2), { x: x + width / 2, y: y + height / 2 });
    const { max } = await display(1);
    expect((await grip('Maximum', 2)).x).toBeCloseTo(x + width / 2, 0);
    await handle('Maximum', 2).press('ArrowLeft');
    expect((await display(1)).max).toBeLessThan(max);
    await page.getByLabel('Colors of Channel 2').selectOption('fire');
    expect((await display(1)).lut).toBe('fire');
    // The wheel belongs to the side bar.
    const before = await page.locator('.contrast-outline').nth(1).getAttribute('d');
    await page.mouse.move(x + width / 2, y + 10);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(50);
    expect(await page.locator('.contrast-outline').nth(1).getAttribute('d')).toBe(before);
  });

  it('starts at the percentiles of the plane', async () => {
    const { min, max } = await display(0);
    expect([min, max]).toEqual([nearestRank(FIRST, 0.0035), nearestRank(FIRST, 0.9965)]);
    expect(await page.getByLabel('Minimum value of Channel 1').inputValue()).toBe(String(min));
    expect(await handle('Maximum').getAttribute('aria-valuenow')).toBe(String(max));
  });

  it('sets an end to the value under the pointer', async () => {
    const { x, width, y, height } = await boxOf(plot());
    const start = await grip('Minimum');
    await drag(start, { x: x + width * 0.25, y: y + height / 2 });
    const highest = Math.max(...FIRST);
    const expected = -0.5 + 0.25 * (highest + 1);
    const { min, max } = await display(0);
    expect(Math.abs(min - expected)).toBeLessThanOrEqual(0.5 + (highest + 1) / width / 2);
    expect(Number.isInteger(min)).toBe(true);
    expect(max).toBe(nearestRank(FIRST, 0.9965));
    expect((await grip('Minimum')).x).toBeCloseTo(x + width * 0.25, 0);
  });

  it('moves both ends by a drag between them, and cancels on Escape', async () => {
    await page.getByLabel('Minimum value of Channel 1').fill('1000');
    await page.getByLabel('Maximum value of Channel 1').fill('2000');
    await page.keyboard.press('Enter');
    const { x, width } = await boxOf(plot());
    const from = await grip('Minimum');
    const to = await grip('Maximum');
    const middle = { x: (from.x + to.x) / 2, y: from.y };
    await drag(middle, { x: middle.x + 40, y: middle.y });
    const { min, max } = await display(0);
    expect(max - min).toBe(1000);
    const perPixel = (Math.max(...FIRST) + 1) / width;
    expect(Math.abs(min - 1000 - 40 * perPixel)).toBeLessThanOrEqual(1);
    await page.mouse.move(middle.x + 40, middle.y);
    await page.mouse.down();
    await page.mouse.move(x + 5, middle.y);
    expect((await display(0)).min).toBeLessThan(min);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await display(0)).toMatchObject({ min, max });
  });

  it('can be used by keys', async () => {
    await handle('Minimum').focus();
    const { min, max } = await display(0);
    await page.keyboard.press('ArrowRight');
    // 4,000 values are shown: a step is 20.
    expect((await display(0)).min).toBe(min + 20);
    await page.keyboard.press('Shift+ArrowRight');
    expect((await display(0)).min).toBe(min + 220);
    await page.keyboard.press('Home');
    expect((await display(0)).min).toBe(0);
    await page.keyboard.press('End');
    expect(await display(0)).toMatchObject({ min: max - 20, max });
    await page.keyboard.press('a');
    expect(await display(0)).toMatchObject({ min, max });
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    expect((await display(0)).max).toBe(Math.max(...FIRST));
  });

  it('accepts typed numbers and rejects other text', async () => {
    const field = page.getByLabel('Maximum value of Channel 1');
    await field.fill('1e5');
    await field.press('Enter');
    expect((await display(0)).max).toBe(100_000);
    await field.fill('many');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.press('Enter');
    expect((await display(0)).max).toBe(100_000);
    expect(await field.inputValue()).toBe('100000');
  });

  it('sets the full range, resets it and applies it to all', async () => {
    await page.getByRole('button', { name: 'Full range: Channel 1' }).click();
    expect(await display(0)).toMatchObject({ min: 0, max: Math.max(...FIRST) });
    await page.getByLabel('Gamma of Channel 1').fill('0.5');
    await page.getByLabel('Gamma of Channel 1').press('Enter');
    await page.getByRole('button', { name: 'Apply to all: Channel 1' }).click();
    expect(await display(1)).toMatchObject({ min: 0, max: Math.max(...FIRST), gamma: 0.5, lut: 'magenta' });
    await openContrast(page, 'Channel 2');
    await page.getByRole('button', { name: 'Reset contrast: Channel 2' }).click();
    expect((await display(1)).gamma).toBe(1);
    expect((await display(1)).max).toBeLessThan(3);
  });

  it('moves the ranges of all channels together while they are locked', async () => {
    await page.getByLabel('Lock ranges').check();
    await openContrast(page, 'Channel 2');
    await page.getByLabel('Minimum value of Channel 2').fill('-3');
    await page.keyboard.press('Enter');
    const [first, second] = [await display(0), await display(1)];
    expect([first.min, first.max]).toEqual([second.min, second.max]);
    expect(first.min).toBe(-3);
  });

  it('has logarithmic steps of gamma that include 1', async () => {
    const slider = page.getByLabel('Gamma slider of Channel 1');
    await slider.focus();
    await page.keyboard.press('End');
    expect((await display(0)).gamma).toBe(5);
    await page.keyboard.press('Home');
    expect((await display(0)).gamma).toBe(0.2);
    for (let step = 0; step < 20; step++) await page.keyboard.press('ArrowRight');
    expect((await display(0)).gamma).toBe(1);
  });

  it('draws counts or their logarithms as heights of the bars', async () => {
    // 900, 90 and 9 samples of three values.
    await show([[...Array(900).fill(0), ...Array(90).fill(1), ...Array(9).fill(2)]]);
    const heights = async () => {
      const path = (await page.locator('.contrast-outline').getAttribute('d')) as string;
      const { height } = await boxOf(plot());
      const bottom = height - 7;
      return [...path.matchAll(/V([\d.]+)H/g)].map(([, top]) => (bottom - Number(top)) / (bottom - 2));
    };
    const close = (expected: number[]) =>
      expect.poll(heights).toEqual(expected.map((height) => expect.closeTo(height, 2)));
    await close([1, Math.log(91) / Math.log(901), Math.log(10) / Math.log(901)]);
    await page.getByLabel('Log counts').uncheck();
    await close([1, 0.1, 0.015]);
    await page.getByLabel('Log counts').check();
  });

  it('paints bars and color bar in the colors of the table', async () => {
    await show([[...Array(10).fill(0), ...Array(10).fill(1), ...Array(10).fill(2)]]);
    await page.getByLabel('Colors of Channel 1').selectOption('viridis');
    await page.getByLabel('Gamma of Channel 1').fill('2');
    await page.getByLabel('Gamma of Channel 1').press('Enter');
    const shades = () =>
      page.evaluate(() => {
        const { lutTable } = (globalThis as unknown as HarnessWindow).harness;
        const canvas = document.querySelector('.contrast-shades') as HTMLCanvasElement;
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        const at = (x: number, y: number) => [
          ...context.getImageData(Math.floor(x * canvas.width), y, 1, 1).data.slice(0, 3),
        ];
        const table = lutTable('viridis');
        const shade = (index: number) => [...table.slice(3 * index, 3 * index + 3)];
        // Range 0 to 2, gamma 2: the value 1 is a quarter of the way, index 64; the ends are the ends.
        return [
          [at(1 / 6, 20), at(0.5, 20), at(5 / 6, 20), at(0.01, canvas.height - 2), at(0.99, canvas.height - 2)],
          [shade(0), shade(64), shade(255), shade(0), shade(255)],
        ];
      });
    await expect
      .poll(() => shades().then(([shown, expected]) => JSON.stringify(shown) === JSON.stringify(expected)))
      .toBe(true);
  });

  it('shows each sample of the image in the color of its table', async () => {
    const plane = Array.from({ length: 64 }, (_, at) => at * 10);
    plane[9] = Number.NaN;
    await show([plane], { columns: 8, image: true });
    const choose = async (label: string, text: string) => {
      await page.getByLabel(label).fill(text);
      await page.getByLabel(label).press('Enter');
    };
    await choose('Minimum value of Channel 1', '100');
    await choose('Maximum value of Channel 1', '500');
    await choose('Gamma of Channel 1', '0.5');
    await page.getByLabel('Colors of Channel 1').selectOption('inferno');
    await page.getByLabel('Invert Channel 1').check();
    await page.getByLabel('Clipping').check();
    const colors = () =>
      page.evaluate(() => {
        const view = (globalThis as unknown as HarnessWindow).harness.view('0') as {
          x: number;
          y: number;
          width: number;
          height: number;
        };
        const canvas = document.querySelector('.image-canvas') as HTMLCanvasElement;
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        return Array.from({ length: 64 }, (_, at) => {
          const x = (((at % 8) + 0.5 - view.x) / view.width) * canvas.width;
          const y = ((Math.floor(at / 8) + 0.5 - view.y) / view.height) * canvas.height;
          return [...context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.slice(0, 3)].join();
        });
      });
    const table = await page.evaluate(() => [...(globalThis as unknown as HarnessWindow).harness.lutTable('inferno')]);
    const expected = plane.map((value) => {
      if (Number.isNaN(value)) return NAN_COLOR.join();
      if (value < 100) return LOW_COLOR.join();
      if (value > 500) return HIGH_COLOR.join();
      const index = 255 - Math.round(255 * Math.sqrt((value - 100) / 400));
      return table.slice(3 * index, 3 * index + 3).join();
    });
    await expect.poll(colors).toEqual(expected);
  });

  it('zooms its axis with the wheel, to the range, and back', async () => {
    const path = () => page.locator('.contrast-outline').first().getAttribute('d');
    const whole = await path();
    const { x, y, width } = await boxOf(plot());
    await page.mouse.move(x + width / 2, y + 20);
    await page.mouse.wheel(0, -300);
    await expect.poll(path).not.toBe(whole);
    await page.mouse.wheel(0, 3000);
    await page.mouse.wheel(0, 3000);
    await expect.poll(path).toBe(whole);
    await page.mouse.wheel(0, -300);
    await expect.poll(path).not.toBe(whole);
    await page.getByRole('button', { name: 'Show all values: Channel 1' }).click();
    await expect.poll(path).toBe(whole);
    await page.getByLabel('Minimum value of Channel 1').fill('1000');
    await page.getByLabel('Maximum value of Channel 1').fill('1100');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Zoom to range: Channel 1' }).click();
    await expect.poll(async () => (await grip('Minimum')).x - x).toBeCloseTo((0.15 / 1.3) * width, 0);
  });

  it('shows only one channel after Alt + click or Solo', async () => {
    await page
      .locator('.contrast-eye')
      .nth(1)
      .click({ modifiers: ['Alt'] });
    expect([(await display(0)).visible, (await display(1)).visible]).toEqual([false, true]);
    await page.getByRole('button', { name: 'Solo: Channel 2' }).click();
    expect([(await display(0)).visible, (await display(1)).visible]).toEqual([true, true]);
    await page.getByLabel('Show Channel 1', { exact: true }).uncheck();
    expect((await display(0)).visible).toBe(false);
  });

  it('shows how many samples are clipped or not finite', async () => {
    await openContrast(page, 'Channel 2');
    const facts = page.locator('.contrast-facts');
    expect(await facts.innerText()).toMatch(/NaN or infinite\s+1$/);
    // The API divides by n.
    const finite = SECOND.filter(Number.isFinite);
    const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
    const deviation = Math.sqrt(finite.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (finite.length - 1));
    const shown = await facts.getByTitle('Standard deviation with n − 1, as in ImageJ').innerText();
    expect(Number(shown.replace(/^SD\s+/, ''))).toBeCloseTo(deviation, 3);
    await page.getByLabel('Maximum value of Channel 2').fill('5');
    await page.keyboard.press('Enter');
    const above = SECOND.filter((value) => value > 5).length;
    const part = Number(((100 * above) / 4999).toPrecision(2));
    await expect.poll(() => facts.innerText()).toMatch(new RegExp(`Above max\\s+${part} %`));
  });

  it('marks clipped samples, and shows opacity only in a composite', async () => {
    await page.getByLabel('Clipping').check();
    const state = () =>
      page.evaluate(
        () => (globalThis as unknown as HarnessWindow).harness.document.pane.value.pixelMarks.value.clipping,
      );
    expect(await state()).toBe(true);
    const composite = (value: boolean) =>
      page.evaluate((on) => {
        (globalThis as unknown as HarnessWindow).harness.document.pane.value.composite.value = on;
      }, value);
    const opacity = page.getByLabel('Opacity of Channel 1 in the composite');
    await composite(false);
    expect(await opacity.count()).toBe(0);
    await composite(true);
    await opacity.fill('40');
    expect((await display(0)).opacity).toBe(0.4);
  });

  it('shows the channels of the active pane', async () => {
    await show([FIRST, SECOND], { reference: [1, 2, 3] });
    await page.getByRole('button', { name: 'Reference' }).click();
    await expect.poll(() => page.locator('.contrast-channel').count()).toBe(1);
    expect(await page.getByLabel('Lock ranges').count()).toBe(0);
  });

  it.each(['light', 'dark'])('has no problem that axe finds in the %s theme', async (theme) => {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    await page.evaluate(AXE);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${theme}.png` });
    const faults = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(faults).toEqual([]);
  });
});
