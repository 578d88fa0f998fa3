import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { toRequest } from '../../../packages/viewer/src/export/request.ts';
import { SNIPPETS } from '../../../packages/viewer/src/export/snippets.ts';
import { Cli, SAMPLE } from '../../support/cli.js';
import { tempFolder } from '../../support/temp.js';

const run = promisify(execFile);
const has = (program: string, ...probe: string[]) => {
  try {
    execFileSync(program, probe, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const curl = has('curl', '--version');
if (!curl) console.warn('NO CURL: the curl snippet was not run');
const python = has('python3', '-c', 'import numpy, requests');
if (!python) console.warn('NO PYTHON WITH NUMPY AND REQUESTS: the Python snippet was not run');

describe('a program that fetches this plane', () => {
  const cli = new Cli();
  const folder = tempFolder();
  // A name that each of the three languages must quote.
  const path = join(folder, 'it\'s "my" $scan.ome.tif');
  let base: string;
  let opened: OpenResponse;

  beforeAll(async () => {
    copyFileSync(SAMPLE, path);
    ({ url: base } = await cli.serve(['--log-level', 'warn']));
    const response = await fetch(`${base}/api/v2/open`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ path, channelIndices: [1] }),
    });
    opened = (await response.json()) as OpenResponse;
  });
  afterAll(() => cli.close());

  function snippet(id: (typeof SNIPPETS)[number]['id']): string {
    const dataUrl = opened.channels[0]?.dataUrl ?? '';
    const address = { base, request: { path, channelIndices: [1] }, position: 0, dataUrl, reference: false };
    return SNIPPETS.find((one) => one.id === id)?.make(address) ?? '';
  }

  it('contains the whole selection, because the path of a part opens at its own plane', () => {
    const shown = { ...opened, selection: { S: 0, T: 2 } };
    expect(toRequest(shown)).toEqual({ path: opened.source.path, channelIndices: [1], selection: { S: 0, T: 2 } });
  });

  it('works in JavaScript', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', snippet('javascript')]);
    expect(stdout).toContain(`[ ${opened.plane.shape.join(', ')} ]`);
    expect(stdout).toContain("unit: 'seconds'");
  });

  it.runIf(curl)('works with curl', async () => {
    await run('sh', ['-c', snippet('curl')], { cwd: folder });
    const plane = await (await fetch(base + opened.channels[0]?.dataUrl)).arrayBuffer();
    expect(readFileSync(join(folder, 'plane.f32')).equals(Buffer.from(plane))).toBe(true);
  });

  it.runIf(python)('works in Python', async () => {
    const { stdout } = await run('python3', ['-c', snippet('python')]);
    const { step } = opened.plane.axes[0] as { step: number };
    expect(stdout.trim()).toMatch(new RegExp(`^\\(${opened.plane.shape.join(', ')}\\) ${step} seconds`));
  });
});
