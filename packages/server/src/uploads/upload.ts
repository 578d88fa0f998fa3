/** One upload: files in a folder of their own, until a session has used them. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type DiskSpace, diskFull, roomOn, writeError } from './disk.js';
import { checkSize, type UploadLimits } from './limits.js';

export interface UploadParts {
  id: string;
  /** The user who sends it, on a server with users. */
  owner?: string | undefined;
  /** Who competes with others for the room. */
  party: string;
  /** Name of the file or folder to open. */
  name: string;
  /** Bytes of all files together. */
  size: number;
  /** Exists, and is empty. */
  folder: string;
  limits: UploadLimits;
  readDisk: (folder: string) => Promise<DiskSpace>;
}

/** What a client sends for one file. */
export interface Incoming {
  body: AsyncIterable<Uint8Array>;
  /** Bytes that the client has announced. */
  length: number | undefined;
}

/** Bytes between two looks at the free space of the disk. */
const DISK_CHECK_BYTES = 64 * 2 ** 20;

export class Upload {
  readonly id: string;
  readonly owner: string | undefined;
  readonly party: string;
  readonly name: string;
  readonly size: number;
  readonly folder: string;
  /** Milliseconds on the clock of the store; moved on by each piece that arrives. */
  expiresAt = 0;
  /** Until then, the bytes that are announced count although they are not there. */
  reservedUntil = 0;
  /** Sessions that use the files, and opens in progress. */
  users = 0;
  /** Sessions that have used it, without those that were taken back: it goes with the last one. */
  opened = 0;
  /** True when it was deleted: nothing more is written. */
  isEnded = false;
  /** Files that are being written. */
  writing = 0;
  private readonly limits: UploadLimits;
  private readonly readDisk: UploadParts['readDisk'];
  /** Bytes of each complete file. */
  private readonly files = new Map<string, number>();
  /** Folders that were created for files, below that of the upload. */
  private readonly folders = new Set<string>();
  private received = 0;
  private arriving = 0;
  private parts = 0;

  constructor({ id, owner, party, name, size, folder, limits, readDisk }: UploadParts) {
    this.id = id;
    this.owner = owner;
    this.party = party;
    this.name = name;
    this.size = size;
    this.folder = folder;
    this.limits = limits;
    this.readDisk = readDisk;
  }

  /** Path of what is to be opened. */
  get path(): string {
    return join(this.folder, 'files', this.name);
  }

  /** Bytes that are announced and not on the disk yet. */
  get outstanding(): number {
    return this.size - this.received - this.arriving;
  }

  get receivedBytes(): number {
    return this.received;
  }

  /** Bytes that are on the disk, those of files that are arriving included. */
  get storedBytes(): number {
    return this.received + this.arriving;
  }

  /** Files and folders. */
  get entries(): number {
    return this.files.size + this.writing + this.folders.size;
  }

  get wasOpened(): boolean {
    return this.opened > 0;
  }

  /** True while it can be opened for the first time. */
  get isPending(): boolean {
    return !this.wasOpened && !this.isEnded;
  }

  /** Returns the files and folders that a file would add. */
  countNew(names: readonly string[]): number {
    return 1 + foldersOf(names).filter((folder) => !this.folders.has(folder)).length;
  }

  async prepare(): Promise<void> {
    await mkdir(this.folder, { mode: 0o700 });
    await mkdir(join(this.folder, 'files'), { mode: 0o700 });
    await mkdir(join(this.folder, 'parts'), { mode: 0o700 });
  }

  /**
   * Writes a file, which is there when all of it has arrived; a file of the same name is replaced.
   * @param names its path below the upload, checked
   * @param onPiece called for each piece that arrives
   * @throws AcqError `upload_too_large`, `upload_not_found`, `request_validation_failed`; the error of `body`
   */
  async receive(names: readonly string[], { body, length }: Incoming, onPiece: () => void): Promise<void> {
    const key = names.join('/');
    this.writing++;
    const part = join(this.folder, 'parts', String(++this.parts));
    try {
      const folders = this.folders.size + this.countNew(names) - 1;
      checkSize(this.name, this.files.size + this.writing, folders, this.limits);
      for (const folder of foldersOf(names)) this.folders.add(folder);
      this.forget(key);
      if (length !== undefined) this.checkRoom(length);
      const bytes = await this.write(part, body, onPiece);
      await this.moveTo(part, names);
      this.forget(key);
      this.files.set(key, bytes);
      this.received += bytes;
    } finally {
      this.writing--;
      await rm(part, { force: true });
    }
  }

  /** @throws AcqError `upload_incomplete` */
  checkComplete(): void {
    if (this.writing > 0) throw this.incomplete(`${plural(this.writing, 'file')} of it still arriving`);
    if (this.received !== this.size) {
      throw this.incomplete(`${grouped(this.received)} of ${grouped(this.size)} bytes have arrived`);
    }
    const isThere = [...this.files.keys()].some((key) => key === this.name || key.startsWith(`${this.name}/`));
    if (!isThere) throw this.incomplete('none of its files has that name, or is in a folder of that name');
  }

  private incomplete(why: string): AcqError {
    return new AcqError('upload_incomplete', `${why}. Send the rest, then open it.`, { subject: this.name });
  }

  /** Streams to the disk: each piece is written before the next one is read. Returns the bytes. */
  private async write(part: string, body: Incoming['body'], onPiece: () => void): Promise<number> {
    let bytes = 0;
    let unchecked = DISK_CHECK_BYTES;
    const file = await open(part, 'wx', 0o600);
    try {
      for await (const piece of body) {
        this.checkRoom(piece.length);
        onPiece();
        bytes += piece.length;
        this.arriving += piece.length;
        unchecked += piece.length;
        if (unchecked > DISK_CHECK_BYTES) {
          unchecked = 0;
          await this.checkDisk();
        }
        await file.writeFile(piece).catch((error: unknown) => {
          throw writeError(error, this.name);
        });
      }
      this.checkRoom(0);
      return bytes;
    } finally {
      this.arriving -= bytes;
      await file.close();
    }
  }

  private async checkDisk(): Promise<void> {
    if (roomOn(await this.readDisk(this.folder)) <= 0) throw diskFull(this.name);
  }

  private async moveTo(part: string, names: readonly string[]): Promise<void> {
    const target = join(this.folder, 'files', ...names);
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(part, target);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENAMETOOLONG'].includes(code))
        throw writeError(error, this.name);
      const message = `The name "${names.join('/')}" cannot be used: another file of the upload is in its place (${code}).`;
      throw invalidRequest(['path', 'key'], message, 'file_name');
    }
  }

  /** Does not count a file any more that is about to be replaced. */
  private forget(key: string): void {
    this.received -= this.files.get(key) ?? 0;
    this.files.delete(key);
  }

  private checkRoom(bytes: number): void {
    if (this.isEnded) throw uploadNotFound();
    if (bytes <= this.outstanding) return;
    throw new AcqError(
      'upload_too_large',
      `the files are larger than the ${grouped(this.size)} bytes that were announced (\`size\`).`,
      { subject: this.name },
    );
  }
}

export function uploadNotFound(): AcqError {
  return new AcqError(
    'upload_not_found',
    'The upload does not exist. It was deleted, has expired, or its session has ended. Send the file again.',
  );
}

/** Returns the folders above a file, from the outside in. */
function foldersOf(names: readonly string[]): string[] {
  return names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join('/'));
}
