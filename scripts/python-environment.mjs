// A Python with the libraries of a requirements file: a virtual environment in the user's cache, made once for each set.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {object} Environment
 * @property {string} purpose what the libraries are for, in messages and in the name of the folder
 * @property {string} requirements path of the requirements file
 * @property {[major: string, minor: string]} needed lowest version of Python
 */

/**
 * Finds a Python, and makes its environment when it is not in the cache yet.
 * @param {Environment} environment
 * @returns {{ python: string, versions: string } | { reason: string }} the interpreter, or why there is none
 */
export function prepareEnvironment({ purpose, requirements, needed }) {
  const base = newestPython(needed);
  if (!base) return { reason: `no Python ${needed.join('.')} or newer is installed` };
  const key = createHash('sha256').update(`${base.version}\n`).update(readFileSync(requirements)).digest('hex');
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const home = join(cache, `acquisition-store-${purpose}`, `python-${key.slice(0, 12)}`);
  const python = process.platform === 'win32' ? join(home, 'Scripts', 'python.exe') : join(home, 'bin', 'python');
  const done = join(home, 'versions.txt');
  if (!existsSync(done)) {
    try {
      makeEnvironment(base.command, { home, python, requirements });
    } catch (error) {
      return { reason: `the Python libraries could not be installed: ${lastLine(error)}` };
    }
    writeFileSync(done, `Python ${base.version}, ${listVersions(python, requirements)}`);
  }
  return { python, versions: readFileSync(done, 'utf8') };
}

/**
 * The newest interpreter among $BENCH_PYTHON (alone, when it is set), those on the path, and those of pyenv.
 * @param {string[]} needed
 */
function newestPython(needed) {
  const pyenv = join(homedir(), '.pyenv', 'versions');
  const own = existsSync(pyenv) ? readdirSync(pyenv).map((name) => join(pyenv, name, 'bin', 'python3')) : [];
  const commands = process.env.BENCH_PYTHON ? [process.env.BENCH_PYTHON] : ['python3', 'python', ...own];
  const known = commands.map((command) => ({ command, version: versionOf(command) ?? '0.0.0' }));
  const usable = known.filter(({ version }) => compareVersions(version.split('.'), needed) >= 0);
  return usable.sort((a, b) => compareVersions(b.version.split('.'), a.version.split('.')))[0];
}

/** @param {string} command */
function versionOf(command) {
  try {
    const script = 'import sys, venv; print("%d.%d.%d" % sys.version_info[:3])';
    return execFileSync(command, ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** @param {string[]} a @param {string[]} b */
function compareVersions(a, b) {
  return Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]);
}

/** @param {string} command @param {{ home: string, python: string, requirements: string }} paths */
function makeEnvironment(command, { home, python, requirements }) {
  console.error(`Installing Python libraries into ${home} (once) …`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const quiet = { stdio: ['ignore', 'ignore', 'pipe'] };
  execFileSync(command, ['-m', 'venv', home], quiet);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '-r', requirements], quiet);
}

/** What a program said last before it failed. @param {any} error */
function lastLine(error) {
  return String(error.stderr || error)
    .trim()
    .split('\n')
    .at(-1);
}

/** @param {string} python @param {string} requirements */
function listVersions(python, requirements) {
  const lines = readFileSync(requirements, 'utf8').split('\n');
  const names = lines.flatMap((text) => /^[a-z0-9]+/.exec(text)?.[0] ?? []);
  const script = `import sys
from importlib.metadata import PackageNotFoundError, version
for name in sys.argv[1:]:
    try: print(name, version(name))
    except PackageNotFoundError: print(name, 'missing')`;
  return execFileSync(python, ['-c', script, ...names], { encoding: 'utf8' })
    .trim()
    .replaceAll('\n', ', ');
}
