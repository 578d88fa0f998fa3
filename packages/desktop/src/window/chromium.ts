import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { AppWindow, WindowOptions } from '../interfaces.js';
import { DevTools } from './dev-tools.js';
import { end, whenEnded } from './ended.js';

export const CHROMIUMS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
  'vivaldi',
];

/**
 * Shows a page in a window of a Chromium-family browser that has no tabs and no address. It has a profile of its own, so that
 * its process ends with the window.
 * @param program path of the browser
 * @returns nothing when the browser shows no window
 */
export async function showChromium(
  program: string,
  url: string,
  { title, stateDir }: WindowOptions,
): Promise<AppWindow | undefined> {
  const child = spawn(program, argumentsOf(title, join(stateDir, 'window')), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = whenEnded(child);
  // The browser closes when its end of the pipe closes, so it never outlives this process.
  const [, , , to, from] = child.stdio as (Duplex | null)[];
  const tools = new DevTools(to as Writable, from as Readable);
  const page = await Promise.race([openPage(tools, url), ended.then(() => undefined)]);
  if (page === undefined) {
    await end(child, ended, () => child.kill());
    return undefined;
  }
  return {
    kind: 'chromium',
    closed: ended,
    focus: () => void tools.call('Page.bringToFront', {}, page).catch(() => {}),
    close: () => end(child, ended, () => void tools.call('Browser.close').catch(() => child.kill())),
  };
}

/**
 * The address is not among the arguments, because it has a secret and every user of the computer can list arguments: the window
 * starts empty.
 */
function argumentsOf(title: string, profile: string): string[] {
  return [
    `--app=data:text/html,<title>${encodeURIComponent(title)}</title>`,
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe',
    '--window-size=1000,760',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-mode',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // It refuses to start as root otherwise; the only page that it shows is our own.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

/** Loads the page in the window, and returns its DevTools session; nothing when that fails. */
async function openPage(tools: DevTools, url: string): Promise<string | undefined> {
  try {
    const target = await tools.firstPage();
    const { sessionId } = await tools.call<{ sessionId: string }>('Target.attachToTarget', {
      targetId: target,
      flatten: true,
    });
    await tools.call('Page.navigate', { url }, sessionId);
    return sessionId;
  } catch {
    return undefined;
  }
}
