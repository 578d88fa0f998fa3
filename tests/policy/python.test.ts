import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const SOURCES = 'python/src/acquisition_store';
const read = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');
const { version, files } = JSON.parse(read('packages/server/package.json')) as { version: string; files: string[] };

it('the Python client has the version of the npm package, and is not part of it', () => {
  expect(/^version = "(.*)"$/m.exec(read('python/pyproject.toml'))?.[1]).toBe(version);
  expect(/^__version__ = "(.*)"$/m.exec(read(`${SOURCES}/__init__.py`))?.[1]).toBe(version);
  expect(files.some((name) => name.includes('python'))).toBe(false);
});

it('the Python client has short files without trailing spaces', () => {
  for (const name of readdirSync(join(REPOSITORY, SOURCES)).filter((file) => file.endsWith('.py'))) {
    const lines = read(`${SOURCES}/${name}`).split('\n');
    expect(lines.length, name).toBeLessThanOrEqual(400);
    expect(
      lines.filter((line) => line.length > 120 || /\s$/.test(line)),
      name,
    ).toEqual([]);
  }
});
