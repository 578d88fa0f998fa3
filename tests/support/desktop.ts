import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';

/** A virtual screen with a window manager and, on demand, a session bus that can start the desktop portal. */
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
  /** What runs on this desktop, the desktop itself included. */
  processes(): Running[];
  /** Ends it and everything that was started on it. */
  stop(): Promise<void>;
}

export interface Running {
  pid: number;
  /** Path of the program. */
  command: string;
}

export interface DesktopOptions {
  withBus?: boolean;
  /** False: programs find no display. */
  withScreen?: boolean;
  /** True: programs of other users can show windows and use the bus as well. */
  anyUser?: boolean;
  /** Width and height in pixels; `1280x800` by default. */
  screen?: string;
}

const WAIT_MS = 15_000;
const PORTAL_FOLDERS = ['/usr/libexec', '/usr/lib/xdg-desktop-portal', '/usr/lib'];
const PORTAL_SERVICES = {
  'org.freedesktop.portal.Desktop': 'xdg-desktop-portal',
  'org.freedesktop.impl.portal.desktop.gtk': 'xdg-desktop-portal-gtk',
};

/** A suite that needs real programs; says loudly which of them is missing. */
export function describeWithPrograms(name: string, programs: string[], body: () => void): void {
  const missing = programs.filter((program) => programPath(program) === undefined);
  if (missing.length === 0) return void describe(name, body);
  console.warn(`\n*** NOT RUN: "${name}" needs ${missing.join(', ')}, which .ci/run installs on Debian ***\n`);
  describe.skipIf(true)(name, body);
}

export function programPath(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...PORTAL_FOLDERS];
  return folders.map((folder) => join(folder, program)).find(existsSync);
}

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

export async function startDesktop(options: DesktopOptions = {}): Promise<Desktop> {
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-desktop-'));
  const env = desktopEnv(folder);
  const children: ChildProcess[] = [];
  if (options.withScreen !== false) {
    const { display, server } = await startXvfb(options);
    env['DISPLAY'] = display;
    children.push(server, spawn('openbox', [], { env, stdio: 'ignore' }));
    const desktops = () => spawnSync('xdotool', ['get_num_desktops'], { env, encoding: 'utf8' });
    await until('the window manager', () => desktops().status === 0);
  }
  if (options.withBus) {
    children.push(await startBus(folder, env, options.anyUser === true));
  }
  return {
    folder,
    env,
    ...control(env),
    processes: () => processesIn(folder),
    stop: () => stopDesktop(folder, children),
  };
}

async function stopDesktop(folder: string, children: ChildProcess[]): Promise<void> {
  // The screen last: programs that lose it complain.
  for (const child of children.reverse()) {
    child.kill('SIGTERM');
    await until('the end of the desktop', () => child.exitCode !== null || child.signalCode !== null);
  }
  for (const { pid } of processesIn(folder)) endProcess(pid);
  await until('the end of its programs', () => processesIn(folder).length === 0);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Xvfb takes a free display number itself and writes it to file descriptor 3. Without `-noreset` it starts anew when
 * its last client leaves, and takes a window manager that is just arriving with it.
 */
async function startXvfb({
  screen = '1280x800',
  anyUser = false,
}: DesktopOptions): Promise<{ display: string; server: ChildProcess }> {
  const args = [
    '-displayfd',
    '3',
    '-screen',
    '0',
    `${screen}x24`,
    '-nolisten',
    'tcp',
    '-noreset',
    ...(anyUser ? ['-ac'] : []),
  ];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await until('Xvfb', firstLine(server.stdio[3] as Readable));
  return { display: `:${number}`, server };
}

/** The first line that a program writes: by then it accepts connections. */
function firstLine(stream: Readable): () => string | undefined {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text.match(/^(.*)\n/)?.[1];
}

function desktopEnv(folder: string): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'home'));
  return {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}`,
    XDG_CURRENT_DESKTOP: 'GNOME',
    LANG: 'C.UTF-8',
    NO_AT_BRIDGE: '1',
    GIO_USE_VFS: 'local',
    GSETTINGS_BACKEND: 'memory',
  };
}

/** A bus of our own that can start the portal and nothing else, so that nothing else is left behind. */
async function startBus(folder: string, env: NodeJS.ProcessEnv, anyUser: boolean): Promise<ChildProcess> {
  mkdirSync(join(folder, 'services'));
  for (const [name, program] of Object.entries(PORTAL_SERVICES)) {
    writeFileSync(serviceFile(folder, name), `[D-BUS Service]\nName=${name}\nExec=${programPath(program)}\n`);
  }
  const policy = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  const users = anyUser ? '<allow user="*"/>' : '';
  const config = `<busconfig><type>session</type><listen>unix:path=${join(folder, 'bus')}</listen><auth>EXTERNAL</auth>
    <servicedir>${join(folder, 'services')}</servicedir><policy context="default">${users}${policy}</policy></busconfig>`;
  writeFileSync(join(folder, 'bus.conf'), config);
  const args = [`--config-file=${join(folder, 'bus.conf')}`, '--nofork', '--nopidfile', '--print-address=3'];
  const bus = spawn('dbus-daemon', args, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  await until('the session bus', firstLine(bus.stdio[3] as Readable));
  return bus;
}

export const serviceFile = (folder: string, name: string) => join(folder, 'services', `${name}.service`);

function control(env: NodeJS.ProcessEnv): Pick<Desktop, 'windows' | 'focus' | 'keys' | 'type'> {
  const ask = (...args: string[]) => spawnSync('xdotool', args, { env, encoding: 'utf8' }).stdout.trim();
  const windows = (title: string) => ask('search', '--onlyvisible', '--name', title).split('\n').filter(Boolean);
  const act = (...args: string[]) => void execFileSync('xdotool', args, { env, stdio: 'pipe' });
  return {
    windows,
    async focus(title) {
      await until(`the window "${title}"`, () => {
        const [id] = windows(title);
        if (!id) return false;
        if (ask('getactivewindow') === id) return true;
        ask('windowactivate', id);
        return false;
      });
    },
    keys: (...keys) => act('key', '--delay', '60', ...keys),
    type: (text) => act('type', '--delay', '15', text),
  };
}

/** Found by what they inherited: the runtime folder in their environment. */
function processesIn(folder: string): Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`XDG_RUNTIME_DIR=${folder}`)) return [];
        return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] as string }];
      } catch {
        return [];
      }
    });
}
