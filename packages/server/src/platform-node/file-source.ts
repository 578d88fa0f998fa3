/**
 * Opens files for reading, tells what has happened to them since, and where an open file or folder really is. A link can take
 * the place of any folder in a path between the moment when the path is judged and the moment when it is opened; what is
 * open stays what it is.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type ByteSource, checkRange } from '@acquisition-store/readers/io/byte-source.js';
import { exhaustionError } from './exhaustion.js';

/** Identifies the content of a file on disk: compared to find out whether the file has changed. */
export interface Fingerprint {
  path: string;
  size: number;
  mtimeNs: string;
  ino: string;
  /**
   * When the file was created; 0 where the file system does not tell, and missing in what instances share. ext4 gives the number of a
   * deleted file to the next one, which may have its size and its time, too.
   */
  birthNs?: string;
  /**
   * Taken on another machine. Its number of the file means nothing here, where the same share may be mounted in another way,
   * and one of the two may not have the fraction of the second.
   */
  isElsewhere?: boolean;
  /** No file was there: what was read changes when one appears. */
  isAbsent?: boolean;
}

const SECOND = 1_000_000_000n;

/** Returns the facts that are compared. */
export function toFileFacts({ size, mtimeNs, ino, birthtimeNs }: BigIntStats): Omit<Fingerprint, 'path'> {
  return { size: Number(size), mtimeNs: String(mtimeNs), ino: String(ino), birthNs: String(birthtimeNs) };
}

function isSameIdentity(a: Fingerprint, b: Omit<Fingerprint, 'path'>): boolean {
  if (a.isElsewhere || b.isElsewhere) return true;
  const isSameBirth = a.birthNs === undefined || b.birthNs === undefined || a.birthNs === b.birthNs;
  return a.ino === b.ino && isSameBirth;
}

function isSameTime(a: Fingerprint, b: Omit<Fingerprint, 'path'>): boolean {
  if (a.mtimeNs === b.mtimeNs) return true;
  if (!a.isElsewhere && !b.isElsewhere) return false;
  const [one, other] = [BigInt(a.mtimeNs), BigInt(b.mtimeNs)];
  const isWhole = one % SECOND === 0n || other % SECOND === 0n;
  return isWhole && one / SECOND === other / SECOND;
}

/** Returns the fingerprint of a file that was looked for in vain. */
export function absence(path: string): Fingerprint {
  return { path, size: 0, mtimeNs: '0', ino: '0', isAbsent: true };
}

/** True for two looks at one file in one state. */
export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.path === b.path && a.size === b.size && isSameTime(a, b) && isSameIdentity(a, b);
}

/** Describes what has happened to files since they were fingerprinted, one clause for each file that has changed. */
export function describeChanges(fingerprints: readonly Fingerprint[]): string[] {
  // Each folder is looked at once: a set may have thousands of files.
  const folders = new Map<string, boolean>();
  return fingerprints.flatMap((fingerprint) => describeChange(fingerprint, folders) ?? []);
}

/** @throws AcqError `source_changed` */
export function checkUnchanged(fingerprints: readonly Fingerprint[]): void {
  const changes = describeChanges(fingerprints);
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
}

/** @param folders those that were looked at, and whether they are real ones */
function describeChange(before: Fingerprint, folders: Map<string, boolean>): string | undefined {
  const { path, size, isAbsent } = before;
  const name = basename(path);
  if (isAbsent) return lstatSync(path, { throwIfNoEntry: false }) ? `${name} was added` : undefined;
  try {
    // A folder above may have become a link: the path no longer leads to the file that was checked.
    const now = lstatSync(path, { bigint: true });
    if (now.isSymbolicLink() || !isReal(dirname(path), folders)) return `${name} was replaced by a link`;
    const facts = toFileFacts(now);
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

/** Elsewhere the function of the system may change the case of a name, or a drive into a server. */
const realpath = process.platform === 'linux' ? realpathSync.native : realpathSync;

/** False when a folder of this path has become a link, which leads elsewhere. @throws the error of the system */
function isReal(folder: string, folders: Map<string, boolean>): boolean {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const parent = folders.get(dirname(folder));
  const isLinkFree = parent === undefined ? realpath(folder) === folder : parent && !lstatSync(folder).isSymbolicLink();
  folders.set(folder, isLinkFree);
  if (!isLinkFree || parent !== undefined) return isLinkFree;
  for (let above = dirname(folder); !folders.has(above); above = dirname(above)) folders.set(above, true);
  return true;
}

/** The descriptors of this process, as links to what they are of: proc(5). */
const DESCRIPTORS = '/proc/self/fd';
/** Linux: refers to a file or folder without opening it, which needs no permission and waits for nothing: open(2). */
const O_PATH = 0o10000000;

let isKnown: boolean | undefined;

/** True where the system tells the path of a descriptor. */
export function knowsOwnPaths(): boolean {
  isKnown ??= process.platform === 'linux' && existsSync(DESCRIPTORS);
  return isKnown;
}

/** Returns the real path of a descriptor; `undefined` where the system does not tell it. */
export function ownPathOf(fd: number): string | undefined {
  return knowsOwnPaths() ? readlinkSync(descriptorPath(fd)) : undefined;
}

/** Returns a path to what a descriptor is of, whatever happens to its real path. */
export function descriptorPath(fd: number): string {
  return `${DESCRIPTORS}/${fd}`;
}

/** Refers to what is at a path, also to a link. Only where `knowsOwnPaths`. @returns a descriptor, to be closed */
export function openReference(path: string): number {
  return openSync(path, O_PATH | constants.O_NOFOLLOW);
}

/**
 * Lists the names in a folder.
 * @param inside real absolute path of the folder that it must be, or be below, also when a link takes the place of a folder
 * @throws AcqError `path_not_allowed`; the error of the system
 */
export function readNames(path: string, inside: string): string[] {
  if (!knowsOwnPaths()) return readdirSync(path);
  const fd = openReference(path);
  try {
    const own = ownPathOf(fd);
    if (own === undefined || !isBelow(inside, own)) throw replacedWhileOpened(path);
    return readdirSync(descriptorPath(fd));
  } finally {
    closeSync(fd);
  }
}

export function replacedWhileOpened(path: string): AcqError {
  const subject = basename(path);
  return new AcqError('path_not_allowed', 'was replaced while it was opened. Open it again.', { subject });
}

/** True when `path` is `root` or below it. Both are real absolute paths. */
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Opens a regular file for reading.
 * @param path real and absolute
 * @param inside real absolute path of the folder that the file must be in or below, also when a link takes the place of a folder
 * @param name for messages
 * @throws AcqError `path_not_found`, `path_not_readable`, `path_not_allowed`
 */
export function openFileSource(path: string, inside?: string, name?: string): FileSource {
  const fd = openDescriptor(path);
  return new FileSource(fd, fingerprintOf(fd, path, inside), inside, name);
}

/** O_NONBLOCK: opening a FIFO must not hang before fstat can tell what it is. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Missing on Windows. */
const NO_FOLLOW = constants.O_NOFOLLOW as number | undefined;

/**
 * Opens a file that must not be a link, in one system call and without looking at the path first. Parameters are those of
 * `openFileSource`.
 * @returns `missing`; `unclear` when the system cannot do this, or the file is a link or cannot be opened
 * @throws AcqError `path_not_allowed` for anything but a regular file
 */
export function openUnlinkedSource(path: string, inside: string, name: string): FileSource | 'missing' | 'unclear' {
  if (NO_FOLLOW === undefined) return 'unclear';
  let fd: number;
  try {
    fd = openSync(path, OPEN_FLAGS | NO_FOLLOW);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unclear';
  }
  return new FileSource(fd, fingerprintOf(fd, path, inside), inside, name);
}

function openDescriptor(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch (error) {
    throw openError(path, error);
  }
}

/** Closes the file if it is not a regular file, or not where it must be. */
function fingerprintOf(fd: number, path: string, inside: string | undefined): Fingerprint {
  try {
    const own = inside === undefined ? undefined : ownPathOf(fd);
    if (own !== undefined && !isBelow(inside as string, own)) throw replacedWhileOpened(path);
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw notRegular(path);
    return { path, ...toFileFacts(stat) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Turns the system's error of a failed open or stat into an `AcqError`. */
export function openError(path: string, error: unknown): AcqError {
  return (exhaustionError('cannot be opened', error) ?? refusedOpen(path, error)).about(basename(path));
}

function refusedOpen(path: string, error: unknown): AcqError {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    const message = `there is no file or folder at ${path}. Check the path.`;
    return new AcqError('path_not_found', message, { cause: error });
  }
  if (errno === 'EACCES' || errno === 'EPERM') {
    const message = `acqstore may not read ${path} (${errno}). Check the permissions of the file and its folder.`;
    return new AcqError('path_not_readable', message, { cause: error });
  }
  if (errno === 'ENXIO' || errno === 'ENODEV') {
    return notRegular(path, error);
  }
  if (errno === 'ENAMETOOLONG' || errno === 'ELOOP' || errno === 'EINVAL') {
    const message = `a path like ${path} cannot exist on this system (${errno})`;
    return new AcqError('path_not_found', message, { cause: error });
  }
  return decodeFailed(`cannot be opened (${errno || String(error)})`, error);
}

function notRegular(path: string, cause?: unknown): AcqError {
  return new AcqError('path_not_allowed', 'is not a regular file', { subject: basename(path), cause });
}

export class FileSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly fingerprint: Fingerprint;
  /** Called when a parked source has taken a descriptor again. */
  onResume: (() => void) | undefined;
  /** Called when a parked source could not be opened again. */
  onResumeFailed: ((error: unknown) => void) | undefined;
  /** Set by every read. */
  wasRead = true;
  private readonly inside: string | undefined;
  private fd: number;
  private closed = false;
  private head: Uint8Array = new Uint8Array();

  constructor(fd: number, fingerprint: Fingerprint, inside?: string, name = basename(fingerprint.path)) {
    this.fd = fd;
    this.fingerprint = fingerprint;
    this.inside = inside;
    this.name = name;
    this.size = fingerprint.size;
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    const target = new Uint8Array(length);
    this.readInto(target, offset);
    return target;
  }

  /** Reads the start of the file and remembers it: headers are read again, field by field. */
  readHead(length: number): Uint8Array {
    this.head = this.read(0, Math.min(length, this.size));
    return this.head;
  }

  readInto(target: Uint8Array, offset: number): void {
    this.wasRead = true;
    checkRange(this.name, this.size, offset, target.length);
    if (offset + target.length <= this.head.length && !this.closed) {
      target.set(this.head.subarray(offset, offset + target.length));
      return;
    }
    if (this.fd < 0) this.resume();
    let done = 0;
    while (done < target.length) {
      const n = this.pread(target, done, offset + done);
      if (n === 0) {
        throw decodeFailed(
          `became shorter while it was open: it had ${plural(this.size, 'byte')} and now ends at ` +
            `${grouped(offset + done)}. Open it again when it is complete.`,
        ).about(this.name);
      }
      done += n;
    }
  }

  close(): void {
    this.park();
    this.closed = true;
  }

  /** Releases the descriptor until the next read: a set of thousands of files would exhaust them. */
  park(): void {
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }

  private resume(): void {
    if (this.closed) throw decodeFailed('is closed').about(this.name);
    const { path } = this.fingerprint;
    let now: Fingerprint;
    try {
      this.fd = openDescriptor(path);
      now = fingerprintOf(this.fd, path, this.inside);
    } catch (error) {
      this.fd = -1;
      this.onResumeFailed?.(error);
      throw error;
    }
    if (!isSameFingerprint(this.fingerprint, now)) {
      throw decodeFailed('changed while it was open. Open it again when it is complete.').about(this.name);
    }
    this.onResume?.();
  }

  private pread(target: Uint8Array, done: number, position: number): number {
    try {
      // Some systems refuse to read more than 2 GiB at once.
      return readSync(this.fd, target, done, Math.min(target.length - done, 2 ** 30), position);
    } catch (error) {
      const reason = (error as Error).message;
      throw decodeFailed(`cannot be read at offset ${grouped(position)}: ${reason}`, error).about(this.name);
    }
  }
}
