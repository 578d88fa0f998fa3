import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A virtual screen with a window manager and, on demand, a session bus with the desktop portal. */
export interface Desktop {
  /** Everything that the desktop writes goes below this folder. */
  folder: string;
  /** Environment of a program on this desktop. Without `withBus` it names a bus that is not there. */
  env: NodeJS.ProcessEnv;
  /** Ids of the visible windows whose title contains the text. */
  windows(title: string): string[];
  /** Waits for a window, and until it has the keyboard. */
  focus(title: string): Promise<void>;
  keys(...keys: string[]): void;
  type(text: string): void;
  /** Processes that were started on this desktop, by the names of their programs. */
  processes(): string[];
  stop(): Promise<void>;
}

const WAIT_MS = 15_000;

/** Polls until the condition gives something truthy. */
export async function until<T>(what: string, condition: () => T | undefined | false): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const value = condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${WAIT_MS / 1000} s for ${what}`);
    await sleep(50);
  }
}

/** The first of the programs that is not installed. */
export function missingProgram(...programs: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/libexec', '/usr/lib/xdg-desktop-portal'];
  return programs.find((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

export async function startDesktop(options: { withBus: boolean }): Promise<Desktop> {
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-desktop-'));
  const children: ChildProcess[] = [];
  const { display, server } = await startXvfb();
  children.push(server);
  const env = desktopEnv(folder, display);
  children.push(spawn('openbox', [], { env, stdio: 'ignore' }));
  if (options.withBus) children.push(startBus(folder, env));
  if (options.withBus) await until('the session bus', () => existsSync(join(folder, 'bus')));
  return { folder, env, ...control(env), processes: () => processesIn(folder).map(({ name }) => name), stop };

  async function stop(): Promise<void> {
    for (const child of children.reverse()) child.kill('SIGTERM');
    await until('the end of the desktop', () =>
      children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode),
    );
    for (const { pid } of processesIn(folder)) process.kill(pid, 'SIGKILL');
    await until('the end of its programs', () => processesIn(folder).length === 0);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Xvfb takes a free display number itself and writes it to file descriptor 3. */
async function startXvfb(): Promise<{ display: string; server: ChildProcess }> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  let text = '';
  (server.stdio[3] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await until('Xvfb', () => text.endsWith('\n'));
  return { display: `:${text.trim()}`, server };
}

function desktopEnv(folder: string, display: string): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'home'));
  return {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: folder,
    DISPLAY: display,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}`,
    XDG_CURRENT_DESKTOP: 'GNOME',
    LANG: 'C.UTF-8',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
    GIO_USE_VFS: 'local',
    GSETTINGS_BACKEND: 'memory',
  };
}

/** A bus of our own that can start the portal and nothing else, so nothing else is left behind. */
function startBus(folder: string, env: NodeJS.ProcessEnv): ChildProcess {
  const services = join(folder, 'services');
  mkdirSync(services);
  const portal = { 'org.freedesktop.portal.Desktop': 'xdg-desktop-portal' };
  const backend = { 'org.freedesktop.impl.portal.desktop.gtk': 'xdg-desktop-portal-gtk' };
  for (const [name, program] of Object.entries({ ...portal, ...backend })) {
    const path = ['/usr/libexec', '/usr/lib/xdg-desktop-portal'].map((dir) => join(dir, program)).find(existsSync);
    writeFileSync(join(services, `${name}.service`), `[D-BUS Service]\nName=${name}\nExec=${path}\n`);
  }
  const policy = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  const config = `<busconfig><type>session</type><listen>unix:path=${join(folder, 'bus')}</listen><auth>EXTERNAL</auth>
    <servicedir>${services}</servicedir><policy context="default">${policy}</policy></busconfig>`;
  writeFileSync(join(folder, 'bus.conf'), config);
  return spawn('dbus-daemon', [`--config-file=${join(folder, 'bus.conf')}`, '--nofork', '--nopidfile'], {
    env,
    stdio: 'ignore',
  });
}

function control(env: NodeJS.ProcessEnv): Pick<Desktop, 'windows' | 'focus' | 'keys' | 'type'> {
  const xdotool = (...args: string[]) => execFileSync('xdotool', args, { env, encoding: 'utf8', stdio: 'pipe' });
  const windows = (title: string) => {
    const found = spawnSync('xdotool', ['search', '--onlyvisible', '--name', title], { env, encoding: 'utf8' });
    return found.stdout.split('\n').filter(Boolean);
  };
  return {
    windows,
    async focus(title) {
      await until(`the window "${title}"`, () => {
        const [id] = windows(title);
        if (!id) return false;
        const active = spawnSync('xdotool', ['getactivewindow'], { env, encoding: 'utf8' }).stdout.trim();
        if (active === id) return true;
        spawnSync('xdotool', ['windowactivate', id], { env });
        return false;
      });
    },
    keys: (...keys) => void xdotool('key', '--delay', '60', ...keys),
    type: (text) => void xdotool('type', '--delay', '15', text),
  };
}

/** Found by what they inherited: the runtime folder in their environment. */
function processesIn(folder: string): { pid: number; name: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`XDG_RUNTIME_DIR=${folder}`)) return [];
        return [{ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }];
      } catch {
        return [];
      }
    });
}
