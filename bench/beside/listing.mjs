// The list of a folder with many files, beside a bare server in Node. The reference has no such request.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from './client.mjs';
import { wait } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

const FILES = 10_000;
const REST_MS = 300;

/** @type {import('./report.mjs').Columns} */
export const LISTING = { title: 'folder', facts: ['entries'], keys: ['list'] };

/**
 * @param {import('./servers.mjs').Server[]} servers ours first
 * @param {string} data folder for what is written
 * @param {number} rounds
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function measureListing(servers, data, rounds) {
  const path = join(data, 'beside', 'many');
  mkdirSync(path, { recursive: true });
  for (let i = readdirSync(path).length; i < FILES; i++) writeFileSync(join(path, `scan ${i}.tif`), 'II*');
  const lists = [];
  for (const server of servers) lists.push((await listFolder(server, path)).entries);
  const [own, ...others] = lists;
  if (others.some((list) => JSON.stringify(list) !== JSON.stringify(own))) throw new Error(`${path}: the lists differ`);
  const row = emptyRow(`${FILES.toLocaleString('en')} files`, [String(own?.length)]);
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
      addRound(row, server, { list: (await listFolder(server, path)).ms });
      await wait(REST_MS);
    }
  }
  return row;
}
