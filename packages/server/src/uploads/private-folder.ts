/** The folder in which one running server keeps its uploads. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasEnded, nameProcess } from '../processes.js';

/** The name of the process, so that later servers can tell that it has ended, and random digits. */
const NAME = /^([0-9a-f]{8}-\d{1,10}-[0-9a-f]{8})-[0-9a-f]{16}$/;
/** Servers of other computers that share the state folder touch theirs at each upload; older ones are abandoned. */
const ABANDONED_MS = 7 * 24 * 3600 * 1000;

/** Creates a folder that only this user can read. */
export async function createPrivateFolder(parent: string): Promise<string> {
  const folder = join(parent, `${nameProcess()}-${randomBytes(8).toString('hex')}`);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  // The mask of the process may have taken bits away.
  await chmod(folder, 0o700);
  return folder;
}

/** Notes that the folder is in use. */
export async function touchFolder(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}

/** Removes the folders of servers that have ended, for example by a crash, and nothing else. */
export async function removeAbandoned(parent: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(parent).catch((): string[] => [])) {
    const path = join(parent, name);
    if (await isAbandoned(name, path, now)) await rm(path, { recursive: true, force: true });
  }
}

async function isAbandoned(name: string, path: string, now: number): Promise<boolean> {
  const [, process] = NAME.exec(name) ?? [];
  if (process === undefined) return false;
  const ended = hasEnded(process);
  if (ended !== undefined) return ended;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
  return now - mtimeMs > ABANDONED_MS;
}
