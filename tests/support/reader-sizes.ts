/** What the readers in a page weigh: the files that are loaded for a start, for a format, and for a codec. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { REPOSITORY } from './cli.js';

/** Bytes after gzip. */
export interface ReaderSizes {
  /** The worker that reads files, before the first one. */
  start: number;
  /** What a format adds to it, by the name of its module. */
  formats: ReadonlyMap<string, number>;
  /** What a flavor adds to TIFF, and what files with unusual XML load. */
  parts: ReadonlyMap<string, number>;
  /** Code and WebAssembly of a codec, by the name of its module. */
  codecs: ReadonlyMap<string, number>;
}

const SOURCES = join(REPOSITORY, 'packages', 'readers', 'src', 'formats');
const FORMATS = readdirSync(SOURCES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const FLAVORS = [
  ...readFileSync(join(SOURCES, 'tiff', 'flavors', 'index.ts'), 'utf8').matchAll(/import\('\.\/([\w-]+)\.js'\)/g),
].map(([, name]) => name!);
/** Those of image formats, with their WebAssembly. */
const CODECS: Readonly<Record<string, string | undefined>> = {
  jpeg: 'libjpegturbowasm_decode',
  jpeg2000: 'openjpegwasm_decode',
  jpegxr: undefined,
  webp: 'webp_dec',
  zstd: 'zstd',
};

/** Measures a built page. @param folder with `assets/` in it */
export function readerSizes(folder: string): ReaderSizes {
  const assets = join(folder, 'assets');
  const names = readdirSync(assets);
  // A part that several share may have the same name; it is not imported when a file needs it.
  const texts = names.filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(assets, name), 'utf8'));
  const isLoadedLater = (file: string) => texts.some((text) => text.includes(`import(\`./${file}`));
  const find = (name: string, extension = 'js') => {
    const isNamed = new RegExp(`^${name.replace('.', '\\.')}-[\\w-]{8}\\.${extension}$`);
    const files = names.filter((file) => isNamed.test(file));
    return files.find(isLoadedLater) ?? files[0];
  };
  const size = (file: string) => gzipSync(readFileSync(join(assets, file))).length;
  const closure = (start: string) => {
    const files = new Set([start]);
    for (const file of files)
      for (const next of staticImports(readFileSync(join(assets, file), 'utf8'))) files.add(next);
    return files;
  };
  const sum = (files: Iterable<string>) => [...files].reduce((bytes, file) => bytes + size(file), 0);
  const start = closure(find('worker')!);
  const added = (name: string, known: ReadonlySet<string> = start) =>
    sum([...closure(find(name)!)].filter((file) => !known.has(file)));
  const tiff = new Set([...start, ...closure(find('tiff')!)]);
  return {
    start: sum(start),
    formats: new Map(FORMATS.map((name) => [name, added(name)])),
    parts: new Map([
      ...FLAVORS.map((name) => [`tiff/${name}`, added(name, tiff)] as const),
      ['xml-saxes', added('xml-saxes')],
    ]),
    codecs: new Map(
      Object.entries(CODECS).map(([name, wasm]) => {
        const binary = wasm === undefined ? undefined : find(wasm, 'wasm');
        return [name, added(name) + (binary === undefined ? 0 : size(binary))];
      }),
    ),
  };
}

/** Returns the names of all files of the readers, below `assets/`. */
export function readerFiles(folder: string): Set<string> {
  const assets = join(folder, 'assets');
  const names = readdirSync(assets);
  const files = new Set(names.filter((name) => /^worker-[\w-]+\.js$/.test(name)));
  for (const file of files) {
    if (!file.endsWith('.js')) continue;
    const code = readFileSync(join(assets, file), 'utf8');
    for (const name of names) if (code.includes(name)) files.add(name);
  }
  return files;
}

/** Names of the files that a built module imports before it runs. */
function staticImports(code: string): string[] {
  return [...code.matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+?from\s*)?["']\.\/([\w.-]+\.js)["']/g)].map(
    ([, name]) => name!,
  );
}
