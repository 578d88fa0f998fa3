/** Turns every error into the error envelope. */

import type { ErrorEnvelope } from '@acquisition-store/client/contract/error.js';
import { AcqError, type ErrorCode, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { shorten } from '@acquisition-store/readers/base/wording.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { payloadTooLarge } from './guard.js';
import { isV1, sendV1Refusal, toV1Error } from './v1/errors.js';

/** Characters of an address in a message. */
const MAX_SHOWN_ADDRESS = 200;

/** Seconds after which a client can try again, by code, for errors that do not say. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  capacity_exceeded: 5,
  picker_busy: 10,
  storage_unavailable: 5,
  session_store_unavailable: 1,
};

export function retryAfter(error: AcqError): number | undefined {
  return error.retryAfterSeconds ?? RETRY_AFTER[error.code];
}

export function toEnvelope(error: AcqError): ErrorEnvelope {
  return { ok: false, error: error.code, message: error.message, details: error.details };
}

/** The framework's error handler. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = sendV1Refusal(thrown, reply);
  if (refusal) return refusal;
  const error = toAcqError(thrown, request);
  logError(error, request, reply);
  const seconds = retryAfter(error);
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
  if (error.code === 'payload_too_large') reply.header('connection', 'close');
  const { status, body } = isV1(request.url) ? toV1Error(error) : { status: error.status, body: toEnvelope(error) };
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** Returns the code and message for the client. An unexpected error is `internal_error`. */
function toAcqError(thrown: unknown, { id, url }: FastifyRequest): AcqError {
  if (thrown instanceof AcqError) return thrown;
  const exhausted = exhaustionError('The server cannot answer', thrown);
  if (exhausted) return exhausted;
  const { code, statusCode } = thrown as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AcqError('unsupported_media_type', 'The body must be JSON: send "Content-Type: application/json".');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return invalidRequest(['path'], badAddress(url), 'url_parsing');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new AcqError('malformed_request', 'The body is shorter than its Content-Length.');
  }
  if (statusCode === 400) return new AcqError('malformed_request', 'The request is not valid.');
  const message = `The server failed unexpectedly. Its log has the cause under request id ${id}.`;
  return new AcqError('internal_error', message, { cause: thrown });
}

function badAddress(url: string): string {
  const address = JSON.stringify(shorten(url.split('?', 1)[0] ?? url, MAX_SHOWN_ADDRESS));
  return `The address ${address} is not valid: what follows each percent sign must be UTF-8 in hexadecimal digits`;
}

function logError(error: AcqError, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.destroyed) request.log.info({ code: error.code }, 'client left before the answer');
  else if (error.code === 'internal_error')
    request.log.error({ err: withoutRoute(error.cause ?? error) }, 'unexpected error');
  else if (error.status >= 500) request.log.warn({ code: error.code, err: error }, error.message);
  else request.log.info({ code: error.code }, error.message);
}

/** Takes away what the framework adds to a failure to write an answer: its route, with all schemas, would be a line of 20 KB. */
function withoutRoute(error: unknown): unknown {
  if (error instanceof Error && 'serialization' in error) delete error.serialization;
  return error;
}
