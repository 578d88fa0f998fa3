// Open, first plane, all planes: rounds in which the servers take turns, after both were shown to serve the same bytes.
import { visit } from './client.mjs';
import { median, mib, ms, ratio, wait } from './figures.mjs';

const REST_MS = 40;

/**
 * Prints a table of `files`. Servers take turns, and the one that begins changes from round to round.
 * @param {import('./servers.mjs').Server} ours
 * @param {import('./servers.mjs').Server} reference
 * @param {import('./files.mjs').Compared[]} files
 * @param {(text?: string) => void} say
 */
export async function openTable(ours, reference, files, say) {
  say(
    '| file | MiB | bytes | ours: open / first / all | reference | reference ÷ ours: open | first plane | all planes |',
  );
  say('|---|--:|---|--:|--:|--:|--:|--:|');
  for (const file of files) {
    const cells = await measure(ours, reference, file);
    say(`| ${[file.name, ...cells].join(' | ')} |`);
  }
  say();
}

/** @returns {Promise<string[]>} the cells behind the name */
async function measure(ours, reference, { path, rounds }) {
  const [own, other] = [await visit(ours.url, path, { hash: true }), await visit(reference.url, path, { hash: true })];
  if ('refused' in own) throw new Error(`${path}: ${own.refused}`);
  const size = mib(own.bytes);
  const times = { ours: [], reference: [] };
  const both = 'refused' in other ? [ours] : [ours, reference];
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? both : [...both].reverse()) {
      times[server.name].push(await visit(server.url, path));
      await wait(REST_MS);
    }
  }
  const column = (visits, key) => visits.map((entry) => entry[key]);
  const triple = (visits) => ['open', 'first', 'all'].map((key) => ms(median(column(visits, key)))).join(' / ');
  if ('refused' in other)
    return [size, '–', triple(times.ours), `does not open: ${shorten(other.refused)}`, '', '', ''];
  const pick = (key) => ratio(column(times.ours, key), column(times.reference, key));
  const ratios = [pick('open'), pick('first'), pick('all')];
  return [size, compareBytes(own, other), triple(times.ours), triple(times.reference), ...ratios];
}

/** @param {import('./client.mjs').Visit} own @param {import('./client.mjs').Visit} other */
function compareBytes(own, other) {
  if (own.shape.join() !== other.shape.join()) return `differs: ${own.shape.join('×')}, ${other.shape.join('×')}`;
  if (own.hashes.length !== other.hashes.length) return `differs: ${own.hashes.length}, ${other.hashes.length} planes`;
  return own.hashes.every((hash, i) => hash === other.hashes[i]) ? 'same' : 'differs';
}

/** @param {string} text a message of the reference server, fit for a cell */
function shorten(text) {
  const line = text.split('\n')[0].replaceAll('|', '/');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
