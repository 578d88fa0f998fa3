/**
 * Outputs are written under temporary names, `.NAME.partial-TOKEN` beside the target, and renamed when they are complete:
 * a target either is complete or does not exist.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PARTIAL = /^\..*\.partial-[0-9a-f]{16}$/s;
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000;
/** Max bytes of a name on the usual file systems. */
const NAME_BYTES = 255;

/** Returns the token of one export: it tells its temporary files from all others. */
export function createToken(): string {
  return randomBytes(8).toString('hex');
}

/** Returns the temporary path of a target. */
export function partialPath(target: string, token: string): string {
  const end = `.partial-${token}`;
  return join(dirname(target), `.${shortenBytes(basename(target), NAME_BYTES - 1 - end.length)}${end}`);
}

/** Removes what an export has left in a folder, for example because its thread was stopped. Never throws. */
export function removePartials(folder: string, token: string): void {
  for (const name of namesIn(folder)) {
    if (PARTIAL.test(name) && name.endsWith(token)) remove(join(folder, name));
  }
}

/** Removes temporary files in a folder that are older than a day: the process that wrote them was killed. Never throws. */
export function removeLeftovers(folder: string, now = Date.now()): void {
  for (const name of namesIn(folder)) {
    if (!PARTIAL.test(name)) continue;
    const path = join(folder, name);
    if (now - modified(path, now) > LEFTOVER_AGE_MS) remove(path);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function modified(path: string, unknown: number): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return unknown;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process may be removing it too, or the disk no longer answers.
  }
}

/** Shortens a name to a number of bytes, at a character. */
function shortenBytes(name: string, max: number): string {
  let shortened = name;
  while (Buffer.byteLength(shortened) > max) shortened = [...shortened].slice(0, -1).join('');
  return shortened;
}
