/** The reader for napari, installed beside the current napari: its model without a window, and one window under Xvfb. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../support/long.js';
import { currentPython, PYTHON_CLIENT, runPytest } from '../support/python-client.js';

const python = LONG ? currentPython('requirements-napari.txt') : undefined;
const xvfb = spawnSync('xvfb-run', ['--help']).status === 0;
if (!xvfb) console.warn('NO WINDOW OF NAPARI: install xvfb, xauth and the libraries that CONTRIBUTING.md lists');

describe.skipIf(python === undefined)('the reader for napari', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'acq-napari-'));
  const picture = join(scratch, 'napari.png');
  const env = { PYTHONPATH: join(scratch, 'installed'), ACQSTORE_SCREENSHOT: picture };
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  beforeAll(() => {
    // The entry point is found only in an installed package.
    const target = ['--no-deps', '--no-build-isolation', '--target', env.PYTHONPATH, PYTHON_CLIENT];
    const { status, stderr } = spawnSync(python!, ['-m', 'pip', 'install', '--quiet', ...target], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }, 300_000);

  it('opens acquisitions as layers without a window', { timeout: 300_000 }, () => {
    const told = runPytest(python!, ['test_napari.py'], { env: { ...env, DISPLAY: undefined }, isInstalled: true });
    expect(told).toMatch(/6 passed, 1 skipped/);
  });

  it.runIf(xvfb)('shows them in a window', { timeout: 300_000 }, () => {
    const options = { env, isInstalled: true, before: ['xvfb-run', '-a', '-s', '-screen 0 1400x1000x24'] };
    expect(runPytest(python!, ['test_napari.py', '-k', 'window'], options)).toMatch(/1 passed/);
    expect(statSync(picture).size).toBeGreaterThan(10_000);
  });
});
