/** The window of the application: a program of our own, else a browser without its bars, else a tab of a browser. */
import type { AppWindow, ShowWindow } from '../interfaces.js';
import { showBrowser } from './browser.js';
import { CHROMIUMS, showChromium } from './chromium.js';
import { findProgram, hasDisplay } from './programs.js';
import { showShell } from './shell.js';

/** @throws Error that says what to do when no window can be shown */
export const showWindow: ShowWindow = async (url, options) => {
  if (hasDisplay()) {
    for (const show of waysToShow(url, options)) {
      const window = await show();
      if (window) return window;
    }
  }
  throw new Error('no window can be shown here. Run it on a desktop, or start the server alone: acqstore serve');
};

function waysToShow(url: string, options: Parameters<ShowWindow>[1]): (() => Promise<AppWindow | undefined>)[] {
  const shell = findProgram(options.shell === undefined ? [] : [options.shell]);
  const chromium = findProgram(CHROMIUMS);
  return [
    ...(shell === undefined ? [] : [() => showShell(shell, url, options.title)]),
    ...(chromium === undefined ? [] : [() => showChromium(chromium, url, options)]),
    () => showBrowser(url, options),
  ];
}
