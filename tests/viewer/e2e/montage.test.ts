/** Figures of several planes and of traces, and what is kept of them, against the samples. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseXml, type XmlElement } from '../../../packages/readers/src/io/xml.js';
import { encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import { markPlotColor } from '../../../packages/viewer/src/measure/mark-colors.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { decodePng } from '../../support/png.js';
import { tempFolder } from '../../support/temp.js';
import { colorOf, type Display, displayOf, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile, stackValue } from '../../support/viewer-stack.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: figures of stacks were not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();
const TIMES = Array.from({ length: STACK.T }, (_, t) => (t < 5 ? 0.5 * t : 0.5 * t + 4));
/** Rows 2 to 5 and columns 20 to 30. */
const REGION: Mark = { id: '1', kind: 'region', from: { row: 2, column: 20 }, to: { row: 5, column: 30 } };

const elements = (root: XmlElement): XmlElement[] => [root, ...root.children.flatMap(elements)];
const texts = (root: XmlElement) => elements(root).flatMap(({ name, text }) => (name === 'text' ? [text] : []));

describe.runIf(available)('viewer: figures of stacks', () => {
  let viewer: ViewerPage;
  let display: Display;
  /** Index of the section that is shown. */
  let section = 0;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    const { page, url } = viewer;
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    const path = stackFile(folder, { name: 'many.ome.tif', times: TIMES });
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks: [REGION] } });
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(path)}#view=${view}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    const tab = page.getByRole('tab', { name: basename(path) });
    await tab.waitFor();
    await steady(page);
    section = Number(/Z (\d+)/.exec((await tab.textContent()) ?? '')?.[1]) - 1;
    display = await displayOf(page, 'Calcium');
    await page.getByRole('complementary').getByLabel('Show Dye', { exact: true }).uncheck({ force: true });
    await page.getByRole('button', { name: 'Save…' }).click();
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  const dialog = () => viewer.page.getByRole('dialog', { name: 'Save and share' });
  const choose = (label: string, option: string) =>
    dialog().getByRole('combobox', { name: label, exact: true }).selectOption(option);
  const type = async (label: string, value: number) => {
    await dialog().getByLabel(label, { exact: true }).fill(String(value));
    await dialog().getByLabel(label, { exact: true }).press('Enter');
  };

  async function save(kind: 'SVG' | 'PDF'): Promise<Buffer> {
    const download = viewer.page.waitForEvent('download');
    await dialog()
      .getByRole('button', { name: `Save ${kind}` })
      .click();
    return readFile(await (await download).path());
  }
  const saveSvg = async () => parseXml((await save('SVG')).toString()).root as XmlElement;

  it('show several time points in a grid, each with its measured time and its samples', async () => {
    await choose('Planes', 'Time points');
    await type('Number of time points', 4);
    const root = await saveSvg();
    const images = root.children.filter(({ name }) => name === 'image');
    const times = [0, 4, 9, 13];
    expect(images).toHaveLength(times.length);
    // Two rows of two.
    expect(new Set(images.map(({ attributes }) => attributes['x'])).size).toBe(2);
    expect(texts(root).filter((text) => /^\d+\.\d s$/.test(text))).toEqual(
      times.map((t) => `${TIMES[t]!.toFixed(1)} s`),
    );
    for (const [i, image] of images.entries()) {
      const png = decodePng(Buffer.from((image.attributes['href'] ?? '').split(',')[1] ?? '', 'base64'));
      for (const [y, x] of [
        [12, 4],
        [12, 30],
        [9, 16],
        [1, 1],
      ] as const) {
        const at =
          3 *
          (Math.floor(((y + 0.5) / STACK.Y) * png.height) * png.width + Math.floor(((x + 0.5) / STACK.X) * png.width));
        expect([...png.rgb.subarray(at, at + 3)]).toEqual(colorOf(stackValue(times[i]!, section, 0, y, x), display));
      }
    }
    expect(await complaints(viewer.page)).toEqual([]);
    // One bar is enough, on the last picture.
    expect(elements(root).filter(({ attributes }) => attributes['class'] === 'scale-bar')).toHaveLength(1);
  });

  it('have the curves of the regions below, in the colors of the regions, with axes that tell their values', async () => {
    await choose('Planes', 'This one');
    await choose('Traces', 'Below');
    const root = await saveSvg();
    const curves = elements(root).filter(({ name }) => name === 'polyline');
    const color = markPlotColor(REGION, [255, 255, 255]);
    // It breaks where nothing was recorded for a while.
    const pieces = curves.filter(({ attributes }) => attributes['stroke'] === color);
    expect(pieces).toHaveLength(2);
    const points = pieces.flatMap(({ attributes }) =>
      (attributes['points'] ?? '').split(' ').map((point) => point.split(',').map(Number)),
    );
    const plot = root.children.find(({ name }) => name === 'g')?.children.at(-1) as XmlElement;
    const ticks = (way: 'h' | 'v') =>
      plot.children.flatMap(({ name, attributes }, i) => {
        const [, x, y, turn] = /^M(\S+) (\S+?)([hv])/.exec(attributes['d'] ?? '') ?? [];
        const label = plot.children[i + 1]?.text ?? '';
        return name === 'path' && turn === way && /^[\d.,−]+$/.test(label)
          ? [{ at: Number(way === 'h' ? y : x), value: Number(label.replace(',', '').replace('−', '-')) }]
          : [];
      });
    const scale = (way: 'h' | 'v') => {
      const all = ticks(way);
      const [a, b] = [all[0]!, all.at(-1)!];
      return (at: number) => a.value + ((at - a.at) / (b.at - a.at)) * (b.value - a.value);
    };
    const [time, value] = [scale('v'), scale('h')];
    const mean = (t: number) => {
      let sum = 0;
      for (let y = 2; y < 5; y++) for (let x = 20; x < 30; x++) sum += stackValue(t, section, 0, y, x);
      return sum / 30;
    };
    for (let t = 0; t < STACK.T; t++) {
      const near = points.filter(([x = 0]) => Math.abs(time(x) - TIMES[t]!) < 0.05);
      expect(near.length).toBeGreaterThan(0);
      for (const [, y = 0] of near) expect(Math.abs(value(y) - mean(t))).toBeLessThan(0.5);
    }
  });

  it('say what F₀ is, also in a PDF of another font', async () => {
    await dialog().getByLabel('ΔF/F₀').check();
    await choose('Font', 'Times');
    const root = await saveSvg();
    expect(texts(root)).toEqual(expect.arrayContaining(['ΔF/F₀', 'F₀: 20th percentile of all time points']));
    expect(elements(root).find(({ name }) => name === 'g')?.attributes['font-family']).toMatch(/^Times/);
    const pdf = (await save('PDF')).toString('latin1');
    expect(pdf).toContain('/BaseFont/Times-Roman');
    expect(pdf).not.toContain('Helvetica');
  });

  it('come back as a preset, and go when it is deleted', async () => {
    await dialog().getByRole('button', { name: '1 column' }).click();
    await choose('Planes', 'Sections');
    await dialog().getByLabel('Name of the preset').fill('Paper, Fig. 2');
    await dialog().getByRole('button', { name: 'Keep as preset' }).click();
    await dialog().getByRole('button', { name: '2 columns' }).click();
    await choose('Font', 'Arial');
    await viewer.page.reload();
    await steady(viewer.page);
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    await dialog().getByText('174 × ').waitFor();
    await choose('Preset', 'Paper, Fig. 2');
    await dialog().getByText('85 × ').waitFor();
    const root = await saveSvg();
    expect(root.children.filter(({ name }) => name === 'image')).toHaveLength(STACK.Z);
    expect(elements(root).find(({ name }) => name === 'g')?.attributes['font-family']).toMatch(/^Times/);
    expect(texts(root)).toContain('ΔF/F₀');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    expect(await dialog().getByRole('combobox', { name: 'Preset', exact: true }).count()).toBe(0);
  });
});
