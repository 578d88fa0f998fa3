import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type Fingerprint, isSameIdentity, isSameTime } from '../platform-node/file-source.js';
import { folderState, hasSettled } from '../platform-node/folder-state.js';

/** Files that are all looked at whenever a plane is read. */
const FEW = 64;
/** Folders whose state says that no file of them was added, removed or replaced. */
const FEW_FOLDERS = 4;
/** Milliseconds after which all files are looked at again. */
const LOOK_EVERY_MS = 5_000;

/** What is open, as far as changes of its files are looked for. */
export interface WatchedFiles {
  fingerprints(): Fingerprint[];
  readSince(): Fingerprint[];
}

/**
 * Looks for changes of the files of an acquisition after every plane. Of thousands of files, those that were read and the folder are
 * looked at each time, and all of them when the folder has changed, or when that was a few seconds ago.
 */
export class ChangeWatch {
  private readonly files: WatchedFiles;
  private settled: { state: string; at: number } | undefined;

  constructor(files: WatchedFiles) {
    this.files = files;
  }

  /** Describes changes, one clause for each file that has changed. */
  look(): string[] {
    const all = this.files.fingerprints();
    if (all.length <= FEW) return describeChanges(all);
    const read = this.files.readSince();
    const now = performance.now();
    const state = stateOf(all);
    if (state !== undefined && this.settled?.state === state && now - this.settled.at < LOOK_EVERY_MS) {
      return describeChanges(read);
    }
    this.settled = state === undefined ? undefined : { state, at: now };
    return describeChanges(all);
  }
}

/** Returns the state of the folders of files; nothing when there are many, or one has changed a moment ago. */
function stateOf(fingerprints: readonly Fingerprint[]): string | undefined {
  const folders = new Set<string>();
  for (const { path } of fingerprints) {
    folders.add(dirname(path));
    if (folders.size > FEW_FOLDERS) return undefined;
  }
  const states: string[] = [];
  for (const folder of folders) {
    const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    if (!stats || !hasSettled(Number(stats.mtimeMs))) return undefined;
    states.push(`${folder} ${folderState(stats)}`);
  }
  return states.join('\n');
}

/** Describes what has happened to files since they were fingerprinted, one clause for each file that has changed. */
export function describeChanges(fingerprints: readonly Fingerprint[]): string[] {
  const folders = new RealFolders();
  return fingerprints.flatMap((fingerprint) => describeChange(fingerprint, folders) ?? []);
}

/** Elsewhere the function of the system may change the case of a name, or a drive into a server. */
const realpath = process.platform === 'linux' ? realpathSync.native : realpathSync;

/** @throws AcqError `source_changed` */
export function checkUnchanged(fingerprints: readonly Fingerprint[]): void {
  const changes = describeChanges(fingerprints);
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
}

/** Folders, each of which is looked at once: a set may have thousands of files. */
class RealFolders {
  private readonly known = new Map<string, boolean>();

  /** False when a folder of this path has become a link, which leads elsewhere. @throws the error of the system */
  has(folder: string): boolean {
    const known = this.known.get(folder);
    if (known !== undefined) return known;
    const parent = this.known.get(dirname(folder));
    const isReal = parent === undefined ? realpath(folder) === folder : parent && !lstatSync(folder).isSymbolicLink();
    this.known.set(folder, isReal);
    if (!isReal || parent !== undefined) return isReal;
    for (let above = dirname(folder); !this.known.has(above); above = dirname(above)) this.known.set(above, true);
    return true;
  }
}

function describeChange(before: Fingerprint, folders: RealFolders): string | undefined {
  const { path, size, isAbsent } = before;
  const name = basename(path);
  if (isAbsent) return lstatSync(path, { throwIfNoEntry: false }) ? `${name} was added` : undefined;
  try {
    // A folder above may have become a link: the path no longer leads to the file that was checked.
    const now = lstatSync(path, { bigint: true });
    if (now.isSymbolicLink() || !folders.has(dirname(path))) return `${name} was replaced by a link`;
    const facts = { size: Number(now.size), mtimeNs: String(now.mtimeNs), ino: String(now.ino) };
    if (!isSameIdentity(before, facts)) return `${name} was replaced by another file`;
    if (facts.size !== size) return `${name} had ${plural(size, 'byte')} and now has ${grouped(now.size)}`;
    if (!isSameTime(before, facts)) return `${name} was modified`;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `${name} was deleted or moved`
      : `${name} is no longer accessible (${code})`;
  }
}
