import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const HEAD_BYTES = 4096;

/** Returns the SHA-256 of the first 4,096 bytes of a file; that of nothing for a folder. */
export function headDigest(path: string): string {
  const head = Buffer.alloc(HEAD_BYTES);
  return createHash('sha256')
    .update(head.subarray(0, readHead(path, head)))
    .digest('hex');
}

function readHead(path: string, head: Buffer): number {
  if (!statSync(path).isFile()) return 0;
  const fd = openSync(path, 'r');
  try {
    return readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
}
