import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Layer of each file or folder below src/. A file imports from lower layers and its own folder only. */
const LAYERS: Record<string, number> = {
  'errors.ts': 0,
  'options.ts': 0,
  'wording.ts': 0,
  contract: 0.5,
  io: 1,
  codecs: 2,
  'acquisition.ts': 2,
  'plane-target.ts': 2,
  metadata: 2.2,
  tiff: 2.5,
  hdf5: 2.6,
  formats: 3,
  'file-first.ts': 4,
  'open.ts': 4,
  'selection.ts': 4,
  'describe.ts': 4,
  analysis: 4,
  'deadline.ts': 0,
  picker: 2,
  decode: 5,
  storage: 5,
  planes: 5.2,
  sessions: 5.5,
  server: 6,
  cli: 7,
  'index.ts': 7,
};

const root = resolve(import.meta.dirname, '../../src');

function* sourceFiles(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sourceFiles(path);
    else if (name.endsWith('.ts')) yield path;
  }
}

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
}

function area(path: string): string {
  return relative(root, path).split('/')[0] as string;
}

describe('import direction', () => {
  const files = [...sourceFiles(root)];

  it('sees the sources', () => expect(files.length).toBeGreaterThan(5));

  it.each(files.map((file) => [relative(root, file), file]))('%s imports downwards only', (name, file) => {
    const own = area(file);
    expect(LAYERS[own], `${own} has no layer; add it to this test`).toBeDefined();
    for (const specifier of imports(file)) {
      if (!specifier.startsWith('.')) continue;
      const target = resolve(dirname(file), specifier);
      const other = area(target).replace(/\.js$/, '.ts');
      if (other === own) {
        if (own === 'formats') expectOwnFormat(name, target);
        continue;
      }
      // Files (not folders) of one layer form one unit: the domain and its targets know each other.
      const unit = own.endsWith('.ts') && other.endsWith('.ts') && LAYERS[own] === LAYERS[other];
      if (!unit) expect(LAYERS[other], `${name} imports ${specifier}`).toBeLessThan(LAYERS[own] as number);
    }
  });

  it('only server/ and above know the web framework, only decode/ and storage/ know threads', () => {
    for (const file of files) {
      const layer = LAYERS[area(file)] as number;
      for (const specifier of imports(file)) {
        if (/^@?fastify/.test(specifier)) expect(layer, relative(root, file)).toBeGreaterThanOrEqual(6);
        if (specifier === 'node:worker_threads')
          expect(['decode', 'storage'], relative(root, file)).toContain(area(file));
      }
    }
  });
});

/** formats/x never imports formats/y; only the table knows them all. */
function expectOwnFormat(name: string, target: string): void {
  if (name === 'formats/index.ts') return;
  expect(relative(join(root, 'formats'), target).split('/')[0], name).toBe(name.split('/')[1]);
}
