import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../packages/server/src/cli/running.js';
import { MAIN, REPOSITORY, SAMPLE } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { childCommands, Desk, freePort, send } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
let desk: Desk;
const supervisors: ChildProcess[] = [];
beforeEach(() => {
  desk = new Desk();
});
afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) supervisor.kill('SIGKILL');
  await desk.close();
});

describe('the control page', () => {
  it('is only for the page with the token, at its own address', async () => {
    const page = new TextEncoder().encode('<!doctype html>');
    await desk.start({ assets: (name) => (name === 'index.html' ? page : undefined) });
    const { base, token } = desk;
    const host = new URL(base).host;
    const good = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const stop = (headers: Record<string, string>) => send(`${base}/api/stop`, 'POST', { ...good, ...headers }, '{}');

    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await stop({ authorization: '' })).status).toBe(401);
    expect((await stop({ authorization: `Bearer ${token}x` })).status).toBe(401);
    expect((await stop({ host: 'evil.example' })).status).toBe(403);
    expect((await stop({ host: host.replace('127.0.0.1', 'localhost') })).status).toBe(403);
    expect((await stop({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await stop({ origin: 'null' })).status).toBe(403);
    expect((await stop({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await stop({ 'content-type': 'text/plain' })).status).toBe(400);
    expect((await send(`${base}/api/events`, 'GET', {})).status).toBe(401);
    await desk.until('running');

    const index = await send(`${base}/`, 'GET', {});
    expect(index).toMatchObject({ status: 200, body: '<!doctype html>' });
    expect(index.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(index.headers['access-control-allow-origin']).toBeUndefined();
    expect((await send(`${base}/`, 'GET', { host: 'evil.example' })).status).toBe(403);
    expect((await send(`${base}/..%2fsettings.json`, 'GET', {})).status).toBe(404);
    expect((await stop({ origin: base, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    await desk.until('stopped');
  });

  it.runIf(LONG)('does not start the server again for a file when the application ends', async () => {
    await desk.start();
    const { pid } = await desk.until('running');
    const stopping = desk.supervisor.stop();
    await desk.supervisor.openFile(SAMPLE);
    await stopping;
    expect(isRunning(pid)).toBe(false);
    expect(childCommands().filter((command) => command.includes(desk.folder))).toEqual([]);
  });

  it('starts the server, opens a file in it, lists it, makes a support bundle, and stops it', async () => {
    await desk.start();
    const { url, pid } = await desk.until('running', ({ health }) => health.name === 'answering');
    const { json } = await desk.post('open', { path: SAMPLE });
    expect(json).toMatchObject({ name: 'vessel-kymograph.ome.tif' });
    const [, session] = /\?session=([0-9a-f]{32})$/.exec(String(json['viewer']))!;
    expect((await fetch(`${url}/api/v2/sessions/${session}`)).status).toBe(200);
    await expect.poll(() => desk.state.recent).toMatchObject([{ path: SAMPLE, name: 'vessel-kymograph.ome.tif' }]);
    await expect.poll(() => desk.lines.map(({ text }) => text).join('\n')).toContain(`opening: ${SAMPLE}`);

    const missing = await desk.post('open', { path: '/nowhere/scan.oir' });
    expect(missing).toMatchObject({ status: 400, json: { error: 'path_not_found' } });
    writeFileSync(
      desk.settingsFile,
      JSON.stringify({ ...JSON.parse(readFileSync(desk.settingsFile, 'utf8')), token: 'hush-hush' }),
    );
    await desk.post('settings', desk.state.settings);
    const bundle = (await desk.post('support-bundle', { inspected: SAMPLE })).json['path'] as string;
    expect(statSync(bundle).mode & 0o777).toBe(0o600);
    const read = (name: string) => execFileSync('tar', ['-xzOf', bundle, name], { encoding: 'utf8' });
    const names = execFileSync('tar', ['-tzf', bundle], { encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual(['about.json', 'settings.json', 'acqstore.log', 'inspect.json']);
    expect(JSON.parse(read('settings.json'))).toMatchObject({ token: '(hidden)' });
    expect(JSON.parse(read('about.json'))).toMatchObject({ application: '1.2.3', server: { name: 'running' } });
    expect(JSON.parse(read('inspect.json'))).toMatchObject({ ok: true, source: { name: 'vessel-kymograph.ome.tif' } });
    expect(read('acqstore.log')).toContain('"msg":"started"');
    expect(names.map(read).join('')).not.toContain('hush-hush');
    expect((await desk.post('formats')).json['formats']).toContainEqual({
      name: 'Olympus OIR',
      extensions: ['.oir', '.poir', '.mpoir'],
    });
    await desk.post('stop');
    await desk.until('stopped');
    expect(isRunning(pid)).toBe(false);
  });

  it('opens a file that was handed over, also while no page is connected', async () => {
    await desk.start();
    await desk.supervisor.openFile(SAMPLE);
    const shown = () => desk.events.find(({ kind }) => kind === 'viewer');
    await expect.poll(shown).toMatchObject({ url: expect.stringContaining('session=') });
    const viewers: string[] = [];
    const other = new Desk();
    try {
      await other.start({ openAtStart: SAMPLE, onViewer: async (url) => void viewers.push(url) });
      // The second server beside the first, on a machine with other work.
      await expect.poll(() => viewers, { timeout: 60_000 }).toHaveLength(1);
      const text = 'vessel-kymograph.ome.tif is open in the viewer.';
      await expect.poll(() => other.events).toContainEqual({ kind: 'shown', text });
      await other.supervisor.openFile('/nowhere/scan.oir');
      await expect.poll(() => other.events.map(({ kind }) => kind)).toContain('notice');
    } finally {
      await other.close();
    }
  }, 120_000);
});

describe('the browser', () => {
  it('that does not start is reported, with the address and the reason', async () => {
    await desk.start({ onViewer: () => Promise.reject(new Error('xdg-open exited with code 3')) });
    const { json } = await desk.post('open', { path: SAMPLE });
    const told = () => desk.events.filter(({ kind }) => kind === 'shown' || kind === 'not-shown');
    const problem = 'xdg-open exited with code 3';
    await expect.poll(told).toEqual([{ kind: 'not-shown', url: json['viewer'], problem }]);
  });

  it.runIf(LONG)('that keeps the program which opens addresses waiting has started', async () => {
    await desk.start({ onViewer: () => new Promise(() => {}) });
    await desk.post('viewer');
    await expect.poll(() => desk.events).toContainEqual({ kind: 'shown', text: 'The viewer is open.' });
  });
});

describe('the server', () => {
  it('is reported when it ends by itself, with its last words, and is not restarted', async () => {
    await desk.start();
    const { pid } = await desk.until('running');
    process.kill(pid, 'SIGKILL');
    const failed = await desk.until('failed');
    expect(failed.message).toBe('The server ended unexpectedly by signal SIGKILL.');
    expect(failed.lastLines.join('\n')).toContain('started');
    expect(readFileSync(desk.logFile, 'utf8')).toContain(failed.message);
    await new Promise((next) => setTimeout(next, 300));
    expect(desk.state.server.name).toBe('failed');
    await desk.post('start');
    await desk.until('running');
  });

  it.runIf(LONG)('does not start at a port of another program, which is named and left alone', async () => {
    const other = createServer((_request, response) => response.end('mine')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await desk.start({}, { port });
    const taken = await desk.until('taken');
    expect(taken).toMatchObject({ port, owner: { isOurs: false } });
    if (process.platform === 'linux')
      expect(taken.owner).toMatchObject({ pid: process.pid, program: expect.any(String) });
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('mine');
    await desk.post('settings', { ...desk.state.settings, port: taken.freePort });
    await desk.post('start');
    expect((await desk.until('running')).port).toBe(taken.freePort);
    other.close();
  });

  it.runIf(LONG)('is recognized where it runs already', async () => {
    await desk.start();
    const { port, pid } = await desk.until('running');
    const second = new Desk();
    try {
      await second.start({}, { port });
      expect(await second.until('taken')).toMatchObject({ port, owner: { isOurs: true } });
    } finally {
      await second.close();
    }
    expect(isRunning(pid)).toBe(true);
  });

  it('explains what is wrong with its settings file', async () => {
    await desk.start({}, { port: await freePort(), root: ['/nowhere'] });
    const failed = await desk.until('failed');
    expect(failed.message).toBe('The server could not start (it ended with exit code 2).');
    expect(failed.lastLines.join('\n')).toContain('--root /nowhere: ENOENT');
  });

  it('ends with the supervisor, even one that was killed', async () => {
    const entry = join(REPOSITORY, 'packages/desktop/src/supervisor/index.ts');
    const ssr = {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'supervisor.mjs' } },
    };
    await build({ root: REPOSITORY, configFile: false, logLevel: 'error', build: ssr, ssr: { noExternal: true } });
    const settingsFile = join(folder, 'killed.json');
    writeFileSync(settingsFile, JSON.stringify({ port: await freePort() }));
    const script = `
      import { startSupervisor } from './supervisor.mjs';
      await startSupervisor({
        serverProgram: { command: process.execPath, args: ${JSON.stringify([MAIN, 'serve'])} },
        stateDir: ${JSON.stringify(folder)}, settingsFile: ${JSON.stringify(settingsFile)},
        logFile: ${JSON.stringify(join(folder, 'acqstore.log'))}, version: '1', assets: () => undefined,
      });`;
    writeFileSync(join(folder, 'start.mjs'), script);
    const supervisor = spawn(process.execPath, [join(folder, 'start.mjs')], { stdio: 'inherit' });
    supervisors.push(supervisor);
    const log = join(folder, 'acqstore.log');
    const slow = { timeout: 40_000 };
    await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8'), slow).toMatch(/"msg":"started"/);
    const [, pid] = /"pid":(\d+)/.exec(readFileSync(log, 'utf8'))!;
    expect(isRunning(Number(pid))).toBe(true);
    supervisor.kill('SIGKILL');
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });
});

describe('settings', () => {
  it('are checked one by one, saved for this user alone, and applied at the next start', async () => {
    await desk.start({}, { port: await freePort(), 'max-sessions': 3 });
    await desk.until('running');
    const { settings } = desk.state;
    const wrong = await desk.post('settings', {
      ...settings,
      port: 0,
      roots: ['lab'],
      allowOrigins: ['https://a.example/x'],
    });
    expect(wrong.status).toBe(400);
    expect(Object.keys(wrong.json['faults'] as object)).toEqual(['port', 'roots', 'allowOrigins']);
    expect(desk.state.restartNeeded).toBe(false);

    const port = await freePort();
    const next = { ...settings, port, roots: [REPOSITORY], memoryBudget: '1GB' };
    expect((await desk.post('settings', next)).status).toBe(200);
    expect(JSON.parse(readFileSync(desk.settingsFile, 'utf8'))).toEqual({
      'max-sessions': 3,
      port,
      root: [REPOSITORY],
      'memory-budget': '1GB',
    });
    expect(statSync(desk.settingsFile).mode & 0o777).toBe(0o600);
    await expect.poll(() => desk.state).toMatchObject({ restartNeeded: true, settings: next });
    await desk.post('restart');
    const running = await desk.until('running');
    expect(running.port).toBe(port);
    await expect.poll(() => desk.state.restartNeeded).toBe(false);
    expect((await desk.post('open', { path: '/etc/hostname' })).json).toMatchObject({ error: 'outside_folders' });
  });

  it.runIf(LONG)('of a file that is not valid are reported, and replaced only when saved', async () => {
    await desk.start({}, { port: 'abc' });
    await desk.until('failed');
    expect(desk.state.settingsProblem).toBe(
      `${desk.settingsFile}: "port": The port must be a whole number from 1 to 65535.`,
    );
    await desk.post('settings', { ...desk.state.settings, port: await freePort() });
    await expect.poll(() => desk.state.settingsProblem).toBe('');
    await desk.post('start');
    await desk.until('running');
  });
});
