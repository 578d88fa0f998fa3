import { ChannelParams, DataQuery } from '@acquisition-store/client/contract/session.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import { NUMPY_TYPES } from '@acquisition-store/readers/model/samples/types.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { PlaneAddress, PlaneShape } from '../../sessions/types.js';
import type { AppDependencies } from '../dependencies.js';
import { binaryHeadOperation, binaryOperation } from '../operation.js';
import { bodyBytes, planeBody } from '../plane-body.js';
import { holdUntilSent, pinPlane } from '../request-life.js';
import type { App } from '../types.js';

const URLS: Record<PlaneAddress['kind'], string> = {
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

type DataRequest = FastifyRequest<{ Params: Static<typeof ChannelParams>; Querystring: Static<typeof DataQuery> }>;

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
    const parts = { tag: 'Data', params: ChannelParams, ...(reference ? {} : { query: DataQuery }) };
    const addressErrors = [...ADDRESS_ERRORS, missing, ...(reference ? [] : PLACE_ERRORS)] as const;
    const options = binaryOperation({
      ...parts,
      isTyped: true,
      id: `get${name}`,
      summary: image,
      description:
        'Little-endian float32 samples, row after row, exactly `byteLength` bytes, never transposed and never compressed. ' +
        'The number of samples is `plane.shape[0] * plane.shape[1]`.' +
        (reference ? '' : ' With `type=native` they are in the type that `X-Array-Dtype` names.'),
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
  kind: PlaneAddress['kind'],
  { sessions }: AppDependencies,
  request: DataRequest,
  reply: FastifyReply,
): FastifyReply {
  const { address, form } = toAsked(kind, request);
  const shape = sessions.planeShape(address, form);
  setPlaneHeaders(reply, planeByteLength(shape), shape);
  return reply.send();
}

async function sendPlane(
  kind: PlaneAddress['kind'],
  deps: AppDependencies,
  request: DataRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { address, form } = toAsked(kind, request);
  const shape = deps.sessions.planeShape(address, form);
  const length = planeByteLength(shape);
  // Planes have no validators (ETag, Last-Modified), so If-Range never matches and the whole plane is sent.
  const range = request.headers['if-range'] === undefined ? parseRange(request.headers.range, length) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${length}`);
    throw new AcqError('range_not_satisfiable', `The range is outside the plane, which has ${plural(length, 'byte')}.`);
  }
  const data = await pinPlane(deps, address, form, reply);
  await holdUntilSent(deps, reply, bodyBytes(data, shape.sampleType));
  const { start, end } = range ?? { start: 0, end: length - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${length}`);
  setPlaneHeaders(reply, end - start + 1, shape);
  return reply.send(planeBody(data, shape.sampleType, start, end + 1));
}

function toAsked(
  kind: PlaneAddress['kind'],
  { params, query }: DataRequest,
): { address: PlaneAddress; form: 'served' | 'native' } {
  // The reference belongs to the whole scene.
  const address = toPlaneAddress(kind, params, kind === 'channel' ? query : {});
  return { address, form: (kind === 'channel' && query.type) || 'served' };
}

/**
 * Parses a `Range` header (RFC 9110 §14.1.2) for a body of `length` bytes: `start` and `end` are both included. Returns `undefined` to send everything:
 * another unit, a malformed header or several ranges may be ignored. `unsatisfiable`: the range is outside the body.
 */
export function parseRange(
  header: string | undefined,
  length: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const suffix = Number(last);
    if (suffix === 0 || length === 0) return 'unsatisfiable';
    return { start: Math.max(0, length - suffix), end: length - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= length) return 'unsatisfiable';
  return { start, end: last === '' ? length - 1 : Math.min(Number(last), length - 1) };
}

/** @throws AcqError `channel_out_of_range` for a negative index */
export function toPlaneAddress(
  kind: PlaneAddress['kind'],
  { sessionId, channelIndex }: Static<typeof ChannelParams>,
  { T, Z }: { T?: number; Z?: number },
): PlaneAddress {
  if (channelIndex < 0) {
    throw new AcqError('channel_out_of_range', `Channel ${channelIndex} does not exist; channels are counted from 0.`);
  }
  return { sessionId, kind, channelIndex, ...(T === undefined ? {} : { t: T }), ...(Z === undefined ? {} : { z: Z }) };
}

function setPlaneHeaders(reply: FastifyReply, length: number, { rows, columns, sampleType }: PlaneShape): void {
  reply.headers({
    'content-type': BINARY.mediaType,
    'content-length': length,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-array-shape': `${rows},${columns}`,
    'x-array-dtype': NUMPY_TYPES[sampleType],
  });
}
