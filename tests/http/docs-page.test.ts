import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { LONG } from '../support/long.js';
import { fakePicker, testDependencies } from '../support/test-app.js';

interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; description: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { $ref?: string; content?: Record<string, { schema: Schema }>; 'x-error-codes'?: string[] }
  >;
}
interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { 'x-error-codes': string[] }> };
}

/** Every name, description and constant that a schema holds, also below references, alternatives and entries. */
function textsOf(contract: Contract, schema: Schema): string[] {
  const { $ref, description, properties = {}, items, anyOf = [], enum: values = [], const: value } = schema;
  if ($ref !== undefined) return textsOf(contract, contract.components.schemas[$ref.split('/').at(-1)!]!);
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return [
    ...Object.keys(properties),
    ...(description === undefined ? [] : [description]),
    ...[...values, ...(value === undefined ? [] : [value])].map((one) => JSON.stringify(one)),
    ...inner.flatMap((one) => textsOf(contract, one)),
  ];
}

/** Runs in the page, on each kind of part that it has. In the dark only colors can be wrong that are right in the light. */
async function judge(scheme: 'light' | 'dark'): Promise<object[]> {
  interface Axe {
    run(where: object, options: object): Promise<{ violations: object[] }>;
  }
  const { axe } = window as unknown as { axe: Axe };
  const include = ['nav', 'header', '#openAcquisition', '#getChannelData', '#errors'];
  const { violations } = await axe.run({ include }, scheme === 'dark' ? { runOnly: ['color-contrast'] } : {});
  return violations;
}

/** Text as the page shows it: words alone. */
const shown = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ').trim();

interface Ended {
  failed: boolean;
  stdout: string;
  stderr: string;
}

/** Runs a call of the page; `undefined` where the language is not installed. */
const RUNNERS: Record<string, (call: string) => Promise<Ended | undefined>> = {
  curl: (call) => runWith('sh', ['-c', call.replace(/-o plane\.f32/, '-o /dev/null')]),
  python: async (call) =>
    /^import numpy/m.test(call) && !(await hasNumpy()) ? undefined : runWith('python3', ['-c', call]),
  javascript: (call) => runWith(process.execPath, ['--input-type=module', '-e', call]),
};

async function hasNumpy(): Promise<boolean> {
  const found = await runWith('python3', ['-c', 'import numpy']);
  if (found?.failed !== false) console.warn('NO NUMPY: the Python call of a plane was not run');
  return found?.failed === false;
}

/** The server runs in this process: it must be able to answer meanwhile. */
function runWith(program: string, args: string[]): Promise<Ended | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      if (error?.code !== 'ENOENT') return resolve({ failed: error !== null, stdout, stderr });
      console.warn(`NO ${program}: the calls of the documentation in this language were not run`);
      return resolve(undefined);
    });
  });
}

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the interactive documentation was not tested in a browser');

describe.runIf(available)('/docs in a browser', () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const deps = { ...testDependencies(), sessions: fakeSessions(), picker: fakePicker() };
    server = await listen({ ...defaultOptions(), port: 0 }, deps);
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${server.url}/docs`, { waitUntil: 'networkidle' });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('shows every operation', async () => {
    const ids = await page.locator('section.operation').evaluateAll((all) => all.map((one) => one.id));
    expect(ids.sort()).toEqual([
      'createUpload',
      'deleteSession',
      'deleteUpload',
      'describeRecording',
      'errors',
      'getAcquisition',
      'getCapabilities',
      'getChannelData',
      'getCoordinates',
      'getEvents',
      'getHealth',
      'getIndex',
      'getOmeZarr04',
      'getOmeZarr05',
      'getOverview',
      'getPlaneTable',
      'getProfile',
      'getReferenceChannelData',
      'getSession',
      'getStatistics',
      'getTraces',
      'getUser',
      'getWindow',
      'headChannelData',
      'headEvents',
      'headOmeZarr04',
      'headOmeZarr05',
      'headReferenceChannelData',
      'listExamples',
      'listFolder',
      'locateFile',
      'openAcquisition',
      'openUpload',
      'pickAndOpen',
      'renewSession',
      'uploadFile',
    ]);
  });

  it('shows every schema, parameter and response of every operation without errors', async () => {
    const contract = (await (await fetch(`${server.url}/openapi.json`)).json()) as Contract;
    const common = Object.values(contract.components.responses).flatMap((one) => one['x-error-codes']);
    const texts = await page
      .locator('section.operation')
      .evaluateAll((all) => Object.fromEntries(all.map((one) => [one.id, one.textContent ?? ''])));
    let count = 0;
    for (const operation of Object.values(contract.paths).flatMap((methods) => Object.values(methods))) {
      const text = shown(texts[operation.operationId] ?? '');
      const expected = [operation.summary, operation.description ?? ''];
      for (const { name, description } of operation.parameters ?? []) expected.push(name, description);
      const { requestBody, responses } = operation;
      for (const [status, response] of Object.entries(responses)) {
        if (response.$ref === undefined && Number(status) < 400) expected.push(status);
        expected.push(...(response['x-error-codes'] ?? []).filter((code) => !common.includes(code)));
      }
      // The body of errors stands once.
      const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
      for (const { schema } of [requestBody, ...successes.map(([, one]) => one)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      )) {
        expected.push(...textsOf(contract, schema));
      }
      for (const one of expected) {
        expect(text, operation.operationId).toContain(shown(one));
        count++;
      }
      for (const code of common) expect(text, operation.operationId).not.toContain(code);
    }
    expect(count).toBeGreaterThan(400);
    const errors = shown(texts['errors'] ?? '');
    for (const one of textsOf(contract, { $ref: '#/components/schemas/Error' })) expect(errors).toContain(shown(one));
    for (const code of [...common, 'not_found', 'method_not_allowed']) expect(errors).toContain(code);

    const whole = await page.locator('body').innerText();
    const hidden = (await page.locator('body').textContent()) ?? '';
    for (const text of [whole, hidden])
      expect(text.replaceAll(/sample is NaN|\(NaN\)/g, '')).not.toMatch(/\[object |undefined|NaN/);
  });

  it('filters operations by any word in them', async () => {
    await page.keyboard.press('/');
    const box = page.getByRole('searchbox', { name: 'Filter' });
    expect(await box.evaluate((node) => node === document.activeElement)).toBe(true);
    const visible = () =>
      page.locator('section.operation:visible').evaluateAll((all) => all.map((one) => one.id).sort());
    await box.fill('lineRoi');
    expect(await visible()).toEqual(['getAcquisition', 'openAcquisition', 'openUpload', 'pickAndOpen']);
    expect(await page.locator('.filter [role=status]').textContent()).toBe('4 shown');
    expect(await page.locator('#contents a:visible').count()).toBe(4);
    await box.fill('without  DECODING');
    expect(await visible()).toEqual(['headChannelData', 'headReferenceChannelData']);
    await box.fill('xyzzy');
    expect(await visible()).toEqual([]);
    expect(await page.locator('.filter [role=status]').textContent()).toBe('Nothing matches.');
    await box.fill('');
    expect((await visible()).length).toBe(36);
  });

  it('shows calls in three languages, selected by keyboard for the whole page', async () => {
    const tabs = page.locator('#openAcquisition').getByRole('tab');
    await tabs.first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#openAcquisition-python').getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('#getHealth').getByRole('tabpanel').textContent()).toContain('from urllib.request');
    await page.keyboard.press('End');
    expect(await page.locator('#getHealth').getByRole('tabpanel').textContent()).toContain('await fetch');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#openAcquisition-curl').getAttribute('aria-selected')).toBe('true');
    // One stop of the Tab key for each list.
    expect(await tabs.evaluateAll((all) => all.map((one) => (one as HTMLElement).tabIndex))).toEqual([0, -1, -1]);
  });

  it.runIf(LONG)('shows calls that run unchanged', async () => {
    const opened = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: "/a/it's $HOME.tif" }),
    });
    const { sessionId } = (await opened.json()) as { sessionId: string };
    // A body to quote, a parameter, a header, and nothing: the others differ in names alone.
    const ids = ['getHealth', 'openAcquisition', 'headChannelData', 'getChannelData'];
    if (LONG) ids.push('pickAndOpen', 'getSession', 'getEvents', 'renewSession');
    for (const id of ids) {
      const form = page.locator(`#${id} form`);
      const session = form.locator('input[name=sessionId]');
      if ((await session.count()) > 0) await session.fill(sessionId);
      const body = form.locator('textarea');
      if (id === 'openAcquisition') await body.fill('{"path": "/a/it\'s $HOME \u00e9.tif", "channelIndices": [1, 0]}');
      for (const [language, run] of Object.entries(RUNNERS)) {
        await page.locator(`#${id}-${language}`).click();
        const call = await page.locator(`#${id}-snippet pre`).textContent();
        const result = await run(call ?? '');
        if (result === undefined) continue;
        expect(result.failed, `${id} in ${language}: ${call}\n${result.stderr}`).toBe(false);
        if (id === 'getHealth') expect(result.stdout).toContain('"apiVersion"');
        if (id === 'openAcquisition') expect(result.stdout).toMatch(/it's \$HOME (é|\\u00e9)\.tif/);
        if (id === 'headChannelData') expect(result.stdout).toMatch(/60/);
        if (id === 'getChannelData' && language !== 'curl') expect(result.stdout).toContain('15 samples');
      }
    }
    await page.locator('#openAcquisition-curl').click();
  });

  it('opens a file, reads a plane and deletes the session with its forms', async () => {
    const open = page.locator('#openAcquisition');
    await open.locator('textarea').fill('{"path": "/a/b.tif"}');
    await open.getByRole('button', { name: 'Send' }).click();
    await open.getByText('200 OK').waitFor();
    expect(await open.locator('output pre').first().textContent()).toContain('"path": "/a/b.tif"');

    const data = page.locator('#getChannelData');
    expect(await data.locator('input').first().inputValue()).toMatch(/^[0-9a-f]{32}$/);
    await data.getByRole('button', { name: 'Send' }).click();
    await data.getByText('200 OK').waitFor();
    expect(await data.locator('output pre').first().textContent()).toContain('15 samples (float32)');

    const remove = page.locator('#deleteSession');
    await remove.getByRole('button', { name: 'Send' }).click();
    await remove.locator('output').getByText('"deleted": true').waitFor();
  });

  it('names what a parameter is, and puts what ends a session after all that needs it', async () => {
    const text = shown((await page.locator('#getSession').textContent()) ?? '');
    expect(text).toContain('sessionId string required –');
    const ids = await page.locator('section.operation').evaluateAll((all) => all.map((one) => one.id));
    const needs = ['openAcquisition', 'getChannelData', 'getTraces', 'getOmeZarr05', 'getPlaneTable', 'renewSession'];
    for (const id of needs) expect(ids.indexOf(id), id).toBeLessThan(ids.indexOf('deleteSession'));
  });

  it('shows error responses unchanged', async () => {
    const open = page.locator('#openAcquisition');
    await open.locator('textarea').fill('{"path": "/decode_failed"}');
    await open.getByRole('button', { name: 'Send' }).click();
    await open.getByText('500 Internal Server Error').waitFor();
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 500')));
  });

  it('sent requests only to its own server, and none was blocked or failed', () => {
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.runIf(LONG)('passes the accessibility checks in light and dark mode with everything expanded', async () => {
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
    });
    const axe = createRequire(import.meta.url).resolve('axe-core');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // The page forbids scripts that are not its own: another document without that rule judges its content.
      const content = await page.content();
      const copy = await browser.newPage({ colorScheme });
      await copy.route('**/*', (route) =>
        route.request().url() === `${server.url}/copy`
          ? route.fulfill({ contentType: 'text/html', body: content.replace(/<script[^>]*><\/script>/g, '') })
          : route.continue(),
      );
      await copy.goto(`${server.url}/copy`, { waitUntil: 'networkidle' });
      await copy.addScriptTag({ path: axe });
      const violations = await copy.evaluate(judge, colorScheme);
      expect(
        violations.map((one) => JSON.stringify(one).slice(0, 600)),
        colorScheme,
      ).toEqual([]);
      await copy.close();
    }
  });

  it('fits a phone screen in dark mode', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
