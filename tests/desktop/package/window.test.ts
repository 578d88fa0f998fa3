/** The window of the desktop application on a virtual screen, with a page of the test instead of the supervisor. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Application, runApplication } from '../../../packages/desktop/src/application.js';
import type { Supervisor } from '../../../packages/desktop/src/interfaces.js';
import { showWindow } from '../../../packages/desktop/src/window/index.js';
import { REPOSITORY } from '../../support/cli.js';
import { type Desktop, describeWithPrograms, startDesktop, until } from '../../support/desktop.js';

const SOURCE = join(REPOSITORY, 'packages', 'desktop', 'shell', 'hvshell.c');
/** In the address of the page, which must not be in a list of processes. */
const SECRET = 'token-of-this-start';

describeWithPrograms('the window', ['Xvfb', 'openbox', 'xdotool', 'gcc', 'chromium'], () => {
  let desktop: Desktop;
  let page: Server;
  let url: string;
  let shell: string;
  const requests: string[] = [];

  beforeAll(async () => {
    desktop = await startDesktop();
    shell = join(desktop.folder, 'hvshell');
    expect(spawnSync('gcc', ['-Wall', '-Wextra', '-Werror', '-o', shell, SOURCE]).status).toBe(0);
    page = createServer((request, response) => {
      requests.push(request.url!);
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Acquisition Store</title><h1>Page</h1>');
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/${SECRET}`;
    for (const [name, value] of Object.entries(desktop.env)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    page?.close();
    await desktop?.stop();
  });

  const stateDir = () => join(desktop.folder, 'state');
  const openPage = () => Promise.reject(new Error('not expected'));
  const options = (own: string) => ({ title: 'Acquisition Store', stateDir: stateDir(), shell: own, openPage });
  const isLoaded = () => requests.includes(`/${SECRET}`);
  /** Programs of the window; the window manager stays. */
  const programs = () => desktop.processes().filter(({ command }) => !/openbox|Xvfb/.test(command));
  const closeByUser = () =>
    spawnSync('xdotool', ['search', '--onlyvisible', '--name', 'Acquisition Store', 'windowclose'], {
      env: desktop.env,
    });

  it.each(['shell', 'chromium'] as const)(
    'of kind %s shows the page, and leaves no process when it is closed',
    async (kind) => {
      requests.length = 0;
      const window = await showWindow(url, options(kind === 'shell' ? shell : '/missing'));
      expect(window.kind).toBe(kind);
      await until('the page', isLoaded);
      await until('the window', () => desktop.windows('Acquisition Store').length > 0);
      const lines = programs().map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => line.includes(SECRET))).toEqual([]);
      await window.close();
      await window.closed;
      await until('the end of its processes', () => programs().length === 0);
    },
  );

  it.each(['shell', 'chromium'] as const)('of kind %s comes to the front', async (kind) => {
    const window = await showWindow(url, options(kind === 'shell' ? shell : '/missing'));
    await until('the window', () => desktop.windows('Acquisition Store').length > 0);
    const ask = (...args: string[]) => spawnSync('xdotool', args, { env: desktop.env, encoding: 'utf8' }).stdout.trim();
    const [id] = desktop.windows('Acquisition Store');
    ask('windowminimize', id!);
    await until('the window to be gone', () => desktop.windows('Acquisition Store').length === 0);
    window.focus();
    await until('the window to be back', () => desktop.windows('Acquisition Store').length > 0);
    await window.close();
  });

  it('falls back to a browser when its own program cannot show it', async () => {
    const broken = join(desktop.folder, 'broken');
    writeFileSync(broken, '#!/bin/sh\nexit 3\n');
    chmodSync(broken, 0o755);
    const window = await showWindow(url, options(broken));
    expect(window.kind).toBe('chromium');
    await window.close();
  });

  it('says what to do where no window can be shown', async () => {
    vi.stubEnv('DISPLAY', '');
    await expect(showWindow(url, options(shell))).rejects.toThrow('acqstore serve');
    vi.stubEnv('DISPLAY', desktop.env['DISPLAY']);
  });

  it('ends the application when it is closed, after a second start has handed over its file', async () => {
    const opened: string[] = [];
    const stop = vi.fn(async () => {});
    const supervisor: Supervisor = { url, openFile: async (path) => void opened.push(path), stop };
    const startSupervisor = vi.fn(async () => supervisor);
    const application = (file: string | undefined): Application => ({
      ...{
        file,
        shell,
        startSupervisor,
        showWindow,
        openPage,
        stateDir: stateDir(),
        settingsFile: '',
        logFile: '',
        version: '0',
      },
      ...{ serverProgram: { command: 'none', args: [] }, assets: () => undefined },
    });
    requests.length = 0;
    const first = runApplication(application('/data/first.czi'));
    await until('the page', isLoaded);
    await until('the window', () => desktop.windows('Acquisition Store').length > 0);
    expect(startSupervisor).toHaveBeenCalledWith(expect.objectContaining({ openAtStart: '/data/first.czi' }));
    await runApplication(application('/data/second.czi'));
    expect(opened).toEqual(['/data/second.czi']);
    expect(startSupervisor).toHaveBeenCalledTimes(1);
    closeByUser();
    await first;
    expect(stop).toHaveBeenCalledTimes(1);
    await until('the end of its processes', () => programs().length === 0);
    expect(existsSync(join(desktop.folder, 'acquisition-store', 'window.json'))).toBe(false);
  });
});
