import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type Fingerprint, isSameIdentity, isSameTime } from '../platform-node/fingerprint.js';

/** Describes what has happened to files since they were fingerprinted, one clause for each file that has changed. */
export function describeChanges(fingerprints: readonly Fingerprint[]): string[] {
  const folders = new RealFolders();
  return fingerprints.flatMap((fingerprint) => describeChange(fingerprint, folders) ?? []);
}

/** Elsewhere the function of the system may change the case of a name, or a drive into a server. */
const realpath = process.platform === 'linux' ? realpathSync.native : realpathSync;

/** Folders, each of which is looked at once: a set may have thousands of files. */
class RealFolders {
  private readonly known = new Map<string, boolean>();

  /** False when a folder of this path has become a link, which leads elsewhere. @throws the error of the system */
  has(folder: string): boolean {
    const known = this.known.get(folder);
    if (known !== undefined) return known;
    const parent = this.known.get(dirname(folder));
    const isReal = parent === undefined ? realpath(folder) === folder : parent && !lstatSync(folder).isSymbolicLink();
    this.known.set(folder, isReal);
    if (!isReal || parent !== undefined) return isReal;
    for (let above = dirname(folder); !this.known.has(above); above = dirname(above)) this.known.set(above, true);
    return true;
  }
}

function describeChange(before: Fingerprint, folders: RealFolders): string | undefined {
  const { path, size, isAbsent } = before;
  const name = basename(path);
  if (isAbsent) return lstatSync(path, { throwIfNoEntry: false }) ? `${name} was added` : undefined;
  try {
    // A folder above may have become a link: the path no longer leads to the file that was checked.
    const now = lstatSync(path, { bigint: true });
    if (now.isSymbolicLink() || !folders.has(dirname(path))) return `${name} was replaced by a link`;
    const facts = { size: Number(now.size), mtimeNs: String(now.mtimeNs), ino: String(now.ino) };
    if (!isSameIdentity(before, facts)) return `${name} was replaced by another file`;
    if (facts.size !== size) return `${name} had ${plural(size, 'byte')} and now has ${grouped(now.size)}`;
    if (!isSameTime(before, facts)) return `${name} was modified`;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `${name} was deleted or moved`
      : `${name} is no longer accessible (${code})`;
  }
}
