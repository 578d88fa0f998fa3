import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';

const root = resolve(import.meta.dirname, '../../packages/readers/src/formats');

/** Readers that do not have the shape yet. */
const PENDING: string[] = [
  // Apart, so that two branches can remove neighbors without a conflict.
];

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

describe('reader shape', () => {
  it('covers every format of the table', () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(FORMATS.map(({ id }) => id).sort());
  });

  it.each(FORMATS.map(({ id }) => id))('%s has the five files, a thin index.ts and Notes', (id) => {
    const faults = faultsOf(id);
    if (PENDING.includes(id)) expect(faults, `${id} has the shape: remove it from PENDING`).not.toEqual([]);
    else expect(faults).toEqual([]);
  });
});
