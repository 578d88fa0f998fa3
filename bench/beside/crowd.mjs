// Sixteen clients at once: each opens, reads all planes, and deletes.
import { visit } from './client.mjs';
import { median, ms, quantile, ratio, wait } from './figures.mjs';

const CLIENTS = 16;
const REST_MS = 500;

/**
 * Prints a row for each set of files; its clients take them in turn.
 * @param {import('./servers.mjs').Server} ours
 * @param {import('./servers.mjs').Server} reference
 * @param {{ name: string, paths: string[] }[]} sets
 * @param {number} rounds
 * @param {(text?: string) => void} say
 */
export async function crowdTable(ours, reference, sets, rounds, say) {
  say(
    `| ${CLIENTS} clients | ours: all done; p50 / p95 / max of a client | reference | reference ÷ ours: all done | p95 |`,
  );
  say('|---|--:|--:|--:|--:|');
  for (const { name, paths } of sets) {
    const runs = { ours: [], reference: [] };
    for (let round = 0; round < rounds; round++) {
      for (const server of round % 2 === 0 ? [ours, reference] : [reference, ours]) {
        runs[server.name].push(await rush(server, paths));
        await wait(REST_MS);
      }
    }
    const walls = [runs.ours, runs.reference].map((list) => list.map((run) => run.wall));
    const slow = [runs.ours, runs.reference].map((list) => list.map((run) => quantile(run.times, 0.95)));
    const cells = [describe(runs.ours), describe(runs.reference), ratio(walls[0], walls[1]), ratio(slow[0], slow[1])];
    say(`| ${[name, ...cells].join(' | ')} |`);
  }
  say();
}

/** One round: milliseconds until all are done, and of each client. */
async function rush(server, paths) {
  const start = performance.now();
  const results = await Promise.all(
    Array.from({ length: CLIENTS }, (_, i) => visit(server.url, paths[i % paths.length])),
  );
  const wall = performance.now() - start;
  const times = results.flatMap((result) => ('refused' in result ? [] : [result.all]));
  return { wall, times, failures: CLIENTS - times.length };
}

/** @param {{ wall: number, times: number[], failures: number }[]} runs */
function describe(runs) {
  const times = runs.flatMap((run) => run.times);
  const failures = runs.reduce((sum, run) => sum + run.failures, 0);
  const spread = [0.5, 0.95, 1].map((share) => ms(quantile(times, share))).join(' / ');
  return `${ms(median(runs.map((run) => run.wall)))}; ${spread}${failures > 0 ? `; ${failures} failed` : ''}`;
}
