/** Limits of uploads: of each one, of those of one party, and of all. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { LIMITS } from '@acquisition-store/readers/base/limits.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';

/** Milliseconds without a byte after which the announced bytes of an upload no longer count. */
export const RESERVATION_MS = 60_000;

export interface UploadLimits {
  /** Of one upload. */
  files: number;
  folders: number;
  /** Files and folders of the uploads of one party, and of all. */
  entriesPerParty: number;
  entries: number;
  /** Uploads of one party that have not been opened, and of all. */
  pendingPerParty: number;
  pending: number;
}

/** An upload has as many files as an acquisition may have. Empty files in 31 folders each would create any number of them. */
export const UPLOAD_LIMITS: UploadLimits = {
  files: LIMITS.files,
  folders: 20_000,
  entriesPerParty: 120_000,
  entries: 240_000,
  pendingPerParty: 64,
  pending: 256,
};

/** What the limits need to know of an upload. */
interface Counted {
  /** Who competes with others for the room. */
  readonly party: string;
  /** Files and folders. */
  readonly entries: number;
  /** It can still be opened for the first time. */
  readonly isPending: boolean;
}

/** @throws AcqError `capacity_exceeded` when one more upload is too much */
export function checkPending(uploads: Iterable<Counted>, party: string, limits: UploadLimits): void {
  const pending = [...uploads].filter(({ isPending }) => isPending);
  const own = pending.filter((upload) => upload.party === party);
  const advice = 'Open or delete some, or try again in a minute.';
  if (own.length >= limits.pendingPerParty) {
    const message = `${limits.pendingPerParty} uploads of yours wait to be opened, the limit of each user or origin. ${advice}`;
    throw new AcqError('capacity_exceeded', message, { retryAfterSeconds: RESERVATION_MS / 1000 });
  }
  if (pending.length >= limits.pending) {
    const message = `${limits.pending} uploads wait to be opened, the limit of the server. ${advice}`;
    throw new AcqError('capacity_exceeded', message, { retryAfterSeconds: RESERVATION_MS / 1000 });
  }
}

/**
 * @param more files and folders that are about to be created
 * @throws AcqError `capacity_exceeded`
 */
export function checkEntries(uploads: Iterable<Counted>, party: string, more: number, limits: UploadLimits): void {
  const all = [...uploads];
  const count = (some: readonly Counted[]) => some.reduce((sum, { entries }) => sum + entries, more);
  if (count(all.filter((upload) => upload.party === party)) > limits.entriesPerParty) {
    throw tooManyEntries('Your uploads have', limits.entriesPerParty);
  }
  if (count(all) > limits.entries) throw tooManyEntries('All uploads have', limits.entries);
}

/** @throws AcqError `upload_too_large` for an upload of so many files and folders */
export function checkSize(name: string, files: number, folders: number, limits: UploadLimits): void {
  if (files > limits.files) throw tooMany(name, limits.files, 'files');
  if (folders > limits.folders) throw tooMany(name, limits.folders, 'folders');
}

function tooManyEntries(whose: string, limit: number): AcqError {
  const message = `${whose} ${grouped(limit)} files and folders together, the limit. Open or delete some uploads first.`;
  return new AcqError('capacity_exceeded', message);
}

function tooMany(name: string, limit: number, what: string): AcqError {
  return new AcqError('upload_too_large', `an upload has at most ${grouped(limit)} ${what}.`, { subject: name });
}
