import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Rect } from '../../../packages/viewer/src/model/geometry.ts';
import { chromiumPath } from '../../support/browser.js';
import { HarnessSite } from './harness-site.js';
import type { Harness, HarnessPlane } from './harness-types.ts';

declare const harness: Harness;

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the image cards were not tested in a browser');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** 4000 lines of 40 pixels: 4 s and 20 µm. */
const KYMOGRAPH: HarnessPlane = {
  shape: [4000, 40],
  y: [0.001, 'seconds'],
  x: [0.5, 'micrometer'],
  channels: ['Calcium', 'Vessel'],
};
const SQUARE: HarnessPlane = {
  shape: [64, 64],
  y: [0.25, 'micrometer'],
  x: [0.25, 'micrometer'],
  channels: ['Reference'],
};
const HOME: Rect = { x: 0, y: 0, width: 4000, height: 40 };

/** The sample that the harness puts at a place: see `fill`. */
const sample = (line: number, pixel: number, channel = 0) => 10_000 * channel + ((line * 40 + pixel) % 4096);

describe.runIf(available)('image cards', () => {
  const site = new HarnessSite();
  let page: Page;
  let complaints: string[];
  let common: { page: Page; complaints: string[] };

  beforeAll(async () => {
    await site.start();
    common = await site.page();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page, complaints } = common);
    await page.mouse.move(0, 0);
    await show(KYMOGRAPH, SQUARE);
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    if (page !== common.page) await page.close();
  });

  /** A page of its own for one test. */
  async function open(options: Parameters<HarnessSite['page']>[0]): Promise<void> {
    ({ page, complaints } = await site.page(options));
    await show(KYMOGRAPH, SQUARE);
  }

  async function show(source: HarnessPlane, reference: HarnessPlane | null, filled = true): Promise<void> {
    await page.evaluate(([a, b, c]) => harness.show(a, b, c), [source, reference, filled] as const);
    await page.waitForFunction(() => harness.area() !== null);
  }

  const card = (name: string, kind = 'Source') =>
    page.getByRole('region', { name: `${kind} image` }).locator(`[data-card="${name}"]`);
  const view = (name = '0', kind: 'source' | 'reference' = 'source') =>
    page.evaluate(([one, two]) => harness.view(one, two), [name, kind] as const);
  /** Without the separators of thousands. */
  const readout = async () => (await page.locator('.harness-status').innerText()).replaceAll(',', '');

  /** Red, green and blue at a fraction of a card's image area. */
  const color = (name: string, x: number, y: number) =>
    card(name)
      .locator('.image-canvas')
      .evaluate(
        (canvas: HTMLCanvasElement, [u, v]) => {
          const at = [Math.floor(u * canvas.width), Math.floor(v * canvas.height)] as const;
          return [...canvas.getContext('2d')!.getImageData(...at, 1, 1).data].slice(0, 3);
        },
        [x, y] as const,
      );

  /** Page coordinates of a fraction of a card's image area. */
  async function at(x: number, y: number, name = '0', kind = 'Source'): Promise<[number, number]> {
    const box = (await card(name, kind).locator('.image-canvas').boundingBox())!;
    // Wheel events know whole pixels only.
    return [Math.round(box.x + x * box.width), Math.round(box.y + y * box.height)];
  }

  async function drag(from: [number, number], to: [number, number], button: 'left' | 'middle' = 'left'): Promise<void> {
    await page.mouse.move(...from);
    await page.mouse.down({ button });
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    await page.mouse.move(...to);
    await page.mouse.up({ button });
  }

  function expectView(found: Rect | null, expected: Partial<Rect>, tolerance = 0.005): void {
    for (const [side, value] of Object.entries(expected)) {
      const size = side === 'x' || side === 'width' ? 4000 : 40;
      expect(Math.abs((found as Rect)[side as keyof Rect] - value), `${side} of ${JSON.stringify(found)}`).toBeLessThan(
        tolerance * size,
      );
    }
  }

  it('reads out the sample under the pointer, at home and zoomed in', async () => {
    // Lying: line 1000 of 4000 is a quarter across; pixel 10 of 40 a quarter up.
    await page.mouse.move(...(await at(1000.5 / 4000, 1 - 10.5 / 40)));
    await expect.poll(readout).toContain('line');
    const home = await readout();
    const [, line, pixel] = home.match(/line (\d+) · pixel (\d+)/)!.map(Number) as [number, number, number];
    expect(pixel).toBe(10);
    expect(Math.abs(line - 1000)).toBeLessThanOrEqual(4);
    // The middle of the sample.
    expect(home).toContain(`${((line + 0.5) * 0.001).toFixed(5)} s · 5.250 µm`);
    expect(home).toContain(`Calcium ${sample(line, 10)}`);
    expect(home).toContain(`Vessel ${sample(line, 10, 1)}`);
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -400);
    expectView(await view(), { width: 4, height: 4 });
    const close = (await view())!;
    for (const [u, v] of [
      [0.1, 0.1],
      [0.6, 0.3],
      [0.9, 0.95],
    ] as const) {
      await page.mouse.move(...(await at(u, v)));
      const [l, p] = [Math.floor(close.x + u * close.width), Math.floor(40 - (close.y + v * close.height))];
      await expect.poll(readout).toContain(`line ${l} · pixel ${p}`);
      await expect.poll(readout).toContain(`Calcium ${sample(l, p)}`);
    }
  });

  it('draws the samples where the readout finds them', async () => {
    await show({ ...KYMOGRAPH, channels: ['Only'] }, null);
    await page.mouse.move(...(await at(0.4, 0.6)));
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -400);
    const { x, y } = (await view())!;
    await page.mouse.move(0, 0);
    for (const [dx, dy] of [
      [1, 1],
      [2, 1],
      [1, 2],
    ] as const) {
      const line = Math.floor(x) + dx;
      const down = Math.floor(y) + dy;
      // Shown from 0 to 4096; the first pixel is at the bottom: pixel 39 − row of the display.
      const expected = Math.round((255 * sample(line, 39 - down)) / 4096);
      const place = [(line + 0.5 - x) / 4, (down + 0.5 - y) / 4] as const;
      const found = async () => (await color('0', ...place)).map((byte) => Math.abs(byte - expected) <= 1);
      await expect.poll(found, { message: `line ${line}` }).toEqual([true, true, true]);
    }
  });

  it('zooms with the wheel at the pointer, and never beyond home', async () => {
    await page.mouse.move(...(await at(0.25, 0.5)));
    await expect.poll(readout).toContain('line');
    const before = await readout();
    await page.mouse.wheel(0, -100);
    expectView(await view(), { width: 4000 / 1.2, height: 40 / 1.2, x: 1000 - 1000 / 1.2 });
    expect(await readout().then((text) => text.split('zoom')[0])).toBe(before.split('zoom')[0]);
    await page.mouse.move(...(await at(0.9, 0.1)));
    await page.mouse.wheel(0, 100);
    await page.mouse.wheel(0, 100);
    expect(await view()).toEqual(HOME);
    await page.mouse.wheel(0, 100);
    expect(await view()).toEqual(HOME);
  });

  it('zooms one axis with Shift or Alt, and moves with a horizontal wheel', async () => {
    await page.mouse.move(...(await at(0.5, 0.5)));
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Shift');
    expectView(await view(), { width: 4000 / 1.2, height: 40 });
    await page.keyboard.down('Alt');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Alt');
    expectView(await view(), { width: 4000 / 1.2, height: 40 / 1.2 });
    const { x } = (await view())!;
    const { width } = (await card('0').locator('.image-canvas').boundingBox())!;
    await page.mouse.wheel(50, 0);
    expectView(await view(), { x: x + (50 / width) * (4000 / 1.2) });
    // The image cannot be lost.
    for (let i = 0; i < 3; i++) await page.mouse.wheel(9000, 0);
    expectView(await view(), { x: 4000 - 4000 / 1.2 });
  });

  it('zooms the axis in which a drag starts, or a box with Alt', async () => {
    await drag(await at(0.25, 0.5), await at(0.5, 0.6));
    expectView(await view(), { x: 1000, width: 1000, y: 0, height: 40 });
    await drag(await at(0.5, 0.25), await at(0.51, 0.75));
    expectView(await view(), { x: 1000, width: 1000, y: 10, height: 20 }, 0.02);
    await page.mouse.dblclick(...(await at(0.5, 0.5)));
    expect(await view()).toEqual(HOME);
    await page.keyboard.down('Alt');
    await drag(await at(0.25, 0.5), await at(0.75, 0.75));
    await page.keyboard.up('Alt');
    expectView(await view(), { x: 1000, width: 2000, y: 20, height: 10 }, 0.02);
  });

  it('treats a drag of less than 8 pixels as a click, and cancels a drag on Escape', async () => {
    const [x, y] = await at(0.5, 0.5);
    await drag([x, y], [x + 6, y]);
    expect(await view()).toEqual(HOME);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await view()).toEqual(HOME);
  });

  it('zooms a box on an image of square samples and keeps them square', async () => {
    const [x, y] = await at(0.5, 0.5, '0', 'Reference');
    await drag([x - 20, y - 20], [x + 20, y + 20]);
    const found = (await view('0', 'reference'))!;
    const box = (await card('0', 'Reference').locator('.image-canvas').boundingBox())!;
    expect(found.width / found.height).toBeCloseTo(box.width / box.height, 3);
    // The image was as high as its card: 40 of its pixels are 40 / height of 64 samples.
    expect(found.height).toBeCloseTo((40 / box.height) * 64, 1);
    expect(found.y + found.height / 2).toBeCloseTo(32, 0);
  });

  it('pans with Shift, the middle button, Space and the pan tool, within the image', async () => {
    await drag(await at(0.4, 0.5), await at(0.6, 0.5));
    const start = (await view())!;
    expectView(start, { x: 1600, width: 800 });
    const [a, b] = [await at(0.5, 0.5), await at(0.25, 0.5)];
    const moved = { x: 1600 + 200, width: 800 };
    await page.keyboard.down('Shift');
    await drag(a, b);
    await page.keyboard.up('Shift');
    expectView(await view(), moved);
    await drag(b, a, 'middle');
    expectView(await view(), start);
    await page.keyboard.down(' ');
    await drag(a, b);
    await page.keyboard.up(' ');
    expectView(await view(), moved);
    await page.getByRole('button', { name: /^Pan/ }).click();
    await drag(b, a);
    expectView(await view(), start);
    for (let i = 0; i < 4; i++) await drag(await at(0.02, 0.5), await at(0.98, 0.5));
    expectView(await view(), { x: 0, width: 800 });
  });

  it('undoes and redoes a series of wheel turns as one step', async () => {
    const undo = page.getByRole('button', { name: 'Undo' });
    const redo = page.getByRole('button', { name: 'Redo' });
    await expect.poll(() => undo.isDisabled()).toBe(true);
    await drag(await at(0.25, 0.5), await at(0.75, 0.5));
    const band = (await view())!;
    await page.mouse.move(...(await at(0.5, 0.5)));
    await page.mouse.wheel(0, -100);
    await page.mouse.wheel(0, -100);
    const turned = (await view())!;
    expectView(turned, { width: 2000 / 1.44 });
    await undo.click();
    expect(await view()).toEqual(band);
    await card('0').locator('.image-stage').focus();
    await page.keyboard.press('z');
    expect(await view()).toEqual(HOME);
    await page.keyboard.press('Shift+Z');
    await page.keyboard.press('Control+y');
    expect(await view()).toEqual(turned);
    await expect.poll(() => redo.isDisabled()).toBe(true);
    await page.keyboard.press('Control+z');
    expect(await view()).toEqual(band);
  });

  it('can be used by keys alone', async () => {
    await page.keyboard.press('Tab');
    for (let i = 0; i < 30; i++) {
      if ((await page.evaluate(() => document.activeElement?.className)) === 'image-stage') break;
      await page.keyboard.press('Tab');
    }
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Calcium, source image');
    for (const key of ['+', '+']) await page.keyboard.press(key);
    expectView(await view(), { width: 4000 / 2.25, height: 40 / 2.25, x: 2000 - 2000 / 2.25 });
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+Shift+Equal');
    expectView(await view(), { width: 4000 / 1.5, height: 40 });
    await page.keyboard.press('Alt+Equal');
    expectView(await view(), { width: 4000 / 1.5, height: 40 / 1.5, x: 2000 - 2000 / 1.5 });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    expectView(await view(), { x: 2000 - 2000 / 1.5 + 400 / 1.5, y: 20 - 20 / 1.5 - 4 / 1.5 });
    await page.keyboard.press('0');
    expect(await view()).toEqual(HOME);
    // The first press shows the cursor in the middle; then sample by sample.
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(readout).toContain('line 2000 · pixel 20');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(readout).toContain('line 2003 · pixel 22');
    await expect.poll(readout).toContain(`Calcium ${sample(2003, 22)}`);
    const spoken = page.getByRole('region', { name: 'Source image' }).locator('output');
    await expect
      .poll(() => spoken.innerText())
      .toContain(`line 2,003 · pixel 22, 2.00350 s · 11.250 µm, Calcium ${sample(2003, 22).toLocaleString('en')}`);
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await expect.poll(readout).toContain('line 1803 · pixel 22');
    // Zoomed in, the view follows the cursor.
    for (let i = 0; i < 20; i++) await page.keyboard.press('+');
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowLeft');
    const followed = (await view())!;
    expect(followed.x).toBeLessThanOrEqual(1798.5);
    expect(followed.x + followed.width).toBeGreaterThanOrEqual(1798.5);
    await page.keyboard.press('Escape');
    await expect.poll(readout).toContain('Point at the image');
    await page.keyboard.press('t');
    await expect.poll(() => card('0').locator('.image-extent').textContent()).toMatch(/^position .*; time /);
    // No trap.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Vessel, source image');
  });

  it('keeps the image between two pinching fingers', async () => {
    await open({ hasTouch: true });
    const devtools = await page.context().newCDPSession(page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: [number, number][]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const [x, y] = await at(0.5, 0.5);
    await send('touchStart', [
      [x - 60, y],
      [x + 60, y],
    ]);
    await send('touchMove', [
      [x - 90, y],
      [x + 90, y],
    ]);
    await send('touchMove', [
      [x - 120, y],
      [x + 120, y],
    ]);
    await send('touchEnd', []);
    // Fingers along the time axis zoom time alone.
    await expect.poll(async () => Math.round((await view())!.width)).toBe(2000);
    expectView(await view(), { x: 1000, height: 40 });
    await page.getByRole('button', { name: 'Undo' }).tap();
    await expect.poll(view).toEqual(HOME);
  });

  async function viewSwitch(name: string): Promise<void> {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click();
    await page.keyboard.press('Escape');
  }

  it('links and unlinks the channels', async () => {
    await drag(await at(0.25, 0.5), await at(0.75, 0.5));
    expect(await view('1')).toEqual(await view('0'));
    await viewSwitch('Link');
    await page.mouse.dblclick(...(await at(0.5, 0.5, '1')));
    expect(await view('1')).toEqual(HOME);
    expectView(await view('0'), { x: 1000, width: 2000 });
    await card('0').locator('.image-stage').focus();
    await page.keyboard.press('k');
    expectView(await view('1'), { x: 1000, width: 2000 });
  });

  it('transposes and flips without leaving the visible part', async () => {
    await drag(await at(0.25, 0.5), await at(0.75, 0.5));
    await drag(await at(0.5, 0.0), await at(0.5, 0.5));
    // Lines 1000–3000, pixels 20–40: the upper half.
    await viewSwitch('Transpose');
    await viewSwitch('Flip');
    const turned = (await view())!;
    expect(turned.x).toBeCloseTo(20, 0);
    expect(Math.abs(turned.y - 1000)).toBeLessThan(20);
    expect(turned.width).toBeCloseTo(20, 0);
    expect(Math.abs(turned.height - 2000)).toBeLessThan(20);
    await page.mouse.move(...(await at(0.5, 0.25)));
    await expect.poll(readout).toContain('line');
    const [, line, pixel] = (await readout()).match(/line (\d+) · pixel (\d+)/)!.map(Number) as [
      number,
      number,
      number,
    ];
    // A pixel of the screen is about 14 lines.
    expect(Math.abs(line - 1500)).toBeLessThanOrEqual(20);
    expect([29, 30]).toContain(pixel);
  });

  it('shows a composite in one card', async () => {
    await page.getByRole('button', { name: /^Composite/ }).click();
    expect(await page.getByRole('region', { name: 'Source image' }).locator('.image-card').count()).toBe(1);
    expect(await card('composite').locator('.image-caption-name').allInnerTexts()).toEqual(['Calcium', 'Vessel']);
    // The key C takes the focus along.
    await card('composite').locator('.image-stage').focus();
    await page.keyboard.press('c');
    await card('1').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('image-stage');
    await page.keyboard.press('c');
    await card('composite').waitFor();
    // Green and magenta of the same shares: gray.
    const gray = async () => {
      const [red = 0, green = 0, blue = 0] = await color('composite', 0.1, 0.3);
      return green > 0 && Math.abs(red - green) <= 1 && Math.abs(blue - green) <= 1;
    };
    await expect.poll(gray).toBe(true);
  });

  it('describes the visible range, and draws the image only when it changes', async () => {
    const extent = () => card('0').locator('.image-extent').innerText();
    expect(await extent()).toBe('time (s) 0 to 4; position (µm) 0 to 20');
    const draws = () => page.evaluate(() => harness.draws());
    // Done when nothing has been drawn for a while.
    await expect
      .poll(async () => {
        const first = await draws();
        await page.waitForTimeout(200);
        return (await draws()) - first;
      })
      .toBe(0);
    const before = await draws();
    for (let i = 0; i < 10; i++) await page.mouse.move(...(await at(0.2 + i / 20, 0.5)));
    await page.waitForTimeout(100);
    expect(await draws()).toBe(before);
    await page.mouse.move(...(await at(0, 0.5)));
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -400);
    await expect.poll(draws).toBeGreaterThan(before);
    await expect.poll(extent).toMatch(/^time \(ms\) 0 to 11\.\d+; position \(µm\) /);
  });

  it('passes drags to a tool in plane coordinates, and clips what is drawn over the image', async () => {
    await card('0').locator('.image-stage').focus();
    await page.keyboard.press('r');
    await expect.poll(() => page.getByRole('button', { name: 'Recorder' }).getAttribute('aria-pressed')).toBe('true');
    const [from, to] = [await at(0.25, 0.75), await at(0.5, 0.25)];
    await drag(from, to);
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    const told = await page.evaluate(() => harness.told.splice(0));
    expect(told.map((one) => one.split(' ')[0])).toEqual(['begin', 'move', 'move', 'end', 'begin', 'cancel']);
    // A quarter across is line 1000; three quarters down is pixel 10 from the bottom. A CSS pixel is 4.3 lines.
    const place = (text: string) => text.split(' ').slice(1).map(Number) as [number, number];
    for (const [text, row, column] of [
      [told[0], 1000, 10],
      [told[3], 2000, 30],
    ] as const) {
      expect(Math.abs(place(text as string)[0] - row)).toBeLessThan(5);
      expect(Math.abs(place(text as string)[1] - column)).toBeLessThan(0.5);
    }
    expect(await view()).toEqual(HOME);
    await page.mouse.move(0, 0);
    const reds = await card('0')
      .locator('.image-overlay')
      .evaluate((canvas: HTMLCanvasElement) => {
        // The image area begins at (52, 8).
        const red = (x: number, y: number) => canvas.getContext('2d')!.getImageData(x, y, 1, 1).data[0];
        return [red(52 + 5, 8 + 5), red(52 - 7, 8 + 2), red(52 + 5, 2)];
      });
    expect(reds[0]).toBe(255);
    expect(reds.slice(1)).not.toContain(255);
  });

  it('reports the horizontal geometry for plots below', async () => {
    const area = (await page.evaluate(() => harness.area()))!;
    const pane = (await page.getByRole('region', { name: 'Source image' }).boundingBox())!;
    const canvas = (await card('0').locator('.image-canvas').boundingBox())!;
    expect(area.left).toBeCloseTo(canvas.x - pane.x, 3);
    expect(area.width).toBeCloseTo(canvas.width, 3);
    expect(area.view).toEqual(HOME);
    const second = (await card('1').locator('.image-canvas').boundingBox())!;
    expect([second.x, second.width]).toEqual([canvas.x, canvas.width]);
  });

  it('shows the progress, and offers to try again after a failure', async () => {
    await show(KYMOGRAPH, null, false);
    await page.evaluate(() => {
      const [first, second] = harness.pane('source').channels;
      first!.load.value = { state: 'loading', received: 160_000, total: 640_000 };
      second!.load.value = { state: 'failed', code: 'decode_failed', message: 'Strip 3 ends early.' };
    });
    expect(await card('0').innerText()).toContain('160 kB of 640 kB');
    expect(await card('0').getByRole('progressbar').getAttribute('value')).toBe('160000');
    expect(await card('1').getByRole('alert').innerText()).toContain('Strip 3 ends early.');
    await card('1').getByRole('button', { name: 'Try again' }).click();
    expect(await page.evaluate(() => harness.retried)).toEqual([1]);
  });

  it('draws each device pixel of a dense screen', async () => {
    await open({ deviceScaleFactor: 2 });
    const sizes = await card('0').evaluate((figure) =>
      [...figure.querySelectorAll('canvas')].map((canvas) => {
        const { width, height } = canvas.getBoundingClientRect();
        return [canvas.width / width, canvas.height / height];
      }),
    );
    for (const [x, y] of sizes) {
      // To half a pixel of the smallest.
      expect(x).toBeCloseTo(2, 1);
      expect(y).toBeCloseTo(2, 1);
    }
  });

  it.each(['light', 'dark'] as const)('has no problem that axe finds in the %s theme', async (colorScheme) => {
    await open({ colorScheme });
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(found).toEqual([]);
  });
});
