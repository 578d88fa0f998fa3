import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type ByteSource, checkRange } from '@acquisition-store/readers/io/byte-source.js';
import { exhaustionError } from './exhaustion.js';
import type { Fingerprint } from './fingerprint.js';
import { isBelow } from './folder-size.js';
import { ownPathOf, replacedWhileOpened } from './own-path.js';

/** Which file to open. */
export interface FilePlace {
  /** Real absolute path. */
  path: string;
  /** For messages; the last part of the path by default. */
  name?: string;
  /** Real absolute path of the folder that the file must be in or below, also when a link takes the place of a folder. */
  inside?: string;
}

/**
 * Opens a regular file for reading.
 * @throws AcqError `path_not_found`, `path_not_readable`, `path_not_allowed`
 */
export function openFileSource(place: FilePlace): FileSource {
  const { fd, fingerprint } = openDescriptor(place);
  return new FileSource(place, fd, fingerprint);
}

/** O_NONBLOCK: opening a FIFO must not hang before fstat can tell what it is. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Missing on Windows. */
const NO_FOLLOW = constants.O_NOFOLLOW as number | undefined;

/**
 * Opens a file that must not be a link, in one system call and without looking at the path first.
 * @returns `missing`; `unclear` when the system cannot do this, or the file is a link or cannot be opened
 * @throws AcqError `path_not_allowed` for anything but a regular file
 */
export function openUnlinkedSource(place: FilePlace): FileSource | 'missing' | 'unclear' {
  if (NO_FOLLOW === undefined) return 'unclear';
  let fd: number;
  try {
    fd = openSync(place.path, OPEN_FLAGS | NO_FOLLOW);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unclear';
  }
  return new FileSource(place, fd, fingerprintOf(place, fd));
}

function openDescriptor(place: FilePlace): { fd: number; fingerprint: Fingerprint } {
  let fd: number;
  try {
    fd = openSync(place.path, OPEN_FLAGS);
  } catch (error) {
    throw openError(place.path, error);
  }
  return { fd, fingerprint: fingerprintOf(place, fd) };
}

/** Closes the file if it is not a regular file, or not where it must be. */
function fingerprintOf({ path, inside }: FilePlace, fd: number): Fingerprint {
  try {
    const own = inside === undefined ? undefined : ownPathOf(fd);
    if (own !== undefined && !isBelow(inside as string, own)) throw replacedWhileOpened(path);
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw notRegular(path);
    return { path, size: Number(stat.size), mtimeNs: String(stat.mtimeNs), ino: String(stat.ino) };
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
  private readonly place: FilePlace;
  private fd: number;
  private closed = false;
  private head: Uint8Array = new Uint8Array();

  constructor(place: FilePlace, fd: number, fingerprint: Fingerprint) {
    this.name = place.name ?? basename(place.path);
    this.place = place;
    this.fd = fd;
    this.fingerprint = fingerprint;
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

  private reopen(): ReturnType<typeof openDescriptor> {
    try {
      return openDescriptor(this.place);
    } catch (error) {
      this.onResumeFailed?.(error);
      throw error;
    }
  }

  private resume(): void {
    if (this.closed) throw decodeFailed('is closed').about(this.name);
    const { fd, fingerprint } = this.reopen();
    this.fd = fd;
    const { size, mtimeNs, ino } = this.fingerprint;
    if (fingerprint.size !== size || fingerprint.mtimeNs !== mtimeNs || fingerprint.ino !== ino) {
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
