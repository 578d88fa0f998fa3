/** The recipes for clusters, run on this computer. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MAIN, REPOSITORY } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

const run = promisify(execFile);
const stemOf = (name: string) => name.split('.')[0];
const base = tempFolder();
const files = readdirSync(join(REPOSITORY, 'packages/server/warm-up'))
  .filter((name) => /\.(tif|oir|lif|nd2)$/.test(name))
  // One with each name: exports of two would overwrite each other.
  .filter((name, i, all) => all.findIndex((other) => stemOf(other) === stemOf(name)) === i)
  .map((name) => join(base, 'data', name));
cpSync(join(REPOSITORY, 'packages/server/warm-up'), join(base, 'data'), { recursive: true });
const list = join(base, 'files.txt');
const missing = join(base, 'data', 'missing.tif');
writeFileSync(list, [...files, missing].map((path) => `${path}\n`).join(''));
const acqstore = join(base, 'acqstore');
writeFileSync(acqstore, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });

interface Line {
  path: string;
  ok: boolean;
}
const linesOf = (...names: string[]) =>
  names.flatMap((name) => readFileSync(name, 'utf8').trim().split('\n')).map((line) => JSON.parse(line) as Line);

/** All files of the list once, and one that could not be opened. */
function expectAll(lines: readonly Line[]): void {
  expect(lines.map(({ path }) => path).sort()).toEqual([...files, missing].sort());
  expect(lines.filter(({ ok }) => !ok).map(({ path }) => path)).toEqual([missing]);
}

describe('the array of Slurm', () => {
  const script = join(REPOSITORY, 'deploy', 'slurm', 'array.sh');
  /** Runs a task as Slurm does. */
  const task = (index: number, ...args: string[]) =>
    run('bash', [script, ...args], {
      env: {
        ...process.env,
        ACQSTORE: acqstore,
        SLURM_ARRAY_TASK_ID: String(index),
        SLURM_ARRAY_TASK_MIN: '1',
        SLURM_ARRAY_TASK_COUNT: '3',
      },
    });

  it('takes each file of the list in one of its tasks', async () => {
    const results = join(base, 'described');
    for (const index of [1, 2, 3]) await task(index, 'inspect', list, results);
    expect(readdirSync(results).sort()).toEqual(['1.jsonl', '2.jsonl', '3.jsonl']);
    expectAll(linesOf(...readdirSync(results).map((name) => join(results, name))));
  }, 60_000);

  it('exports, and has the same when it is submitted again', async () => {
    const results = join(base, 'exported');
    const args = ['export', list, results, '--to', 'npy', '--base', join(base, 'data')];
    for (const index of [1, 2, 3]) await task(index, ...args);
    const first = readdirSync(results, { recursive: true }).sort();
    expect(first.filter((name) => String(name).endsWith('.npy')).length).toBeGreaterThanOrEqual(files.length);
    await task(2, ...args);
    expect(readdirSync(results, { recursive: true }).sort()).toEqual(first);
    expectAll(linesOf(...['1', '2', '3'].map((index) => join(results, `${index}.jsonl`))));
  }, 120_000);

  it('leaves no result of a task that could not start', async () => {
    const results = join(base, 'failed');
    await expect(task(1, 'inspect', join(base, 'no-such-list'), results)).rejects.toMatchObject({ code: 2 });
    expect(readdirSync(results)).toEqual(['1.jsonl.part']);
  });
});

const SNAKEMAKE = spawnSync('snakemake', ['--version']).status === 0;
if (!SNAKEMAKE) console.warn('SKIPPED: the workflow of Snakemake needs snakemake');

describe.runIf(SNAKEMAKE)('the workflow of Snakemake', () => {
  it('describes the list in chunks, and does nothing when nothing has changed', async () => {
    const folder = join(base, 'workflow');
    mkdirSync(folder);
    const config = [`list=${list}`, 'results=results', 'chunks=3', `acqstore=${acqstore}`];
    const args = ['--cores', '2', '--snakefile', join(REPOSITORY, 'deploy/snakemake/Snakefile'), '--config', ...config];
    await run('snakemake', args, { cwd: folder });
    expectAll(linesOf(join(folder, 'results/all.jsonl')));
    const again = await run('snakemake', args, { cwd: folder });
    expect(again.stderr + again.stdout).toContain('Nothing to be done');
  }, 180_000);
});
