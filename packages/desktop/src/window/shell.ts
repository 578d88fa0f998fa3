import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { AppWindow } from '../interfaces.js';
import { end, whenEnded } from './ended.js';

/** Name of the icon in the icon theme, and of the window for desktops. */
const APP_ID = 'acquisition-store';

/**
 * Shows a page with the program of our own.
 * @param program path of hvshell
 * @returns nothing when it cannot: a library is missing, or the display refuses
 */
export async function showShell(program: string, url: string, title: string): Promise<AppWindow | undefined> {
  const child = spawn(program, [title, APP_ID], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Its faster way to draw leaves the window empty with some graphics drivers.
    env: { WEBKIT_DISABLE_DMABUF_RENDERER: '1', ...process.env },
  });
  const ended = whenEnded(child);
  // The program may end before it reads what is written to it.
  child.stdin.on('error', () => {});
  const say = (word: string) => child.stdin.write(`${word}\n`);
  say(url);
  const lines = createInterface(child.stdout);
  const shown = new Promise<boolean>((resolve) => {
    lines.on('line', (line) => line === 'shown' && resolve(true));
    void ended.then(() => resolve(false));
  });
  if (!(await shown)) return undefined;
  return {
    kind: 'shell',
    closed: ended,
    focus: () => void say('focus'),
    close: () => end(child, ended, () => child.stdin.end('close\n')),
  };
}
