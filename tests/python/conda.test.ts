/** The recipe for conda, built and tested by rattler-build, without the network where that can be taken away. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../packages/server/src/package-files.js';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';
import { layOutServer } from '../../scripts/server-wheel.mjs';
import { REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';

interface Built {
  name: string;
  version: string;
  noarch: string;
  depends: string[];
  constrains: string[];
  files: string[];
  license: string;
  tests: { success: boolean; output: string }[];
}

/** Runs a command where no other computer is reached, and this one is. */
const APART = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];

/** Finds a Python with rattler-build; says loudly when there is none. */
function pythonWithBuilder(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const requirements = join(import.meta.dirname, 'conda-requirements.txt');
  const found = prepareEnvironment({ purpose: 'conda', requirements, needed: ['3', '10'] });
  if ('python' in found) return found.python;
  console.warn(`NO RATTLER-BUILD: ${found.reason}; the recipe for conda was not built`);
  return undefined;
}

const python = LONG ? pythonWithBuilder() : undefined;

describe.skipIf(python === undefined)('the recipe for conda', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'acq-conda-'));
  let built: Built[];
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  beforeAll(() => {
    // As in a clone, whose ignored files are not part of a source.
    const clone = join(scratch, 'clone');
    for (const path of ['.gitignore', 'deploy/conda', 'python']) {
      cpSync(join(REPOSITORY, path), join(clone, path), { recursive: true });
    }
    execFileSync('git', ['init', '--quiet', clone]);
    layOutServer(join(clone, 'python', 'server', 'dist', 'server'));
    mkdirSync(join(scratch, 'home'));
    const apart = spawnSync(APART[0]!, [...APART.slice(1), 'true']).status === 0 ? APART : [];
    if (apart.length === 0) console.warn('NO NETWORK NAMESPACE: the recipe for conda is built with the network');
    const script = join(import.meta.dirname, 'build_conda.py');
    const [command = '', ...args] = [
      ...apart,
      python!,
      script,
      join(clone, 'deploy/conda/recipe.yaml'),
      process.execPath,
      scratch,
    ];
    const { ACQSTORE_URL: _url, ACQSTORE_COMMAND: _command, ...env } = process.env;
    const told = spawnSync(command, args, {
      encoding: 'utf8',
      env: { ...env, HOME: join(scratch, 'home') },
      maxBuffer: 2 ** 28,
    });
    if (told.status !== 0) throw new Error(`${told.stdout}\n${told.stderr}`);
    built = JSON.parse(told.stdout.trim().split('\n').at(-1)!);
  }, 1_800_000);

  it('makes the client and the server for every computer', () => {
    const version = packageVersion();
    expect(built.map((one) => [one.name, one.version, one.noarch, one.license])).toEqual([
      ['acquisition-store', version, 'python', 'MIT'],
      ['acquisition-store-server', version, 'generic', 'MIT'],
    ]);
    expect(built.map((one) => one.depends)).toEqual([
      ['python >=3.10', 'numpy >=1.24'],
      ['nodejs >=20.19,<21|>=22.12'],
    ]);
    expect(built[0]!.constrains).toEqual([`acquisition-store-server ==${version}`]);
  });

  it('puts into each package what belongs to it', () => {
    const [client, server] = built.map((one) => one.files.filter((path) => !path.startsWith('info/')));
    expect(client!.filter((path) => !/^site-packages\/acquisition_store[/-]/.test(path))).toEqual([]);
    expect(server!.filter((path) => !path.startsWith('lib/acquisition-store-server/'))).toEqual([
      'Scripts/acqstore.cmd',
      'bin/acqstore',
    ]);
    expect(server!.some((path) => path.endsWith('/node_modules/fastify/package.json'))).toBe(true);
  });

  it('passes its tests where the packages are installed', () => {
    const tests = built.flatMap((one) => one.tests);
    expect(tests).toHaveLength(3);
    for (const { success, output } of tests) expect(success, output).toBe(true);
    const [imported, found, commands] = tests.map(({ output }) => output);
    expect(imported).toMatch(/No broken requirements found/);
    expect(found).toContain('(1, 2, 1, 4000, 96)');
    expect(commands).toContain(`\n${packageVersion()}\n`);
  });
});
