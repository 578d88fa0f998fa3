import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** A folder of its own for the calling test file, removed with everything in it after its last test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'acq-test-'));
  folders.push(folder);
  return folder;
}

/** Removes the folders of a test file. A test that asks for one while it runs cannot do so itself: Vitest ignores its `afterAll`. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Writes a fixture and returns its absolute path. */
export function writeTemp(folder: string, name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
