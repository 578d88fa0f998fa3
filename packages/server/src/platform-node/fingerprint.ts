/** Identifies the content of a file on disk: compared to find out whether the file has changed. */
export interface Fingerprint {
  path: string;
  size: number;
  mtimeNs: string;
  ino: string;
  /**
   * Taken on another machine. Its number of the file means nothing here, where the same share may be mounted in another way,
   * and one of the two may not have the fraction of the second.
   */
  isElsewhere?: boolean;
  /** No file was there: what was read changes when one appears. */
  isAbsent?: boolean;
}

export type FileFacts = Pick<Fingerprint, 'size' | 'mtimeNs' | 'ino'>;

export function isSameIdentity(a: Fingerprint, b: FileFacts & { isElsewhere?: boolean }): boolean {
  return a.isElsewhere || b.isElsewhere || a.ino === b.ino;
}

export function isSameTime(a: Fingerprint, b: FileFacts & { isElsewhere?: boolean }): boolean {
  if (a.mtimeNs === b.mtimeNs) return true;
  if (!a.isElsewhere && !b.isElsewhere) return false;
  const [one, other] = [BigInt(a.mtimeNs), BigInt(b.mtimeNs)];
  const isWhole = one % SECOND === 0n || other % SECOND === 0n;
  return isWhole && one / SECOND === other / SECOND;
}

/** Returns the fingerprint of a file that was looked for in vain. */
export function absence(path: string): Fingerprint {
  return { path, size: 0, mtimeNs: '0', ino: '0', isAbsent: true };
}

/** True for two looks at one file in one state. */
export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.path === b.path && a.size === b.size && isSameTime(a, b) && isSameIdentity(a, b);
}

const SECOND = 1_000_000_000n;
