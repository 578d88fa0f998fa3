/**
 * Outputs are written under temporary names, `.NAME.partial-TOKEN` beside the target, and renamed when they are complete:
 * a target either is complete or does not exist. A folder that is replaced has the name `.NAME.previous-TOKEN` meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { hasEnded, nameProcess, processNamespace } from '../processes.js';

type LeftoverKind = 'partial' | 'previous';

/** The name of the target, the kind, and the token: the name of a process, and random digits. */
const TEMPORARY = /^\.(.*)\.(partial|previous)-(([0-9a-f]{8}-\d{1,10}-[0-9a-f]{8})-[0-9a-f]{16})$/s;
/** Exports of other computers touch theirs, see `StagedFolder.keepAlive`. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000;
/** Max bytes of a name on the usual file systems. */
const NAME_BYTES = 255;
/** Containers may share a host name and a folder, but do not see the processes of each other. */
const HOST = `${hostname()} ${processNamespace()}`;
let ownProcess: string | undefined;

/** Returns the token of one export: it tells its temporary files from all others, and which process writes them. */
export function createToken(): string {
  ownProcess ??= nameProcess(HOST);
  return `${ownProcess}-${randomBytes(8).toString('hex')}`;
}

/** Returns the temporary path of a target. */
export function temporaryPath(target: string, kind: LeftoverKind, token: string): string {
  const end = `.${kind}-${token}`;
  return join(dirname(target), `.${shortenBytes(basename(target), NAME_BYTES - 1 - end.length)}${end}`);
}

/** Removes what an export has left in a folder, for example because its thread was stopped. Never throws. */
export function removePartials(folder: string, token: string): void {
  for (const found of temporariesIn(folder)) if (found.token === token) remove(folder, found);
}

/** Removes temporary files of processes of this computer that were killed, and of any that are older than a day. Never throws. */
export function removeLeftovers(folder: string, now = Date.now()): void {
  const ended = new Map<string, boolean | undefined>();
  for (const found of temporariesIn(folder)) {
    const { process } = found;
    if (!ended.has(process)) ended.set(process, hasEnded(process, HOST));
    if (ended.get(process) || now - modified(found.path, now) > LEFTOVER_AGE_MS) remove(folder, found);
  }
}

interface Temporary {
  path: string;
  /** Name of the target; shortened if it is very long. */
  name: string;
  kind: LeftoverKind;
  token: string;
  process: string;
}

function temporariesIn(folder: string): Temporary[] {
  return namesIn(folder).flatMap((file) => {
    const [, name, kind, token, process] = TEMPORARY.exec(file) ?? [];
    return process === undefined ? [] : [{ path: join(folder, file), name, kind, token, process } as Temporary];
  });
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

/** A folder that was not replaced in the end gets its name back. */
function remove(folder: string, { path, name, kind }: Temporary): void {
  try {
    const target = join(folder, name);
    if (kind === 'previous' && !existsSync(target)) renameSync(path, target);
    else rmSync(path, { recursive: true, force: true });
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
