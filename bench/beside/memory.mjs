// Resident memory, fresh processes for each file: idle, highest, and after the last session.
import { visit } from './client.mjs';
import { mib, wait } from './figures.mjs';

const SETTLE_MS = 1500;
const CYCLES = 6;
const FILES_AT_ONCE = 2;

/**
 * Prints the table. What is waited for does not depend on speed, so both servers and two files run at the same time.
 * @param {import('./starts.mjs').Starters} starters
 * @param {import('./files.mjs').Compared[]} files
 * @param {{ short: number, long: number }} seconds what is waited for after a session and after the last one
 * @param {(text?: string) => void} say
 */
export async function memoryTable(starters, files, seconds, say) {
  say(
    `| file | server | planes | idle | highest of an open with all planes | over idle ÷ planes | ${seconds.short} s after DELETE | highest of ${CYCLES} opens | ${seconds.long} s after |`,
  );
  say('|---|---|--:|--:|--:|--:|--:|--:|--:|');
  for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
    const some = files.slice(i, i + FILES_AT_ONCE);
    const starts = some.flatMap(({ name, path }) =>
      [starters.ours, starters.reference].map(async (start) => [name, ...(await watch(start, path, seconds))]),
    );
    for (const row of await Promise.all(starts)) say(`| ${row.join(' | ')} |`);
  }
  say();
}

/** @returns {Promise<string[]>} the cells behind the file's name */
async function watch(start, path, seconds) {
  const server = await start();
  try {
    await wait(SETTLE_MS);
    const idle = server.rss();
    const first = await visit(server.url, path);
    if ('refused' in first) return [server.name, '–', mib(idle), 'does not open', '', '', '', ''];
    const peak = server.peak();
    await wait(seconds.short * 1000);
    const after = server.rss();
    for (let i = 0; i < CYCLES; i++) await visit(server.url, path);
    const cycles = server.peak();
    await wait(seconds.long * 1000);
    const share = ((peak - idle) / first.bytes).toFixed(2);
    return [server.name, mib(first.bytes), mib(idle), mib(peak), share, mib(after), mib(cycles), mib(server.rss())];
  } finally {
    await server.stop();
  }
}
