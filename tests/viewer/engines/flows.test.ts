/** What people do with the viewer, in every browser engine that is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../support/cli.js';
import { chromium } from '../../support/engines/chromium.js';
import { firefox } from '../../support/engines/firefox.js';
import type { Engine } from '../../support/engines/types.js';
import { EngineViewer } from '../../support/engines/viewer.js';
import { webkit } from '../../support/engines/webkit.js';
import { tempFolder } from '../../support/temp.js';
import { rampFile } from '../e2e/files.js';

const folder = tempFolder();
const ramp = rampFile(folder);
/** Of the file, whose values are 0 to 31. */
const SHAPE = [8, 4] as const;
const MIDDLE = { x: 0.45, y: 0.45 };

for (const kind of [chromium, firefox, webkit]) {
  const missing = kind.missing();
  if (missing.length > 0)
    console.warn(`\n*** NOT RUN: the viewer in ${kind.name} needs ${missing.join(', ')}, which .ci/run installs ***\n`);

  describe.skipIf(missing.length > 0)(`viewer in ${kind.name}`, () => {
    const cli = new Cli();
    let engine: Engine;
    let viewer: EngineViewer;
    let url = '';

    beforeAll(async () => {
      ({ url } = await cli.serve(['--log-level', 'warn'], { DISPLAY: '', WAYLAND_DISPLAY: '' }));
      engine = await kind.start();
      viewer = new EngineViewer(engine.page);
      await engine.page.goto(`${url}/demo/v2/`);
    }, 60_000);
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
      const places = [];
      for (let i = 0; i < 32; i++) places.push(await viewer.place(Math.floor(i / 4), i % 4, SHAPE));
      return viewer.colors(places);
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
      await viewer.click('dialog button', 'NumPy');
      const file = join(engine.downloads, 'ramp.tif.ch0.npy');
      await expect.poll(() => existsSync(file) && readFileSync(file).length, { timeout: 45_000 }).toBe(128 + 64);
      const bytes = readFileSync(file).subarray(128);
      expect([...new Uint16Array(new Uint8Array(bytes).buffer)]).toEqual(Array.from({ length: 32 }, (_, i) => i));
      await engine.page.press('Escape');
    });

    it('zooms, and shows the same part after a reload', async () => {
      const extent = () => viewer.text('.image-extent');
      const [whole, from, to] = [await extent(), await viewer.point(2, 0, SHAPE), await viewer.point(5, 3, SHAPE)];
      const address = await engine.page.evaluate<string>('location.href');
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
  });
}
