import { Readable } from 'node:stream';
import { ChannelParams, PlaneQuery } from '@acquisition-store/client/contract/session.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { type PlaneData, planeByteLength, slicePlane } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { PinnedPlane } from '../../planes/plane-cache.js';
import type { NativePlane, SessionPlane } from '../../sessions/types.js';
import { clientSignal, untilStopped } from '../client-signal.js';
import type { AppDependencies } from '../dependencies.js';
import { binaryHeadOperation, binaryOperation } from '../operation.js';
import { parseRange } from '../range.js';
import { readTimed } from '../timed.js';
import type { App } from '../types.js';
import { whenClosed } from '../when-closed.js';

const URLS: Record<SessionPlane['kind'], string> = {
  channel: '/api/v2/sessions/:sessionId/channels/:channelIndex/data',
  reference: '/api/v2/sessions/:sessionId/reference/channels/:channelIndex/data',
};

export const ADDRESS_ERRORS: readonly ErrorCode[] = [
  'request_validation_failed',
  'channel_out_of_range',
  'session_not_found',
  'session_store_unavailable',
];

/** Codes of everything that takes a time point or section. */
export const PLACE_ERRORS: readonly ErrorCode[] = ['selection_out_of_range'];

/** Codes of everything that reads a plane. */
export const READ_ERRORS: readonly ErrorCode[] = [
  'source_changed',
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'unsupported_format',
  'decode_failed',
  'companion_missing',
  'storage_unavailable',
  'load_timeout',
  'plane_too_large',
  'capacity_exceeded',
];

type RequestedPlane = Static<typeof PlaneQuery>;
type DataRequest = FastifyRequest<{ Params: Static<typeof ChannelParams>; Querystring: RequestedPlane }>;

/**
 * Registers the routes of raw planes. HEAD has its own, because the framework's would decode the plane for its length.
 */
export function dataRoutes(app: App, deps: AppDependencies): void {
  for (const kind of ['channel', 'reference'] as const) {
    const reference = kind === 'reference';
    const missing = reference ? 'reference_channel_not_found' : 'channel_not_found';
    const name = reference ? 'ReferenceChannelData' : 'ChannelData';
    const image = reference ? 'Plane of a channel of the reference image' : 'Plane of a channel';
    // The reference belongs to the whole scene.
    const parts = { tag: 'Data', params: ChannelParams, ...(reference ? {} : { query: PlaneQuery }) };
    const addressErrors = [...ADDRESS_ERRORS, missing, ...(reference ? [] : PLACE_ERRORS)] as const;
    const options = binaryOperation({
      ...parts,
      id: `get${name}`,
      summary: image,
      description:
        'Little-endian float32 samples, row after row, exactly `byteLength` bytes, never transposed and never compressed. ' +
        'The number of samples is `plane.shape[0] * plane.shape[1]`.',
      errors: [...addressErrors, 'range_not_satisfiable', ...READ_ERRORS],
    });
    const head = binaryHeadOperation({
      ...parts,
      id: `head${name}`,
      summary: `Size of the ${image[0]?.toLowerCase()}${image.slice(1)}`,
      description: 'Returns `Content-Length` without decoding the plane.',
      errors: addressErrors,
    });
    app.head(URLS[kind], head, async (request, reply) => sendLength(kind, deps, request, reply));
    app.get(URLS[kind], options, async (request, reply) => sendPlane(kind, deps, request, reply));
  }
}

function sendLength(
  kind: SessionPlane['kind'],
  { sessions }: AppDependencies,
  request: DataRequest,
  reply: FastifyReply,
): FastifyReply {
  setPlaneHeaders(
    reply,
    sessions.planeLength(toSessionPlane(kind, request.params, kind === 'channel' ? request.query : {})),
  );
  return reply.send();
}

async function sendPlane(
  kind: SessionPlane['kind'],
  deps: AppDependencies,
  request: DataRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sessions } = deps;
  const address = toSessionPlane(kind, request.params, kind === 'channel' ? request.query : {});
  const length = sessions.planeLength(address);
  // Planes have no validators (ETag, Last-Modified), so If-Range never matches and the whole plane is sent.
  const range = request.headers['if-range'] === undefined ? parseRange(request.headers.range, length) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${length}`);
    throw new AcqError('range_not_satisfiable', `The range is outside the plane, which has ${plural(length, 'byte')}.`);
  }
  const data = await pinPlane(deps, address, reply);
  const { start, end } = range ?? { start: 0, end: length - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${length}`);
  setPlaneHeaders(reply, end - start + 1);
  return reply.send(toBody(slicePlane(data, start, end + 1)));
}

/** Returns a plane that stays in memory until `reply` has been sent. */
export async function pinPlane(
  deps: Pick<AppDependencies, 'sessions' | 'stopping' | 'metrics'>,
  address: SessionPlane,
  reply: FastifyReply,
): Promise<PlaneData> {
  const { sessions, stopping } = deps;
  const length = sessions.planeLength(address);
  const signal = clientSignal(reply, stopping);
  const plane = await untilStopped(stopping, () =>
    readTimed(deps, reply, (timing) => sessions.plane(address, signal, timing)),
  );
  releaseWhenSent(plane, reply);
  if (planeByteLength(plane.data) !== length) {
    throw new Error(`the plane has ${planeByteLength(plane.data)} bytes; expected ${length}`);
  }
  return plane.data;
}

/**
 * Returns a plane of a channel and the type of its file; it stays in memory until `reply` has been sent.
 * @throws AcqError like `SessionService.nativePlane`
 */
export async function pinNative(
  { sessions, stopping }: Pick<AppDependencies, 'sessions' | 'stopping'>,
  address: SessionPlane,
  reply: FastifyReply,
): Promise<NativePlane> {
  const signal = clientSignal(reply, stopping);
  const plane = await untilStopped(stopping, () => sessions.nativePlane(address, signal));
  releaseWhenSent(plane, reply);
  return plane;
}

/** Does not let the memory be reused before the system has the last byte, even when the session ends. */
export function releaseWhenSent({ release }: Pick<PinnedPlane, 'release'>, reply: FastifyReply): void {
  const { raw } = reply;
  // An answer that was never sent has no socket, and its end has been reported already.
  const isOver = raw.closed || (raw.destroyed && !raw.socket);
  if (isOver) release();
  else whenClosed(raw, release);
}

/** Returns a body that sends the views one after the other, without copying. */
export function toBody(views: Uint8Array[]): Buffer | Readable {
  const buffers = views.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return buffers.length > 1 ? new ViewStream(buffers) : (buffers[0] ?? Buffer.alloc(0));
}

/**
 * Views of memory that stays until they are sent. A pipe would wait for the socket after each of them; all of them are
 * handed over at once instead, which takes no memory and lets the system gather them.
 */
class ViewStream extends Readable {
  private readonly views: readonly Buffer[];

  constructor(views: readonly Buffer[]) {
    super();
    this.views = views;
  }

  override _read(): void {
    this.push(null);
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    for (const view of this.views) target.write(view);
    target.end();
    this.resume();
    return target;
  }
}

/** @throws AcqError `channel_out_of_range` for a negative index */
export function toSessionPlane(
  kind: SessionPlane['kind'],
  { sessionId, channelIndex }: Static<typeof ChannelParams>,
  { T, Z }: RequestedPlane,
): SessionPlane {
  if (channelIndex < 0) {
    throw new AcqError('channel_out_of_range', `Channel ${channelIndex} does not exist; channels are counted from 0.`);
  }
  return { sessionId, kind, channelIndex, ...(T === undefined ? {} : { t: T }), ...(Z === undefined ? {} : { z: Z }) };
}

function setPlaneHeaders(reply: FastifyReply, length: number): void {
  reply.headers({
    'content-type': BINARY.mediaType,
    'content-length': length,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
  });
}
