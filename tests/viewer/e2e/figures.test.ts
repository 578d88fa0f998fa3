/** Figures that the page saves, measured on their pixels and in their SVG. */
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { parseXml, type XmlElement } from '../../../packages/readers/src/io/xml.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { type DecodedPng, decodePng } from '../../support/png.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { colorOf, type Display, displayOf, planeOf, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';
import { omeTiff } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();

const NAMES = ['DAPI', 'GFAP-488', 'Synapsin-647'];
const [WIDTH, HEIGHT, STEP] = [240, 180, 0.21];

/** Three channels of 180 × 240 samples, 0.21 µm apart, dark in the lower right corner, where scale bars are. */
function threeChannels(): string {
  const pictures = NAMES.map((_, c) => ({
    width: WIDTH,
    height: HEIGHT,
    samples: Uint16Array.from({ length: WIDTH * HEIGHT }, (_v, i) => {
      const [y, x] = [Math.floor(i / WIDTH), i % WIDTH];
      return y > 120 && x > 120 ? 5 * c : 100 + 6 * y + (c + 2) * x + ((17 * x + 31 * y) % 97);
    }),
  }));
  const colors = [65535, 16711935, -16776961];
  const channels = NAMES.map((name, i) => `<Channel ID="Channel:0:${i}" Name="${name}" Color="${colors[i]}"/>`);
  const size = { PhysicalSizeX: STEP, PhysicalSizeXUnit: 'µm', PhysicalSizeY: STEP, PhysicalSizeYUnit: 'µm' };
  return omeTiff(folder, 'three.ome.tif', pictures, {
    sizes: { X: WIDTH, Y: HEIGHT, C: 3 },
    pixels: size,
    children: [...channels, '<TiffData/>'],
  });
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const number = (element: XmlElement, name: string) => Number(element.attributes[name]);
const boxOf = (element: XmlElement): Box => ({
  x: number(element, 'x') || 0,
  y: number(element, 'y') || 0,
  width: number(element, 'width'),
  height: number(element, 'height'),
});

/** One picture of a figure; its box is in points from the corner of the figure. */
interface FigurePicture {
  box: Box;
  /** The scale bars, from the corner of the picture. */
  bars: Box[];
  /** The frame of the axes, from the corner of the picture. */
  frame: Box | undefined;
  texts: string[];
}

/** Reads a figure, in points. */
function readFigure(svg: string) {
  const root = parseXml(svg).root as XmlElement;
  const [, , across = 0, down = 0] = (root.attributes['viewBox'] ?? '').split(' ').map(Number);
  const rest = root.children.find(({ name }) => name === 'g') as XmlElement;
  const scale = Number(rest.attributes['transform']?.match(/[\d.]+/)?.[0]);
  const texts = (element: XmlElement): string[] =>
    element.name === 'text' ? [element.text] : element.children.flatMap(texts);
  const images = root.children.filter(({ name }) => name === 'image').map(boxOf);
  const groups = rest.children.filter(({ name }) => name === 'g');
  const pictures = images.map(({ x, y, width, height }, i): FigurePicture => {
    const group = groups[i] as XmlElement;
    const rects = group.children.filter(({ name }) => name === 'rect');
    const frame = rects.find((rect) => rect.attributes['x']?.startsWith('-') && rect.attributes['fill'] === 'none');
    return {
      box: { x: x / scale, y: y / scale, width: width / scale, height: height / scale },
      bars: rects.filter((rect) => rect.attributes['class'] === 'scale-bar').map(boxOf),
      frame: frame && boxOf(frame),
      texts: texts(group),
    };
  });
  return { root, width: across / scale, height: down / scale, pictures, texts: texts(root) };
}

/** Reads the objects of a PDF by its table of places. */
function readPdf(file: Buffer) {
  const text = file.toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF/.exec(text)?.[1]);
  const places = [...text.slice(start).matchAll(/^(\d{10}) 00000 n/gm)].map(([, place]) => Number(place));
  const objects = places.map((place, i) => {
    expect(text.startsWith(`${i + 1} 0 obj\n`, place)).toBe(true);
    const [head = ''] = text.slice(place).split(/stream\n|endobj/);
    const length = /\/Length (\d+)/.exec(head)?.[1];
    const from = place + head.length + 'stream\n'.length;
    const stream = length === undefined ? Buffer.alloc(0) : inflateSync(file.subarray(from, from + Number(length)));
    return { text: head, stream };
  });
  const box = (/MediaBox\[([^\]]+)\]/.exec(text)?.[1] ?? '').split(' ').map(Number);
  return { objects, box };
}

const at = ({ rgb, width }: DecodedPng, x: number, y: number) => [
  ...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3),
];

describe.runIf(available)('viewer: figures', () => {
  let viewer: ViewerPage;
  beforeAll(async () => {
    await pages.start();
    viewer = await openPage();
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  async function openPage(): Promise<ViewerPage> {
    const one = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await one.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await one.page.reload();
    return one;
  }

  const dialog = () => viewer.page.getByRole('dialog', { name: 'Save and share' });

  async function save(type: 'SVG' | 'PNG' | 'PDF'): Promise<Buffer> {
    const download = viewer.page.waitForEvent('download');
    await dialog()
      .getByRole('button', { name: `Save ${type}` })
      .click();
    return readFile(await (await download).path());
  }

  const previewShows = (text: string) => dialog().locator('.figure-size', { hasText: text }).waitFor();

  /** Returns the size of the smallest text of an SVG as the browser draws it, in points on paper. */
  async function smallestText(svg: string): Promise<number> {
    const page = await pages.browser.newPage();
    await page.setContent(svg);
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll('text')].map((text) => {
        const { a, b } = text.getScreenCTM()!;
        return Number.parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b) * 0.75;
      }),
    );
    await page.close();
    return Math.min(...sizes);
  }

  describe('of three channels', () => {
    let info: OpenResponse;
    let displays: Display[];
    let planes: Float32Array[];

    beforeAll(async () => {
      info = await viewer.openPath(threeChannels());
      displays = [];
      for (const name of NAMES) displays.push(await displayOf(viewer.page, name));
      planes = await Promise.all(NAMES.map((_, i) => planeOf(viewer.url, info, i)));
      await steady(viewer.page);
      await viewer.page.getByRole('button', { name: 'Save…' }).click();
      await choose('Pictures', 'Channels');
    });

    const choose = (label: string, option: string) =>
      dialog().getByRole('combobox', { name: label, exact: true }).selectOption(option);

    /** Returns the share of pixels of a picture that do not have the color of their sample, without the scale bar. */
    function wrongShare(png: DecodedPng, { box }: FigurePicture, scale: number, channel: number): number {
      const [left, top, width, height] = [box.x, box.y, box.width, box.height].map((one) => Math.round(one * scale));
      const colors = new Map<number, readonly number[]>();
      // A pixel whose middle is between two samples may have the color of either.
      const samples = (pixel: number, pixels: number, count: number) =>
        [-1e-3, 1e-3].map((shift) => Math.floor(((pixel + 0.5) / pixels) * count + shift));
      let wrong = 0;
      for (let y = 0; y < height!; y++) {
        const rows = samples(y, height!, HEIGHT);
        for (let x = 0; x < width!; x++) {
          if (y > 0.6 * height! && x > 0.5 * width!) continue;
          const color = at(png, left! + x, top! + y);
          const isOf = (row: number, column: number) => {
            const sample = planes[channel]![row * WIDTH + column] ?? 0;
            const wanted = colors.get(sample) ?? colorOf(sample, displays[channel]!);
            colors.set(sample, wanted);
            return color.every((value, i) => Math.abs(value - wanted[i]!) <= 2);
          };
          if (!samples(x, width!, WIDTH).some((column) => rows.some((row) => isOf(row, column)))) wrong++;
        }
      }
      return wrong / (width! * height!);
    }

    it('has the pictures in a row, without white around them, each sample in its color', async () => {
      await choose('Layout', 'In a row');
      const figure = readFigure((await save('SVG')).toString());
      const png = decodePng(await save('PNG'));
      expect(figure.pictures).toHaveLength(3);
      expect(new Set(figure.pictures.map(({ box }) => box.y)).size).toBe(1);
      const scale = png.width / figure.width;
      expect(Math.round(figure.height * scale)).toBe(png.height);
      for (const [i, picture] of figure.pictures.entries()) {
        const { box, frame } = picture;
        expect(box.height / box.width).toBeCloseTo(HEIGHT / WIDTH, 2);
        // The axes box is the picture, within a pixel.
        expect(Math.abs(frame!.x) * scale).toBeLessThan(2.5);
        expect(frame!.width - box.width).toBeLessThanOrEqual(0.55);
        expect(wrongShare(png, picture, scale, i)).toBeLessThan(0.001);
      }
      // Of the width, all but axes and gaps is pictures.
      const drawn = figure.pictures.reduce((sum, { box }) => sum + box.width, 0);
      expect(drawn / figure.width).toBeGreaterThan(0.85);
      expect(png.height).toBeLessThan(900);
    });

    it('has names, ranges and colors of the channels as the view has them', async () => {
      const { pictures } = readFigure((await save('SVG')).toString());
      const captions = await viewer.page.locator('.image-caption').allInnerTexts();
      for (const [i, { texts }] of pictures.entries()) {
        for (const words of (captions[i] ?? '').split('\n').filter(Boolean)) expect(texts).toContain(words);
        expect(texts).toContain(NAMES[i]);
      }
    });

    it('has a scale bar that is as long as it says, by the step of the file', async () => {
      const svg = (await save('SVG')).toString();
      const png = decodePng(await save('PNG'));
      const { pictures, width } = readFigure(svg);
      for (const { box, bars, texts } of pictures) {
        expect(bars).toHaveLength(1);
        const label = Number(texts.find((text) => /^[\d.]+ µm$/.test(text))?.replace(' µm', ''));
        const perPoint = (WIDTH * STEP) / box.width;
        expect(bars[0]!.width * perPoint).toBeCloseTo(label, 3);
        // The same on the pixels: white ones on the dark corner.
        const scale = png.width / width;
        const row = Math.round((box.y + bars[0]!.y + bars[0]!.height / 2) * scale);
        const from = Math.round(box.x * scale) + Math.ceil(0.55 * box.width * scale);
        let white = 0;
        for (let x = from; x < (box.x + box.width) * scale - 1; x++)
          white += Math.max(...at(png, x, row)) / 255 > 0.5 ? 1 : 0;
        const expected = (label / perPoint) * scale;
        expect(Math.abs(white - expected)).toBeLessThanOrEqual(Math.max(1, 0.01 * expected));
      }
    });

    it('has the pictures in a column, or one composite', async () => {
      await choose('Layout', 'In a column');
      const column = readFigure((await save('SVG')).toString()).pictures.map(({ box }) => box);
      expect(new Set(column.map(({ x }) => x)).size).toBe(1);
      expect(column[1]!.y).toBeGreaterThan(column[0]!.y + column[0]!.height);
      await choose('Pictures', 'Composite');
      const { pictures } = readFigure((await save('SVG')).toString());
      expect(pictures).toHaveLength(1);
      expect(pictures[0]!.texts).toEqual(expect.arrayContaining(NAMES));
      await choose('Pictures', 'Composite and channels');
      expect(readFigure((await save('SVG')).toString()).pictures).toHaveLength(4);
    });

    it.each([
      ['1 column', 85, 300],
      ['1½ columns', 114, 300],
      ['2 columns', 174, 600],
    ])('is %s wide: %s mm at %s dpi, on paper and in pixels', async (name, mm, dpi) => {
      await choose('Pictures', 'Channels');
      await choose('Layout', 'In a row');
      await dialog().getByRole('button', { name }).click();
      await choose('Resolution', `${dpi} dpi`);
      const { root, pictures, width } = readFigure((await save('SVG')).toString());
      expect(root.attributes['width']).toBe(`${mm}mm`);
      const png = decodePng(await save('PNG'));
      expect(png.width).toBe(Math.round((mm / 25.4) * dpi));
      expect(png.height).toBe(Math.round((Number.parseFloat(root.attributes['height'] ?? '') / 25.4) * dpi));
      expect(png.perMeter).toEqual([Math.round(dpi / 0.0254), Math.round(dpi / 0.0254)]);
      expect(wrongShare(png, pictures[0]!, png.width / width, 0)).toBeLessThan(0.001);
    });

    it('has a preview with the pixels of the file', async () => {
      await dialog().getByRole('button', { name: '2 columns' }).click();
      await choose('Resolution', '300 dpi');
      await previewShows('174 × ');
      const file = `data:image/png;base64,${(await save('PNG')).toString('base64')}`;
      const differ = await dialog()
        .getByRole('img', { name: /^Preview of the figure/ })
        .evaluate(async (preview: HTMLImageElement, url) => {
          const saved = new Image();
          saved.src = url;
          await saved.decode();
          const [one, other] = [saved, preview].map((image) => {
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [saved.width, saved.height];
            const context = canvas.getContext('2d')!;
            context.drawImage(image, 0, 0, canvas.width, canvas.height);
            return context.getImageData(0, 0, canvas.width, canvas.height).data;
          });
          let count = 0;
          for (let i = 0; i < one!.length; i += 4) {
            if ([0, 1, 2].some((c) => Math.abs(one![i + c]! - other![i + c]!) > 8)) count++;
          }
          return count / (one!.length / 4);
        }, file);
      expect(differ).toBeLessThan(0.01);
    });

    it('is wholly in view, however high it is', async () => {
      await choose('Layout', 'In a column');
      await dialog().getByText('more than a page').waitFor();
      const bottom = (selector: string) =>
        dialog()
          .locator(selector)
          .evaluate((element) => element.getBoundingClientRect().bottom);
      const warnings = await dialog().locator('.figure-warnings').boundingBox();
      expect(await bottom('.figure-paper img')).toBeLessThanOrEqual(warnings!.y);
      expect(await bottom('.figure-warnings')).toBeLessThanOrEqual(await bottom('.export-body'));
      await choose('Layout', 'In a row');
    });

    it('is the same as PDF: size, text and the samples of every picture', async () => {
      const png = decodePng(await save('PNG'));
      const { pictures, root, texts } = readFigure((await save('SVG')).toString());
      const pdf = await save('PDF');
      const { objects, box } = readPdf(pdf);
      const millimeters = box.slice(2).map((points) => (points / 72) * 25.4);
      expect(millimeters[0]).toBeCloseTo(174, 3);
      expect(millimeters[1]).toBeCloseTo(Number.parseFloat(root.attributes['height'] ?? ''), 2);
      const drawn = objects
        .find(({ text, stream }) => !text.includes('/Image') && stream.length > 0)!
        .stream.toString();
      const words = [...drawn.matchAll(/<([0-9a-f]+)> Tj/g)].map(([, hex]) =>
        Buffer.from(hex ?? '', 'hex').toString('latin1'),
      );
      expect(words.sort()).toEqual(texts.sort());
      const images = objects.filter(({ text }) => text.includes('/Image'));
      expect(images).toHaveLength(pictures.length);
      const scale = png.width / readFigure((await save('SVG')).toString()).width;
      for (const [i, { text, stream }] of images.entries()) {
        const { x, y, width } = pictures[i]!.box;
        const across = Number(/Width (\d+)/.exec(text)?.[1]);
        expect(across).toBe(Math.round(width * scale));
        for (const [column, row] of [
          [0, 0],
          [17, 5],
          [across - 1, 40],
          [60, 61],
        ] as const) {
          const from = 3 * (row * across + column);
          const color = at(png, Math.round(x * scale) + column, Math.round(y * scale) + row);
          expect([...stream.subarray(from, from + 3)]).toEqual(color);
        }
      }
    });

    it('has text of the chosen size, and a warning below 6 pt', async () => {
      const size = dialog().getByLabel('Size (pt)');
      for (const points of [9, 5]) {
        await size.fill(String(points));
        await size.press('Enter');
        expect(await smallestText((await save('SVG')).toString())).toBeCloseTo(points, 2);
        const warning = dialog().getByText(`The text is ${points} pt high.`);
        if (points < 6) await warning.waitFor();
        else expect(await warning.count()).toBe(0);
      }
      await size.fill('7');
      await size.press('Enter');
    });

    it('has a bar of the chosen length, and only what was chosen', async () => {
      await choose('Length of the bar', '5 µm');
      const { pictures } = readFigure((await save('SVG')).toString());
      const { box, bars, texts } = pictures[0]!;
      expect(texts).toContain('5 µm');
      expect((bars[0]!.width / box.width) * WIDTH * STEP).toBeCloseTo(5, 3);
      for (const name of ['Axes', 'Channel names']) await dialog().getByRole('checkbox', { name }).uncheck();
      const bare = readFigure((await save('SVG')).toString());
      expect(bare.texts).toEqual(['5 µm', '5 µm', '5 µm']);
      await dialog().getByRole('checkbox', { name: 'Scale bar' }).uncheck();
      await dialog().getByRole('checkbox', { name: 'Title' }).check();
      expect(readFigure((await save('SVG')).toString()).texts).toEqual(['three.ome.tif']);
    });

    it('keeps the last choices for the next image', async () => {
      await dialog().getByRole('button', { name: '1 column' }).click();
      await previewShows('85 × ');
      await viewer.page.reload();
      await steady(viewer.page);
      await viewer.page.getByRole('button', { name: 'Save…' }).click();
      await previewShows('85 × ');
      expect(await dialog().getByRole('checkbox', { name: 'Axes' }).isChecked()).toBe(false);
      expect(readFigure((await save('SVG')).toString()).texts).toEqual(['three.ome.tif']);
    });
  });

  it.each([
    ['dark', () => 0, '#fff', 0],
    ['light', (x: number) => (x === 0 ? 0 : 1000), '#000', 0],
    ['striped', (x: number) => 1000 * (x % 2), '#', 1],
  ] as const)('has a scale bar that can be seen on a %s picture', async (kind, value, color, grounds) => {
    await viewer.page.keyboard.press('Escape');
    const side = 40;
    const samples = Uint16Array.from({ length: side * side }, (_, i) => (i === 0 ? 1000 : value(i % side)));
    const sizes = { X: side, Y: side };
    const pixels = { PhysicalSizeX: 1, PhysicalSizeXUnit: 'µm', PhysicalSizeY: 1, PhysicalSizeYUnit: 'µm' };
    const file = omeTiff(folder, `${kind}.ome.tif`, [{ width: side, height: side, samples }], { sizes, pixels });
    await viewer.openPath(file);
    await steady(viewer.page);
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    await dialog().getByRole('checkbox', { name: 'Scale bar' }).check();
    const svg = (await save('SVG')).toString();
    expect(svg).toMatch(new RegExp(`class="scale-bar"[^>]* fill="${color}`));
    expect([...svg.matchAll(/fill-opacity="0\.6"/g)]).toHaveLength(grounds);
  });

  it('does not name red, green and blue of a color image as dyes', async () => {
    await viewer.page.keyboard.press('Escape');
    const samples = [3, 5, 7].map((step) => Uint8Array.from({ length: 400 }, (_, i) => (step * i) % 256));
    const file = writeTiff({ pages: [{ width: 20, height: 20, samples }] });
    const { channels } = await viewer.openPath(writeTemp(folder, 'color.tif', file));
    expect(channels).toHaveLength(3);
    await steady(viewer.page);
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    const { pictures, texts } = readFigure((await save('SVG')).toString());
    expect(pictures).toHaveLength(1);
    for (const { name } of channels) expect(texts).not.toContain(name);
  });

  it('follows the part of a line scan that is shown', async () => {
    await viewer.page.keyboard.press('Escape');
    await viewer.openPath(SAMPLE);
    await steady(viewer.page);
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    const { pictures, texts } = readFigure((await save('SVG')).toString());
    expect(texts).toContain('time (s)');
    const canvas = viewer.page.locator('canvas.image-canvas').first();
    const card = await canvas.evaluate(
      (element) => element.getBoundingClientRect().height / element.getBoundingClientRect().width,
    );
    for (const { box } of pictures) expect(Math.abs(box.height / box.width / card - 1)).toBeLessThan(0.02);
  });
});
