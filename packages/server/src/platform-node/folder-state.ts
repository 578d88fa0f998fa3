/** Whether the names in a folder may have changed since it was looked at. */
import type { BigIntStats } from 'node:fs';

/** Milliseconds that a folder must not have changed before it was read: some file systems count time in steps of 2 s. */
const SETTLED_MS = 2_500;

/** True for a folder whose last change was so long ago that the next one will have another time. */
export function hasSettled(modified: number): boolean {
  return Date.now() - modified > SETTLED_MS;
}

/** Text that is another one after every change of the names in a folder that has settled. */
export function folderState({ dev, ino, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mtimeNs, ctimeNs].join(' ');
}
