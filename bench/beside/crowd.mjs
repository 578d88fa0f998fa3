// Many clients at once: each opens, reads all planes, and deletes.
import { visit } from './client.mjs';
import { quantile, wait } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

const REST_MS = 500;

/** @type {import('./report.mjs').Columns} */
export const CROWD = { title: 'clients', facts: ['failed'], keys: ['median', 'p99', 'all done'] };

/**
 * @param {import('./servers.mjs').Server[]} servers
 * @param {{ name: string, paths: string[], clients: number }} set clients take its files in turn
 * @param {number} rounds
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function measureCrowd(servers, { name, paths, clients }, rounds) {
  const row = emptyRow(`${clients}: ${name}`);
  const failures = Object.fromEntries(servers.map((server) => [server.name, 0]));
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
      const { wall, times } = await rush(server, paths, clients);
      failures[server.name] += clients - times.length;
      addRound(row, server, { median: quantile(times, 0.5), p99: quantile(times, 0.99), 'all done': wall });
      await wait(REST_MS);
    }
  }
  row.facts = [Object.values(failures).join(' / ')];
  return row;
}

/** One round: milliseconds until all are done, and of each client that was served. */
async function rush(server, paths, clients) {
  const start = performance.now();
  const jobs = Array.from({ length: clients }, (_, i) => visit(server, paths[i % paths.length]));
  const results = await Promise.all(jobs);
  const wall = performance.now() - start;
  return { wall, times: results.flatMap((result) => ('refused' in result ? [] : [result.all])) };
}
