import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export interface Measured {
  bytes: number;
  /** Hex. */
  sha256: string;
}

const BUFFER_BYTES = 2 ** 20;

/**
 * Returns the size and the SHA-256 of a file, or of a folder: of the lines that `sha256sum` prints for its files, with
 * paths inside the folder, sorted by the bytes of the paths.
 */
export function measureOutput(path: string): Measured {
  if (!lstatSync(path).isDirectory()) return measureFile(path);
  const hash = createHash('sha256');
  let bytes = 0;
  for (const name of filesIn(path)) {
    const file = measureFile(join(path, name));
    bytes += file.bytes;
    hash.update(`${file.sha256}  ${name}\n`);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll('\\', '/'),
  );
  return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function measureFile(path: string): Measured {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(BUFFER_BYTES);
  const fd = openSync(path, 'r');
  let bytes = 0;
  try {
    for (let count = 1; count > 0; bytes += count) {
      count = readSync(fd, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
  return { bytes, sha256: hash.digest('hex') };
}
