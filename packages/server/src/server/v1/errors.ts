/** Errors as v1 sent them: its own statuses, and a body of three fields. */

import type { V1Error } from '@acquisition-store/client/contract/v1.js';
import { V1_ERROR_STATUS, type V1ErrorCode } from '@acquisition-store/client/contract/v1.js';
import type { AcqError, ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply } from 'fastify';
import { IntOverflow } from './python.js';

const PREFIX = '/api/v1';

/** True for an address of v1, also one where nothing is. */
export function isV1(url: string): boolean {
  return url === PREFIX || url.startsWith(`${PREFIX}/`) || url.startsWith(`${PREFIX}?`);
}

/** An error of the table of v1, with the text that v1 gave it. */
export class V1Refusal extends Error {
  readonly code: V1ErrorCode;

  constructor(code: V1ErrorCode, message: string) {
    super(message);
    this.name = 'V1Refusal';
    this.code = code;
  }

  get status(): number {
    return V1_ERROR_STATUS[this.code];
  }
}

/**
 * Codes of v1 for those that it did not have. The other codes that it did not have are of limits and security checks,
 * and stay as they are.
 */
const V1_CODES: Partial<Record<ErrorCode, V1ErrorCode>> = {
  // A path that no file can have.
  request_validation_failed: 'path_not_found',
  // The session of v1 had ended when its planes were gone.
  session_not_found: 'path_not_found',
  channel_not_found: 'path_not_found',
  reference_channel_not_found: 'path_not_found',
  source_changed: 'path_not_found',
  // In v1 these were errors of the operating system while the file was read.
  path_not_readable: 'decode_failed',
  companion_missing: 'decode_failed',
  picker_unavailable: 'decode_failed',
};

/** Returns the status and body of v1 for an error of the server. */
export function toV1Error(error: AcqError): { status: number; body: V1Error } {
  const code = V1_CODES[error.code] ?? error.code;
  const status = code in V1_ERROR_STATUS ? V1_ERROR_STATUS[code as V1ErrorCode] : error.status;
  return { status, body: { ok: false, error: code, message: error.message } };
}

/** Answers an error that only v1 has. Returns `undefined` for any other. */
export function sendV1Refusal(thrown: unknown, reply: FastifyReply): FastifyReply | undefined {
  if (thrown instanceof V1Refusal) {
    return reply
      .code(thrown.status)
      .type('application/json; charset=utf-8')
      .send({ ok: false, error: thrown.code, message: thrown.message } satisfies V1Error);
  }
  if (thrown instanceof IntOverflow) {
    return reply.code(500).type('text/plain; charset=utf-8').send('Internal Server Error');
  }
  return undefined;
}
