/** The demo of API v1 in use: fields, messages, keys, and what axe-core finds. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.js';
import { SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { oirVector } from '../writers/oir-vector.js';
import { writeTiff } from '../writers/tiff.js';
import { type DemoPage, DemoServer } from './demo-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the demo of API v1 was not tested');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = tempFolder();
const lineFile = writeTemp(folder, 'line.oir', oirVector());
const plainFile = writeTemp(
  folder,
  'plain.tif',
  writeTiff({ pages: [{ width: 3, height: 2, samples: Uint16Array.of(1, 2, 3, 4, 5, 6) }] }),
);

/** What breaks WCAG 2.2 A and AA, or good practice. */
async function breaches(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations, passes } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    passes: unknown[];
  };
  expect(passes.length).toBeGreaterThan(10);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

describe.runIf(available)('the demo of API v1', () => {
  const demos = new DemoServer(folder);
  let demo: DemoPage;
  beforeAll(async () => {
    await demos.start();
    demo = await demos.open();
  });
  afterAll(async () => {
    await demo.end();
    await demos.close();
  });
  beforeEach(() => demo.renew());

  const field = (label: string) => demo.page.getByLabel(label, { exact: true });
  const size = () => demo.page.locator('#size').textContent();
  const names = () => demo.page.locator('.plot').first().locator('.x-name, .y-name').allTextContents();

  it('shows the JSON of the answer, which can be copied, and talks to v1 only', async () => {
    await demo.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    demos.chooses(lineFile);
    const request = demo.page.waitForRequest((one) => one.url().endsWith('/pick-and-open'));
    const info = await demo.loadFile();
    expect((await request).postDataJSON()).toEqual({ calciumChannel: 0, vesselChannel: 1 });
    expect(info).toMatchObject({ ok: true, source: { path: lineFile, format: 'oir', numChannels: 2 } });
    const json = await demo.page.getByRole('textbox', { name: 'JSON' }).inputValue();
    expect(JSON.parse(json)).toEqual(info);
    expect(json).toContain('\n  "sessionId": ');
    await demo.page.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => demo.status.textContent()).toBe('The JSON was copied.');
    expect(await demo.page.evaluate(() => navigator.clipboard.readText())).toBe(json);
    const called = demo.requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith('/api/'));
    expect(called).toHaveLength(5);
    expect(called.filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });

  it('takes the calibration of the file, and scales its axes to what is entered', async () => {
    demos.chooses(lineFile);
    await demo.loadFile();
    expect([await field('ms/line').inputValue(), await field('µm/px').inputValue()]).toEqual(['1.142', '0.25']);
    expect(await size()).toBe('6.852 ms × 1 µm');
    await field('ms/line').fill('2.5');
    await field('µm/px').fill('0.5');
    expect(await size()).toBe('15 ms × 2 µm');
    expect([await demo.axis('x'), await demo.axis('y')]).toEqual([
      ['0', '2', '4', '6', '8', '10', '12', '14'],
      ['0', '0.5', '1', '1.5', '2'],
    ]);
    await field('ms/line').fill('500');
    expect(await size()).toBe('3 s × 2 µm');
    for (const nothing of ['', '0', '-1']) {
      await field('ms/line').fill(nothing);
      expect(await size()).toBe('6 lines × 2 µm');
    }
    expect(await names()).toEqual(['position (µm)', 'time (lines)']);
  });

  it('invents no calibration for a file that has none', async () => {
    demos.chooses(plainFile);
    const { calibration } = await demo.loadFile();
    expect(calibration).toMatchObject({ msPerLine: 1000, umPerPixel: 1, dim_0_units: 'Pixels' });
    expect([await field('ms/line').inputValue(), await field('µm/px').inputValue()]).toEqual(['', '']);
    expect(await demo.page.locator('#note').textContent()).toBe(
      'The unit of the lines is “Pixels”, not a time: enter the ms/line. ' +
        'The unit of the pixels is “Pixels”, not a length: enter the µm/px.',
    );
    expect([await size(), await names()]).toEqual(['2 lines × 3 px', ['position (px)', 'time (lines)']]);
  });

  it('replaces what it shows by the next file, and loads one channel when the vessel field is empty', async () => {
    demos.chooses(lineFile);
    await demo.loadFile();
    expect(await demo.page.locator('figure').count()).toBe(4);
    await field('Calcium channel').fill('1');
    await field('Vessel channel').fill('');
    demos.chooses(SAMPLE);
    const request = demo.page.waitForRequest((one) => one.url().endsWith('/pick-and-open'));
    const { channels } = await demo.loadFile();
    expect((await request).postDataJSON()).toEqual({ calciumChannel: 1, vesselChannel: null });
    expect([channels.calcium.index, channels.vessels]).toEqual([1, undefined]);
    expect(await demo.page.locator('figure').count()).toBe(1);
    expect(await demo.page.getByRole('heading', { level: 2 }).first().textContent()).toBe('vessel-kymograph.ome.tif');
    expect(await demo.page.getByRole('img').count()).toBe(1);
  });

  it('shows the message of the server when a file cannot be opened, until the next load', async () => {
    await field('Calcium channel').fill('7');
    demos.chooses(lineFile);
    await demo.loadFile();
    expect(await demo.alert.innerText()).toMatch(/^channel_out_of_range\s*\S.*7/);
    expect(await demo.page.locator('#result').isHidden()).toBe(true);
    demos.chooses(`${folder}/missing.tif`);
    await demo.loadFile();
    expect(await demo.alert.innerText()).toMatch(/^path_not_found\s*File not found: .*missing\.tif$/);
    await field('Calcium channel').fill('0');
    demos.chooses(lineFile);
    await demo.loadFile();
    expect([await demo.alert.innerText(), await demo.status.textContent()]).toEqual(['', 'Loaded line.oir.']);
  });

  it('shows the message of the server when the session has expired', async () => {
    demos.chooses(lineFile);
    await demo.page.route('**/channel/vessels', (route) => {
      const url = route.request().url();
      return route.continue({ url: url.replace(/session\/\w+/, `session/${'0'.repeat(32)}`) });
    });
    await demo.loadFile();
    expect(await demo.alert.innerText()).toMatch(/^path_not_found\s*\S+/);
    expect(await demo.image('Calcium').count()).toBe(1);
    expect(await demo.image('Vessels').count()).toBe(0);
  });

  it.each([
    [
      'a server that does not respond',
      (): undefined => undefined,
      'The server does not respond. Check that it is running.',
    ],
    [
      'a proxy without the server',
      () => ({ status: 502, body: '<html>' }),
      /^HTTP 502\s*The answer is not from API v1\.$/,
    ],
    ['a truncated plane', () => ({ status: 200, body: 'abc' }), /has 3 bytes; expected 96\.$/],
  ])('reports %s', async (_, answer, message) => {
    demos.chooses(lineFile);
    await demo.page.route('**/channel/calcium', (route) => {
      const fake = answer();
      return fake ? route.fulfill(fake) : route.abort();
    });
    await demo.loadFile();
    expect(await demo.alert.innerText()).toMatch(message);
  });

  it('says that the user closed the dialog, without an alert', async () => {
    demos.pick = async () => ({ status: 'cancelled', reason: 'user' });
    await demo.loadFile();
    expect([await demo.status.textContent(), await demo.alert.innerText()]).toEqual(['No file was chosen.', '']);
  });

  it('closes the dialog of the server on Cancel', async () => {
    let closed = false;
    const shown = new Promise<void>((isShown) => {
      demos.pick = (request) => {
        isShown();
        return new Promise((resolve) => {
          request.signal.addEventListener('abort', () => {
            closed = true;
            resolve({ status: 'cancelled', reason: 'disconnected' });
          });
        });
      };
    });
    await demo.load.click();
    await shown;
    expect([await demo.load.isEnabled(), await demo.cancel.isEnabled()]).toEqual([false, true]);
    expect(await demo.status.textContent()).toMatch(/^Choose a file in the dialog/);
    await demo.cancel.click();
    await demo.settled();
    expect([await demo.status.textContent(), await demo.alert.innerText()]).toEqual(['Cancelled.', '']);
    await expect.poll(() => closed).toBe(true);
    demos.chooses(lineFile);
    expect((await demo.loadFile()).ok).toBe(true);
  });

  it('works by keys alone', async () => {
    const { page } = demo;
    const press = (key: string) => page.keyboard.press(key);
    const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
    const answers: (() => void)[] = [];
    demos.pick = () => new Promise((resolve) => answers.push(() => resolve({ status: 'ok', path: lineFile })));
    await press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Go to the current viewer');
    for (const id of ['calcium', 'vessels', 'load']) {
      await press('Tab');
      expect(await focused()).toBe(id);
    }
    await press('Enter');
    await expect.poll(focused).toBe('cancel');
    await press('Enter');
    await expect.poll(focused).toBe('load');
    expect(await demo.status.textContent()).toBe('Cancelled.');
    await press('Shift+Tab');
    // Enter in a field loads, too.
    await press('Enter');
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    await demo.settled();
    await expect.poll(() => demo.status.textContent()).toBe('Loaded line.oir.');
    expect(await focused()).toBe('vessels');
    await press('Tab');
    await press('Tab');
    expect(await focused()).toBe('ms');
    await press('Control+A');
    await page.keyboard.type('10');
    expect(await size()).toBe('60 ms × 1 µm');
    for (const id of ['um', 'copy', 'json']) {
      await press('Tab');
      expect(await focused()).toBe(id);
    }
  });

  it.each(['light', 'dark'] as const)('has no problem that axe finds in %s colors', async (colorScheme) => {
    // The page allows no foreign script: the test brings one.
    const other = await demos.open({ colorScheme, bypassCSP: true });
    const problems: Record<string, string[]> = { start: await breaches(other.page) };
    demos.chooses(lineFile);
    await other.loadFile();
    await other.page.getByLabel('Calcium channel').fill('9');
    await other.loadFile();
    expect(await other.alert.innerText()).toContain('channel_out_of_range');
    problems['loaded, and an error'] = await breaches(other.page);
    expect(problems).toEqual({ start: [], 'loaded, and an error': [] });
    await other.end();
  });

  it('fits a window of 640 pixels', async () => {
    await demo.page.setViewportSize({ width: 640, height: 400 });
    demos.chooses(writeTemp(folder, `a-rather-long-name-${'x'.repeat(120)}.oir`, oirVector()));
    await demo.loadFile();
    expect(await demo.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await demo.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('takes the token of a server out of its address, and says how when it is missing', async () => {
    const server = await demos.serve({ token: 'let-me-in', allowHosts: ['scans.example'] });
    const url = server.url.replace('127.0.0.1', 'scans.example');
    demos.chooses(lineFile);
    const remote = await demos.open({}, '/demo/', url);
    await remote.loadFile();
    expect(await remote.alert.innerText()).toMatch(/^unauthorized\s*This server requires its token.*#token=TOKEN/);
    await remote.page.goto(`${url}/demo/#token=let-me-in&more=1`);
    await expect.poll(() => remote.page.url()).toBe(`${url}/demo/#more=1`);
    await remote.loadFile();
    expect(await remote.status.textContent()).toBe('Loaded line.oir.');
    // Not a secure page: the browser offers no clipboard.
    await remote.page.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => remote.status.textContent()).toMatch(/^The JSON is selected\./);
    const selected = await remote.page.evaluate(() => getSelection()?.toString());
    expect(JSON.parse(selected!)).toMatchObject({ ok: true });
    expect(remote.complaints.filter((text) => !text.includes('origin was untrustworthy'))).toEqual([]);
    await remote.page.close();
    await server.close();
  });
});
