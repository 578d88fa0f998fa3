/** Handles requests that Node would answer by itself, or not at all. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Connections } from './connections.js';
import type { Guard } from './guard.js';
import { describeClientError, rawAnswer } from './raw-answer.js';
import type { App } from './types.js';

export function answerOddRequests(app: App, guard: Guard, connections: Connections): void {
  const { server } = app;
  // A server may ignore an unknown expectation (RFC 9110 §10.1.1); Node would answer without an envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Node would ask for the body before the headers are checked.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const error = refuseTunnel(guard, request);
    const { id, text } = rawAnswer(error, { Allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' });
    app.log.info({ reqId: id, code: error.code, method: request.method }, error.message);
    connections.end(socket, text);
  });
}

/** Answers bytes that are not HTTP or did not arrive in time. */
export function answerClientError(app: App, connections: Connections, error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = describeClientError(error.code);
  const { id, text } = rawAnswer(refusal);
  app.log.info({ reqId: id, code: refusal.code, reason: error.code }, refusal.message);
  connections.end(socket, text);
}

function refuseTunnel(guard: Guard, request: IncomingMessage): AcqError {
  try {
    guard.checkTarget({ raw: request });
  } catch (refusal) {
    if (refusal instanceof AcqError) return refusal;
    throw refusal;
  }
  return new AcqError('method_not_allowed', 'This server is not a proxy: CONNECT is not supported.');
}
