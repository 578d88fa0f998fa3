import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Fingerprint } from '../io/byte-source.js';

/** What happened to files since they were fingerprinted, one sentence each. */
export function describeChanges(fingerprints: readonly Fingerprint[]): string[] {
  return fingerprints.flatMap((fingerprint) => describeChange(fingerprint) ?? []);
}

function describeChange({ path, size, mtimeNs, ino }: Fingerprint): string | undefined {
  const name = basename(path);
  try {
    // A folder above that became a link leads elsewhere: the path is not the one that was checked.
    if (realpathSync(path) !== path) return `${name} was replaced by a link`;
    const now = statSync(path, { bigint: true });
    if (String(now.ino) !== ino) return `${name} was replaced by another file`;
    if (Number(now.size) !== size) return `${name} had ${size} bytes and has ${now.size} now`;
    if (String(now.mtimeNs) !== mtimeNs) return `${name} was written to`;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `${name} is gone`
      : `${name} cannot be looked at any more (${code})`;
  }
}
