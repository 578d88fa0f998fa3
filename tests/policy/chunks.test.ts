/** How many files of the package a start reads. Each one costs about a millisecond, in each thread. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const DIST = join(REPOSITORY, 'packages/server/dist');

/** What a module of `dist/` loads by itself: its files, and the packages that they name. */
function loadedBy(module: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [join(DIST, module)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    for (const [, source = ''] of readFileSync(path, 'utf8').matchAll(
      /^(?:import|export)[^'"\n]*["']([^"']+)["'];$/gm,
    )) {
      if (source.startsWith('.')) waiting.push(join(dirname(path), source));
      else if (!source.startsWith('node:')) packages.add(source);
    }
  }
  const names = [...files].map((path) => relative(DIST, path).replaceAll('\\', '/'));
  return { files: names.sort(), packages: [...packages].sort() };
}

/** Returns the module that a chunk of the server loads later, by a name that only its export has. */
function chunkWith(text: string): string {
  const { files } = loadedBy('index.js');
  const found = files.find((file) => readFileSync(join(DIST, file), 'utf8').includes(text));
  if (found === undefined) throw new Error(`no chunk has ${text}`);
  return found;
}

it('a decode worker reads eight files and no package until it is ready, the look-up thread two files', () => {
  expect(loadedBy('decode/worker.js').packages).toEqual([]);
  expect(loadedBy('decode/worker.js').files).toEqual([
    'chunks/base.js',
    'chunks/decode.js',
    'chunks/planes.js',
    'chunks/rolldown-runtime.js',
    'chunks/saxes.js',
    'decode/worker.js',
    'package-files.js',
    'page-folder.js',
  ]);
  expect(loadedBy('storage/lookup-worker.js')).toEqual({
    files: ['chunks/base.js', 'storage/lookup-worker.js'],
    packages: [],
  });
});

it('a reader needs at most three files more than its worker', () => {
  const worker = loadedBy('decode/worker.js').files;
  for (const format of ['tiff', 'czi', 'nd2', 'oif', 'oir', 'lif', 'lsm', 'bruker', 'ims', 'nwb', 'ome-zarr']) {
    const reader = loadedBy(`chunks/${format}.js`);
    expect(reader.packages, format).toEqual([]);
    expect(reader.files.filter((file) => !worker.includes(file)).length, format).toBeLessThanOrEqual(3);
  }
});

it('the threads start before the framework is loaded, which only the routes need', () => {
  const start = chunkWith('async function startServer(');
  expect(loadedBy(start).packages).not.toContain('fastify');
  expect(readFileSync(join(DIST, start), 'utf8')).toContain('import("./listen.js")');
  expect(existsSync(join(DIST, 'chunks/listen.js'))).toBe(true);
  expect(loadedBy('chunks/listen.js').packages).toEqual(['fastify']);
});

it('neither the library nor the start of the server loads what only readers share, or a worker needs', () => {
  for (const name of ['index.js', chunkWith('async function startServer(')])
    expect(loadedBy(name).files, name).not.toContain('chunks/readers.js');
  for (const name of ['chunks/run.js', 'chunks/serve.js', 'chunks/listen.js']) {
    const { files } = loadedBy(name);
    for (const chunk of ['readers', 'decode']) expect(files, name).not.toContain(`chunks/${chunk}.js`);
  }
});

it('the command loads nothing of an export but the names of its formats', () => {
  const { files } = loadedBy('chunks/run.js');
  for (const chunk of ['export', 'tree']) expect(files).not.toContain(`chunks/${chunk}.js`);
});

it('a start without a terminal does not load what formats lines for one', () => {
  // The command has loaded commander by then.
  expect(loadedBy('chunks/serve.js').packages).toEqual(['commander', 'pino']);
});

it('packages inside a chunk come with their licenses', () => {
  const text = (name: string) => readFileSync(join(DIST, 'chunks', name), 'utf8');
  expect(text('typebox.js')).toMatch(/^\/\*!\ntypebox\n\n[^*]*MIT/);
  expect(text('saxes.js')).toMatch(/^\/\*!\nsaxes\n\n[^*]*ISC/);
  expect(text('saxes.js')).toMatch(/xmlchars\n\n[^*]*Permission is hereby granted/);
});
