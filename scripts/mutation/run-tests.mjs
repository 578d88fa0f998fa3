// Runs the tests of a mutant, those nearest to its file first.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** @import { Mutant } from './mutants.mjs' */

/**
 * @typedef {object} Outcome
 * @property {'killed' | 'survived' | 'timeout' | 'crash'} kind a mutant that makes the tests hang, or Node end, is noticed too
 * @property {number} seconds
 * @property {string} [by] test file that failed
 */

/** Tests that run readers and servers in their own process. Others run from `dist`, without the mutant. */
const IN_PROCESS = /^tests\/(unit|export|zarr|integration)\/|^tests\/conformance\/.*-fixtures/;
const SERVED = /^tests\/http\//;
const WORD_COUNTS = 4;

/**
 * @param {string} root
 * @param {(file: string) => Map<string, number>} testsOf
 * @param {AbortSignal} [signal]
 * @returns {(mutant: Mutant) => Promise<Outcome>}
 */
export function createRunner(root, testsOf, signal) {
  /** Tests that pass without a mutant. @type {Set<string>} */
  const sound = new Set();
  return async (mutant) => {
    const started = performance.now();
    const outcome = (/** @type {Outcome['kind']} */ kind, /** @type {string} */ by = '') => ({
      ...{ kind, by },
      seconds: (performance.now() - started) / 1000,
    });
    for (const tests of stagesOf(mutant.file, testsOf)) {
      const failed = await run(root, tests, mutant, signal);
      if (typeof failed === 'string') return outcome(failed);
      const [by] = failed;
      if (!by) continue;
      if (!sound.has(by) && (await run(root, [by], undefined, signal)).length > 0) {
        throw new Error(`${by} fails without a mutant`);
      }
      sound.add(by);
      return outcome('killed', by);
    }
    return outcome('survived');
  };
}

/**
 * Returns the unit tests of the folder with the nearest tests, then those further away. A test whose path has a word of the
 * file's name is nearer than its imports say: many tests import all readers.
 * @param {string} file
 * @param {(file: string) => Map<string, number>} testsOf
 */
function stagesOf(file, testsOf) {
  const [folder = '', name = ''] = file.split('/').slice(-2);
  const words = name.replace(/\.ts$/, '').split('-');
  const rank = (/** @type {[string, number]} */ [path, distance]) =>
    path.split(/[/.-]/).some((word) => words.includes(word)) ? distance - WORD_COUNTS : distance;
  const sorted = [...testsOf(file)]
    .filter(([path]) => IN_PROCESS.test(path) || (folder === 'planes' && SERVED.test(path)))
    .sort((a, b) => rank(a) - rank(b))
    .map(([path]) => path);
  const near = sorted.filter((path, place) => place < 6 || path.startsWith(`tests/unit/${folder}/`));
  return [near, sorted.filter((path) => !near.includes(path)).slice(0, 24)].filter(({ length }) => length > 0);
}

/**
 * Runs tests and returns the files that failed.
 * @param {string} root
 * @param {readonly string[]} tests
 * @param {Mutant | undefined} mutant
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[] | 'timeout' | 'crash'>}
 */
async function run(root, tests, mutant, signal) {
  signal?.throwIfAborted();
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  const [report, fault] = [join(folder, 'report.json'), join(folder, 'mutant.json')];
  if (mutant) writeFileSync(fault, JSON.stringify(mutant));
  try {
    // Only an endless loop takes that long, also on a busy machine.
    const timeLimit = 60_000 + 10_000 * tests.length;
    const args = ['--reporter=json', `--outputFile=${report}`, ...tests];
    const ended = await vitest(root, args, { mutant: mutant ? fault : '', timeLimit, signal });
    signal?.throwIfAborted();
    if (ended === 'timeout') return ended;
    if (!existsSync(report)) return 'crash';
    /** @type {{ testResults: { name: string, status: string }[] }} */
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @param {{ mutant: string, timeLimit: number, signal: AbortSignal | undefined }} options
 * @returns {Promise<'ended' | 'timeout'>}
 */
function vitest(root, args, { mutant, timeLimit, signal }) {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--config', 'scripts/mutation/vitest.config.mjs', '--bail=1', '--maxWorkers=1', '--passWithNoTests'];
  // As `npm test` runs them, also when a test of `npm run test:long` has asked.
  const { TEST_LONG: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, 'run', ...options, ...args], {
    ...{ cwd: root, stdio: 'ignore', env: { ...env, MUTANT: mutant } },
    // A group of its own, which ends with its workers.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    const end = () => void (child.pid && process.kill(-child.pid, 'SIGKILL'));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeLimit);
    signal?.addEventListener('abort', end);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve(isLate ? 'timeout' : 'ended');
    });
  });
}
