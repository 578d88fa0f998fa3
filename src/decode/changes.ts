import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Fingerprint, isSameIdentity, isSameTime } from '../io/fingerprint.js';
import { grouped, plural } from '../wording.js';

/** Describes what has happened to files since they were fingerprinted, one clause for each file that has changed. */
export function describeChanges(fingerprints: readonly Fingerprint[]): string[] {
  return fingerprints.flatMap((fingerprint) => describeChange(fingerprint) ?? []);
}

/** Elsewhere the function of the system may change the case of a name, or a drive into a server. */
const realpath = process.platform === 'linux' ? realpathSync.native : realpathSync;

function describeChange(before: Fingerprint): string | undefined {
  const { path, size } = before;
  const name = basename(path);
  try {
    // A folder above may have become a link: the path no longer leads to the file that was checked.
    if (realpath(path) !== path) return `${name} was replaced by a link`;
    const now = statSync(path, { bigint: true });
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
