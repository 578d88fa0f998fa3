import { statfs } from 'node:fs/promises';
import { AcqError } from '@acquisition-store/readers/base/errors.js';

/** Space of a disk in bytes. */
export interface DiskSpace {
  /** What this user can still write. */
  free: number;
  total: number;
}

/** Part of a disk that uploads never use. */
const RESERVE = 0.1;

/** Returns the space of the disk that a folder is on. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Returns how many bytes uploads may still write. */
export function roomOn({ free, total }: DiskSpace): number {
  return free - RESERVE * total;
}

/** Converts the system's errors of a full disk. */
export function writeError(error: unknown, name: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' ? diskFull(name) : error;
}

export function diskFull(name: string): AcqError {
  return new AcqError(
    'upload_too_large',
    'the disk of the server is too full for this upload. Free some space, or open the file by its path.',
    { subject: name },
  );
}
