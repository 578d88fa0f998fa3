import type { ErrorCode, ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import type { ConnectionCause } from './connection.js';

/**
 * Codes of the server, and those that only a client can detect:
 * - `unreachable`: no response, or none that this page may read
 * - `blocked`: the server is running, but the browser blocks the page
 * - `interrupted`: the connection was interrupted during a response
 * - `timeout`: no response in time to a request that the server answers immediately
 * - `not_this_server`: another program responds at this address
 * - `wrong_length`: the number of bytes differs from the announced length
 * - `closed`: this program has closed the acquisition
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

interface AcqClientErrorParts {
  status?: number | null;
  details?: ValidationDetail[] | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  hint?: string;
  connection?: ConnectionCause;
  cause?: unknown;
}

/** The error that the client throws. An aborted call rejects with the reason of its signal instead. */
export class AcqClientError extends Error {
  readonly code: ClientErrorCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Invalid fields of a request; null for codes other than `request_validation_failed`. */
  readonly details: ValidationDetail[] | null;
  /** Id of the request in the server's log. */
  readonly requestId: string | null;
  /** Seconds after which the request can be tried again. */
  readonly retryAfterSeconds: number | null;
  /** What the user can do; empty when `message` is enough. */
  readonly hint: string;
  /** Why there was no response; null when there was one. */
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
  unauthorized: 'Use the token that the server printed when it started, or that its operator gave you.',
  session_not_found: 'Open the file again.',
  source_changed: 'Open the file again to see its current contents.',
  companion_missing: 'Put the missing file back in its folder, then open the acquisition again.',
  storage_unavailable: 'Check the network drive of the file. The server keeps trying.',
  picker_busy: 'Finish or close the open file dialog.',
  picker_unavailable: 'Open the file by its path.',
  capacity_exceeded: 'Close acquisitions that are not needed, or try again in a few seconds.',
  interrupted: 'Try again.',
  timeout: 'The computer may be busy. Try again, or check the log of the server.',
  not_this_server: 'Check the address, which the server printed when it started.',
  wrong_length: 'Try again. If the problem persists, report it with the name of the file.',
};
