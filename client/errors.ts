import type { ErrorCode, ValidationDetail } from '#errors';
import type { ConnectionCause } from './connection.js';

/**
 * Codes of the server, and those that only a client can find:
 * - `unreachable`: nothing answers, or nothing that this page may read
 * - `blocked`: the server runs, and the browser keeps the page from it
 * - `interrupted`: the connection broke during an answer
 * - `timeout`: no answer in time to a question that takes no time
 * - `not_this_server`: something else answers at this address
 * - `wrong_length`: not the bytes that were announced
 * - `closed`: the acquisition was closed by this program
 */
export type ClientErrorCode =
  | ErrorCode
  | 'unreachable'
  | 'blocked'
  | 'interrupted'
  | 'timeout'
  | 'not_this_server'
  | 'wrong_length'
  | 'closed';

export interface AcqClientErrorParts {
  status?: number | null;
  details?: ValidationDetail[] | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  hint?: string;
  connection?: ConnectionCause;
  cause?: unknown;
}

/** The only error that the client throws on purpose; an abort passes through as the reason of its signal. */
export class AcqClientError extends Error {
  readonly code: ClientErrorCode;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** What is wrong with a request, field by field; null but for `request_validation_failed`. */
  readonly details: ValidationDetail[] | null;
  /** By which the server's log names the request. */
  readonly requestId: string | null;
  /** Seconds after which the server suggests to try again. */
  readonly retryAfterSeconds: number | null;
  /** What the user can do; empty when `message` says it. */
  readonly hint: string;
  /** Why there was no answer; null when there was one. */
  readonly connection: ConnectionCause | null;

  constructor(code: ClientErrorCode, message: string, parts: AcqClientErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'AcqClientError';
    this.code = code;
    this.status = parts.status ?? null;
    this.details = parts.details ?? null;
    this.requestId = parts.requestId ?? null;
    this.retryAfterSeconds = parts.retryAfterSeconds ?? null;
    this.hint = parts.hint ?? HINTS[code] ?? '';
    this.connection = parts.connection ?? null;
  }
}

export function hasCode<Code extends ClientErrorCode>(
  error: unknown,
  code: Code,
): error is AcqClientError & { readonly code: Code } {
  return error instanceof AcqClientError && error.code === code;
}

const HINTS: Partial<Record<ClientErrorCode, string>> = {
  unauthorized: 'Give the token that the server printed when it started.',
  session_not_found: 'Open the file again.',
  source_changed: 'Open the file again to see what it holds now.',
  companion_missing: 'Copy the missing file to where the server looked for it, and open the acquisition again.',
  storage_unavailable: 'Check the network drive that the file is on; the server keeps trying.',
  picker_busy: 'Finish or close the file dialog that is open.',
  picker_unavailable: 'Open the file by its path.',
  capacity_exceeded: 'Close what is not needed, or try again in a few seconds.',
  interrupted: 'Try again.',
  timeout: 'The computer may be busy: try again, or look at the log of the server.',
  not_this_server: 'Check the address: the server printed it when it started.',
  wrong_length: 'Try again; if it stays, report it with the name of the file.',
};
