/** Finds a dropped file on disk: a browser tells its name, size and time, but not its folder. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import Value from 'typebox/value';
import { PageError } from './http.js';
import { callServer } from './image-server.js';
import type { DroppedFile } from './protocol.js';

/** Not `..` or `.`, and without a folder. */
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^(?!\\.{1,2}$)[^/\\\\\\u0000]+$' });
const Dropped = Type.Object({
  name: Name,
  size: Type.Integer({ minimum: 0 }),
  modified: Type.Integer(),
  /** Name of the dropped folder that the file is in. */
  folder: Type.Optional(Name),
});

/** @throws PageError for a body that does not describe a file */
export function readDropped(body: object): DroppedFile {
  if (Value.Check(Dropped, body)) {
    const { name, size, modified, folder } = body;
    return folder === undefined ? { name, size, modified } : { name, size, modified, folder };
  }
  throw new PageError('invalid_body', 'The dropped file has no usable name.');
}

/** Returns the folders in which users keep files, those of opened acquisitions first. */
export function likelyFolders(recent: readonly { path: string }[], roots: readonly string[]): string[] {
  const opened = recent.map(({ path }) => dirname(path));
  const home = homedir();
  // On macOS a look into these folders would show a question about permissions.
  const own =
    process.platform === 'darwin' ? [] : ['Desktop', 'Documents', 'Downloads'].map((name) => join(home, name));
  return [...new Set([...opened, ...opened.map((path) => dirname(path)), ...roots, home, ...own])];
}

/** Returns the path of a file in one of the folders, or where the server finds it; nothing when neither does. */
export async function locate(
  file: DroppedFile,
  folders: readonly string[],
  url: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const paths = folders.map((folder) => join(folder, file.folder ?? '', file.name));
  const found = paths.find((path) => isSame(path, file));
  if (found !== undefined) return found;
  const { name, size, modified } = file;
  const call = { method: 'POST', path: '/api/v2/locate', body: { name, size, modified }, signal } as const;
  const answer = (await callServer(url, call)) as { paths: string[] };
  return answer.paths[0];
}

function isSame(path: string, { size, modified }: DroppedFile): boolean {
  try {
    const found = statSync(path);
    // WebKit tells the time in seconds.
    const time = modified % 1000 === 0 ? Math.floor(found.mtimeMs / 1000) * 1000 : Math.floor(found.mtimeMs);
    return found.isFile() && found.size === size && time === modified;
  } catch {
    return false;
  }
}
