import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AppWindow, WindowOptions } from '../interfaces.js';
import { whenEnded } from './ended.js';

/** Programs that open an address in the user's browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens an address in the user's browser. Returns false when that is not possible. */
export async function openInBrowser(url: string): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command!, [...args, url], { stdio: 'ignore', windowsHide: true });
  await whenEnded(child);
  return child.exitCode === 0;
}

/** Shows a page in a tab of the user's browser. Returns nothing when that is not possible. */
export async function showBrowser(url: string, { stateDir }: WindowOptions): Promise<AppWindow | undefined> {
  const folder = join(stateDir, 'desktop');
  const page = join(folder, 'open.html');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(page, { force: true });
  // The address has a secret, and every user of the computer can list arguments: the browser reads it from a private file.
  writeFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  const open = () => openInBrowser(pathToFileURL(page).href);
  if (!(await open())) {
    rmSync(page, { force: true });
    return undefined;
  }
  return {
    kind: 'browser',
    closed: new Promise(() => {}),
    focus: () => void open(),
    close: async () => rmSync(page, { force: true }),
  };
}
