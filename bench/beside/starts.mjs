// The first opens of a fresh process, and how long a process takes to answer.
import { visit } from './client.mjs';
import { median, ms, ratio } from './figures.mjs';

/**
 * @typedef {{ ours: () => Promise<import('./servers.mjs').Server>, reference: () => Promise<import('./servers.mjs').Server> }} Starters
 */

/**
 * Prints the table: open and all planes of the first, second and third open, fresh processes for each file and round.
 * @param {Starters} starters
 * @param {import('./files.mjs').Compared[]} files
 * @param {number} rounds
 * @param {(text?: string) => void} say
 */
export async function startTable(starters, files, rounds, say) {
  say('| file | ours: 1st / 2nd / 3rd | reference | reference ÷ ours: 1st |');
  say('|---|--:|--:|--:|');
  const startTimes = { ours: [], reference: [] };
  for (const file of files) {
    const times = { ours: [], reference: [] };
    for (let round = 0; round < rounds; round++) {
      for (const who of round % 2 === 0 ? ['ours', 'reference'] : ['reference', 'ours']) {
        const server = await starters[who]();
        startTimes[who].push(server.startMs);
        times[who].push(await firstOpens(server, file.path));
        await server.stop();
      }
    }
    const triple = (runs) => [0, 1, 2].map((i) => ms(median(runs.map((run) => run[i])))).join(' / ');
    const firsts = (runs) => runs.map((run) => run[0]);
    const refused = times.reference.some((run) => run.length === 0);
    const theirs = refused
      ? ['does not open', '']
      : [triple(times.reference), ratio(firsts(times.ours), firsts(times.reference))];
    say(`| ${[file.name, triple(times.ours), ...theirs].join(' | ')} |`);
  }
  say();
  const [own, other] = [startTimes.ours, startTimes.reference];
  say(
    `From the start of the process to the first answer of \`/health\`: ours ${ms(median(own))} ms, reference ${ms(median(other))} ms: ${ratio(own, other)}.`,
  );
  say();
}

/** @returns {Promise<number[]>} milliseconds to the last plane of three opens; none where it does not open */
async function firstOpens(server, path) {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const result = await visit(server.url, path);
    if ('refused' in result) return [];
    times.push(result.all);
  }
  return times;
}
