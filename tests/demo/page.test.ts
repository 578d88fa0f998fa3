import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../src/contract/open.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { samplesRoot } from '../support/samples.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { oirVector } from '../writers/oir-vector.js';
import { writeTiff } from '../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the demo page was not tested in a browser');

describe.runIf(available)('demo page', () => {
  const cli = new Cli();
  const folder = tempFolder();
  let url: string;
  let browser: Browser;
  let page: Page;
  let requests: string[];
  let complaints: string[];

  beforeAll(async () => {
    // Without a display: the dialog of the system cannot open.
    ({ url } = await cli.serve(['--log-level', 'warn'], {
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
      DBUS_SESSION_BUS_ADDRESS: '',
    }));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await cli.close();
  });
  beforeEach(async () => {
    requests = [];
    complaints = [];
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security|Refused/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(`${url}/`);
    await page.locator('.example').waitFor();
  });
  afterEach(async () => {
    expect(requests.filter((one) => !one.startsWith(`${url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  async function openPath(path: string): Promise<OpenResponse> {
    await page.locator('#path').fill(path);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    return shown(path);
  }

  async function shown(path: string): Promise<OpenResponse> {
    await page.locator('#status', { hasText: 'Opened in' }).waitFor();
    const answer = JSON.parse((await page.locator('#json').textContent()) ?? '') as OpenResponse;
    expect(answer.source.path).toBe(path);
    return answer;
  }

  const plane = async (answer: OpenResponse, channel: number) =>
    new Float32Array(await (await fetch(url + answer.channels[channel]?.dataUrl)).arrayBuffer());

  /** Red, green, blue and alpha at fractions of a panel's width and height. */
  function pixel(panel: number, x: number, y: number): Promise<number[]> {
    return page
      .locator('.panel canvas')
      .nth(panel)
      .evaluate(
        (canvas, [fx, fy]) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const context = (canvas as HTMLCanvasElement).getContext('2d');
          return [...(context?.getImageData(Math.floor(fx * width), Math.floor(fy * height), 1, 1).data ?? [])];
        },
        [x, y] as const,
      );
  }

  const grey = (value: number) => [value, value, value, 255];
  const sessionStatus = async (id: string) => (await fetch(`${url}/api/v2/sessions/${id}`)).status;

  it('shows the sample: channels, facts, session', async () => {
    await page.locator('.example').click();
    await shown(SAMPLE);
    expect(await page.locator('.panel b').allTextContents()).toEqual(['Calcium', 'Vessel']);
    const facts = (await page.locator('#facts').innerText()).replaceAll('\t', ' ');
    expect(facts).toContain('Recorded 2026-01-15 10:30:00');
    expect(facts).toContain('uint16, C 2 × Y 4000 × X 96');
    expect(facts).toContain('Step of Y 0.00117 s');
    expect(facts).toContain('Step of X 0.284 µm');
    // 4000 lines of 1.17 ms are 4.68 s, 96 pixels of 0.284 µm are 27.3 µm.
    const titles = await page.locator('.panel').first().locator('.title').allTextContents();
    expect(titles).toEqual(['time (s)', 'position (µm)']);
    expect(await page.locator('.panel').first().locator('text.middle:not(.title)').last().textContent()).toMatch(
      /^4(\.[05])?$/,
    );
    expect(await page.locator('.panel').first().locator('text.end').last().textContent()).toBe('25');
    const [stage, canvas] = await Promise.all(
      ['.stage', '.stage canvas'].map((one) => page.locator(one).first().boundingBox()),
    );
    expect(canvas!.x + canvas!.width).toBeLessThanOrEqual(stage!.x + stage!.width);
    expect(await page.locator('#session').innerText()).toMatch(/Lifetime\s+(10:00|9:5\d) left/);
    expect(await page.locator('#warnings li').count()).toBe(0);
    expect(await page.locator('#error').isVisible()).toBe(false);
  });

  it('draws each sample where it belongs, with the grey of its value', async () => {
    // 8 lines of 4 pixels with the values 0 … 31. Percentiles 1 and 99.5 of 32 samples: ranks 0.31 and 30.8, so
    // black is 0 and white is 30: value v has the grey 255 · v / 30.
    const samples = Uint16Array.from({ length: 32 }, (_, i) => i);
    const path = writeTemp(folder, 'ramp.tif', writeTiff({ pages: [{ width: 4, height: 8, samples }] }));
    await openPath(path);
    expect(await page.locator('.panel figcaption').innerText()).toContain('values 0 to 31, shown 0 to 30');
    for (const transposed of [false, true]) {
      await page.locator('#transpose').setChecked(transposed);
      for (const [line, column] of [
        [0, 0],
        [2, 3],
        [5, 1],
        [7, 3],
      ] as const) {
        const [along, across] = [(line + 0.5) / 8, (column + 0.5) / 4];
        const at = transposed ? pixel(0, along, across) : pixel(0, across, along);
        expect(await at, `line ${line}, pixel ${column}`).toEqual(
          grey(Math.min(255, Math.round((255 * (4 * line + column)) / 30))),
        );
      }
    }
  });

  it('does not lose one bright line among 30,000', async () => {
    const samples = new Uint16Array(30_000 * 8).fill(10);
    samples[12_345 * 8 + 3] = 900;
    const path = writeTemp(folder, 'spike.tif', writeTiff({ pages: [{ width: 8, height: 30_000, samples }] }));
    await openPath(path);
    expect(await page.locator('#transpose').isChecked()).toBe(true);
    const row = (3 + 0.5) / 8;
    expect(await pixel(0, 12_345.5 / 30_000, row)).toEqual(grey(255));
    expect(await pixel(0, 12_000 / 30_000, row)).toEqual(grey(0));
    expect(await pixel(0, 12_345.5 / 30_000, (2 + 0.5) / 8)).toEqual(grey(0));
  });

  it('reads out the very sample under the pointer', async () => {
    const samples = Uint16Array.from({ length: 32 }, (_, i) => 100 + i);
    await openPath(writeTemp(folder, 'readout.tif', writeTiff({ pages: [{ width: 4, height: 8, samples }] })));
    const box = (await page.locator('.panel canvas').boundingBox())!;
    await page.mouse.move(box.x + (1.5 / 4) * box.width, box.y + (5.5 / 8) * box.height);
    expect(await page.locator('.readout').innerText()).toBe('line 5, pixel 1: 121');
  });

  it('ends the session of what it replaces, and its own when it goes', async () => {
    const samples = new Uint8Array(4);
    const path = writeTemp(folder, 'small.tif', writeTiff({ pages: [{ width: 2, height: 2, samples }] }));
    const first = await openPath(path);
    expect(await sessionStatus(first.sessionId)).toBe(200);
    await page.locator('.example').click();
    const second = await shown(SAMPLE);
    await expect.poll(() => sessionStatus(first.sessionId)).toBe(404);
    expect(await sessionStatus(second.sessionId)).toBe(200);
    await page.goto('about:blank');
    await expect.poll(() => sessionStatus(second.sessionId)).toBe(404);
    requests = requests.filter((one) => one !== 'about:blank');
  });

  it('tells an error with its code and keeps what was shown', async () => {
    await page.locator('.example').click();
    const { sessionId } = await shown(SAMPLE);
    await page.locator('#path').fill('/no/such/file.tif');
    await page.keyboard.press('Enter');
    await page.locator('#error:visible').waitFor();
    expect(await page.locator('#error code').textContent()).toBe('path_not_found');
    expect(await page.locator('#error').innerText()).toContain('/no/such/file.tif');
    expect(await page.locator('.panel').count()).toBe(2);
    expect(await sessionStatus(sessionId)).toBe(200);
  });

  it('says what is missing when there is no dialog', async () => {
    await page.locator('#pick').click();
    await page.locator('#error:visible').waitFor();
    expect(await page.locator('#error code').textContent()).toBe('picker_unavailable');
  });

  it('is quiet about a cancelled dialog', async () => {
    const cancelled = { ok: false, error: 'cancelled', message: 'The dialog was closed.', details: null };
    await page.route('**/pick-and-open', (route) => route.fulfill({ json: cancelled }));
    await page.locator('#pick').click();
    await page.locator('#status', { hasText: 'was cancelled' }).waitFor();
    expect(await page.locator('#error').isVisible()).toBe(false);
  });

  it('lets a running request be cancelled', async () => {
    await page.route('**/pick-and-open', () => {});
    await page.locator('#pick').click();
    await page.locator('#status', { hasText: 'A file dialog is open' }).waitFor();
    await page.locator('#cancel').click();
    await page.locator('#status', { hasText: 'was cancelled' }).waitFor();
    expect(await page.locator('#error').isVisible()).toBe(false);
    expect(await page.locator('#cancel').isVisible()).toBe(false);
    await page.locator('.example').click();
    await shown(SAMPLE);
  });

  it('chooses among frames', async () => {
    const pages = [1, 2, 3].map((n) => ({ width: 2, height: 2, samples: Uint16Array.from([n, 10 * n, 0, 0]) }));
    const path = writeTemp(folder, 'frames.tif', writeTiff({ pages }));
    const first = await openPath(path);
    const dim = first.header.dims[1] as string;
    expect(first.header.sizes[dim]).toBe(3);
    expect(await page.locator('.panel figcaption').innerText()).toContain('values 0 to 10');
    await page.locator(`#selection input[name=${dim}]`).fill('2');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator('.panel figcaption').innerText()).toContain('values 0 to 30');
    expect(JSON.parse((await page.locator('#json').textContent()) ?? '').selection).toEqual({ [dim]: 2 });
  });

  it('draws the scanned line over the reference image', async () => {
    const answer = await openPath(writeTemp(folder, 'line.oir', oirVector()));
    expect(answer.reference?.lineRoi).toEqual([0.5, 1, 3, 2.5]);
    expect(await page.locator('.panel.reference b').first().textContent()).toMatch(/^Reference /);
    expect(await page.locator('.panel.reference polyline').first().getAttribute('points')).toBe('0.5,1 3,2.5');
  });

  it('asks for the token of a server that wants one, or takes it from the address', async () => {
    const args = ['--host', '0.0.0.0', '--token', 'let-me-in', '--root', dirname(SAMPLE), '--log-level', 'warn'];
    const remote = await cli.serve(args);
    await page.goto(`${remote.url}/demo/v2/`);
    await page.locator('#token-form:visible').waitFor();
    await page.locator('#token').fill('let-me-in');
    await page.keyboard.press('Enter');
    await page.locator('.example').click();
    await shown(SAMPLE);
    expect(await page.locator('#token-form').isVisible()).toBe(false);
    const other = await browser.newPage();
    await other.goto(`${remote.url}/demo/v2/#token=let-me-in`);
    await other.locator('.example').waitFor();
    expect(other.url()).toBe(`${remote.url}/demo/v2/`);
    await other.close();
    requests = requests.filter((one) => !one.startsWith(`${remote.url}/`));
  });

  it('renews the session', async () => {
    await page.locator('.example').click();
    await shown(SAMPLE);
    const renewal = page.waitForResponse(/\/renew$/);
    await page.getByRole('button', { name: 'Renew' }).click();
    expect((await renewal).status()).toBe(200);
  });

  it.runIf(samplesRoot)('shows 30,000 lines of a real kymograph at their places', async () => {
    const answer = await openPath(`${samplesRoot}/tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif`);
    expect(answer.plane.shape).toEqual([30_000, 38]);
    const titles = await page.locator('.panel .title').allTextContents();
    expect(titles).toEqual(['time (s)', 'position (µm)']);
    // 30,000 lines of 1.17 ms are 35.1 s.
    expect(await page.locator('.panel text.middle:not(.title)').last().textContent()).toBe('35');
    const data = await plane(answer, 0);
    const width = await page.locator('.panel canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).width);
    const shownRange = /shown (\d+) to (\d+)/.exec(await page.locator('.panel figcaption').innerText());
    const [black, white] = [Number(shownRange?.[1]), Number(shownRange?.[2])];
    let exact = 0;
    for (let k = 0; k < 40; k++) {
      const [x, column] = [Math.floor((k * width) / 40), (k * 7) % 38];
      const lines = Array.from({ length: 30_000 }, (_, line) => line).filter(
        (line) => Math.floor((line * width) / 30_000) === x,
      );
      const values = lines.map((line) => data[line * 38 + column] as number);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const greys = [mean, Math.min(...values), Math.max(...values)].map((value) =>
        Math.round(255 * Math.min(1, Math.max(0, (value - black) / (white - black)))),
      );
      const [seen] = (await pixel(0, (x + 0.5) / width, (column + 0.5) / 38)) as [number];
      expect(greys).toContain(seen);
      if (seen === greys[0]) exact++;
    }
    expect(exact).toBeGreaterThan(30);
  });
});
