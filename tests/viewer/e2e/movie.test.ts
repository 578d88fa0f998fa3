/** Movies that the page saves, frame by frame against the samples, in files that the browser plays. */
import { readFile } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { type DecodedPng, decodePng } from '../../support/png.js';
import { tempFolder } from '../../support/temp.js';
import { colorOf, type Display, displayOf, type Rgb, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile, stackValue } from '../../support/viewer-stack.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();

/** Seconds of the time points: one is late, which a nominal step would not show. */
const TIMES = Array.from({ length: STACK.T }, (_, t) => (t < 5 ? 0.5 * t : 0.5 * t + 4));
const ZOOM = 16;
const [WIDTH, HEIGHT] = [ZOOM * STACK.X, ZOOM * STACK.Y];
/** A place of every picture that no text and no bar covers: row and column of a sample. */
const PLACES = [
  [12, 4],
  [12, 30],
  [9, 16],
  [15, 20],
] as const;

interface Entry {
  name: string;
  bytes: Buffer;
}

/** Reads a ZIP file by its directory. */
function unzip(file: Buffer): Entry[] {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const count = file.readUInt16LE(end + 10);
  let at = file.readUInt32LE(end + 16);
  return Array.from({ length: count }, () => {
    expect(file.toString('latin1', at, at + 4)).toBe('PK\x01\x02');
    const [method, sum, size] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 16), file.readUInt32LE(at + 20)];
    const [nameLength, extra, local] = [
      file.readUInt16LE(at + 28),
      file.readUInt16LE(at + 30),
      file.readUInt32LE(at + 42),
    ];
    const name = file.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + extra;
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const stored = file.subarray(start, start + size);
    const bytes = method === 0 ? stored : inflateRawSync(stored);
    expect(crc32(bytes)).toBe(sum);
    return { name, bytes };
  });
}

const at = ({ rgb, width }: DecodedPng, x: number, y: number) => [
  ...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3),
];

describe.runIf(available)('viewer: movies', () => {
  let viewer: ViewerPage;
  let display: Display;
  /** Index of the section that is shown. */
  let section = 0;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await viewer.page.reload();
    await viewer.openPath(stackFile(folder, { name: 'film.ome.tif', times: TIMES }));
    await steady(viewer.page);
    const tab = (await viewer.page.getByRole('tab', { name: 'film.ome.tif' }).textContent()) ?? '';
    section = Number(/Z (\d+)/.exec(tab)?.[1]) - 1;
    display = await displayOf(viewer.page, 'Calcium');
    // One channel, whose colors follow from its display.
    await viewer.page.getByRole('complementary').getByLabel('Show Dye', { exact: true }).uncheck({ force: true });
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    await dialog().getByRole('tab', { name: 'Movie' }).click();
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  const dialog = () => viewer.page.getByRole('dialog', { name: 'Save and share' });
  const field = (name: string) => dialog().getByLabel(name, { exact: true });

  async function type(name: string, value: number): Promise<void> {
    await field(name).fill(String(value));
    await field(name).press('Enter');
  }

  async function save(label: string): Promise<{ name: string; bytes: Buffer }> {
    const download = viewer.page.waitForEvent('download');
    await dialog().getByRole('button', { name: label, exact: true }).click();
    const file = await download;
    await dialog().getByText(`${file.suggestedFilename()} was saved.`).waitFor();
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  }

  /** Colors of the samples at `PLACES` of a time point. */
  const expected = (t: number): Rgb[] => PLACES.map(([y, x]) => colorOf(stackValue(t, section, 0, y, x), display));
  const found = (png: DecodedPng) => PLACES.map(([y, x]) => at(png, ZOOM * x + 8, ZOOM * y + 8));

  it('shows each frame before it is saved, with its measured time', async () => {
    await dialog().getByText(`${WIDTH} × ${HEIGHT} px`).first().waitFor();
    const picture = dialog().getByRole('img', { name: 'Frame of the movie: 0.0 s' });
    await picture.waitFor();
    await dialog().getByLabel('Time point of the preview').fill('14');
    // 6.5 s by the step of the file.
    await dialog().getByRole('img', { name: 'Frame of the movie: 10.5 s' }).waitFor();
    expect(await complaints(viewer.page)).toEqual([]);
  });

  it('is saved as numbered PNGs of the chosen range, with the colors of every sample', async () => {
    await type('First of the time points', 3);
    await type('Last of the time points', 6);
    await field('Time').uncheck();
    const { name, bytes } = await save('Save PNGs (ZIP)');
    expect(name).toBe(`film.ome.tif.Z${section + 1}.T3-6.zip`);
    const entries = unzip(bytes);
    expect(entries.map((entry) => entry.name)).toEqual(
      [3, 4, 5, 6].map((t) => `film.ome.tif.Z${section + 1}.T0${t}.png`),
    );
    for (const [i, entry] of entries.entries()) {
      const png = decodePng(entry.bytes);
      expect([png.width, png.height]).toEqual([WIDTH, HEIGHT]);
      expect(found(png)).toEqual(expected(i + 2));
    }
    // The file says which frame it is, with the measured time.
    expect(entries[3]?.bytes.includes('time point 6 of 14 · 6.5 s')).toBe(true);
    await field('Time').check();
  });

  it('is saved as an animated PNG, which the browser plays', async () => {
    await dialog().getByRole('button', { name: 'All' }).click();
    await dialog().getByLabel('Rate').selectOption('20');
    const { bytes } = await save('Save animated PNG');
    const page = await pages.browser.newPage();
    await page.goto(`${viewer.url}/demo/v2/`);
    const played = await page.evaluate(
      async ({ data, places, zoom }) => {
        const file = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        const decoder = new ImageDecoder({ data: file, type: 'image/png' });
        await decoder.completed;
        await decoder.tracks.ready;
        const count = decoder.tracks.selectedTrack?.frameCount ?? 0;
        const colors: number[][][] = [];
        const durations: (number | null)[] = [];
        for (const frameIndex of [0, count - 1]) {
          const { image } = await decoder.decode({ frameIndex });
          durations.push(image.duration);
          const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
          const context = canvas.getContext('2d')!;
          context.drawImage(image, 0, 0);
          colors.push(
            places.map(([y, x]) => [...context.getImageData(zoom * x + 8, zoom * y + 8, 1, 1).data.subarray(0, 3)]),
          );
        }
        return { count, colors, durations };
      },
      { data: bytes.toString('base64'), places: PLACES, zoom: ZOOM },
    );
    await page.close();
    expect(played).toEqual({
      count: STACK.T,
      colors: [expected(0), expected(STACK.T - 1)],
      durations: [50_000, 50_000],
    });
  });

  it('is saved as MP4, which the browser plays at the chosen rate', async () => {
    await dialog().getByLabel('Rate').selectOption('5');
    const { name, bytes } = await save('Save MP4');
    expect(name).toBe(`film.ome.tif.Z${section + 1}.T1-14.mp4`);
    const page = await pages.browser.newPage();
    await page.setContent('<video muted></video>');
    const played = await page.evaluate(
      async ({ data, times, places, zoom }) => {
        const video = document.querySelector('video')!;
        const ready = new Promise((resolve, reject) => {
          video.onloadeddata = resolve;
          video.onerror = () => reject(new Error(video.error?.message));
        });
        video.src = `data:video/mp4;base64,${data}`;
        await ready;
        const colors: number[][][] = [];
        for (const time of times) {
          const sought = new Promise((resolve) => (video.onseeked = resolve));
          video.currentTime = time;
          await sought;
          const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
          const context = canvas.getContext('2d')!;
          context.drawImage(video, 0, 0);
          colors.push(
            places.map(([y, x]) => [...context.getImageData(zoom * x + 8, zoom * y + 8, 1, 1).data.subarray(0, 3)]),
          );
        }
        return { size: [video.videoWidth, video.videoHeight], duration: video.duration, colors };
      },
      { data: bytes.toString('base64'), times: [0.1, 1.1, 2.7], places: PLACES, zoom: ZOOM },
    );
    await page.close();
    expect(played.size).toEqual([WIDTH, HEIGHT]);
    expect(played.duration).toBeCloseTo(STACK.T / 5, 3);
    // Encoding changes colors a little.
    const off = [0, 5, 13].flatMap((t, i) =>
      expected(t).flatMap((rgb, j) => rgb.map((value, k) => Math.abs(value - (played.colors[i]?.[j]?.[k] ?? 999)))),
    );
    expect(Math.max(...off)).toBeLessThanOrEqual(12);
  });

  it('can be canceled', async () => {
    await viewer.page.route('**/data*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue().catch(() => undefined);
    });
    await dialog().getByRole('button', { name: 'Save animated PNG' }).click();
    await dialog()
      .getByText(/Creating film\.ome\.tif\.Z\d\.T1-14\.png, \d+ %…/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().getByText('Canceled.').waitFor();
    await viewer.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('goes through time points of a projection', async () => {
    const { page } = viewer;
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Speed, loop and projection' }).click();
    await page.locator('select[name=projection-Z]').selectOption('max');
    await page.keyboard.press('Escape');
    await page.getByText(`maximum of ${STACK.Z} sections`).first().waitFor({ state: 'attached' });
    await steady(page);
    const shown = await displayOf(page, 'Calcium');
    await page.getByRole('button', { name: 'Save…' }).click();
    await type('Last of the time points', 2);
    const { name, bytes } = await save('Save PNGs (ZIP)');
    expect(name).toBe('film.ome.tif.Zmax.T1-2.zip');
    const [, second] = unzip(bytes).map((entry) => decodePng(entry.bytes));
    const largest = ([y, x]: readonly [number, number]) =>
      Math.max(...Array.from({ length: STACK.Z }, (_, z) => stackValue(1, z, 0, y, x)));
    expect(found(second as DecodedPng)).toEqual(PLACES.map((place) => colorOf(largest(place), shown)));
  });
});
