/** Replaces `package-files.ts` of the package in the executable, which has the files of the package inside. */

import { dirname, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';

/** Names of all files inside, as JSON. */
const FILE_LIST = 'files.json';

export function packageVersion(): string {
  return (JSON.parse(getAsset('package.json', 'utf8')) as { version: string }).version;
}

/** @param path below `dist/`, such as `decode/worker.js` */
export function packagedWorker(path: string): { script: string } {
  return { script: getAsset(`dist/${path}`, 'utf8') };
}

/** Returns the files of a page. @param path from the root of the package, such as `viewer/dist` */
export function packagedPages(path: string) {
  const all = JSON.parse(getAsset(FILE_LIST, 'utf8')) as string[];
  const prefix = `${path}/`;
  const names = all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return { names: () => names, read: (name: string) => readFile(prefix + name) };
}

/** Returns the path of a folder with files that the server opens, or of a program: they are beside the executable, or missing. */
export function packagedFolder(path: string): string {
  return join(dirname(process.execPath), path);
}

/** Returns a WebAssembly file. @param specifier as for an import */
export async function readWasm(specifier: string): Promise<Uint8Array> {
  return readFile(`wasm/${specifier}`);
}

/** Returns the bytes of a file inside the executable: they are in its own memory, and must not be changed. */
function readFile(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}
