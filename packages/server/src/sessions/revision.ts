import { createHash } from 'node:crypto';
import type { Fingerprint } from '../platform-node/file-source.js';

/** Returns a digest of the state of files, in any order: 64 hexadecimal digits. */
export function toRevision(fingerprints: readonly Fingerprint[]): string {
  const lines = fingerprints.map(({ path, size, mtimeNs, ino }) => JSON.stringify([path, size, mtimeNs, ino]));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}
