/**
 * Where an open file or folder really is. A link can take the place of any folder in a path between the moment when the
 * path is judged and the moment when it is opened; what is open stays what it is.
 */
import { closeSync, constants, existsSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { isBelow } from './folder-size.js';

/** The descriptors of this process, as links to what they are of: proc(5). */
const DESCRIPTORS = '/proc/self/fd';
/** Linux: refers to a file or folder without opening it, which needs no permission and waits for nothing: open(2). */
const O_PATH = 0o10000000;

let isKnown: boolean | undefined;

/** True where the system tells the path of a descriptor. */
export function knowsOwnPaths(): boolean {
  isKnown ??= process.platform === 'linux' && existsSync(DESCRIPTORS);
  return isKnown;
}

/** Returns the real path of a descriptor; `undefined` where the system does not tell it. */
export function ownPathOf(fd: number): string | undefined {
  return knowsOwnPaths() ? readlinkSync(descriptorPath(fd)) : undefined;
}

/** Returns a path to what a descriptor is of, whatever happens to its real path. */
export function descriptorPath(fd: number): string {
  return `${DESCRIPTORS}/${fd}`;
}

/** Refers to what is at a path, also to a link, while `use` runs. Only where `knowsOwnPaths`. */
export function withReference<T>(path: string, use: (fd: number) => T): T {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Lists the names in a folder.
 * @param inside real absolute path of the folder that it must be, or be below, also when a link takes the place of a folder
 * @throws AcqError `path_not_allowed`; the error of the system
 */
export function readNames(path: string, inside: string): string[] {
  if (!knowsOwnPaths()) return readdirSync(path);
  return withReference(path, (fd) => {
    const own = ownPathOf(fd);
    if (own === undefined || !isBelow(inside, own)) throw replacedWhileOpened(path);
    return readdirSync(descriptorPath(fd));
  });
}

export function replacedWhileOpened(path: string): AcqError {
  const subject = basename(path);
  return new AcqError('path_not_allowed', 'was replaced while it was opened. Open it again.', { subject });
}
