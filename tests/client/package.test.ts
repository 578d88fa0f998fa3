import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { packTo } from '../support/packed.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const possible = spawnSync('npm', ['--version']).status === 0 && spawnSync('tar', ['--version']).status === 0;
if (!possible) console.warn('NO NPM OR TAR: the packed client was not tested');

const folder = tempFolder();
const TSC = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');

const PROGRAM = `
import { AcqClientError, createClient, type OpenResponse, type OpenedAcquisition } from 'acquisition-store/client';

const client = createClient({ baseUrl: 'http://127.0.0.1:8767', token: () => undefined });
const scan: OpenedAcquisition = await client.open({ path: '/data/scan.tif', selection: { T: 1 } });
export const info: OpenResponse = scan.info;
export const unit: 'seconds' | 'micrometer' | 'Pixels' | 'Channels' | 'Planes' | 'Frames' | 'Scenes' | undefined =
  info.plane.axes[0]?.unit;
export const buffer: ArrayBuffer = (await scan.plane(0, { onProgress: ({ received, total }) => void (received / total) })).buffer;
// @ts-expect-error a channel is a number
await scan.plane('0');
// @ts-expect-error there is no such field
await client.open({ file: 'x' });
try {
  await client.pick();
} catch (error) {
  if (error instanceof AcqClientError && error.code === 'source_changed') void error.hint;
  // @ts-expect-error there is no such code
  if (error instanceof AcqClientError && error.code === 'no_such_code') void error.hint;
}
`;

beforeAll(() => {
  if (!possible) return;
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['xzf', packTo(folder), '-C', 'node_modules'], { cwd: folder });
  renameSync(join(modules, 'package'), join(modules, 'acquisition-store'));
  // The one dependency that the declarations name; it is installed with the package.
  symlinkSync(join(REPOSITORY, 'node_modules', 'typebox'), join(modules, 'typebox'));
  writeTemp(folder, 'package.json', '{"type": "module"}');
  writeTemp(folder, 'program.ts', PROGRAM);
});

it.runIf(possible).each([
  ['a browser, bundled', ['--lib', 'ES2023,DOM', '--types', '', '--module', 'ESNext', '--moduleResolution', 'bundler']],
  ['Node', ['--lib', 'ES2023', '--types', join(REPOSITORY, 'node_modules/@types/node'), '--module', 'NodeNext']],
])('the packed client compiles, declarations checked, in a program for %s', (_name, options) => {
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  const args = [TSC, ...strict, '--target', 'ES2022', ...options, 'program.ts'];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

it.runIf(possible)('the packed client runs without any other package', () => {
  const alone = join(folder, 'alone');
  mkdirSync(join(alone, 'node_modules'), { recursive: true });
  execFileSync('cp', ['-r', join(folder, 'node_modules/acquisition-store'), join(alone, 'node_modules')]);
  const program = "import { createClient } from 'acquisition-store/client'; console.log(createClient().baseUrl);";
  const path = writeTemp(alone, 'program.mjs', program);
  expect(execFileSync(process.execPath, [path], { encoding: 'utf8' })).toBe('http://127.0.0.1:8767\n');
});
