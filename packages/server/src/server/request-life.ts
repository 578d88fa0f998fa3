/** What lasts as long as a request: its signal, the session and the memory that its answer is sent from. */
import type { ServerResponse } from 'node:http';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply } from 'fastify';
import { JsonPieces } from '../json-text.js';
import type { PlaneAddress } from '../sessions/types.js';
import type { Timing } from '../waiting.js';
import type { AppDependencies } from './dependencies.js';
import { isWarmUp } from './policy.js';
import type { App } from './types.js';

/** Smaller texts are not counted: connections times answers of each limit them. */
const SMALL_CHARACTERS = 8 * 2 ** 10;
/** A text is in memory twice while it is sent: as a string, and as bytes. */
const BYTES_PER_CHARACTER = 2;
/** Of a text that is written in pieces of 64 Ki characters, two are in memory: in the stream, and on their way to the system. */
const PIECES_BYTES = 2 * BYTES_PER_CHARACTER * 2 ** 16;

/** What is done when an answer is over. */
const endings = new WeakMap<ServerResponse, (() => void)[]>();

/** Answers that are sent in pieces, whose size is known at their end. */
const inPieces = new WeakMap<FastifyReply, JsonPieces>();

/**
 * Runs `action` when the answer has been sent or its client has gone, after those that were given before. One answer has many:
 * each as a listener of its own, Node would warn of a leak.
 */
export function whenClosed(response: ServerResponse, action: () => void): void {
  const known = endings.get(response);
  if (known) {
    known.push(action);
    return;
  }
  const all = [action];
  endings.set(response, all);
  response.once('close', () => {
    for (const one of all) one();
  });
}

/** Returns a signal that aborts when the client disconnects before its answer, or the server stops. */
export function clientSignal({ raw }: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // AbortSignal.any would keep every request in memory, because `stopping` lives as long as the server.
  stopping.addEventListener('abort', abort, { once: true });
  whenClosed(raw, () => {
    stopping.removeEventListener('abort', abort);
    if (!raw.writableEnded) abort();
  });
  if (raw.destroyed || stopping.aborted) abort();
  return controller.signal;
}

/** Waits for `work`. An error while the server stops becomes `capacity_exceeded`. */
export async function untilStopped<T>(stopping: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!stopping.aborted) throw error;
    throw new AcqError('capacity_exceeded', 'The server is stopping. Start it again and repeat the request.');
  }
}

/**
 * Keeps what requests need while they are in progress, up to the last byte of the answer: their session, and room for large
 * texts.
 */
export function holdWhileAnswering(app: App, deps: AppDependencies): void {
  const { sessions, drain } = deps;
  app.addHook('preHandler', async (request, { raw }) => {
    const { sessionId } = (request.params ?? {}) as { sessionId?: string };
    if (sessionId === undefined) return;
    const release = sessions.hold(sessionId);
    whenClosed(raw, release);
    if (raw.destroyed) release();
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (payload instanceof JsonPieces) inPieces.set(reply, payload);
    await holdUntilSent(deps, reply, bytesOfText(payload));
    // Clients connect anew, and reach another instance. A drain may have begun while the answer waited for memory.
    if (drain?.isDraining) reply.header('connection', 'close');
  });
}

/**
 * Returns the memory that a text takes, or what the pieces of a long one are made of: nothing for a small text, and for bytes, which
 * their route has counted.
 */
function bytesOfText(payload: unknown): number {
  if (payload instanceof JsonPieces) return payload.heldBytes + PIECES_BYTES;
  const isLarge = typeof payload === 'string' && payload.length >= SMALL_CHARACTERS;
  return isLarge ? BYTES_PER_CHARACTER * payload.length : 0;
}

/** Returns the bytes of an answer that has been sent. */
export function sentBytes(reply: FastifyReply): number {
  return inPieces.get(reply)?.writtenBytes ?? Number(reply.getHeader('content-length') ?? 0);
}

/**
 * Counts memory against the budget until `reply` has been sent. Call it before the memory is taken.
 * @throws AcqError `capacity_exceeded`; `plane_too_large` when the budget can never hold it
 */
export async function holdUntilSent(
  { sessions, stopping }: Pick<AppDependencies, 'sessions' | 'stopping'>,
  reply: FastifyReply,
  byteLength: number,
): Promise<void> {
  if (byteLength === 0) return;
  const owner = reply.request.caller?.user?.owner;
  releaseWhenSent(await untilStopped(stopping, sessions.memory.reserve(byteLength, owner)), reply);
}

/**
 * Returns a plane that stays in memory until `reply` has been sent, and tells the client where the time went.
 * @throws AcqError like `SessionService.read`
 */
export async function pinPlane(
  { sessions, stopping, metrics }: Pick<AppDependencies, 'sessions' | 'stopping' | 'metrics'>,
  address: PlaneAddress,
  form: 'served' | 'native',
  reply: FastifyReply,
): Promise<SourceData> {
  const { rows, columns } = sessions.planeShape(address);
  const timing: Timing = { wait: 0, open: 0, decode: 0 };
  const start = performance.now();
  const { data, release } =
    sessions.take(address, form) ??
    (await untilStopped(stopping, sessions.read(address, form, clientSignal(reply, stopping), timing)));
  releaseWhenSent(release, reply);
  const isDecoded = timing.decode > 0;
  // Another request may have decoded it meanwhile.
  if (!isDecoded) timing.wait += performance.now() - start;
  // Answers of v1 stay as they were.
  if (address.api !== 'v1') reply.header('server-timing', timingHeader(timing));
  if (!isWarmUp(reply.request)) metrics?.planes(isDecoded ? 'again' : 'cache', 1);
  if (data.rows !== rows || data.columns !== columns) {
    throw new Error(`the plane has ${data.rows} × ${data.columns} samples; expected ${rows} × ${columns}`);
  }
  return data;
}

/** Does not let the memory be reused before the system has the last byte, even when the session ends. */
export function releaseWhenSent(release: () => void, { raw }: FastifyReply): void {
  // An answer that was never sent has no socket, and its end has been reported already.
  const isOver = raw.closed || (raw.destroyed && !raw.socket);
  if (isOver) release();
  else whenClosed(raw, release);
}

/** Returns the value of a `Server-Timing` header. */
export function timingHeader(timing: Timing): string {
  const stages = Object.entries(timing);
  return stages.map(([stage, milliseconds]) => `${stage};dur=${milliseconds.toFixed(1)}`).join(', ');
}
