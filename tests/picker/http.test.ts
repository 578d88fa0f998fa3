import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { createPicker } from '../../packages/server/src/picker/index.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { createSessions } from '../../packages/server/src/sessions/create.js';
import { lineScan, sample } from '../support/bruker.js';
import { type Desktop, describeWithPrograms, startDesktop, until } from '../support/desktop.js';
import { directGate, findDirectly } from '../support/gate.js';
import { testDependencies } from '../support/test-app.js';
import { writeBruker } from '../writers/bruker.js';
import { writeTiff } from '../writers/tiff.js';

interface Failure {
  error: string;
  message: string;
}

const ORIGIN = 'https://lab.example';
const TITLE = `Acquisition Store: open a file for ${ORIGIN}`;

describeWithPrograms('pick-and-open over HTTP', ['Xvfb', 'openbox', 'xdotool', 'zenity'], () => {
  let desktop: Desktop;
  let server: RunningServer;

  beforeEach(async () => {
    desktop = await startDesktop();
    mkdirSync(join(desktop.folder, 'elsewhere'));
    server = await serve(60);
  });
  afterEach(async () => {
    await server.close();
    await desktop.stop();
  });

  const serve = (timeoutSeconds: number) => {
    const { env, folder } = desktop;
    const picker = createPicker({
      find: findDirectly,
      timeoutSeconds,
      stateDir: join(folder, 'state'),
      env,
      platform: 'linux',
    });
    // Nothing below the root: what the user picks is not confined to it.
    const own = { port: 0, coldStart: true, allowOrigins: [ORIGIN], roots: [join(folder, 'elsewhere')] };
    const options = { ...defaultOptions(), ...own };
    const services = createSessions(options, ['.tif', '.xml'], directGate());
    return listen(options, { ...testDependencies(), ...services, picker }, { stallMs: 300 });
  };
  const ask = (body?: unknown, signal?: AbortSignal, route = 'pick-and-open') =>
    fetch(`${server.url}/api/v2/${route}`, {
      method: 'POST',
      headers: { origin: ORIGIN, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  const gone = () => until('the end of the dialog', () => !isOpen());
  const isOpen = () =>
    desktop.windows(TITLE).length > 0 || desktop.processes().some(({ command }) => command.endsWith('zenity'));

  /** The window is gone a moment before the server knows it: until then another dialog is refused. */
  async function askUntilShown(): Promise<{ answer: Promise<Response> }> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const answer = ask({});
      let status: number | undefined;
      const noted = answer.then((response) => {
        status = response.status;
      });
      await until('a dialog or an answer', () => status !== undefined || desktop.windows(TITLE).length > 0);
      if (status !== 409) return { answer };
      await noted;
      await sleep(100);
    }
    throw new Error('the picker stayed busy');
  }

  it('opens what the user chooses while the server answers other requests', async () => {
    // The filter hides the one and, whatever the case, shows the other.
    const path = join(desktop.folder, 'home', 'scan.Tif');
    writeFileSync(join(desktop.folder, 'home', 'a.dat'), 'II*');
    const samples = Uint16Array.of(1, 2, 3, 40_000, 50_000, 65_535);
    writeFileSync(path, writeTiff({ pages: [{ width: 3, height: 2, samples }] }));
    const answer = ask({ extensions: ['.tif'], channelIndices: [0] });
    await desktop.focus(TITLE);
    expect(await (await fetch(`${server.url}/api/v2/health`)).json()).toEqual({ ok: true, apiVersion: 'v2' });
    for (let attempt = 0; isOpen() && attempt < 20; attempt++) {
      await sleep(300);
      // The only file that the dialog lists.
      desktop.keys('Home', 'Return');
    }
    const response = await answer;
    expect(response.status).toBe(200);
    const opened = (await response.json()) as OpenResponse;
    expect(opened).toMatchObject({ ok: true, source: { path, format: 'tif' }, plane: { shape: [2, 3] } });
    const data = await fetch(`${server.url}${opened.channels[0]?.dataUrl}`, { headers: { origin: ORIGIN } });
    expect([...new Float32Array(await data.arrayBuffer())]).toEqual([...samples]);
    const byPath = await ask({ path }, undefined, 'open');
    expect([byPath.status, ((await byPath.json()) as { error: string }).error]).toEqual([403, 'path_not_allowed']);
  });

  /** Confirms the folder that the dialog starts in. */
  async function chooseFolder(path: string): Promise<{ status: number; json: OpenResponse & Partial<Failure> }> {
    const title = `Acquisition Store: open a folder for ${ORIGIN}`;
    mkdirSync(join(desktop.folder, 'state'), { recursive: true });
    writeFileSync(join(desktop.folder, 'state', 'picker.json'), JSON.stringify({ folder: path }));
    let response: Response | undefined;
    const answer = ask({ kind: 'folder' }).then((one) => {
      response = one;
    });
    await desktop.focus(title);
    for (let attempt = 0; response === undefined && attempt < 30; attempt++) {
      await sleep(300);
      if (desktop.windows(title).length > 0) desktop.keys('Return');
    }
    await answer;
    const { status } = response as Response;
    return { status, json: (await (response as Response).json()) as OpenResponse & Partial<Failure> };
  }

  it('opens a chosen folder outside the roots', async () => {
    const path = join(desktop.folder, 'home', 'scan 1');
    writeBruker(path, lineScan(2));
    const { status, json } = await chooseFolder(path);
    expect(status).toBe(200);
    expect(json).toMatchObject({ source: { path, name: 'scan 1', format: 'xml' }, plane: { shape: [10, 4] } });
    const data = await fetch(`${server.url}${json.channels[0]?.dataUrl}`, { headers: { origin: ORIGIN } });
    expect(new Float32Array(await data.arrayBuffer())[39]).toBe(sample(1, 1, 1, 9, 3));
  });

  it('explains which folders are acquisitions when another one is chosen', async () => {
    const { status, json } = await chooseFolder(join(desktop.folder, 'elsewhere'));
    expect([status, json.error]).toEqual([415, 'unsupported_format']);
    expect(json.message).toMatch(/^elsewhere is a folder.*Bruker Prairie View.*Open a file inside it\.$/);
  });

  it('accepts only the kinds file and folder', async () => {
    const response = await ask({ kind: 'volume' });
    expect([response.status, ((await response.json()) as Failure).error]).toEqual([422, 'request_validation_failed']);
  });

  it('answers a closed dialog with 200 and the error envelope', async () => {
    const answer = ask();
    await desktop.focus(TITLE);
    desktop.keys('Escape');
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ok: false,
      error: 'cancelled',
      message: 'No file was chosen.',
      details: null,
    });
  });

  it('refuses a second dialog and closes the first when its client disconnects', async () => {
    const client = new AbortController();
    const answer = ask({}, client.signal);
    answer.catch(() => {});
    await desktop.focus(TITLE);
    const second = await ask({});
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ ok: false, error: 'picker_busy', details: null });
    client.abort();
    await expect(answer).rejects.toThrow();
    await gone();
    const third = await askUntilShown();
    await desktop.focus(TITLE);
    desktop.keys('Escape');
    expect((await third.answer).status).toBe(200);
  });

  it('closes the dialog when the server stops', async () => {
    const answer = ask({});
    answer.catch(() => {});
    await desktop.focus(TITLE);
    await server.close();
    expect(isOpen()).toBe(false);
    await Promise.allSettled([answer]);
  });

  it('says that the dialog reached its time limit', async () => {
    await server.close();
    server = await serve(1);
    const response = await ask({});
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      error: 'cancelled',
      message: expect.stringContaining('closed after its time limit'),
    });
    await gone();
  });

  it('says what is missing on a computer without a display', async () => {
    delete desktop.env['DISPLAY'];
    const response = await ask({});
    expect(response.status).toBe(501);
    expect(await response.json()).toMatchObject({
      error: 'picker_unavailable',
      message: expect.stringContaining('The server has no display'),
    });
  });
});
