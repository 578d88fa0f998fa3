/** The uploads of one running server. */
import { rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AcqError } from '../errors.js';
import { makeId } from '../labelled-id.js';
import { grouped } from '../wording.js';
import { type DiskSpace, diskFull, readDiskSpace, roomOn } from './disk.js';
import { parseUploadPath } from './names.js';
import { createPrivateFolder, removeAbandoned, touchFolder } from './private-folder.js';
import { type Incoming, Upload, uploadNotFound } from './upload.js';

export interface UploadStoreOptions {
  /** Folder of all servers of this user; created with the first upload. */
  folder: string;
  /** Bytes of all uploads together; 0 when they are off. */
  budgetBytes: number;
  /** Life of an upload that no session uses, from the last piece that arrived. */
  ttlSeconds: number;
  /** Returns milliseconds; the value never decreases. */
  now?: () => number;
  readDisk?: (folder: string) => Promise<DiskSpace>;
  /** Receives errors of removing files. */
  report?: (error: unknown) => void;
}

/** What opens an upload. */
export interface OpenUpload {
  /** Path of the file or folder to open. */
  path: string;
  /** To be called when a session begins; returns what to call when it ends. */
  use: () => () => void;
}

const SWEEP_MS = 15_000;

export class UploadStore {
  private readonly options: UploadStoreOptions;
  private readonly now: () => number;
  private readonly readDisk: (folder: string) => Promise<DiskSpace>;
  private readonly uploads = new Map<string, Upload>();
  /** Uploads whose files are still on the disk, those that have ended included. */
  private readonly stored = new Set<Upload>();
  private readonly sweeper: NodeJS.Timeout;
  private folder: Promise<string> | undefined;
  /** Settles when what earlier servers left is removed. */
  readonly cleaned: Promise<void>;

  constructor(options: UploadStoreOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
    this.readDisk = options.readDisk ?? readDiskSpace;
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.cleaned = removeAbandoned(options.folder).catch((error: unknown) => this.report(error));
  }

  get isOn(): boolean {
    return this.options.budgetBytes > 0;
  }

  /**
   * Makes room for files of `size` bytes together. `name` is the file or folder to open. A label begins the id, as that of a
   * session.
   * @throws AcqError `request_validation_failed`, `upload_too_large`, `capacity_exceeded`
   */
  async create(
    { name, size }: { name: string; size: number },
    owner?: string,
    label?: string,
  ): Promise<{ id: string; expiresInSeconds: number }> {
    if (!this.isOn) throw uploadsAreOff(name);
    const [first = '', ...rest] = parseUploadPath(name, ['body', 'name']);
    if (rest.length > 0) parseUploadPath('', ['body', 'name']);
    this.sweep();
    const folder = await this.ownFolder();
    await touchFolder(folder);
    const disk = await this.readDisk(folder);
    // No await until the upload is counted: another one may be created at the same time.
    this.checkBudget(name, size);
    if (size > roomOn(disk) - this.total(({ outstanding }) => outstanding)) throw diskFull(name);
    const id = makeId(label);
    const upload = new Upload({ id, owner, name: first, size, folder: join(folder, id), readDisk: this.readDisk });
    this.stored.add(upload);
    try {
      await upload.prepare();
    } catch (error) {
      this.stored.delete(upload);
      throw notWritable(name, error);
    }
    this.extend(upload);
    this.uploads.set(id, upload);
    return { id, expiresInSeconds: this.options.ttlSeconds };
  }

  /**
   * Writes one file of an upload. Returns the bytes of all its files.
   * @param path relative, with `/`
   * @throws AcqError `upload_not_found`, `upload_too_large`, `request_validation_failed`; the error of the body
   */
  async receive(id: string, path: string, incoming: Incoming): Promise<number> {
    const upload = this.find(id);
    await this.using(upload, () =>
      upload.receive(parseUploadPath(path, ['path', 'key']), incoming, () => this.extend(upload)),
    );
    return upload.receivedBytes;
  }

  /**
   * Runs `work` on a complete upload, whose files stay at least until it has ended. Messages of errors do not name the
   * private folder.
   * @throws AcqError `upload_not_found`, `upload_incomplete`; what `work` throws
   */
  async open<T>(id: string, work: (upload: OpenUpload) => Promise<T>): Promise<T> {
    const upload = this.find(id);
    upload.checkComplete();
    const use = () => {
      upload.users++;
      upload.wasOpened = true;
      return () => this.leave(upload);
    };
    try {
      return await this.using(upload, () => work({ path: upload.path, use }));
    } catch (error) {
      throw withoutFolder(error, upload.folder);
    }
  }

  /** True for an upload of this owner, and for one that does not exist. */
  belongsTo(id: string, owner: string | undefined): boolean {
    const upload = this.uploads.get(id);
    return upload === undefined || upload.owner === owner;
  }

  /** Ends an upload. Its files go with the last session that uses them. @throws AcqError `upload_not_found` */
  delete(id: string): void {
    this.end(this.find(id));
  }

  /** Removes everything. */
  async close(): Promise<void> {
    clearInterval(this.sweeper);
    await this.cleaned;
    for (const upload of this.uploads.values()) upload.isEnded = true;
    this.uploads.clear();
    const folder = await this.folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, REMOVE).catch((error: unknown) => this.report(error));
  }

  private ownFolder(): Promise<string> {
    this.folder ??= createPrivateFolder(this.options.folder).catch((error: unknown) => {
      this.folder = undefined;
      throw notWritable(this.options.folder, error);
    });
    return this.folder;
  }

  private find(id: string): Upload {
    const upload = this.uploads.get(id);
    if (upload && this.isExpired(upload)) this.end(upload);
    else if (upload) return upload;
    throw uploadNotFound();
  }

  private isExpired({ users, expiresAt }: Upload): boolean {
    return users === 0 && this.now() >= expiresAt;
  }

  private extend(upload: Upload): void {
    upload.expiresAt = this.now() + this.options.ttlSeconds * 1000;
  }

  private checkBudget(name: string, size: number): void {
    const { budgetBytes } = this.options;
    const left = budgetBytes - this.total((upload) => upload.size);
    if (size <= left) return;
    const rest = left < budgetBytes ? `; ${grouped(left)} are not in use` : '';
    throw new AcqError(
      'upload_too_large',
      `${name}: the upload is ${grouped(size)} bytes; the limit of the server is ${grouped(budgetBytes)}${rest} ` +
        '(--upload-budget). Open the file by its path.',
    );
  }

  private total(of: (upload: Upload) => number): number {
    return [...this.stored].reduce((sum, upload) => sum + of(upload), 0);
  }

  private async using<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
    upload.users++;
    try {
      return await work();
    } finally {
      this.extend(upload);
      this.leave(upload);
    }
  }

  private leave(upload: Upload): void {
    upload.users--;
    if (upload.users === 0 && upload.wasOpened) this.end(upload);
    else if (upload.users === 0 && upload.isEnded) this.remove(upload);
  }

  private end(upload: Upload): void {
    upload.isEnded = true;
    this.uploads.delete(upload.id);
    if (upload.users === 0) this.remove(upload);
  }

  private remove(upload: Upload): void {
    rm(upload.folder, REMOVE).then(
      () => this.stored.delete(upload),
      (error: unknown) => this.report(error),
    );
  }

  private sweep(): void {
    for (const upload of [...this.uploads.values()]) if (this.isExpired(upload)) this.end(upload);
  }

  private report(error: unknown): void {
    this.options.report?.(error);
  }
}

const REMOVE = { recursive: true, force: true, maxRetries: 3 } as const;

function uploadsAreOff(name: string): AcqError {
  return new AcqError(
    'upload_too_large',
    `${name}: this server does not take uploads (--upload-budget). Open the file by its path.`,
  );
}

function notWritable(name: string, cause: unknown): AcqError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(name);
  const message = `${name}: the server cannot write to its state folder (${code}). Check --state-dir, or open the file by its path.`;
  return new AcqError('capacity_exceeded', message, { cause });
}

/** Clients must not learn where uploads are stored. */
function withoutFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof AcqError) || !error.message.includes(folder)) return error;
  const files = join(folder, 'files');
  const message = error.message
    .replaceAll(files + sep, '')
    .replaceAll(files, 'the upload')
    .replaceAll(folder, 'the upload');
  return new AcqError(error.code, message, { cause: error, ...(error.details ? { details: error.details } : {}) });
}
