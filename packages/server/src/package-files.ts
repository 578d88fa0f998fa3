/**
 * Finds the files of the package that are not imported: pages, worker modules, WebAssembly, samples. No other module knows
 * where they are, so the build of the desktop application, which has them inside its executable, replaces this one alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type PageFolder, pagesOnDisk } from './page-folder.js';

/** What a thread runs: the URL of a module, or a script as text. */
export type ThreadCode = URL | { script: string };

/** Folder with package.json: one level above this file in both `src` and `dist`. */
const ROOT = new URL('../', import.meta.url);
/** Where folders are that the published package has inside, in the repository. */
const IN_REPOSITORY: Readonly<Record<string, string>> = {
  examples: '../../examples',
  viewer: '../viewer',
  'viewer-v1': '../viewer-v1',
};
const isRepository = existsSync(new URL('src', ROOT));

export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', ROOT), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Returns a compiled worker, also when this module runs from its TypeScript source.
 * @param path below `dist/`, such as `decode/worker.js`
 */
export function packagedWorker(path: string): ThreadCode {
  return new URL(`dist/${path}`, ROOT);
}

/** Returns the files of a page. @param path from the root of the package, such as `viewer/dist` */
export function packagedPages(path: string): PageFolder {
  return pagesOnDisk(packagedFolder(path));
}

/** Returns the path of a folder with files that the server opens, such as `examples`, or of a program. It may be missing. */
export function packagedFolder(path: string): string {
  const [folder = '', ...names] = path.split('/');
  const place = (isRepository && IN_REPOSITORY[folder]) || folder;
  return fileURLToPath(new URL([place, ...names].join('/'), ROOT));
}

/** Returns a WebAssembly file of a dependency. @param specifier as for an import */
export function readWasm(specifier: string): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve(specifier));
}
