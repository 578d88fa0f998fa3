// Resident memory, fresh processes for each file: idle, highest, and after the last session.
import { visit } from './client.mjs';
import { mib, wait } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

const SETTLE_MS = 1500;
const CYCLES = 6;
const FILES_AT_ONCE = 2;

/** @type {import('./report.mjs').Columns} */
export const MEMORY = {
  title: 'file',
  facts: ['planes'],
  keys: ['idle', 'highest of an open', 'after DELETE', `highest of ${CYCLES} opens`, 'after a rest'],
  compared: ['highest of an open'],
  format: mib,
};

/**
 * What is waited for does not depend on speed, so all servers and two files run at the same time.
 * @param {import('./servers.mjs').Contestant[]} contestants
 * @param {import('./files.mjs').Compared[]} files
 * @param {{ short: number, long: number }} seconds what is waited for after a session and after the last one
 * @returns {Promise<import('./report.mjs').Row[]>}
 */
export async function measureMemory(contestants, files, seconds) {
  const rows = files.map(({ name }) => emptyRow(name));
  for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
    const jobs = files
      .slice(i, i + FILES_AT_ONCE)
      .flatMap(({ path }, k) => contestants.map((contestant) => watch(contestant, path, seconds, rows[i + k])));
    await Promise.all(jobs);
  }
  return rows;
}

async function watch(contestant, path, seconds, row) {
  const server = await contestant.start();
  try {
    await wait(SETTLE_MS);
    const figures = { idle: server.rss() };
    const first = await visit(server, path);
    if ('refused' in first) {
      row.refused[server.name] = first.refused;
      return;
    }
    row.facts = [mib(first.bytes)];
    figures['highest of an open'] = server.peak();
    await wait(seconds.short * 1000);
    figures['after DELETE'] = server.rss();
    for (let i = 0; i < CYCLES; i++) await visit(server, path);
    figures[`highest of ${CYCLES} opens`] = server.peak();
    await wait(seconds.long * 1000);
    addRound(row, server, { ...figures, 'after a rest': server.rss() });
  } finally {
    await server.stop();
  }
}
