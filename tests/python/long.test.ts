/** The Python client with Debian's packages and with current ones: everything, and every sample file. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { currentPython, debianPython, PYTHON_CLIENT, runPytest } from '../support/python-client.js';

const TESTS = [
  'test_metadata.py',
  'test_choices.py',
  'test_folders.py',
  'test_faults.py',
  'test_reading.py',
  'test_life.py',
  'test_start.py',
  'test_events.py',
  'test_growing.py',
  'test_samples.py',
  'test_speed.py',
  'test_docs.py',
];
const EXAMPLE = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');
const debian = debianPython();
const current = LONG ? currentPython('requirements.txt') : undefined;
const beside = LONG ? currentPython('requirements-beside.txt') : undefined;
const programs = LONG ? currentPython('requirements-ome-zarr.txt') : undefined;
const env = LONG ? { ACQSTORE_TEST_LONG: '1' } : {};

function run(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
}

describe.skipIf(debian === undefined)('the whole Python client with the packages of Debian', () => {
  it('passes its tests', { timeout: 900_000 }, () => {
    console.log(runPytest(debian!, TESTS, { env }));
  });
});

describe.skipIf(beside === undefined)('the Python client beside bioio, nd2 and tiled', () => {
  it('does the same, as the page says', { timeout: 300_000 }, () => {
    expect(runPytest(beside!, ['test_beside.py'])).toMatch(/13 passed/);
  });
});

describe.skipIf(programs === undefined)('an OME-Zarr export of one scene in other programs', () => {
  it('is read alike by all of them, as the page says', { timeout: 900_000 }, () => {
    const told = runPytest(programs!, ['test_ome_zarr_programs.py', '-rs']);
    console.log(told);
    expect(told).toMatch(/3[37] passed/);
  });
});

describe.skipIf(current === undefined)('the whole Python client with current packages', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'acq-python-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('passes its tests', { timeout: 900_000 }, () => {
    console.log(runPytest(current!, TESTS, { env }));
  });

  it('has types that mypy accepts', { timeout: 300_000 }, () => {
    const cache = join(scratch, 'mypy');
    run(current!, ['-m', 'mypy', '--strict', '--python-version', '3.10', '--cache-dir', cache, 'src'], PYTHON_CLIENT);
  });

  describe('as a wheel', () => {
    const installed = join(scratch, 'clean', 'bin', 'python');
    beforeAll(() => {
      run(current!, ['-m', 'build', '--no-isolation', '--wheel', '--outdir', scratch], PYTHON_CLIENT);
      run(current!, ['-m', 'venv', join(scratch, 'clean')], scratch);
      const [wheel = ''] = readdirSync(scratch).filter((name) => name.endsWith('.whl'));
      run(installed, ['-m', 'pip', 'install', '--quiet', join(scratch, wheel), 'pytest'], scratch);
    }, 300_000);

    it('installs into a clean environment and reads', { timeout: 300_000 }, () => {
      const told = runPytest(installed, ['test_metadata.py', 'test_reading.py'], { isInstalled: true });
      expect(told).toMatch(/\d\d passed/);
    });

    it('runs its tests from the source package, outside the repository', { timeout: 900_000 }, () => {
      const outside = mkdtempSync(join(tmpdir(), 'acq-sdist-'));
      try {
        run(current!, ['-m', 'build', '--no-isolation', '--sdist', '--outdir', outside], PYTHON_CLIENT);
        const [source = ''] = readdirSync(outside);
        run('tar', ['-xzf', source], outside);
        const tests = join(outside, source.replace('.tar.gz', ''), 'tests');
        const env = { ACQSTORE_EXAMPLE: EXAMPLE };
        const told = runPytest(installed, [tests], { isInstalled: true, env });
        expect(told).toMatch(/\d\d passed/);
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    });

    it('has its types, its license and the manifest of napari', () => {
      const [wheel = ''] = readdirSync(scratch).filter((name) => name.endsWith('.whl'));
      const names = readFileSync(join(scratch, wheel)).toString('latin1');
      expect(wheel).toMatch(/^acquisition_store-.*-py3-none-any\.whl$/);
      for (const name of ['acquisition_store/py.typed', 'acquisition_store/napari.yaml', 'licenses/LICENSE']) {
        expect(names).toContain(name);
      }
    });
  });
});
