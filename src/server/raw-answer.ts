/** Answers that are written by hand, because their request never reaches the framework. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { AcqError, type ErrorCode } from '../errors.js';
import { retryAfter, toEnvelope } from './errors.js';

export interface RawAnswer {
  /** Also in the header `x-request-id`. */
  id: string;
  /** Status line, headers and body. The connection ends with it. */
  text: string;
}

/** The envelope of `error` as it goes over the wire. */
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

/** What is told to a client whose bytes Node's HTTP parser refuses. */
export function describeClientError(code: string | undefined): AcqError {
  const [errorCode, message] = HTTP_ERRORS[code ?? ''] ?? ['malformed_request', 'The request is not valid HTTP.'];
  return new AcqError(errorCode, message);
}
