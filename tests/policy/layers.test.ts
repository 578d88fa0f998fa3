import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Layer of each file or folder of the server. A file imports from lower layers and its own folder only; there are no import
 * cycles, not even of types.
 */
const LAYERS: Record<string, number> = {
  'bytes.ts': 0,
  'deadline.ts': 0,
  'labelled-id.ts': 0,
  'metrics.ts': 0,
  'timing.ts': 0,
  'notes.ts': 0,
  'validation-detail.ts': 0,
  'options.ts': 1,
  'page-folder.ts': 0,
  'state-folder.ts': 0,
  'platform.ts': 0,
  'processes.ts': 0,
  'turn.ts': 0,
  'wording.ts': 0,
  simd: 0,
  'browser.ts': 1,
  'errors.ts': 1,
  'address-space.ts': 2,
  'fair-queue.ts': 2,
  'package-files.ts': 1,
  'metadata-list.ts': 1,
  samples: 1,
  analysis: 2,
  'byte-order.ts': 2,
  codecs: 2,
  contract: 2,
  io: 2,
  'threads.ts': 2,
  'acquisition.ts': 3,
  hdf5: 3,
  picker: 4,
  'platform-node': 3,
  tiff: 3,
  'file-first.ts': 4,
  metadata: 4,
  'selection.ts': 4,
  'calibration.ts': 4,
  'describe.ts': 5,
  formats: 5,
  'interpretation.ts': 5,
  'open-input.ts': 6,
  paths: 6,
  'open.ts': 7,
  storage: 7,
  uploads: 6,
  writers: 7,
  zarr: 6,
  decode: 8,
  planes: 9,
  export: 9,
  batch: 10,
  conformance: 10,
  sessions: 10,
  server: 11,
  cli: 12,
  'index.ts': 12,
};

const REPOSITORY = resolve(import.meta.dirname, '../..');
const root = resolve(REPOSITORY, 'packages/server/src');
/** What the command and the npm scripts check before anything else. It imports nothing. */
const NODE_VERSION = resolve(REPOSITORY, 'scripts/node-version.mjs');

function* sourceFiles(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(name) && !name.endsWith('.d.ts')) yield path;
  }
}

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
}

function area(path: string): string {
  return relative(root, path).split('/')[0]!;
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
      if (name === 'cli/main.ts' && target === NODE_VERSION) continue;
      const other = area(target).replace(/\.js$/, '.ts');
      if (other === own) {
        if (own === 'formats') expectOwnFormat(name, target);
        continue;
      }
      expect(LAYERS[other], `${name} imports ${specifier}`).toBeLessThan(LAYERS[own]!);
    }
  });

  it('only server/ and above know the web framework, only batch/, decode/ and storage/ know threads', () => {
    for (const file of files) {
      const layer = LAYERS[area(file)]!;
      for (const specifier of imports(file)) {
        if (/^@?fastify/.test(specifier)) expect(layer, relative(root, file)).toBeGreaterThanOrEqual(LAYERS['server']!);
        if (specifier === 'node:worker_threads')
          expect(['batch', 'decode', 'storage', 'threads.ts'], relative(root, file)).toContain(area(file));
      }
    }
  });
});

describe('import cycles', () => {
  it('finds a cycle, through other files and of types alone', () => {
    expect(
      cyclesIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
          ['d', ['a']],
        ]),
      ),
    ).toEqual([['b', 'c']]);
  });

  it.each([
    'packages/server/src',
    'packages/client/src',
    'packages/viewer/src',
    'packages/viewer-v1/src',
    'packages/desktop/src',
    'packages/desktop/page/src',
  ])('there are none in %s', (folder) => {
    const files = [...sourceFiles(resolve(REPOSITORY, folder))];
    expect(files.length).toBeGreaterThan(5);
    const known = new Set(files);
    const graph = new Map<string, string[]>();
    for (const file of files) {
      const stems = imports(file).map((specifier) => resolve(dirname(file), specifier).replace(/\.[jt]sx?$/, ''));
      graph.set(
        file,
        stems.flatMap((stem) => [`${stem}.ts`, `${stem}.tsx`].filter((path) => known.has(path))),
      );
    }
    expect([...graph.values()].flat().length).toBeGreaterThan(files.length / 2);
    expect(cyclesIn(graph).map((cycle) => cycle.map((path) => relative(root, path)))).toEqual([]);
  });
});

/** Groups of nodes that reach each other, by Tarjan's algorithm; each group and the list of groups are sorted. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort();
}

/** formats/x never imports formats/y; only the table knows them all. */
function expectOwnFormat(name: string, target: string): void {
  if (name === 'formats/index.ts') return;
  expect(relative(join(root, 'formats'), target).split('/')[0], name).toBe(name.split('/')[1]);
}
