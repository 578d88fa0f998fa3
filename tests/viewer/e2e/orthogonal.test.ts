/** Orthogonal views in the page as it is shipped, with the real server: every color against the samples that were written. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeView } from '../../../packages/viewer/src/app/view-state.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { colorOf, type Display, displayOf, type Rgb, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { omeTiff } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: orthogonal views were not tested');

/** On a loaded machine. */
const SLOW = { timeout: 15_000 };
const NAMES = ['DAPI', 'GFAP-488'];

interface Volume {
  T: number;
  Z: number;
  C: number;
  Y: number;
  X: number;
}
/** Two ranges of numbers. */
type Pair = [number[], number[]];

const SMALL: Volume = { T: 3, Z: 9, C: 2, Y: 48, X: 64 };

/** Every sample has neighbors of other values, in all directions. */
function valueAt(t: number, z: number, c: number, y: number, x: number): number {
  const mixed = Math.imul(x + 101 * y + 7919 * z + 104_729 * t + 1_299_709 * c, 2_654_435_761) >>> 22;
  return 100 + mixed;
}

const folder = tempFolder();

interface Steps {
  z?: number;
  depths?: readonly number[];
  pixel?: readonly [y: number, x: number];
}

function volumeFile(name: string, size: Volume, { z, depths, pixel = [0.5, 0.5] }: Steps = {}): string {
  const { T, Z, C, Y, X } = size;
  const pages = [];
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < Z; s++) {
      for (let c = 0; c < C; c++) {
        const samples = new Uint16Array(Y * X);
        for (let i = 0; i < samples.length; i++) samples[i] = valueAt(t, s, c, Math.floor(i / X), i % X);
        pages.push({ width: X, height: Y, samples });
      }
    }
  }
  const pixels = {
    ...{ PhysicalSizeX: pixel[1], PhysicalSizeXUnit: 'µm', PhysicalSizeY: pixel[0], PhysicalSizeYUnit: 'µm' },
    ...(z === undefined ? {} : { PhysicalSizeZ: z, PhysicalSizeZUnit: 'µm' }),
  };
  const channels = NAMES.slice(0, C).map((channel, i) => `<Channel ID="Channel:0:${i}" Name="${channel}"/>`);
  const planes = (depths ?? []).map(
    (depth, i) => `<Plane TheC="0" TheZ="${i}" TheT="0" PositionZ="${depth}" PositionZUnit="µm"/>`,
  );
  return omeTiff(folder, name, pages, { sizes: size, pixels, children: [...channels, '<TiffData/>', ...planes] });
}

const pages = new ViewerPages();

describe.runIf(available)('viewer: orthogonal views', () => {
  let viewer: ViewerPage;
  let page: Page;
  let displays: Display[];
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  const canvas = (side: 'plane' | 'right' | 'below'): Locator =>
    page.locator(side === 'plane' ? '.orthogonal-plane .image-canvas' : `[data-section=${side}] .image-canvas`);
  const title = (side: 'right' | 'below') => page.locator(`[data-section=${side}] figcaption`).textContent();
  const extent = (side: 'right' | 'below') => page.locator(`[data-section=${side}] .image-extent`).textContent();
  const notes = () => page.locator('.orthogonal-notes').textContent();
  const readout = () => page.locator('.app-status .image-readout').innerText();
  const layout = (name: string) => page.getByRole('group', { name: 'Layout' }).getByRole('button', { name });

  async function open(path: string, names = NAMES): Promise<void> {
    page = viewer.page;
    await viewer.openPath(path);
    await page.keyboard.press('o');
    await page.locator('.orthogonal').waitFor();
    await everythingRead();
    await steady(page);
    displays = [];
    for (const name of names) displays.push(await displayOf(page, name));
  }

  const everythingRead = () =>
    page.waitForFunction(
      () => !/\d of \d.* read\./.test(document.querySelector('.orthogonal-notes')?.textContent ?? ''),
    );

  /** The color of a composite of these values. */
  function mixed(values: readonly number[]): Rgb {
    const colors = values.map((value, i) => colorOf(value, displays[i]!));
    const sum = (byte: 0 | 1 | 2) =>
      Math.min(
        255,
        colors.reduce((all, color) => all + color[byte], 0),
      );
    return [sum(0), sum(1), sum(2)];
  }

  const colors = (side: 'plane' | 'right' | 'below', places: (readonly [number, number])[]): Promise<Rgb[]> =>
    canvas(side).evaluate((element, fractions) => {
      const shown = element as HTMLCanvasElement;
      const { width, height, data } = shown.getContext('2d')!.getImageData(0, 0, shown.width, shown.height);
      return fractions.map(([x, y]) => {
        const at = 4 * (Math.floor(y * height) * width + Math.floor(x * width));
        return [data[at]!, data[at + 1]!, data[at + 2]!] as const;
      });
    }, places);

  async function setSlab(slab: number): Promise<void> {
    await page.locator('input[name=slab]').fill(String(slab));
    await page.keyboard.press('Enter');
  }

  /** Clicks the middle of a sample of a picture that shows all of its own. */
  async function clickSample(side: 'plane' | 'right' | 'below', across: number, down: number): Promise<void> {
    const box = (await canvas(side).boundingBox())!;
    await page.mouse.click(box.x + across * box.width, box.y + down * box.height);
    await page.mouse.move(2, 400);
  }

  const channels = (value: (c: number) => number) => mixed(displays.map((_, c) => value(c)));
  const { Z, Y, X } = SMALL;

  /** Compares a grid of samples of all three pictures with what was written. */
  async function expectThrough({ t = 0, z, y, x }: { t?: number; z: number; y: number; x: number }): Promise<void> {
    const some = (size: number) => [0, Math.floor(size / 3), Math.floor(size / 2), size - 1];
    const grid = (across: number, down: number) => some(across).flatMap((a) => some(down).map((b) => [a, b] as const));
    const at = (across: number, down: number) => (list: (readonly [number, number])[]) =>
      list.map(([a, b]) => [(a + 0.5) / across, (b + 0.5) / down] as const);
    const [plane, below, right] = [grid(X, Y), grid(X, Z), grid(Z, Y)];
    const through = async () => [
      await colors('plane', at(X, Y)(plane)),
      await colors('below', at(X, Z)(below)),
      await colors('right', at(Z, Y)(right)),
    ];
    await expect
      .poll(through, SLOW)
      .toEqual([
        plane.map(([a, b]) => channels((c) => valueAt(t, z, c, b, a))),
        below.map(([a, b]) => channels((c) => valueAt(t, b, c, y, a))),
        right.map(([a, b]) => channels((c) => valueAt(t, a, c, b, x))),
      ]);
  }

  describe('of cross-sections', () => {
    beforeAll(async () => {
      viewer = await pages.open();
      await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
      await viewer.page.reload();
      await open(volumeFile('volume.ome.tif', SMALL, { z: 2 }));
    });
    afterAll(() => viewer.end());
    // The stack begins with its middle section, and the cross with the middle of the plane.
    beforeEach(async () => {
      await setSlab(1);
      await page.locator('select[name=third-axis]').selectOption('Z');
      await canvas('plane').waitFor();
      await page.locator('.stack-bar input[name=T]').fill('1');
      await page.locator('.stack-bar input[name=Z]').fill('5');
      await clickSample('plane', 32.5 / X, 24.5 / Y);
      await page.locator('body').click({ position: { x: 2, y: 400 } });
    });

    it('show cross-sections through the sample that is clicked in any of them, in the colors of the plane', async () => {
      await expectThrough({ z: 4, y: 24, x: 32 });
      await clickSample('plane', 40.5 / X, 10.5 / Y);
      await expectThrough({ z: 4, y: 10, x: 40 });
      expect([await title('below'), await title('right')]).toEqual(['x z at y 5.250 µm', 'z y at x 20.250 µm']);
      expect(await page.locator('.orthogonal-plane .image-caption-size').textContent()).toMatch(/^x y at z 8\.0 µm · /);
      // From half a section before the first to half of one after the last.
      expect(await extent('right')).toBe('z (µm) −1 to 17; y (µm) 0 to 24');
      await clickSample('below', 12.5 / X, 7.5 / Z);
      await expectThrough({ z: 7, y: 10, x: 12 });
      expect(await page.locator('.stack-bar input[name=Z]').inputValue()).toBe('8');
      await clickSample('right', 2.5 / Z, 33.5 / Y);
      await expectThrough({ z: 2, y: 33, x: 12 });
      const values = [0, 1].map((c) => `${NAMES[c]} ${valueAt(0, 2, c, 33, 12)}`);
      const words = (await readout()).replaceAll(/\s+/g, ' ').replaceAll(',', '');
      expect(words).toBe(`y 33 · x 12 · section 3 y 16.750 µm · x 6.250 µm · z 4.0 µm ${values.join(' ')}`);
    });

    it('have one scale in all directions, also when they are zoomed', async () => {
      const sizes = async () => {
        const boxes = await Promise.all(
          (['plane', 'below', 'right'] as const).map((side) => canvas(side).boundingBox()),
        );
        return boxes.map((box) => box!);
      };
      const [plane, below, right] = await sizes();
      // 0.5 µm for a pixel, 2 µm for a section.
      const perMicrometer = plane!.width / (X * 0.5);
      for (const scale of [plane!.height / (Y * 0.5), below!.height / (Z * 2), right!.width / (Z * 2)]) {
        expect(scale / perMicrometer).toBeCloseTo(1, 2);
      }
      expect(below!.x).toBeCloseTo(plane!.x, 0);
      expect(right!.y).toBeCloseTo(plane!.y, 0);
      await clickSample('plane', 0.5, 0.5);
      await canvas('plane').hover();
      await page.mouse.wheel(0, -500);
      const extents = async () => {
        const texts = await page.locator('.orthogonal .image-extent').allTextContents();
        return texts.map((text) =>
          text.split('; ').map((axis) => axis.match(/[−\d.]+/g)!.map((n) => Number(n.replace('−', '-')))),
        );
      };
      await expect.poll(async () => (await extents())[0]![0]![1], SLOW).toBeLessThan(30);
      await steady(page);
      const length = ([from, to]: number[]) => to! - from!;
      const [[x, y], [zRight, yRight], [xBelow, zBelow]] = (await extents()) as [Pair, Pair, Pair];
      expect([xBelow, yRight]).toEqual([x, y]);
      expect(length(zBelow!) / below!.height / (length(x!) / plane!.width)).toBeCloseTo(1, 1);
      expect(length(zRight!) / right!.width / (length(y!) / plane!.height)).toBeCloseTo(1, 1);
      // A section is moved and zoomed like the plane, which goes with it.
      await canvas('below').dblclick({ position: { x: 3, y: 3 } });
      await expect.poll(async () => (await extents())[0]![0], SLOW).toEqual([0, 32]);
    });

    it('follow the cross when it is dragged, the slider, and keys in any of them', async () => {
      const box = (await canvas('right').boundingBox())!;
      const at = (z: number, y: number) =>
        [box.x + ((z + 0.5) / Z) * box.width, box.y + ((y + 0.5) / Y) * box.height] as const;
      await page.mouse.move(...at(4, 5));
      await page.mouse.down();
      // Only the vertical line is near, so that y stays.
      await page.mouse.move(...at(6, 8), { steps: 3 });
      await page.mouse.move(...at(8, 12), { steps: 3 });
      await page.mouse.up();
      await page.mouse.move(2, 400);
      await expectThrough({ z: 8, y: 24, x: 32 });
      await page.keyboard.press('{');
      await expectThrough({ z: 7, y: 24, x: 32 });
      await page.locator('[data-section=below] .image-stage').focus();
      await page.keyboard.press('Shift+ArrowUp');
      await page.keyboard.press('Shift+ArrowRight');
      await expectThrough({ z: 6, y: 24, x: 33 });
      expect(await page.locator('.image-pane [aria-live=polite]').first().textContent()).toMatch(
        /section 7, .*z 12\.0 µm, DAPI/,
      );
      await page.keyboard.press('Escape');
      await expectThrough({ z: 6, y: 24, x: 33 });
      // Keys of switches act on the plane, which the sections follow.
      await page.keyboard.press('t');
      await expect.poll(() => title('below'), SLOW).toBe('y z at x 16.750 µm');
      expect(await title('right')).toBe('z x at y 12.250 µm');
      await page.keyboard.press('t');
      await expect.poll(() => title('below'), SLOW).toBe('x z at y 12.250 µm');
    });

    it('follow contrast and channels of the plane', async () => {
      await page.getByLabel('Maximum value of GFAP-488', { exact: true }).fill('400');
      await page.keyboard.press('Enter');
      displays[1] = await displayOf(page, 'GFAP-488');
      expect(displays[1].max).toBe(400);
      await expectThrough({ z: 4, y: 24, x: 32 });
      await page.getByLabel('Show GFAP-488', { exact: true }).first().click();
      const both = displays;
      displays = both.slice(0, 1);
      await expectThrough({ z: 4, y: 24, x: 32 });
      displays = both;
      await page.getByLabel('Show GFAP-488', { exact: true }).first().click();
      await expectThrough({ z: 4, y: 24, x: 32 });
    });

    it('are the maximum of a slab in each direction, and say so', async () => {
      await setSlab(3);
      const max = (values: number[]) => Math.max(...values);
      const around = (at: number) => [at - 1, at, at + 1];
      const places = [3, 17, 40].flatMap((a) => [2, 5, 8].map((b) => [a, b] as const));
      const below = async () =>
        colors(
          'below',
          places.map(([a, b]) => [(a + 0.5) / X, (b + 0.5) / Z]),
        );
      await expect
        .poll(below, SLOW)
        .toEqual(places.map(([a, b]) => channels((c) => max(around(24).map((y) => valueAt(0, b, c, y, a))))));
      expect(
        await colors(
          'right',
          places.map(([a, b]) => [(b + 0.5) / Z, (a + 0.5) / Y]),
        ),
      ).toEqual(places.map(([a, b]) => channels((c) => max(around(32).map((x) => valueAt(0, b, c, a, x))))));
      expect(
        await colors(
          'plane',
          places.map(([a, b]) => [(a + 0.5) / X, (b + 0.5) / Y]),
        ),
      ).toEqual(places.map(([a, b]) => channels((c) => max(around(4).map((z) => valueAt(0, z, c, b, a))))));
      expect(await title('below')).toBe('x z at y 12.250 µm · maximum of 3 rows');
      expect(await title('right')).toBe('z y at x 16.250 µm · maximum of 3 columns');
      // What is measured stays the samples of the plane.
      expect(await readout()).toContain(String(valueAt(0, 4, 0, 24, 32)));
      await setSlab(1);
      await expectThrough({ z: 4, y: 24, x: 32 });
    });

    it('come back from the address, and leave with C', async () => {
      await clickSample('plane', 5.5 / X, 30.5 / Y);
      await setSlab(2);
      await page.locator('select[name=third-axis]').selectOption('T');
      await expect.poll(() => title('below'), SLOW).toBe('x t at y 15.250 µm · maximum of 2 rows');
      await steady(page);
      const inAddress = () => decodeView(/#view=([\w-]+)/.exec(page.url())?.[1] ?? '')?.source;
      await expect.poll(inAddress, SLOW).toMatchObject({
        orthogonal: { shown: true, along: 'T', slab: 2 },
        cross: { row: 30.5, column: 5.5 },
      });
      await page.reload();
      await expect.poll(() => title('below'), SLOW).toBe('x t at y 15.250 µm · maximum of 2 rows');
      expect(await title('right')).toBe('t y at x 2.750 µm · maximum of 2 columns');
      await page.locator('[data-section=right] .image-stage').focus();
      await page.keyboard.press('c');
      await page.locator('.orthogonal').waitFor({ state: 'detached' });
      expect(await layout('Composite').getAttribute('aria-pressed')).toBe('true');
      await layout('Orthogonal').click();
      await expect.poll(() => title('right'), SLOW).toBe('t y at x 2.750 µm · maximum of 2 columns');
    });

    it('cut time points in place of sections', async () => {
      await page.locator('select[name=third-axis]').selectOption('T');
      await everythingRead();
      const places = [0, 1, 2].flatMap((t) => [0, 20, 63].map((x) => [t, x] as const));
      const below = () =>
        colors(
          'below',
          places.map(([t, x]) => [(x + 0.5) / X, (t + 0.5) / SMALL.T]),
        );
      await expect.poll(below, SLOW).toEqual(places.map(([t, x]) => channels((c) => valueAt(t, 4, c, 24, x))));
      await clickSample('right', 2.5 / SMALL.T, 0.5);
      await expect.poll(() => page.locator('.stack-bar input[name=T]').inputValue(), SLOW).toBe('3');
      expect(await notes()).toBe('');
      expect(await extent('below')).toBe('x (µm) 0 to 32; time point 0.5 to 3.5');
      // A projection leaves only one axis to cut along.
      await viewer.project('T', 'max');
      await expect.poll(() => title('below'), SLOW).toBe('x z at y 12.250 µm');
      await page.getByRole('button', { name: 'Single time points' }).click();
      await expect.poll(() => title('below'), SLOW).toBe('x t at y 12.250 µm');
    });

    it('are all of the projection, also the line of the plane that was on screen before', async () => {
      const places = [0, 3, 4, 8].flatMap((z) => [0, 20, 63].map((x) => [z, x] as const));
      const at = places.map(([z, x]) => [(x + 0.5) / X, (z + 0.5) / Z] as const);
      const highest = (z: number, c: number, x: number) => Math.max(...[0, 1, 2].map((t) => valueAt(t, z, c, 24, x)));
      const expectLines = async (method: '' | 'max', value: (z: number, c: number, x: number) => number) => {
        await viewer.project('T', method);
        const others = async () => {
          // A projection has a contrast of its own.
          for (const [c, name] of NAMES.entries()) displays[c] = await displayOf(page, name);
          const shown = await colors('below', at);
          return places.filter(([z, x], i) => `${shown[i]}` !== `${channels((c) => value(z, c, x))}`);
        };
        await expect.poll(others, SLOW).toEqual([]);
      };
      await expectLines('max', highest);
      await expectLines('', (z, c, x) => valueAt(0, z, c, 24, x));
    });

    it('are saved as they are on screen', async () => {
      await expectThrough({ z: 4, y: 24, x: 32 });
      await page.getByRole('button', { name: 'Save…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save and share' });
      await dialog.getByRole('tab', { name: 'Image' }).click();
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'The three pictures as shown (PNG)' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/volume\.ome\.tif\.T1\.Z5\.composite\.orthogonal\.png$/);
      const png = (await readFile(await file.path())).toString('base64');
      const whole = (await page.locator('.orthogonal-pictures').boundingBox())!;
      const box = (await canvas('below').boundingBox())!;
      const saved = await page.evaluate(
        async ([data, x, y]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
          const drawn = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
          drawn.drawImage(image, 0, 0);
          return {
            width: image.width,
            color: [...drawn.getImageData(2 * Number(x), 2 * Number(y), 1, 1).data].slice(0, 3),
          };
        },
        [png, box.x - whole.x + (10.5 / X) * box.width, box.y - whole.y + (1.5 / Z) * box.height] as const,
      );
      expect(saved.width).toBe(Math.round(2 * whole.width));
      expect(saved.color).toEqual([...channels((c) => valueAt(0, 1, c, 24, 10))]);
      await dialog.getByRole('tab', { name: 'Figure' }).click();
      expect(await dialog.getByText('Everything else is of the plane').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
    });

    it.each([900, 390])('fit a window of %i pixels', async (width) => {
      const { height } = page.viewportSize()!;
      await page.setViewportSize({ width, height: 844 });
      const inside = () =>
        page.evaluate(() => {
          const boxes = [...document.querySelectorAll('.orthogonal-pictures .image-canvas')].map((one) =>
            one.getBoundingClientRect(),
          );
          const isInside = boxes.every(({ left, right, height }) => left >= 0 && right <= innerWidth && height > 20);
          return [boxes.length, isInside, document.documentElement.scrollWidth <= innerWidth];
        });
      await expect.poll(inside, SLOW).toEqual([3, true, true]);
      await page.setViewportSize({ width: 1280, height });
    });

    it.each(['light', 'dark'] as const)('have no accessibility complaints, %s', async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      // Colors change within 120 ms.
      await expect.poll(() => complaints(page), SLOW).toEqual([]);
    });
  });

  describe('of other stacks', () => {
    afterEach(() => viewer.end());

    it('hatch what has not been read', async () => {
      viewer = await pages.open();
      page = viewer.page;
      let release: () => void = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      await viewer.openPath(volumeFile('late.ome.tif', SMALL, { z: 2 }));
      await steady(page);
      await page.route(/\/window\?/, async (route) => {
        await released;
        await route.continue().catch(() => {});
      });
      await page.keyboard.press('o');
      await expect.poll(notes, SLOW).toBe('1 of 9 sections read.');
      const overlay = (z: number) =>
        page.locator('[data-section=below] .image-overlay').evaluate(
          (element, down) => {
            const shown = element as HTMLCanvasElement;
            const box = shown.getBoundingClientRect();
            const image = shown.parentElement!.querySelector('.image-canvas')!.getBoundingClientRect();
            const x = (image.left - box.left + image.width / 4) * (shown.width / box.width);
            const y = (image.top - box.top + down * image.height) * (shown.height / box.height);
            return [...shown.getContext('2d')!.getImageData(Math.round(x), Math.round(y), 1, 1).data];
          },
          (z + 0.5) / Z,
        );
      await expect.poll(async () => (await overlay(1))[3], SLOW).toBe(255);
      expect((await overlay(1))[0]).toBeGreaterThan(90);
      // The section that is here is not covered: the cross is the only thing over it.
      expect((await overlay(4))[0]).not.toBe((await overlay(1))[0]);
      release();
      await everythingRead();
      await expect.poll(async () => (await overlay(1))[3], SLOW).toBe(0);
    });

    it('are complete in both of two acquisitions side by side, of which one is active', async () => {
      viewer = await pages.open();
      await open(volumeFile('left.ome.tif', { ...SMALL, T: 1 }, { z: 2 }));
      await open(volumeFile('right.ome.tif', { ...SMALL, T: 1 }, { z: 2 }));
      await page.keyboard.press('Alt+KeyS');
      await expect.poll(() => page.locator('.orthogonal-notes').allTextContents(), SLOW).toEqual(['', '']);
      expect(await page.locator('[data-section=below] figcaption').count()).toBe(2);
    });

    it('say that cross-sections without a step are drawn one sample high', async () => {
      viewer = await pages.open();
      await open(volumeFile('no-step.ome.tif', SMALL));
      expect(await notes()).toBe('Without a step of z the cross-sections are drawn 1 sample high.');
      expect(await extent('below')).toBe('x (µm) 0 to 32; section 0.5 to 9.5');
      const [plane, below] = [(await canvas('plane').boundingBox())!, (await canvas('below').boundingBox())!];
      expect(below.height / Z / (plane.width / X)).toBeCloseTo(1, 2);
      await expectThrough({ z: 4, y: 24, x: 32 });
    });

    it('draw sections where they were measured, and pixels that are not square in their true shape', async () => {
      viewer = await pages.open();
      const depths = [0, 1, 2, 3, 4, 8, 12, 13, 14];
      await open(volumeFile('uneven.ome.tif', { ...SMALL, T: 1 }, { z: 1.75, depths, pixel: [1, 0.5] }));
      expect(await notes()).toBe(
        'Sections are drawn at their measured depths, each as high as half way to its neighbors.',
      );
      const [plane, below] = [(await canvas('plane').boundingBox())!, (await canvas('below').boundingBox())!];
      const perMicrometer = plane.width / (X * 0.5);
      expect(plane.height / Y / perMicrometer).toBeCloseTo(1, 2);
      // From −0.5 to 14.5 µm.
      expect(below.height / 15 / perMicrometer).toBeCloseTo(1, 2);
      const places = [0, 4, 5.9, 6.1, 9.9, 10.1, 14].map((depth) => [(20 + 0.5) / X, (depth + 0.5) / 15] as const);
      await expect
        .poll(() => colors('below', places), SLOW)
        .toEqual([0, 4, 4, 5, 5, 6, 8].map((z) => channels((c) => valueAt(0, z, c, 24, 20))));
      await clickSample('below', 0.5, (12 + 0.5) / 15);
      await expect.poll(() => page.locator('.stack-bar input[name=Z]').inputValue(), SLOW).toBe('7');
    });

    it('read only rows and columns of a stack that does not fit into the memory of the page', async () => {
      viewer = await pages.open();
      page = viewer.page;
      // As a computer with little memory says: 32 MiB for planes. In a large window, a sample has more than a pixel.
      await page.addInitScript(() => Object.defineProperty(navigator, 'deviceMemory', { value: 0.25 }));
      await page.setViewportSize({ width: 1600, height: 1200 });
      await page.reload();
      const size = { T: 1, Z: 66, C: 1, Y: 512, X: 512 };
      const path = volumeFile('large.ome.tif', size, { z: 0.5 });
      viewer.requests.length = 0;
      await open(path, ['DAPI']);
      expect(await notes()).toBe(
        'The stack does not fit into the memory of the page (33.6 MB), so only the rows and columns of the cross-sections are read.',
      );
      const windows = () => viewer.requests.filter((url) => /\/window\?/.test(url));
      const parts = () => windows().filter((url) => /rows=|columns=/.test(url)).length;
      // The shown plane, and those that the slider reads ahead.
      expect(windows().length - parts()).toBeLessThan(4);
      expect(parts()).toBeLessThanOrEqual(2 * size.Z);
      const places = [0, 20, 65].flatMap((z) => [3, 300].map((at) => [z, at] as const));
      const below = () =>
        colors(
          'below',
          places.map(([z, x]) => [(x + 0.5) / size.X, (z + 0.5) / size.Z]),
        );
      const right = () =>
        colors(
          'right',
          places.map(([z, y]) => [(z + 0.5) / size.Z, (y + 0.5) / size.Y]),
        );
      const color = (z: number, y: number, x: number) => colorOf(valueAt(0, z, 0, y, x), displays[0]!);
      expect(await below()).toEqual(places.map(([z, x]) => color(z, 256, x)));
      expect(await right()).toEqual(places.map(([z, y]) => color(z, y, 256)));
      await clickSample('plane', 100.5 / size.X, 50.5 / size.Y);
      await expect.poll(below, SLOW).toEqual(places.map(([z, x]) => color(z, 50, x)));
      await expect.poll(right, SLOW).toEqual(places.map(([z, y]) => color(z, y, 100)));
      expect(parts()).toBeLessThanOrEqual(4 * size.Z);
      const box = (await canvas('below').boundingBox())!;
      await page.mouse.move(box.x + (77.5 / size.X) * box.width, box.y + (2.5 / size.Z) * box.height);
      await expect.poll(async () => (await readout()).replaceAll(',', ''), SLOW).toMatch(`${valueAt(0, 2, 0, 50, 77)}`);
    });
  });
});
