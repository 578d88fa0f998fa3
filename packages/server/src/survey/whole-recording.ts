/** Recordings in several files that lists show as a whole. */
import { dirname, join, relative } from 'node:path';
import type { Survey } from './survey.js';

/**
 * Returns the path of the file that stands for a recording in lists, where that is not the file which was surveyed: the one that
 * describes all others, else the first of them.
 */
export function mainFileOf({
  path,
  files,
  recording,
}: Pick<Survey, 'path' | 'files' | 'recording'>): string | undefined {
  if (!recording || !files || files.length < 2) return undefined;
  const { master } = recording;
  const described = master === undefined ? undefined : files.find((file) => file === join(dirname(file), master));
  const main = described ?? files[0]!;
  return main === path ? undefined : main;
}

/**
 * Returns the path by which a file of a recording is listed: below a link, it is another one than it is opened by.
 * @param path by which the recording is listed; `opened` is its real path
 */
export function listedPath(path: string, opened: string, file: string): string {
  return join(dirname(path), relative(dirname(opened), file));
}
