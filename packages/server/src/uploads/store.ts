/** The uploads of one running server. */
import { rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { makeId } from '../labelled-id.js';
import { type DiskSpace, diskFull, readDiskSpace, roomOn } from './disk.js';
import { checkEntries, checkPending, RESERVATION_MS, UPLOAD_LIMITS, type UploadLimits } from './limits.js';
import { parseUploadPath } from './names.js';
import { createPrivateFolder, removeAbandoned, touchFolder } from './private-folder.js';
import { type Incoming, Upload, uploadNotFound } from './upload.js';

export interface UploadStoreOptions {
  /** Folder of all servers of this user; created with the first upload. */
  folder: string;
  /** Bytes of all uploads together; 0 when they are off. */
  budgetBytes: number;
  /** Max bytes of the uploads of each user, on a server with users. */
  perOwnerBytes?: number;
  /** Instead of the usual limits. */
  limits?: UploadLimits;
  /** Life of an upload that no session uses, from the last piece that arrived. */
  ttlSeconds: number;
  /** Returns milliseconds; the value never decreases. */
  now?: () => number;
  readDisk?: (folder: string) => Promise<DiskSpace>;
  /** Receives errors of removing files. */
  report?: (error: unknown) => void;
}

/** Who sends an upload. */
export interface UploadSender {
  /** The user, on a server with users. */
  owner?: string | undefined;
  /** Who competes with others for the room. */
  party: string;
  /** Begins the id, as that of a session. */
  label?: string | undefined;
}

/** What opens an upload. */
export interface OpenUpload {
  /** Path of the file or folder to open. */
  path: string;
  /**
   * To be called when a session begins; returns what to call when it ends. One that is taken back does not count: the upload
   * can be opened again.
   */
  use: () => (isTakenBack?: boolean) => void;
}

const SWEEP_MS = 15_000;

/** A limit of bytes, and what is to fit below it. */
interface UploadRoom {
  name: string;
  /** Bytes of the upload, and those of them that do not count yet. */
  size: number;
  more: number;
  limit: number;
  /** Whose limit it is, and its setting. */
  of: string;
  setting: string;
  /** The one whose uploads count; all when omitted. */
  owner?: string;
}

export class UploadStore {
  private readonly options: UploadStoreOptions;
  private readonly now: () => number;
  private readonly limits: UploadLimits;
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
    this.limits = options.limits ?? UPLOAD_LIMITS;
    this.readDisk = options.readDisk ?? readDiskSpace;
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.cleaned = removeAbandoned(options.folder).catch((error: unknown) => this.report(error));
  }

  get isOn(): boolean {
    return this.options.budgetBytes > 0;
  }

  /**
   * Makes room for files of `size` bytes together. `name` is the file or folder to open.
   * @throws AcqError `request_validation_failed`, `upload_too_large`, `capacity_exceeded`
   */
  async create(
    { name, size }: { name: string; size: number },
    { owner, party, label }: UploadSender,
  ): Promise<{ id: string; expiresInSeconds: number }> {
    if (!this.isOn) throw uploadsAreOff(name);
    const [first = '', ...rest] = parseUploadPath(name, ['body', 'name']);
    if (rest.length > 0) parseUploadPath('', ['body', 'name']);
    this.sweep();
    const folder = await this.ownFolder();
    await touchFolder(folder);
    const disk = await this.readDisk(folder);
    // No await until the upload is counted: another one may be created at the same time.
    this.makePlace(party);
    checkPending(this.stored, party, this.limits);
    this.checkBudget({ name, size, owner }, size);
    if (size > roomOn(disk) - this.total((upload) => this.reservedBytes(upload) - upload.storedBytes)) {
      throw diskFull(name);
    }
    const id = makeId(label);
    const parts = { limits: this.limits, readDisk: this.readDisk };
    const upload = new Upload({ id, owner, party, name: first, size, folder: join(folder, id), ...parts });
    upload.reservedUntil = this.now() + RESERVATION_MS;
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
    await this.using(upload, () => {
      const names = parseUploadPath(path, ['path', 'key']);
      checkEntries(this.stored, upload.party, upload.countNew(names), this.limits);
      this.checkReservation(upload);
      return upload.receive(names, incoming, () => {
        this.checkReservation(upload);
        upload.reservedUntil = this.now() + RESERVATION_MS;
        this.extend(upload);
      });
    });
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
      upload.opened++;
      return (isTakenBack = false) => {
        if (isTakenBack) upload.opened--;
        this.leave(upload);
      };
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

  /** Ends the oldest upload for which nothing has arrived in time, if the party could not have another one otherwise. */
  private makePlace(party: string): void {
    const pending = [...this.uploads.values()].filter(({ isPending }) => isPending);
    const own = pending.filter((upload) => upload.party === party);
    const isIdle = (upload: Upload) => upload.users === 0 && upload.entries === 0 && !this.isReserved(upload);
    const crowd =
      own.length >= this.limits.pendingPerParty ? own : pending.length >= this.limits.pending ? pending : [];
    const oldest = crowd.find(isIdle);
    if (oldest) this.end(oldest);
  }

  private isReserved({ reservedUntil }: Upload): boolean {
    return this.now() < reservedUntil;
  }

  /** Bytes that count against the budget: what was announced, or what has arrived when nothing more does. */
  private reservedBytes(upload: Upload): number {
    return this.isReserved(upload) && !upload.isEnded ? upload.size : upload.storedBytes;
  }

  /**
   * Makes room again for what an upload has announced, when nothing arrived for too long.
   * @throws AcqError `upload_too_large`
   */
  private checkReservation(upload: Upload): void {
    if (!this.isReserved(upload)) this.checkBudget(upload, upload.outstanding);
  }

  /** @param more bytes of the upload that do not count yet */
  private checkBudget({ name, size, owner }: Pick<Upload, 'name' | 'size' | 'owner'>, more: number): void {
    const { budgetBytes, perOwnerBytes = budgetBytes } = this.options;
    this.checkLeft({ name, size, more, limit: budgetBytes, of: 'the server', setting: '--upload-budget' });
    if (owner === undefined) return;
    const limit = Math.min(budgetBytes, perOwnerBytes);
    this.checkLeft({ name, size, more, limit, of: 'each user', setting: '--upload-per-owner', owner });
  }

  private checkLeft({ name, size, more, limit, of, setting, owner }: UploadRoom): void {
    const left =
      limit - this.total((upload) => ((owner ?? upload.owner) === upload.owner ? this.reservedBytes(upload) : 0));
    if (more <= left) return;
    const rest = left < limit ? `; ${grouped(Math.max(0, left))} are not in use` : '';
    throw new AcqError(
      'upload_too_large',
      `the upload is ${grouped(size)} bytes; the limit of ${of} is ${grouped(limit)}${rest} ` +
        `(${setting}). Open the file by its path.`,
      { subject: name },
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
    'this server does not take uploads (--upload-budget). Open the file by its path.',
    { subject: name },
  );
}

function notWritable(name: string, cause: unknown): AcqError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(name);
  const message = `the server cannot write to its state folder (${code}). Check --state-dir, or open the file by its path.`;
  return new AcqError('capacity_exceeded', message, { subject: name, cause });
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
