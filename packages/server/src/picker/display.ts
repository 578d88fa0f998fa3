import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { exhaustionError } from '../platform-node/exhaustion.js';

const CONNECT_MS = 2_000;
const X_PORT = 6000;

/**
 * Checks that the display in the environment answers. Done before a program starts, because zenity has the same exit
 * code for "no display" and "cancelled".
 * @returns the problem; undefined when the display answers
 * @throws AcqError `capacity_exceeded` when the system has no descriptor left
 */
export async function displayProblem(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const wayland = waylandSocket(env);
  const display = env['DISPLAY'];
  if (!wayland && !display) return 'needs a display (neither DISPLAY nor WAYLAND_DISPLAY is set)';
  if (wayland && (await answers({ path: wayland }))) return undefined;
  const targets = xTargets(display ?? '');
  // The program may understand an address that this function cannot parse.
  if (display && targets.length === 0) return undefined;
  for (const target of targets) if (await answers(target)) return undefined;
  return `the display ${display || wayland} does not answer`;
}

/** True for a display on another computer, as with `ssh -X`: a desktop service would show its dialog elsewhere. */
export function isForwarded(env: NodeJS.ProcessEnv): boolean {
  return /^[^:/]+:\d/.test(env['DISPLAY'] ?? '') && !env['DISPLAY']?.startsWith('unix:') && !env['WAYLAND_DISPLAY'];
}

/** True in a KDE Plasma session, where KDE programs use the dialogs of Plasma. */
export function isKde(env: NodeJS.ProcessEnv): boolean {
  return (env['XDG_CURRENT_DESKTOP'] ?? '').split(':').includes('KDE');
}

function waylandSocket(env: NodeJS.ProcessEnv): string | undefined {
  const name = env['WAYLAND_DISPLAY'];
  return name ? join(name.startsWith('/') ? '' : (env['XDG_RUNTIME_DIR'] ?? ''), name) : undefined;
}

/** Returns where the X server `host:number.screen` listens: the abstract socket, then the file, or a TCP port. */
function xTargets(display: string): NetConnectOpts[] {
  const [, host = '', number = ''] = /^([^:]*):(\d{1,5})(?:\.\d+)?$/.exec(display) ?? [];
  if (!number) return [];
  const socket = `/tmp/.X11-unix/X${number}`;
  const local = host === '' || host === 'unix' || host.startsWith('/');
  return local ? [{ path: `\0${socket}` }, { path: socket }] : [{ host, port: X_PORT + Number(number) }];
}

function answers(target: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...target, timeout: CONNECT_MS } as NetConnectOpts);
    const settle = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', (error) => {
      const exhausted = exhaustionError('The display cannot be reached', error);
      if (exhausted) reject(exhausted);
      settle(false);
    });
    socket.once('timeout', () => settle(false));
  });
}
