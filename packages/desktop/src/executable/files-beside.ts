/** Replaces `node:sea` where Node must stay as it is, on macOS: the files are in the folder `assets` beside it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** True: the files of the package are here, as in a single executable. */
export function isSea(): boolean {
  return true;
}

/** Returns a file as text. */
export function getAsset(name: string, encoding: 'utf8'): string {
  return readFileSync(pathOf(name), encoding);
}

/** Returns the bytes of a file. */
export function getRawAsset(name: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(pathOf(name))).buffer;
}

function pathOf(name: string): string {
  return join(dirname(process.execPath), 'assets', name);
}
