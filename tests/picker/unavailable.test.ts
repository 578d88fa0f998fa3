import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPicker } from '../../packages/server/src/picker/index.js';
import { type Desktop, describeWithPrograms, serviceFile, startDesktop, until } from '../support/desktop.js';
import { findDirectly } from '../support/gate.js';

/** The build: a process of its own cannot run the sources. */
const PICKER = new URL('../../packages/server/dist/picker/index.js', import.meta.url).href;
const request = (client = new AbortController()) => ({ title: 'Pick', extensions: ['.tif'], signal: client.signal });
const messageOf = async (picking: Promise<unknown>): Promise<string> => {
  const error = await picking.then(
    (result) => expect.unreachable(JSON.stringify(result)),
    (reason: { code: string; message: string }) => reason,
  );
  expect(error).toMatchObject({ code: 'picker_unavailable', status: 501 });
  return error.message;
};

describe('the picker without a dialog', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let compositor: Server | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'acqstore-picker-'));
    mkdirSync(join(folder, 'bin'));
    env = { PATH: join(folder, 'bin'), HOME: folder, XDG_RUNTIME_DIR: folder };
  });
  afterEach(() => {
    compositor?.close();
    compositor = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const picker = () =>
    createPicker({ find: findDirectly, timeoutSeconds: 20, stateDir: join(folder, 'state'), env, platform: 'linux' });
  /** A display that answers and then says nothing useful. */
  const listenAsDisplay = async () => {
    compositor = createServer((socket) => socket.destroy()).listen(join(folder, 'wayland-0'));
    await new Promise((resolve) => compositor?.once('listening', resolve));
    env['WAYLAND_DISPLAY'] = 'wayland-0';
  };
  const program = (name: string, script: string) => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  };

  it('reports a missing display and session bus', async () => {
    program('zenity', 'exit 1');
    const message = await messageOf(picker().pick(request()));
    expect(message).toContain('The server has no display: start it in a desktop session');
    expect(message).toContain('open the file by its path');
    expect(message).toMatch(/desktop portal: no session bus \(connect ENOENT .*\/bus\)/);
    expect(message).toContain('zenity: needs a display (neither DISPLAY nor WAYLAND_DISPLAY is set)');
  });

  it('reports a display that does not answer', async () => {
    env['DISPLAY'] = ':59321';
    const message = await messageOf(picker().pick(request()));
    expect(message).toContain('zenity: the display :59321 does not answer');
    expect(message).toContain('restart the server in the current desktop session');
    expect(message).not.toContain('Install');
  });

  it('does not show the kdialog of plain Qt for folders', async () => {
    await listenAsDisplay();
    program('kdialog', `echo ${folder}`);
    const message = await messageOf(picker().pick({ ...request(), kind: 'folder' }));
    expect(message).toContain('kdialog: selects folders in KDE sessions only');
    env['XDG_CURRENT_DESKTOP'] = 'KDE';
    expect(await picker().pick({ ...request(), kind: 'folder' })).toEqual({ status: 'ok', path: folder });
  });

  it('says which program to install', async () => {
    await listenAsDisplay();
    const message = await messageOf(picker().pick(request()));
    expect(message).toContain('Install zenity or kdialog (apt install zenity');
    expect(message).toContain('zenity: is not installed; kdialog: is not installed');
  });

  it('skips the desktop portal for a display of another computer', async () => {
    env['DISPLAY'] = 'localhost:10.0';
    const message = await messageOf(picker().pick(request()));
    expect(message).toContain('desktop portal: is not used, because the display localhost:10.0 is forwarded');
  });

  it('tries kdialog when zenity fails, and the other way round on KDE', async () => {
    await listenAsDisplay();
    const chosen = join(folder, 'k.tif');
    writeFileSync(chosen, 'II*');
    program('zenity', 'echo "something broke" >&2; exit 255');
    program('kdialog', `echo "${chosen}"`);
    expect(await picker().pick(request())).toEqual({ status: 'ok', path: chosen });
    program('zenity', 'exit 1');
    expect(await picker().pick(request())).toEqual({ status: 'cancelled', reason: 'user' });
    env['XDG_CURRENT_DESKTOP'] = 'X-Lab:KDE';
    expect(await picker().pick(request())).toEqual({ status: 'ok', path: chosen });
  });

  it('keeps line ends in paths, and refuses paths that are not UTF-8 or do not exist', async () => {
    await listenAsDisplay();
    const chosen = join(folder, 'two\nlines\n');
    writeFileSync(chosen, 'II*');
    program('zenity', `printf '%s\\n' "${chosen}"`);
    expect(await picker().pick(request())).toEqual({ status: 'ok', path: chosen });
    program('zenity', `printf '${folder}/caf\\351.tif\\n'`);
    await expect(picker().pick(request())).rejects.toMatchObject({
      code: 'path_not_found',
      message: expect.stringContaining('not valid UTF-8'),
    });
    program('zenity', `echo ${folder}/typed-wrong.tif`);
    await expect(picker().pick(request())).rejects.toMatchObject({
      code: 'path_not_found',
      message: `typed-wrong.tif: there is no file at ${folder}/typed-wrong.tif. Choose a file from the list in the dialog.`,
    });
    expect(JSON.parse(readFileSync(join(folder, 'state', 'picker.json'), 'utf8'))).toEqual({ folder });
    expect(readdirSync(join(folder, 'state'))).toEqual(['picker.json']);
  });

  it('kills a program that ignores SIGTERM, and does not wait for its child processes', async () => {
    await listenAsDisplay();
    const client = new AbortController();
    program('zenity', `trap '' TERM; touch ${folder}/up; while :; do sleep 0.1; done`);
    const picking = picker().pick(request(client));
    await until('the program', () => readdirSync(folder).includes('up'));
    client.abort();
    expect(await picking).toEqual({ status: 'cancelled', reason: 'disconnected' });
    const chosen = join(folder, 'a.tif');
    writeFileSync(chosen, 'II*');
    // The child of the program holds its output open.
    program('zenity', `sleep 60 & echo $! > ${folder}/child; echo ${chosen}`);
    expect(await picker().pick(request())).toEqual({ status: 'ok', path: chosen });
    // Still there: nobody waited for it.
    expect(process.kill(Number(readFileSync(join(folder, 'child'), 'utf8')), 'SIGKILL')).toBe(true);
  });

  it('does not let the program outlive the server', async () => {
    await listenAsDisplay();
    program('zenity', `echo $$ > ${folder}/pid; mv ${folder}/pid ${folder}/up; exec sleep 60`);
    const script = `
      const { createPicker } = await import(${JSON.stringify(PICKER)});
      const picker = createPicker({ find: async () => 'folder', timeoutSeconds: 60, stateDir: ${JSON.stringify(folder)} });
      picker.pick({ title: 'x', extensions: [], signal: new AbortController().signal });
      process.stdin.once('data', () => process.exit(0));`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    await until('the program', () => readdirSync(folder).includes('up'));
    const pid = Number(readFileSync(join(folder, 'up'), 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    server.stdin?.write('end');
    await until('the end of the program', () => !existsSync(`/proc/${pid}`));
  });

  it('gives the program the environment of the server without its settings', async () => {
    await listenAsDisplay();
    Object.assign(env, { ACQSTORE_TOKEN: 'secret', LC_ALL: 'POSIX', LANG: 'de_DE' });
    program('zenity', `env > ${folder}/env; printf '%s\\n' "$@" > ${folder}/args; exit 1`);
    await picker().pick({ ...request(), title: '--help\u202e\n\u0007x' });
    const seen = readFileSync(join(folder, 'env'), 'utf8');
    expect(seen).not.toContain('secret');
    expect(seen).not.toContain('LC_ALL');
    expect(seen).toMatch(/^LC_CTYPE=C\.UTF-8$/m);
    expect(seen).toMatch(/^LANG=de_DE$/m);
    expect(readFileSync(join(folder, 'args'), 'utf8').split('\n')).toEqual([
      '--file-selection',
      '--title=--help x',
      `--filename=${folder}/`,
      '--file-filter=Acquisitions | *.[tT][iI][fF]',
      '--file-filter=All files | *',
      '',
    ]);
  });

  it('shows nothing for a client that has already disconnected', async () => {
    program('zenity', `touch ${folder}/shown`);
    const client = new AbortController();
    client.abort();
    expect(await picker().pick(request(client))).toEqual({ status: 'cancelled', reason: 'disconnected' });
    expect(readdirSync(folder)).not.toContain('shown');
  });

  describeWithPrograms('with the real programs', ['zenity', 'kdialog'], () => {
    it('distinguishes "cannot open display" from a closed dialog with the same exit code', async () => {
      await listenAsDisplay();
      env['PATH'] = [env['PATH'], process.env['PATH']].join(delimiter);
      const message = await messageOf(picker().pick(request()));
      expect(message).toMatch(/zenity: exit code 1: .*open display/i);
      expect(message).toMatch(/kdialog: (exit code|ended by SIG)/);
    });
  });
});

const PORTAL = ['dbus-daemon', 'xdg-desktop-portal', 'xdg-desktop-portal-gtk'];

describeWithPrograms('desktop portal that cannot show a dialog', [...PORTAL, 'Xvfb', 'openbox', 'xdotool'], () => {
  let desktop: Desktop | undefined;
  afterEach(async () => {
    await desktop?.stop();
    desktop = undefined;
  });
  const start = async (withScreen: boolean) => {
    const started = await startDesktop({ withBus: true, withScreen });
    desktop = started;
    const env = { ...started.env, PATH: '/nonexistent' };
    const stateDir = join(started.folder, 'state');
    return {
      desktop: started,
      picker: createPicker({ find: findDirectly, timeoutSeconds: 20, stateDir, env, platform: 'linux' }),
    };
  };
  const kill = (running: Desktop, program: string) => {
    const found = running.processes().filter(({ command }) => command.endsWith(`/${program}`));
    expect(found).toHaveLength(1);
    for (const { pid } of found) process.kill(pid, 'SIGKILL');
  };

  it('has no backend without a screen', async () => {
    const { picker } = await start(false);
    const message = await messageOf(picker.pick(request()));
    expect(message).toContain('desktop portal: has no file dialog in this session');
  });

  it('ends while its dialog is open', async () => {
    const { desktop: running, picker } = await start(true);
    const picking = picker.pick(request());
    await running.focus('Pick');
    kill(running, 'xdg-desktop-portal');
    expect(await messageOf(picking)).toContain('desktop portal: stopped while its dialog was open');
  });

  it('has lost its backend, which looks like a closed window', async () => {
    const { desktop: running, picker } = await start(true);
    const picking = picker.pick(request());
    await running.focus('Pick');
    writeFileSync(serviceFile(running.folder, 'org.freedesktop.impl.portal.desktop.gtk'), '[D-BUS Service]\n');
    kill(running, 'xdg-desktop-portal-gtk');
    expect(await messageOf(picking)).toContain('desktop portal: has no backend that draws its dialogs');
  });
});
