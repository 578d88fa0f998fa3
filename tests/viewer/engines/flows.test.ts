/** What people do with the viewer, in every browser engine that is installed. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { Cli, SAMPLE } from '../../support/cli.js';
import { chromium } from '../../support/engines/chromium.js';
import { firefox } from '../../support/engines/firefox.js';
import type { Engine } from '../../support/engines/types.js';
import { EngineViewer } from '../../support/engines/viewer.js';
import { webkit } from '../../support/engines/webkit.js';
import { tempFolder } from '../../support/temp.js';
import { planeOf } from '../../support/viewer-image.js';
import { rampFile, rampStackFile } from '../e2e/files.js';

const folder = tempFolder();
const ramp = rampFile(folder);
const stack = rampStackFile(folder);
/** WebKit needs a minute of a loaded machine. */
const LIMIT_MS = 240_000;
/** Of the file, whose values are 0 to 31. */
const SHAPE = [8, 4] as const;
const MIDDLE = { x: 0.45, y: 0.45 };

interface Difference {
  readonly width: number;
  readonly height: number;
  /** Number of pixels. */
  readonly changed: number;
}

/** JavaScript that compares two pictures of the same size. */
function difference(...files: readonly Buffer[]): string {
  return `Promise.all(${JSON.stringify(files.map((file) => file.toString('base64')))}.map(async (text) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const { width, height } = bitmap;
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, width, height);
  })).then(([{ width, height, data }, { data: other }]) => {
    let changed = 0;
    for (let i = 0; i < data.length; i += 4)
      changed += data[i] !== other[i] || data[i + 1] !== other[i + 1] || data[i + 2] !== other[i + 2];
    return { width, height, changed };
  })`;
}

for (const kind of [chromium, firefox, webkit]) {
  const missing = kind.missing();
  if (missing.length > 0)
    console.warn(`\n*** NOT RUN: the viewer in ${kind.name} needs ${missing.join(', ')}, which .ci/run installs ***\n`);

  describe.skipIf(missing.length > 0)(`viewer in ${kind.name}`, () => {
    const cli = new Cli();
    let engine: Engine;
    let viewer: EngineViewer;
    let url = '';

    const start = async () => {
      engine = await kind.start();
      viewer = new EngineViewer(engine.page);
      await engine.page.goto(`${url}/demo/v2/`);
    };
    beforeAll(async () => {
      ({ url } = await cli.serve(['--log-level', 'warn'], { DISPLAY: '', WAYLAND_DISPLAY: '' }));
      await start();
    }, LIMIT_MS);
    // On a busy machine the driver of WebKit may lose its browser: a test that is run once more needs another one.
    beforeEach(async () => {
      const isThere = await engine.page.evaluate('true').catch(() => false);
      if (isThere) return;
      await engine.close().catch(() => {});
      await start();
    }, LIMIT_MS);
    afterAll(async () => {
      await engine?.close();
      await cli.close();
    });

    /** Gray of every sample, in rows, with 0 black and `max` white. */
    const grays = (max: number) =>
      Array.from({ length: 32 }, (_, value) => {
        const gray = Math.round(255 * Math.min(1, value / max));
        return [gray, gray, gray];
      });
    const drawn = async () => {
      const places = Array.from({ length: 32 }, (_, i) => [Math.floor(i / 4), i % 4] as const);
      return viewer.colors(await viewer.places(places, SHAPE));
    };
    /** Returns the address when the page has written what was done before: it waits 0.4 s for further changes. */
    const settledAddress = async () => {
      let last = '';
      const isSame = async () => {
        const before = last;
        last = await engine.page.evaluate<string>('location.href');
        return last === before;
      };
      await expect.poll(isSame, { interval: 600 }).toBe(true);
      return last;
    };
    /** Takes a file out of the folder of downloads when it is complete. */
    const saved = async (name: string, complete: (bytes: Buffer) => boolean) => {
      const file = join(engine.downloads, name);
      const wait = { timeout: 45_000, message: name };
      await expect.poll(() => existsSync(file) && complete(readFileSync(file)), wait).toBe(true);
      const bytes = readFileSync(file);
      rmSync(file);
      return bytes;
    };
    const endsWith = (end: string) => (bytes: Buffer) => bytes.subarray(-end.length).toString('latin1') === end;
    const describeFile = async (path: string) => {
      const body = JSON.stringify({ path });
      const headers = { 'content-type': 'application/json' };
      return (await (await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body })).json()) as OpenResponse;
    };

    it('opens a file, draws every sample and reads it at the pointer', async () => {
      await viewer.openPath(ramp);
      expect(await drawn()).toEqual(grays(31));
      await engine.page.move(await viewer.point(6, 2, SHAPE));
      await viewer.until('the value under the pointer', `document.body.innerText.match(/CH1\\s*26\\b/)`);
    });

    it('shows the whole side bar', async () => {
      const wide = `[...document.querySelectorAll('aside *')].filter((element) => element.getClientRects().length > 0
        && getComputedStyle(element).position !== 'absolute'
        && element.getBoundingClientRect().right > document.querySelector('aside').getBoundingClientRect().right + 1)
        .map((element) => element.outerHTML.slice(0, 80))`;
      expect(await engine.page.evaluate<string[]>(wide)).toEqual([]);
    });

    it('changes the contrast', async () => {
      await viewer.enter('input', 'Maximum value of CH1', '15');
      await expect.poll(drawn).toEqual(grays(15));
    });

    it('saves the samples', async () => {
      await viewer.click('button', 'Save…');
      await viewer.click('dialog button', 'Numbers');
      await viewer.click('dialog button', 'NumPy');
      const bytes = (await saved('ramp.tif.ch1.npy', ({ length }) => length === 128 + 64)).subarray(128);
      expect([...new Uint16Array(new Uint8Array(bytes).buffer)]).toEqual(Array.from({ length: 32 }, (_, i) => i));
      await engine.page.press('Escape');
    });

    it('zooms, and shows the same part after a reload', async () => {
      const extent = () => viewer.text('.image-extent');
      const [whole, from, to] = [await extent(), await viewer.point(2, 0, SHAPE), await viewer.point(5, 3, SHAPE)];
      const address = await settledAddress();
      await engine.page.drag(from, to);
      await expect.poll(extent).not.toBe(whole);
      await expect.poll(() => engine.page.evaluate('location.href')).not.toBe(address);
      const [zoomed, colors] = [await extent(), await viewer.colors([MIDDLE])];
      await engine.page.reload();
      await viewer.loaded();
      await expect.poll(extent).toBe(zoomed);
      expect(await viewer.colors([MIDDLE])).toEqual(colors);
      expect(await viewer.value('input', 'Maximum value of CH1')).toBe('15');
    });

    it(
      'shows the served plane at every step through time points and sections, and while it plays',
      async () => {
        await viewer.openPath(stack);
        const info = await describeFile(stack);
        const served = async (t: number, z: number) => {
          const dataUrl = `${info.channels[0]!.dataUrl}?T=${t}&Z=${z}`;
          const plane = await planeOf(url, { ...info, channels: [{ ...info.channels[0]!, dataUrl }] }, 0);
          return [...plane].map((value) => Array.from({ length: 3 }, () => Math.round((255 * value) / 31)));
        };
        const at = async () => [
          await viewer.value('input[type=number]', 'Time point'),
          await viewer.value('input[type=number]', 'Section'),
        ];
        // The middle one of two sections.
        expect(await drawn()).toEqual(await served(0, 1));
        await viewer.focus('[role=application]');
        const steps: [key: string, t: number, z: number][] = [
          ['{', 0, 0],
          [']', 1, 0],
          [']', 2, 0],
          ['}', 2, 1],
          ['[', 1, 1],
        ];
        for (const [key, t, z] of steps) {
          await engine.page.press(key);
          await expect.poll(drawn, { message: key }).toEqual(await served(t, z));
        }
        // The far end of the slider.
        const { x, y, width, height } = await viewer.box('input[type=range]', 'Time point, slider');
        await engine.page.drag({ x: x + width * 0.3, y: y + height / 2 }, { x: x + width - 2, y: y + height / 2 });
        await expect.poll(drawn).toEqual(await served(4, 1));
        expect(await viewer.text('.stack-place')).toBe('of 5 · 2.0 s');

        await viewer.click('button', 'Speed, loop and projection');
        await viewer.click('label', 'Loop');
        await viewer.enter('input[type=number]', 'Time point', '1');
        await expect.poll(drawn).toEqual(await served(0, 1));
        const shown = `window.shownPlaces = [], new MutationObserver(() => shownPlaces.push(
        document.querySelector('.stack-place').textContent)).observe(document.querySelector('.stack-place'),
        { characterData: true, childList: true, subtree: true })`;
        await engine.page.evaluate(`void (${shown})`);
        await viewer.click('button', 'Play the time points');
        await expect.poll(at).toEqual(['5', '2']);
        await viewer.until('the end of playing', `document.querySelector('button[aria-label="Play the time points"]')`);
        await expect.poll(drawn).toEqual(await served(4, 1));
        // In order; a busy machine may leave some out.
        const seconds = await engine.page.evaluate<number[]>(
          'shownPlaces.map((text) => parseFloat(text.split("·")[1]))',
        );
        expect(seconds).toEqual([...seconds].sort());
        expect(new Set(seconds).size).toBeGreaterThan(1);
        expect(seconds.at(-1)).toBe(2);
      },
      LIMIT_MS,
    );

    it(
      'saves a movie of the time points, which it can play',
      async () => {
        const movie = async (ending: string) => {
          const isMovie = (name: string) => name.startsWith('ramps.ome.tif.Z') && name.endsWith(`.T1-5.${ending}`);
          const find = () => readdirSync(engine.downloads).find(isMovie) ?? '';
          await expect.poll(find, { timeout: 45_000 }).not.toBe('');
          return saved(find(), ({ length }) => length > 1000);
        };
        await viewer.click('button', 'Save…');
        await viewer.click('dialog button', 'Movie');
        await viewer.click('dialog button', 'Save animated PNG');
        const png = await movie('png');
        expect(png.readUInt32BE(png.indexOf('acTL') + 4)).toBe(5);
        const offersVideo = await engine.page.evaluate<boolean>(
          `[...document.querySelectorAll('dialog button')].some(({ textContent }) => textContent === 'Save MP4')`,
        );
        // The question for an encoder would end the page of WebKitGTK.
        expect(offersVideo).toBe(kind !== webkit);
        if (offersVideo) {
          await viewer.click('dialog button', 'Save MP4');
          const data = (await movie('mp4')).toString('base64');
          // The page of the viewer plays no files.
          await engine.page.goto('about:blank');
          const seconds = await engine.page.evaluate<number>(`new Promise((resolve) => {
            const bytes = Uint8Array.from(atob(${JSON.stringify(data)}), (letter) => letter.charCodeAt(0));
            const video = document.createElement('video');
            video.onloadeddata = () => resolve(video.duration);
            video.onerror = () => resolve(video.error?.message ?? 'not played');
            video.muted = true;
            video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }));
            video.load();
          })`);
          await engine.page.goto(`${url}/demo/v2/`);
          expect(seconds).toBeCloseTo(0.5, 1);
        } else await engine.page.press('Escape');
      },
      LIMIT_MS,
    );

    it(
      'measures a velocity and a mean, and takes them to a spreadsheet',
      async () => {
        await viewer.openPath(SAMPLE);
        const plane = await planeOf(url, await describeFile(SAMPLE), 0);
        const { page } = engine;
        const stage = await viewer.box('canvas.image-canvas');
        const point = (x: number, y: number) => ({ x: stage.x + x * stage.width, y: stage.y + y * stage.height });
        const rows = () =>
          page.evaluate<string[][]>(`[...document.querySelectorAll('.marks tbody tr')].map((row) =>
        [...row.cells].map((cell) => cell.querySelector('input')?.value ?? cell.textContent))`);
        const draw = async (key: string) => {
          await viewer.focus('[role=application]');
          await page.press(key);
          await page.drag(point(0.3, 0.3), point(0.5, 0.6));
        };
        await draw('l');
        for (const [name, value] of [
          ['from time (s)', 1000 * 0.00117],
          ['from position (µm)', 5 * 0.284],
          ['to time (s)', 1100 * 0.00117],
          ['to position (µm)', 1 * 0.284],
        ] as const) {
          await viewer.enter('input', name, String(value));
        }
        await draw('r');
        await viewer.click('button', 'Marks');
        await expect.poll(async () => (await rows()).length).toBe(2);
        expect((await rows())[0]!.slice(0, 5)).toEqual(['1', 'Line 1', '1.1700–1.2870', '0.28–1.42', '−9.709']);
        await expect.poll(async () => (await rows())[1]![5]).not.toBe('');

        await viewer.click('button', 'Save marks as CSV');
        const csv = (await saved('vessel-kymograph.ome.tif.marks.csv', endsWith('\n'))).toString().trim().split('\n');
        const [titles, ...cells] = csv.map((text) => text.split(','));
        const cell = (row: number, title: string) => Number(cells[row]![titles!.indexOf(title)]);
        expect(cell(0, 'velocity (µm/s)')).toBeCloseTo((-4 * 0.284) / 0.117, 5);
        const [top, bottom] = ['from', 'to'].map((end) => Math.round(cell(1, `time (s) ${end}`) / 0.00117));
        const [left, right] = ['from', 'to'].map((end) => Math.round(cell(1, `position (µm) ${end}`) / 0.284));
        let [sum, count] = [0, 0];
        for (let line = top!; line < bottom!; line++) {
          for (let pixel = left!; pixel < right!; pixel++) [sum, count] = [sum + plane[line * 96 + pixel]!, count + 1];
        }
        expect(count).toBeGreaterThan(1000);
        expect(cell(1, 'Calcium mean')).toBeCloseTo(sum / count, 4);
        expect(Math.abs(Number((await rows())[1]![5]) - sum / count)).toBeLessThan(0.01);

        await viewer.click('.marks button', 'Copy');
        await viewer.until('the copied rows', `document.querySelector('.marks').innerText.includes('Copied 2 rows')`);
        await viewer.showPathField();
        await page.press('Control+v');
        await expect.poll(() => viewer.value('input', 'Path of a file or folder')).toMatch(/^id\s*name\s*kind/);
        await viewer.enter('input', 'Path of a file or folder', '');
        await page.press('Escape');

        await viewer.click('button', 'Go to Line 1');
        await page.press('Delete');
        await expect.poll(async () => (await rows()).map(([id]) => id)).toEqual(['2']);
        await viewer.focus('[role=application]');
        await page.press('z');
        await expect.poll(async () => (await rows()).map(([id]) => id)).toEqual(['1', '2']);
      },
      LIMIT_MS,
    );

    it(
      'draws the marks in saved figures, and keeps them through a reload',
      async () => {
        const { page } = engine;
        await viewer.click('button', 'Save…');
        await viewer.click('dialog button', 'Figure');
        await viewer.click('dialog button', 'Save SVG');
        const svg = (await saved('vessel-kymograph.ome.tif.figure.svg', endsWith('</svg>'))).toString();
        expect(svg).toContain('>−9.709 µm/s</text>');
        expect(svg.match(/<polyline /g)!.length).toBeGreaterThanOrEqual(2);
        await viewer.click('dialog button', 'Image');
        const picture = async () => {
          await viewer.click('dialog button', 'Image as shown (PNG)');
          return saved('vessel-kymograph.ome.tif.ch1.png', endsWith('IEND\xae\x42\x60\x82'));
        };
        const marked = await picture();
        await viewer.click('dialog label', 'With marks');
        const { width, height, changed } = await page.evaluate<Difference>(difference(marked, await picture()));
        expect(Math.min(width, height)).toBeGreaterThan(100);
        expect(changed).toBeGreaterThan(200);
        expect(changed).toBeLessThan(0.1 * width * height);
        await page.press('Escape');
        await page.reload();
        await viewer.loaded();
        await viewer.until('both marks', `document.querySelectorAll('.marks tbody tr').length === 2`);
      },
      LIMIT_MS,
    );
  });
}
