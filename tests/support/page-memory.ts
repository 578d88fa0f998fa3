import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Returns the bytes in memory of all processes that show pages. Linux alone. */
export async function pageMemory(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  return pages.reduce((sum, { id }) => sum + residentBytes(id), 0);
}

/** 0 for a process that has ended. */
function residentBytes(id: number): number {
  try {
    return 4096 * Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]);
  } catch {
    return 0;
  }
}
