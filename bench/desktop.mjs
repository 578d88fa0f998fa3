// Start and memory of the desktop application beside the server of `npm start`, in turns.
// On its own, after `npm run package -- --kind tar.gz`: node bench/desktop.mjs
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROUNDS = 7;
/** Memory is read this long after the first answer. */
const SETTLE_MS = 15_000;
const LIMIT_MS = 60_000;

/** Prints the section. `program` is the unpacked executable. */
async function benchDesktop(root, program, say) {
  const screen = await startScreen();
  const rows = [
    [
      '`npm start`: the server alone',
      process.execPath,
      [join(root, 'packages/server/dist/cli/main.js'), 'serve', '--port', '0'],
    ],
    ['packaged `acqstore serve`', program, ['serve', '--port', '0']],
    ...(screen ? [['the application, with its window and control page', program, []]] : []),
  ];
  const seen = rows.map(() => ({ start: [], memory: [], processes: [] }));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, [, command, args]] of rows.entries()) {
        const { start, memory, processes } = await measure(command, args, screen?.display);
        seen[index].start.push(start);
        seen[index].memory.push(memory);
        seen[index].processes.push(processes);
      }
    }
  } finally {
    screen?.stop();
  }
  say('## The desktop application beside the server of `npm start`');
  say();
  say(`Median of ${ROUNDS} starts in turns: from the start of the process to the first answer of \`/health\`, and the`);
  say(`proportional memory (PSS) of all processes ${SETTLE_MS / 1000} s later. Nothing is open.`);
  say();
  say('| | to the first answer | ratio | memory | ratio | processes |');
  say('|---|--:|--:|--:|--:|--:|');
  for (const [index, [name]] of rows.entries()) {
    const { start, memory, processes } = seen[index];
    const ratio = (key) => median(seen[index][key].map((value, round) => value / seen[0][key][round])).toFixed(2);
    const cells = [`${Math.round(median(start))} ms`, ratio('start'), `${Math.round(median(memory) / 1e6)} MB`];
    say(`| ${[name, ...cells, ratio('memory'), median(processes)].join(' | ')} |`);
  }
  say();
  if (!screen) say('There is no Xvfb: the window was not measured.');
}

/** Starts a program with folders of its own, which also tell its processes from others. */
async function measure(command, args, display) {
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-bench-'));
  mkdirSync(join(folder, 'home'));
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), XDG_RUNTIME_DIR: folder, LANG: 'C.UTF-8' };
  if (display && args.length === 0) env.DISPLAY = display;
  const begin = performance.now();
  const child = spawn(command, args, { env, stdio: 'ignore' });
  try {
    const state = join(folder, 'home/.local/state/acquisition-store');
    while (!(await answers(state))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with exit code ${child.exitCode}`);
      if (performance.now() - begin > LIMIT_MS) throw new Error(`${command} did not answer`);
      await sleep(5);
    }
    const start = performance.now() - begin;
    await sleep(SETTLE_MS);
    const pids = processesIn(folder);
    return { start, memory: pids.reduce((sum, pid) => sum + pss(pid), 0), processes: pids.length };
  } finally {
    child.kill('SIGTERM');
    for (let i = 0; processesIn(folder).length > 0; i++) {
      if (i === 100) for (const pid of processesIn(folder)) process.kill(Number(pid), 'SIGKILL');
      await sleep(100);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function answers(state) {
  const name = existsSync(state) && readdirSync(state).find((entry) => /^instance-\d+\.json$/.test(entry));
  if (!name) return false;
  let url;
  try {
    ({ url } = JSON.parse(readFileSync(join(state, name), 'utf8')));
  } catch {
    // It is still written.
    return false;
  }
  return new Promise((resolve) => {
    const asking = request(`${url}/api/v2/health`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.on('error', () => resolve(false));
    asking.end();
  });
}

function processesIn(folder) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`XDG_RUNTIME_DIR=${folder}`);
    } catch {
      return false;
    }
  });
}

function pss(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended.
    return 0;
  }
}

/** A virtual screen; `undefined` without Xvfb. */
async function startScreen() {
  try {
    execFileSync('sh', ['-c', 'command -v Xvfb']);
  } catch {
    return undefined;
  }
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve) => server.stdio[3].once('data', (text) => resolve(String(text).trim())));
  return { display: `:${number}`, stop: () => server.kill('SIGTERM') };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = `${process.platform}-${process.arch}`;
const packages = join(root, 'packages/desktop/out', target);
const tarball = existsSync(packages) && readdirSync(packages).find((name) => name.endsWith('.tar.gz'));
if (!tarball) throw new Error('there is no package: run npm run package -- --kind tar.gz first');
const unpacked = mkdtempSync(join(tmpdir(), 'acqstore-bench-program-'));
try {
  execFileSync('tar', ['-xzf', join(packages, tarball), '-C', unpacked, '--strip-components=1']);
  await benchDesktop(root, join(unpacked, 'acqstore'), (line = '') => console.log(line));
} finally {
  rmSync(unpacked, { recursive: true, force: true });
}
