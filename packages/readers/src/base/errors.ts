import { filesAreChosen } from './platform.js';
import { subjectFirst } from './wording.js';

/**
 * Every error code of the HTTP contract and its status. The one table: the server answers from it, the OpenAPI
 * document and `docs/errors.md` are checked against it.
 */
export const ERROR_STATUS = {
  request_validation_failed: 422,
  invalid_channel_indices: 422,
  channel_out_of_range: 422,
  selection_out_of_range: 422,
  path_not_found: 404,
  path_not_allowed: 403,
  path_not_readable: 403,
  unsupported_format: 415,
  decode_failed: 500,
  companion_missing: 422,
  storage_unavailable: 503,
  session_store_unavailable: 503,
  load_timeout: 504,
  plane_too_large: 413,
  region_out_of_range: 422,
  capacity_exceeded: 503,
  session_not_found: 404,
  session_ended: 409,
  channel_not_found: 404,
  reference_channel_not_found: 404,
  cancelled: 200,
  picker_unavailable: 501,
  picker_busy: 409,
  source_changed: 409,
  upload_not_found: 404,
  upload_too_large: 413,
  upload_incomplete: 409,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  malformed_request: 400,
  request_timeout: 408,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One fault of a request. */
export interface ValidationDetail {
  /** Where it is, from the outside in. */
  location: string[];
  message: string;
  /** Stable kind of the fault. */
  type: string;
}

/** The form in which an error crosses a worker boundary: structured clone loses the fields of an Error. */
export interface ErrorRecord {
  code: ErrorCode;
  /** With its subject in front. */
  message: string;
  details: ValidationDetail[] | null;
}

export interface AcqErrorOptions {
  details?: ValidationDetail[];
  /** Sent as `Retry-After` instead of the usual time of the code. */
  retryAfterSeconds?: number;
  cause?: unknown;
  subject?: string | undefined;
}

/**
 * The only error that this package throws on purpose. `statement` says what is wrong, where, and what to do, and `message`
 * is what users see: the statement, after its subject. It never holds a stack trace.
 */
export class AcqError extends Error {
  readonly code: ErrorCode;
  /** The file, or the entry in it, that the statement is about: `scan.tif`, `a.zip/0/zarr.json`. `about` sets it. */
  readonly subject: string | undefined;
  readonly statement: string;
  readonly details: ValidationDetail[] | null;
  /** Whole seconds after which another attempt can succeed, when that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, statement: string, options: AcqErrorOptions = {}) {
    super(subjectFirst(options.subject, statement), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AcqError';
    this.code = code;
    this.subject = options.subject;
    this.statement = statement;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** Returns this error with a subject; one that it has already is nearer to what is wrong, and stays. */
  about(subject: string): AcqError {
    return this.subject === undefined ? this.restated(this.statement, subject) : this;
  }

  /** Returns this error with another statement: a place inside the subject may come before it. */
  restated(statement: string, subject: string | undefined = this.subject): AcqError {
    return new AcqError(this.code, statement, {
      subject,
      cause: this.cause ?? this,
      ...(this.details ? { details: this.details } : {}),
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: this.retryAfterSeconds }),
    });
  }

  toRecord(): ErrorRecord {
    return { code: this.code, message: this.message, details: this.details };
  }

  static fromRecord(record: ErrorRecord): AcqError {
    return new AcqError(record.code, record.message, record.details ? { details: record.details } : {});
  }
}

/** A fault of a request. @param location where it is, from the outside in */
export function invalidRequest(location: string[], message: string, type: string): AcqError {
  return new AcqError('request_validation_failed', message, { details: [{ location, message, type }] });
}

/** Damaged or lying file. */
export function decodeFailed(message: string, cause?: unknown): AcqError {
  return new AcqError('decode_failed', message, cause === undefined ? {} : { cause });
}

/**
 * A file that the acquisition needs is not where it should be: nothing is damaged, and copying it there helps, or choosing it
 * in a page.
 * @param missing the file, or what is in it and which file that is
 * @param folder where it was looked for; not told in a page, which does not know where its files are
 */
export function companionMissing(missing: string, folder: string, advice = 'Copy it there.'): AcqError {
  const [place, remedy] = filesAreChosen()
    ? ['the files that were chosen', 'Choose all files of the acquisition together, or the folder that they are in.']
    : [folder, advice];
  return new AcqError('companion_missing', `${missing} is missing from ${place}. ${remedy}`);
}

/** A variant that no reader here handles. @param message what it is, and what to do */
export function unsupported(message: string): AcqError {
  return new AcqError('unsupported_format', message);
}

/** Returns the result of `read`, or `undefined` if it throws an `AcqError`. */
export function ignoreCorrupted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return missingIfCorrupted(error);
  }
}

/** Returns nothing for an `AcqError`: what is corrupted counts as missing. @throws any other error */
export function missingIfCorrupted(error: unknown): undefined {
  if (!(error instanceof AcqError)) throw error;
}
