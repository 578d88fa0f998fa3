import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import type { Format } from '../../packages/readers/src/model/acquisition.js';
import { REPOSITORY } from '../support/cli.js';

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const root = join(REPOSITORY, 'packages/readers/src/formats');

const FILES = ['format.ts', 'magic.ts', 'parse.ts', 'metadata.ts', 'planes.ts', 'index.ts'];
const MAX_INDEX_LINES = 80;

function* sources(folder: string): Generator<{ name: string; text: string }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts')) yield { name: entry.name, text: readFileSync(path, 'utf8') };
  }
}

/** What keeps the folder of a reader from having the shape that docs/adding-a-format.md describes. */
function faultsOf(id: string): string[] {
  const folder = join(root, id);
  const faults = FILES.filter((name) => !existsSync(join(folder, name))).map((name) => `${name} is missing`);
  const index = readFileSync(join(folder, 'index.ts'), 'utf8');
  const lines = index.split('\n').length - 1;
  if (lines > MAX_INDEX_LINES) faults.push(`index.ts has ${lines} lines; the limit is ${MAX_INDEX_LINES}`);
  if (!/^export const reader: Reader = /m.test(index)) faults.push('index.ts does not export reader');
  if (/\.put\(|putZeros|readInto\(|new \w+Target\(/.test(index)) faults.push('index.ts reads pixels');
  const row = readFileSync(join(folder, 'format.ts'), 'utf8');
  if (/function |=> [^(]|RegExp|\/\^/.test(row.replace(/load: async \(\) =>.*/, '')))
    faults.push('format.ts is more than a row');
  for (const { name, text } of sources(folder)) {
    if (/warnings: string\[\][,)]/.test(text)) faults.push(`${name} takes a list of warnings to add to; use Notes`);
    if (/interface (Shelf|Siblings|FileSet)\b/.test(text))
      faults.push(`${name} declares its own kind of sibling files`);
  }
  return faults;
}

/** What belongs to a format besides its reader: tests, with something in them that says what they are. */
const TESTS = [
  { path: 'tests/unit/ID/NAME.test.ts', has: /expect\(/, what: 'tests of its functions on small inputs' },
  {
    path: 'tests/conformance/ID-fixtures.test.ts',
    has: /from '\.\.\/writers\/[\s\S]*conformanceSuite\(/,
    what: 'fixtures of a writer in tests/writers, for conformanceSuite()',
  },
  { path: 'tests/hostile/ID.test.ts', has: /hostileCases\(/, what: 'hostileCases() corrupted copies of a fixture' },
];

/** What a format lacks, and what to do about it. */
function missingOf({ id, pages }: Format): string[] {
  const advice: string[] = [];
  for (const { path, has, what } of TESTS) {
    const [folder, name] = [dirname(path), basename(path)].map((part) => part.replace('ID', id)) as [string, string];
    const all = existsSync(join(REPOSITORY, folder)) ? readdirSync(join(REPOSITORY, folder)) : [];
    const own = name.startsWith('NAME') ? all.filter((other) => other.endsWith('.test.ts')) : [name];
    const texts = own.filter((file) => all.includes(file)).map((file) => read(join(folder, file)));
    if (!texts.some((text) => has.test(text))) advice.push(`Write ${folder}/${name}: ${what}.`);
  }
  if (pages.length === 0) advice.push('Name its page in docs/formats in its row (pages).');
  const unwritten = pages.filter((page) => !existsSync(join(REPOSITORY, 'docs', 'formats', `${page}.md`)));
  return [...advice, ...unwritten.map((page) => `Write docs/formats/${page}.md, with the sections of its neighbors.`)];
}

describe('a format', () => {
  it.each(FORMATS)('$id has tests, fixtures, a hostile suite and a page', (format) => {
    expect(missingOf(format), 'docs/adding-a-format.md says more').toEqual([]);
  });

  it('has the pages of docs/formats that are about it in its row', () => {
    const pages = readdirSync(join(REPOSITORY, 'docs', 'formats')).map((name) => name.replace(/\.md$/, ''));
    const named = new Set(FORMATS.flatMap((format) => format.pages));
    const advice = 'add these to `pages` in the row of their format, formats/ID/format.ts';
    expect(
      pages.filter((page) => !named.has(page)),
      advice,
    ).toEqual([]);
  });
});

describe('a message', () => {
  const linesWith = (pattern: RegExp, folder: string) =>
    [...sources(join(REPOSITORY, 'packages', folder))].flatMap(({ name, text }) =>
      text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${name}:${i + 1} ${line.trim()}`] : [])),
    );

  it('of the readers gets the name of its file in one place: see base/subject.ts', () => {
    expect(linesWith(/`\$\{[^}]*name[^}]*\}: /i, 'readers/src')).toEqual([]);
  });

  it.each(['batch', 'decode', 'export', 'paths', 'platform-node', 'sessions', 'storage', 'uploads'])(
    'of the %s of the server is given the name of its file as `subject`',
    (folder) => {
      expect(linesWith(/`\$\{[^}]*(name|label)[^}]*\}: /i, `server/src/${folder}`)).toEqual([]);
    },
  );

  it('of the readers has sizes and limits that are grouped: 65,536', () => {
    expect(linesWith(/\$\{LIMITS\.|\.(length|size)\} (bytes|pixels)/, 'readers/src')).toEqual([]);
  });
});

describe('reader shape', () => {
  it('covers every format of the table', () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(FORMATS.map(({ id }) => id).sort());
  });

  it.each(FORMATS.map(({ id }) => id))('%s has the six files, a thin index.ts and Notes', (id) => {
    expect(faultsOf(id)).toEqual([]);
  });
});
