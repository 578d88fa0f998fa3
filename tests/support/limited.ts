import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Cli, type Running } from './cli.js';

/** A command line whose processes run under limits of the shell, for example `ulimit -n 200`. */
export function limitedCli(limits: string): { cli: Cli; close: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'acq-limited-'));
  const executable = join(folder, 'node');
  writeFileSync(executable, `#!/bin/sh\n${limits}\nexec '${process.execPath}' "$@"\n`);
  chmodSync(executable, 0o755);
  const cli = new Cli({ executable });
  const close = async () => {
    await cli.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { cli, close };
}

/** A process that takes every descriptor that it can have, but some. */
export interface Greedy {
  env: NodeJS.ProcessEnv;
  /** Leaves the process `free` descriptors; all of them with `Infinity`. */
  leave(running: Running, free: number): Promise<void>;
}

/** @param folder for the script, and for what it is told */
export function greedy(folder: string): Greedy {
  const script = join(folder, 'greedy.mjs');
  const told = join(folder, 'free');
  writeFileSync(told, '');
  writeFileSync(script, GREEDY.replace('TOLD', JSON.stringify(told)));
  let turn = 0;
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(script).href}` },
    async leave(running, free) {
      writeFileSync(told, `${++turn} ${Number.isFinite(free) ? free : 1e6}`);
      running.child.kill('SIGUSR2');
      await running.says(new RegExp(`turn ${turn}\\n`));
    },
  };
}

const GREEDY = `
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const told = isMainThread ? openSync(TOLD, 'r') : undefined;
const held = [];
const take = () => {
  try {
    while (held.length < 5000) held.push(openSync('/dev/null'));
  } catch {}
};
let timer;
if (isMainThread) process.on('SIGUSR2', () => {
  clearInterval(timer);
  for (const fd of held.splice(0)) closeSync(fd);
  const text = Buffer.alloc(32);
  const [turn, free] = text.toString('latin1', 0, readSync(told, text, 0, 32, 0)).split(' ');
  take();
  // What other threads give back later is taken as well.
  if (free === '0') timer = setInterval(take, 5).unref();
  for (let i = 0; i < Number(free) && held.length > 0; i++) closeSync(held.pop());
  writeSync(1, 'turn ' + turn + '\\n');
});
`;
