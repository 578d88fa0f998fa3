import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { MAX_MARKS } from '../../packages/viewer/src/model/document.ts';
import { MARK_KINDS } from '../../packages/viewer/src/model/mark-kind.ts';
import { REPOSITORY } from '../support/cli.js';

const SOURCES = 'python/src/acquisition_store';
const read = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');
const { version, files } = JSON.parse(read('packages/server/package.json')) as { version: string; files: string[] };

it('the Python client has the version of the npm package, and is not part of it', () => {
  expect(/^version = "(.*)"$/m.exec(read('python/pyproject.toml'))?.[1]).toBe(version);
  expect(/"acquisition-store-server==(.*)"/.exec(read('python/pyproject.toml'))?.[1]).toBe(version);
  expect(/^__version__ = "(.*)"$/m.exec(read(`${SOURCES}/__init__.py`))?.[1]).toBe(version);
  expect(files.some((name) => name.includes('python'))).toBe(false);
});

it('the manifest of napari has the patterns of the formats', () => {
  const manifest = `${SOURCES}/napari.yaml`;
  // A shorter pattern matches what a longer one would: `*.tif` and `*.ome.tif`.
  const all = [...new Set(FORMATS.flatMap(({ extensions }) => extensions))];
  const patterns = all.filter((one) => !all.some((other) => one !== other && one.endsWith(other)));
  const head = read(manifest).split(/^ {6}filename_patterns:\n/m)[0]!;
  const expected = `${head}      filename_patterns:\n${patterns.map((one) => `        - "*${one}"\n`).join('')}`;
  if (process.env['UPDATE_DOCS']) writeFileSync(join(REPOSITORY, manifest), expected);
  expect(read(manifest), 'run: UPDATE_DOCS=1 npx vitest run tests/policy').toBe(expected);
});

it('the widget takes the marks that the viewer takes', () => {
  const widget = read(`${SOURCES}/_viewer.py`);
  const kinds = /^KINDS = \((.*)\)$/m.exec(widget)?.[1]?.match(/\w+/g);
  expect(new Set(kinds)).toEqual(new Set(MARK_KINDS));
  expect(/^MAX_REGIONS = (\d+)$/m.exec(widget)?.[1]).toBe(String(MAX_MARKS));
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
