// Open, first plane, all planes: rounds in which the servers take turns, after all were shown to serve the same bytes.
import { visit } from './client.mjs';
import { mib, wait } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

const REST_MS = 40;

/** @type {import('./report.mjs').Columns} */
export const OPENS = { title: 'file', facts: ['MiB', 'bytes'], keys: ['open', 'first', 'all'] };

/**
 * Servers take turns, and the one that begins changes from round to round.
 * @param {import('./servers.mjs').Server[]} servers ours first
 * @param {import('./files.mjs').Compared} file
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function measureOpens(servers, { name, path, rounds }) {
  const visits = [];
  for (const server of servers) visits.push({ server, result: await visit(server, path, { hash: true }) });
  const [own, ...others] = visits;
  if ('refused' in own.result) throw new Error(`${path}: ${own.result.refused}`);
  const row = emptyRow(name, [mib(own.result.bytes), compareBytes(own, others)]);
  for (const { server, result } of others) if ('refused' in result) row.refused[server.name] = result.refused;
  const open = servers.filter((server) => row.refused[server.name] === undefined);
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? open : [...open].reverse()) {
      const result = await visit(server, path);
      if ('refused' in result) throw new Error(`${server.name}, ${path}: ${result.refused}`);
      addRound(row, server, { open: result.open, first: result.first, all: result.all });
      await wait(REST_MS);
    }
  }
  return row;
}

/** @returns {string} `same`, or what differs from ours; a dash where no other server opens the file */
function compareBytes(own, others) {
  const compared = others.filter(({ result }) => !('refused' in result));
  if (compared.length === 0) return '–';
  const faults = compared.flatMap(({ server, result }) => {
    const fault = differ(own.result, result);
    return fault === undefined ? [] : [`${server.name} ${fault}`];
  });
  return faults.length === 0 ? 'same' : faults.join(', ');
}

/** @param {import('./client.mjs').Visit} own @param {import('./client.mjs').Visit} other */
function differ(own, other) {
  if (own.shape.join() !== other.shape.join()) return `differs: ${own.shape.join('×')}, ${other.shape.join('×')}`;
  // API v1 has two planes at most.
  if (own.hashes.length < other.hashes.length) return `differs: ${own.hashes.length}, ${other.hashes.length} planes`;
  return other.hashes.every((hash, i) => hash === own.hashes[i]) ? undefined : 'differs';
}
