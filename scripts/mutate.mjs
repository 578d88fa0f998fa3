// Measures what the tests notice: makes small faults in the sources, one at a time, and runs the tests that import them.
//   node scripts/mutate.mjs --count 40 --seed 1
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chooseMutants, makeMutants } from './mutation/mutants.mjs';
import { createRunner } from './mutation/run-tests.mjs';
import { readTestsOf } from './mutation/tests-of.mjs';

/** @import { Mutant } from './mutation/mutants.mjs' */
/** @import { Outcome } from './mutation/run-tests.mjs' */

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Folders whose faults would change pixels, units and places without an error. */
const FOLDERS =
  /^packages\/(readers|server)\/src\/((model|derive)\/)?(io|samples|metadata|planes|export|writers|derive)\/[^/]+\.ts$/;
/** Mutants that behave like the source, and why. @type {Record<string, string>} */
const EQUIVALENT = JSON.parse(readFileSync(join(root, 'scripts/mutation/equivalent.json'), 'utf8'));

/**
 * Runs the tests on mutants, and tells what becomes of each.
 * @param {{ seed: string, first?: number, count: number, only?: string }} choice `only`: part of the name of a mutant
 * @param {(mutant: Mutant, outcome: Outcome) => void} report
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ tried: number, survivors: Mutant[] }>}
 */
export async function mutate({ seed, first = 0, count, only = '' }, report, signal) {
  const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .map((name) => `packages/${name.replaceAll('\\', '/')}`)
    .filter((path) => FOLDERS.test(path));
  const all = sources.flatMap((path) => makeMutants(path, readFileSync(join(root, path), 'utf8')));
  const names = new Set(all.map(({ id }) => id));
  const stale = Object.keys(EQUIVALENT).filter((id) => !names.has(id));
  if (stale.length > 0) console.warn(`No mutants any more; remove them from equivalent.json:\n${stale.join('\n')}`);
  const possible = all.filter(({ id }) => id.includes(only) && !(id in EQUIVALENT));
  const runner = createRunner(root, readTestsOf(root), signal);
  const survivors = [];
  const chosen = chooseMutants(possible, seed, first, count);
  for (const mutant of chosen) {
    const outcome = await runner(mutant);
    report(mutant, outcome);
    if (outcome.kind === 'survived') survivors.push(mutant);
  }
  return { tried: chosen.length, survivors };
}

async function main() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      first: { type: 'string', default: '0' },
      count: { type: 'string', default: '40' },
      only: { type: 'string' },
    },
  });
  const [first, count] = [Number(values.first), Number(values.count)];
  if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1) {
    console.error('--first and --count must be whole numbers');
    process.exit(2);
  }
  const stop = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(name, () => stop.abort());
  const choice = { seed: values.seed, first, count, ...(values.only ? { only: values.only } : {}) };
  try {
    const { tried, survivors } = await mutate(choice, printOutcome, stop.signal);
    console.log(`${tried - survivors.length} of ${tried} mutants were noticed`);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exit(130);
  }
}

/** @param {Mutant} mutant @param {Outcome} outcome */
export function printOutcome({ file, line, id }, { kind, seconds, by }) {
  console.log(`${kind.padEnd(9)} ${file}:${line} ${id}${by ? ` (${by})` : ''}, ${seconds.toFixed(0)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
