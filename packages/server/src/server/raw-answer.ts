/** Answers to requests that never reach the framework. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { retryAfter, toEnvelope } from './errors.js';

export interface RawAnswer {
  /** The value of the header `x-request-id`. */
  id: string;
  /** Status line, headers and body. The connection closes after it. */
  text: string;
}

/** Returns the answer with the envelope of `error`. */
export function rawAnswer(error: AcqError, headers: Record<string, string> = {}): RawAnswer {
  const id = randomUUID();
  const body = JSON.stringify(toEnvelope(error));
  const seconds = retryAfter(error);
  const lines = Object.entries({
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Request-Id': id,
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return { id, text: `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}` };
}

const HTTP_ERRORS: Record<string, [code: ErrorCode, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['malformed_request', 'The request headers are larger than 16 KiB.'],
};

/** Returns the error for bytes that Node's HTTP parser refuses. */
export function describeClientError(code: string | undefined): AcqError {
  const [errorCode, message] = HTTP_ERRORS[code ?? ''] ?? ['malformed_request', 'The request is not valid HTTP.'];
  return new AcqError(errorCode, message);
}
