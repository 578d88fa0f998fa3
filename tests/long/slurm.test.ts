/** The array of Slurm, run by a Slurm of one node that the test starts. Named skip where Slurm or munge is not installed. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MAIN, REPOSITORY } from '../support/cli.js';
import { missingProgram } from '../support/deployment.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const isRoot = process.getuid?.() === 0;
const lacking = missingProgram('sbatch', 'slurmctld', 'slurmd', 'munged') ?? (isRoot ? undefined : 'a root user');
if (lacking) console.warn(`NO SLURM: ${lacking} is missing; deploy/slurm/array.sh was run without it`);

describe.skipIf(lacking !== undefined)('an array of tasks', () => {
  const base = tempFolder();
  const at = (...names: string[]) => join(base, ...names);
  const env = {
    ...process.env,
    PATH: `${process.env['PATH']}:/usr/sbin`,
    SLURM_CONF: at('slurm.conf'),
    ACQSTORE: at('acqstore'),
  };
  const daemons: ChildProcess[] = [];
  const start = (...[program, ...args]: [string, ...string[]]) =>
    daemons.push(spawn(program, args, { env, stdio: 'ignore' }));
  const files = readdirSync(join(REPOSITORY, 'packages/server/warm-up'))
    .filter((name) => /\.(tif|oir|lif|nd2|czi|lsm)$/.test(name))
    .flatMap((name) => Array.from({ length: 4 }, (_, i) => at('data', String(i), name)));

  beforeAll(async () => {
    for (const folder of ['munge', 'state', 'spool']) mkdirSync(at(folder), { mode: 0o700 });
    for (let i = 0; i < 4; i++)
      cpSync(join(REPOSITORY, 'packages/server/warm-up'), at('data', String(i)), { recursive: true });
    writeFileSync(at('files.txt'), files.join('\n'));
    writeFileSync(at('acqstore'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
    writeFileSync(at('munge/key'), Buffer.alloc(1024, 7), { mode: 0o600 });
    chmodSync(base, 0o755);
    writeFileSync(at('slurm.conf'), await configuration());
    const munge = (name: string) =>
      `--${name === 'pid' || name === 'log' || name === 'seed' ? `${name}-file` : name}=${at('munge', name)}`;
    start(
      'munged',
      '--foreground',
      '--force',
      `--key-file=${at('munge/key')}`,
      ...['socket', 'pid', 'log', 'seed'].map(munge),
    );
    await vi.waitFor(() => expect(existsSync(at('munge/socket'))).toBe(true), { timeout: 10_000 });
    start('slurmctld', '-D', '-c', '-f', at('slurm.conf'));
    start('slurmd', '-D', '-f', at('slurm.conf'));
    const states = () => spawnSync('sinfo', ['--noheader', '--format=%t'], { env, encoding: 'utf8' }).stdout.trim();
    await vi.waitFor(() => expect(states()).toBe('idle'), { timeout: 30_000 });
  }, 60_000);
  afterAll(async () => {
    for (const daemon of daemons.reverse()) daemon.kill('SIGTERM');
    await setTimeout(500);
    for (const daemon of daemons) daemon.kill('SIGKILL');
  });

  async function configuration(): Promise<string> {
    const node = hostname().split('.')[0];
    const ports = [await freePort(), await freePort()];
    return [
      ...['ClusterName=one', `SlurmctldHost=${node}(127.0.0.1)`, 'AuthType=auth/munge', 'CryptoType=crypto/munge'],
      ...[
        `AuthInfo=socket=${at('munge/socket')}`,
        'ProctrackType=proctrack/pgid',
        'TaskPlugin=task/none',
        'SlurmUser=root',
      ],
      ...[`SlurmctldPort=${ports[0]}`, `SlurmdPort=${ports[1]}`, 'ReturnToService=2', 'MpiDefault=none'],
      ...[`SlurmctldPidFile=${at('ctld.pid')}`, `SlurmdPidFile=${at('d.pid')}`, `SlurmctldLogFile=${at('ctld.log')}`],
      ...[`SlurmdLogFile=${at('d.log')}`, `StateSaveLocation=${at('state')}`, `SlurmdSpoolDir=${at('spool')}`],
      ...[
        'SelectType=select/cons_tres',
        'SelectTypeParameters=CR_Core',
        `NodeName=${node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN`,
      ],
      `PartitionName=main Nodes=${node} Default=YES MaxTime=INFINITE State=UP\n`,
    ].join('\n');
  }
  const submit = (...flags: string[]) => {
    const limits = ['--array=0-5%2', '--cpus-per-task=1', '--mem=0', `--output=${at('task-%a.log')}`];
    const task = [join(REPOSITORY, 'deploy/slurm/array.sh'), 'inspect', at('files.txt'), at('results')];
    return execFileSync('sbatch', [...flags, ...limits, ...task], { env, encoding: 'utf8' }).trim();
  };

  it('has the same results after it was cancelled and submitted again', async () => {
    const job = submit('--parsable');
    await expect.poll(() => existsSync(at('results')), { timeout: 30_000 }).toBe(true);
    execFileSync('scancel', [job], { env });
    await expect
      .poll(() => spawnSync('squeue', ['--noheader'], { env, encoding: 'utf8' }).stdout, { timeout: 30_000 })
      .toBe('');
    submit('--wait');
    const results = readdirSync(at('results')).filter((name) => !name.endsWith('.part'));
    expect(results.sort()).toEqual(Array.from({ length: 6 }, (_, i) => `${i}.jsonl`));
    const lines = results.flatMap((name) => readFileSync(at('results', name), 'utf8').trim().split('\n'));
    const paths = lines.map((line) => JSON.parse(line) as { path: string; ok: boolean }).filter(({ ok }) => ok);
    expect(paths.map(({ path }) => path).sort()).toEqual([...files].sort());
  }, 180_000);
});
