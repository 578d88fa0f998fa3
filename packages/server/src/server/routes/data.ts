/** Raw planes, sent from memory: all of one or a range, as float32 or as they are in the file. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ChannelParams, DataQuery } from '@acquisition-store/client/contract/session.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import {
  copySamples,
  planeByteLength,
  type SourceData,
  slicePlane,
} from '@acquisition-store/readers/model/samples/plane-data.js';
import { NUMPY_TYPES, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { FastifyReply } from 'fastify';
import type { PlaneAddress, PlaneShape } from '../../sessions/types.js';
import type { AppDependencies } from '../dependencies.js';
import { binaryHeadOperation, binaryOperation } from '../operation.js';
import { ADDRESS_ERRORS, PLACE_ERRORS, READ_ERRORS } from '../operation-errors.js';
import { holdUntilSent, pinPlane } from '../request-life.js';
import type { App } from '../types.js';

const SAMPLE_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Bytes that are converted at a time: they stay in the caches of the processor until the system has copied them. */
const PIECE_BYTES = 2 ** 18;
/** So many bytes, or fewer, are converted at once: as a stream of one piece, they would take a twentieth longer to send. */
const SMALL_BYTES = 2 ** 17;
/** Pieces of one answer: one is filled while the system takes the other. */
const PIECES = 2;
/**
 * Bytes that an answer sends before its pieces wait for a turn of others; with two pieces up to twice as many. That is some
 * milliseconds of work. With a turn after each piece an answer took a tenth longer.
 */
const TURN_BYTES = 2 ** 21;
/** Pieces that are kept for the next answers. */
const MAX_KEPT = 16;

const URLS: Record<PlaneAddress['kind'], string> = {
  channel: '/api/v2/sessions/:sessionId/channels/:channelIndex/data',
  reference: '/api/v2/sessions/:sessionId/reference/channels/:channelIndex/data',
};

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
    app.head(URLS[kind], head, async ({ params, query }, reply) => {
      const { address, form } = toAsked(kind, params, query);
      const shape = deps.sessions.planeShape(address, form);
      setPlaneHeaders(reply, planeByteLength(shape), shape);
      return reply.send();
    });
    app.get(URLS[kind], options, async ({ params, query }, reply) => {
      const { address, form } = toAsked(kind, params, query);
      const shape = deps.sessions.planeShape(address, form);
      const range = readRange(reply, planeByteLength(shape));
      const data = await pinPlane(deps, address, form, reply);
      await holdUntilSent(deps, reply, bodyBytes(data, shape.sampleType));
      return sendPlane(reply, data, shape, range);
    });
  }
}

/** @throws AcqError `range_not_satisfiable` */
function readRange(reply: FastifyReply, length: number) {
  const { headers } = reply.request;
  // Planes have no validators (ETag, Last-Modified), so If-Range never matches and the whole plane is sent.
  const range = headers['if-range'] === undefined ? parseRange(headers.range, length) : undefined;
  if (range !== 'unsatisfiable') return range;
  reply.header('content-range', `bytes */${length}`);
  throw new AcqError('range_not_satisfiable', `The range is outside the plane, which has ${plural(length, 'byte')}.`);
}

function sendPlane(
  reply: FastifyReply,
  data: SourceData,
  shape: PlaneShape,
  range: { start: number; end: number } | undefined,
): FastifyReply {
  const length = planeByteLength(shape);
  const { start, end } = range ?? { start: 0, end: length - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${length}`);
  setPlaneHeaders(reply, end - start + 1, shape);
  return reply.send(planeBody(data, shape.sampleType, start, end + 1));
}

function toAsked(
  kind: PlaneAddress['kind'],
  params: { sessionId: string; channelIndex: number },
  query: { T?: number; Z?: number; type?: 'served' | 'native' },
): { address: PlaneAddress; form: 'served' | 'native' } {
  // The reference belongs to the whole scene.
  const address = toPlaneAddress(kind, params, kind === 'channel' ? query : {});
  return { address, form: (kind === 'channel' && query.type) || 'served' };
}

/**
 * Parses a `Range` header (RFC 9110 §14.1.2) for a body of `length` bytes: `start` and `end` are both included. Returns
 * `undefined` to send everything: another unit, a malformed header or several ranges may be ignored. `unsatisfiable`: the
 * range is outside the body.
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
  { sessionId, channelIndex }: { sessionId: string; channelIndex: number },
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

/** Returns the bytes of memory that `planeBody` takes beside the plane. */
export function bodyBytes(data: SourceData, type: SampleType): number {
  if (data.sampleType === type) return 0;
  return Math.min(PIECES * PIECE_BYTES, planeByteLength({ ...data, sampleType: type }));
}

/**
 * Returns a body of bytes `start` … `end` (exclusive) of a plane as samples of a type.
 * @param type that of the plane, or float32: then samples are converted while they are sent
 * @param head comes before them
 */
export function planeBody(
  data: SourceData,
  type: SampleType,
  start: number,
  end: number,
  head: Uint8Array = new Uint8Array(),
): Buffer | Readable {
  const isConverted = data.sampleType !== type;
  if (isConverted && type !== 'float32') throw new Error(`a plane of ${data.sampleType} cannot be sent as ${type}`);
  if (isConverted && end - start > SMALL_BYTES) return convertedBody(data, start, end, head);
  const views = isConverted ? [convert(data, start, end, takePiece(end - start))] : slicePlane(data, start, end);
  return toBody(head.length > 0 ? [head, ...views] : views);
}

/** Returns a body that sends the views one after the other, without copying. */
export function toBody(views: Uint8Array[]): Buffer | Readable {
  const buffers = views.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return buffers.length > 1 ? bodyOfViews(buffers) : (buffers[0] ?? Buffer.alloc(0));
}

/**
 * Returns a body that writes itself: a pipe would wait for the socket after each piece, and would not say when one has been sent.
 * @param write ends with `finish`
 */
function ownBody(write: (target: ServerResponse, body: Readable) => void): Readable {
  // It ends when the last piece has been written.
  const body = new Readable({ read() {} });
  body.pipe = (target) => {
    write(target as unknown as ServerResponse, body);
    return target;
  };
  return body;
}

function finish(target: ServerResponse, body: Readable): void {
  target.end();
  body.push(null);
  body.resume();
}

/**
 * Views of memory that stays until they are sent: all of them are handed over at once, which takes no memory and lets the system
 * gather them.
 */
function bodyOfViews(views: readonly Buffer[]): Readable {
  return ownBody((target, body) => {
    for (const view of views) target.write(view);
    finish(target, body);
  });
}

const kept: ArrayBuffer[] = [];

/** Fills memory with the samples of bytes `start` … `end` (exclusive), as many as it takes, and returns those bytes. */
function convert(data: SourceData, start: number, end: number, memory: ArrayBuffer): Buffer {
  const first = Math.floor(start / SAMPLE_BYTES);
  const from = first * SAMPLE_BYTES;
  const to = Math.min(end, from + memory.byteLength);
  copySamples(data, first, new Float32Array(memory, 0, Math.ceil((to - from) / SAMPLE_BYTES)));
  return Buffer.from(memory, start - from, to - start);
}

/** Returns memory of whole samples for the next of `left` bytes, which may begin and end inside a sample. It is not cleared. */
function takePiece(left: number): ArrayBuffer {
  const needed = (Math.ceil(left / SAMPLE_BYTES) + 1) * SAMPLE_BYTES;
  if (needed >= PIECE_BYTES) return kept.pop() ?? new ArrayBuffer(PIECE_BYTES);
  return Buffer.allocUnsafeSlow(needed).buffer;
}

/** A plane that becomes float32 piece by piece, as fast as the client takes it, in memory that is used again for each piece. */
function convertedBody(data: SourceData, start: number, end: number, head: Uint8Array): Readable {
  let next = start;
  /** Bytes since others had a turn. */
  let inTurn = 0;
  return ownBody((target, body) => {
    /** Fills a piece and sends it, and again when it has been sent, after a turn of others now and then. */
    const sendNext = (memory: ArrayBuffer): void => {
      // The client has left, and the plane may be gone.
      if (target.destroyed || body.destroyed || next === end) return;
      const part = convert(data, next, end, memory);
      next += part.length;
      inTurn += part.length;
      target.write(part, (error) => {
        if (error) return;
        if (next < end) goOn(memory);
        else if (kept.length < MAX_KEPT && memory.byteLength === PIECE_BYTES) kept.push(memory);
      });
      if (next === end) finish(target, body);
    };
    const goOn = (memory: ArrayBuffer): void => {
      if (inTurn < TURN_BYTES) {
        sendNext(memory);
        return;
      }
      setImmediate(() => {
        inTurn = 0;
        sendNext(memory);
      });
    };
    if (head.length > 0) target.write(head);
    for (let i = 0; i < PIECES && next < end; i++) sendNext(takePiece(end - next));
  });
}
