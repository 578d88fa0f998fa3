import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder of its own for the calling test file, removed with everything in it after its last test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'acq-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a fixture and returns its absolute path. */
export function writeTemp(folder: string, name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
