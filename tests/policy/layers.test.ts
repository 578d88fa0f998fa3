import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What a package imports of the others, by name. Only the command line of the server needs the conformance kit. */
const PACKAGES: Record<string, readonly string[]> = {
  readers: [],
  client: ['@acquisition-store/readers'],
  conformance: ['@acquisition-store/client/contract', '@acquisition-store/readers'],
  server: [
    '@acquisition-store/client/answers',
    '@acquisition-store/client/contract',
    '@acquisition-store/conformance',
    '@acquisition-store/readers',
  ],
  viewer: ['@acquisition-store/client', '@acquisition-store/readers'],
  'viewer-v1': [],
};

/**
 * Layer of each part of a package: a folder, a file, or a part of a folder. A file imports from lower layers and its own part
 * only; there are no import cycles, not even of types.
 */
const LAYERS: Record<string, Record<string, number>> = {
  readers: {
    base: 0,
    simd: 0,
    'model/instrument.ts': 0,
    'model/metadata-list.ts': 1,
    'model/recording.ts': 1,
    'model/samples': 1,
    codecs: 2,
    'derive/analysis': 2,
    io: 2,
    'model/acquisition.ts': 3,
    hdf5: 3,
    tiff: 3,
    'model/input-beside.ts': 4,
    'model/metadata': 4,
    'model/selection.ts': 4,
    formats: 5,
    'model/header.ts': 5,
    'model/interpretation.ts': 5,
    'model/calibration.ts': 6,
    'derive/projection.ts': 4,
    'derive/zarr': 6,
    'derive/writers': 7,
    recordings: 6,
    open: 7,
    'platform-page': 8,
  },
  server: {
    'collect-garbage.ts': 0,
    'waiting.ts': 0,
    'fair-line.ts': 0,
    'labelled-id.ts': 0,
    'long-lists.ts': 0,
    'metrics.ts': 0,
    'page-folder.ts': 0,
    'processes.ts': 0,
    'state-folder.ts': 0,
    'address-space.ts': 1,
    'browser.ts': 1,
    'fair-queue.ts': 1,
    'json-text.ts': 1,
    'options.ts': 1,
    'package-files.ts': 1,
    'platform-node': 2,
    'threads.ts': 2,
    picker: 3,
    paths: 6,
    uploads: 6,
    'open.ts': 7,
    storage: 7,
    survey: 8,
    decode: 9,
    export: 10,
    planes: 10,
    batch: 11,
    sessions: 11,
    server: 12,
    cli: 13,
    'index.ts': 13,
  },
};

const REPOSITORY = resolve(import.meta.dirname, '../..');
const sourcesOf = (name: string) => resolve(REPOSITORY, 'packages', name, 'src');
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

/** The part of a package that a path below its sources belongs to. */
function partOf(layers: Record<string, number>, path: string): string {
  const [folder = '', next = ''] = path.replace(/\.js$/, '.ts').split('/');
  return layers[folder] === undefined ? `${folder}/${next}` : folder;
}

describe.each(Object.keys(PACKAGES))('imports of %s', (name) => {
  const root = sourcesOf(name);
  const files = [...sourceFiles(root)];

  it('sees the sources', () => expect(files.length).toBeGreaterThan(5));

  it('name the packages that it may use, and never reach into their folders', () => {
    for (const file of files) {
      for (const specifier of imports(file)) {
        if (specifier.startsWith('.')) {
          const target = resolve(dirname(file), specifier);
          const isOwn = !relative(root, target).startsWith('..');
          expect(isOwn || target === NODE_VERSION, `${relative(root, file)} imports ${specifier}`).toBe(true);
        } else if (/^(@acquisition-store\/|acquisition-store)/.test(specifier)) {
          const isAllowed = PACKAGES[name]!.some((used) => specifier === used || specifier.startsWith(`${used}/`));
          expect(isAllowed, `${relative(root, file)} imports ${specifier}`).toBe(true);
        }
      }
    }
  });
});

describe.each(Object.entries(LAYERS))('import direction in %s', (name, layers) => {
  const root = sourcesOf(name);

  it.each([...sourceFiles(root)].map((file) => [relative(root, file), file]))(
    '%s imports downwards only',
    (own, file) => {
      const part = partOf(layers, own);
      expect(layers[part], `${part} has no layer; add it to this test`).toBeDefined();
      for (const specifier of imports(file)) {
        const target = resolve(dirname(file), specifier);
        if (!specifier.startsWith('.') || target === NODE_VERSION) continue;
        const other = partOf(layers, relative(root, target));
        if (other !== part) expect(layers[other], `${own} imports ${specifier}`).toBeLessThan(layers[part]!);
        else if (part === 'formats') expectOwnFormat(own, relative(join(root, 'formats'), target));
      }
    },
  );
});

describe('the server', () => {
  const root = sourcesOf('server');
  const files = [...sourceFiles(root)].map((file) => [relative(root, file).split('/')[0]!, file] as const);

  it('knows the web framework in server/ and above only, and threads in batch/, decode/ and storage/ only', () => {
    for (const [part, file] of files) {
      for (const specifier of imports(file)) {
        if (/^@?fastify/.test(specifier)) expect(['server', 'cli', 'index.ts'], file).toContain(part);
        if (specifier === 'node:worker_threads') {
          expect(['batch', 'decode', 'storage', 'threads.ts'], file).toContain(part);
        }
      }
    }
  });

  it('uses the conformance kit in its command line only', () => {
    const users = files.filter(([, file]) => imports(file).includes('@acquisition-store/conformance'));
    expect(users.map(([part]) => part)).toEqual(['cli']);
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
    ...Object.keys(PACKAGES).map((name) => `packages/${name}/src`),
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
    expect(cyclesIn(graph).map((cycle) => cycle.map((path) => relative(REPOSITORY, path)))).toEqual([]);
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

/** formats/x never imports formats/y; only the table knows them all. @param target below formats/ */
function expectOwnFormat(name: string, target: string): void {
  if (name === 'formats/index.ts' || !target.includes('/')) return;
  expect(target.split('/')[0], name).toBe(name.split('/')[1]);
}
