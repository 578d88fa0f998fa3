import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';
import { COLD, MAIN, REPOSITORY } from './cli.js';
import { samplesRoot } from './samples.js';

/** The Python client in the repository. */
export const PYTHON_CLIENT = join(REPOSITORY, 'python');

const DEBIAN_PYTHON = '/usr/bin/python3';

/** Finds the system's Python with the packages of Debian; says loudly when they are missing. */
export function debianPython(): string | undefined {
  const modules = 'import numpy, zarr, dask.array, xarray, pytest, sys; assert sys.version_info >= (3, 10)';
  if (existsSync(DEBIAN_PYTHON) && spawnSync(DEBIAN_PYTHON, ['-c', modules]).status === 0) return DEBIAN_PYTHON;
  console.warn(
    'NO PYTHON OF DEBIAN: install python3-numpy, python3-zarr, python3-dask, python3-xarray, python3-pytest',
  );
  return undefined;
}

/** Finds a Python with the current packages of a file in `python/tests`; says loudly when there is none. */
export function currentPython(file: string): string | undefined {
  const requirements = join(PYTHON_CLIENT, 'tests', file);
  const found = prepareEnvironment({ purpose: 'python-client', requirements, needed: ['3', '10'] });
  if ('python' in found) return found.python;
  console.warn(`NO CURRENT PYTHON PACKAGES (${file}): ${found.reason}`);
  return undefined;
}

export interface PytestOptions {
  env?: NodeJS.ProcessEnv;
  /** Tests the installed package in place of the sources. */
  isInstalled?: boolean;
  /** Command that runs Python, such as `xvfb-run`. */
  before?: string[];
}

/** Runs tests of the Python client with a real server. Returns what pytest printed, or throws it. */
export function runPytest(
  python: string,
  tests: string[],
  { env = {}, isInstalled = false, before = [] }: PytestOptions = {},
): string {
  const { ACQSTORE_URL: _url, ...inherited } = process.env;
  const paths = tests.map((test) => (test.endsWith('.py') ? join(PYTHON_CLIENT, 'tests', test) : test));
  const command = [...before, python, '-m', 'pytest', '-q', '-s', '-p', 'no:cacheprovider', '-W', 'ignore', ...paths];
  const ended = spawnSync(command[0] as string, command.slice(1), {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
    env: {
      ...inherited,
      ...COLD,
      ...(isInstalled ? {} : { PYTHONPATH: join(PYTHON_CLIENT, 'src') }),
      PYTHONDONTWRITEBYTECODE: '1',
      ACQSTORE_COMMAND: `"${process.execPath}" "${MAIN}"`,
      ...(samplesRoot === undefined ? {} : { ACQSTORE_SAMPLES: samplesRoot }),
      ...env,
    },
  });
  if (ended.status !== 0) throw new Error(`pytest failed (${ended.status}):\n${ended.stdout}\n${ended.stderr}`);
  return ended.stdout;
}
