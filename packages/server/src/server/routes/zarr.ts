/** Every session as OME-Zarr: documents from the metadata, chunks from planes and their reduced levels. */

import { BINARY } from '@acquisition-store/client/contract/values.js';
import { DOCUMENT_TYPES, type ZarrRouteParams, zarrParams } from '@acquisition-store/client/contract/zarr.js';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { inSlices } from '@acquisition-store/readers/derive/analysis/slices.js';
import { copiedBytes, levelOffset, readChunk, sliceViews } from '@acquisition-store/readers/derive/zarr/chunk.js';
import { chunkByteLength } from '@acquisition-store/readers/derive/zarr/images.js';
import {
  type ChunkKey,
  type DocumentKey,
  OME_XML,
  parseKey,
  type ZarrKey,
} from '@acquisition-store/readers/derive/zarr/keys.js';
import { documentText, rootGroups, sceneDocuments } from '@acquisition-store/readers/derive/zarr/tree.js';
import { ZARR_VERSIONS, type ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import { omeXmlPieces } from '@acquisition-store/readers/model/metadata/ome-xml.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { joined } from '../../json-text.js';
import type { AppDependencies } from '../dependencies.js';
import { storeHeadOperation, storeOperation } from '../operation.js';
import { READ_ERRORS } from '../operation-errors.js';
import { clientSignal, holdUntilSent, releaseWhenSent, untilStopped } from '../request-life.js';
import type { App } from '../types.js';
import { ZarrState } from '../zarr-state.js';
import { parseRange, toBody } from './data.js';

/**
 * Readers take a chunk that is missing for zeros, and 403, 404 and 410 for missing. These codes have such a status, so they
 * become one that readers report; see `docs/ome-zarr-of-any-file.md`.
 */
const HIDDEN: Partial<Record<ErrorCode, ErrorCode>> = {
  session_not_found: 'session_ended',
  path_not_found: 'source_changed',
  path_not_allowed: 'source_changed',
  path_not_readable: 'source_changed',
  channel_not_found: 'source_changed',
  reference_channel_not_found: 'source_changed',
};
const KEY_ERRORS: readonly ErrorCode[] = [
  'request_validation_failed',
  'not_found',
  'session_ended',
  'session_store_unavailable',
  ...READ_ERRORS.filter((code) => HIDDEN[code] === undefined),
];

type ZarrRequest = FastifyRequest<{ Params: Static<typeof ZarrRouteParams> }>;
/** Looks a key up, and restarts the time to live of the session. */
type Find = (version: ZarrVersion, request: ZarrRequest) => Promise<{ state: ZarrState; key: ZarrKey }>;

export function zarrRoutes(app: App, deps: AppDependencies): void {
  const find = finder(deps);
  for (const version of ZARR_VERSIONS) {
    const url = `/api/v2/sessions/:sessionId/${version}.ome.zarr/*`;
    const name = `OmeZarr${version.replace('.', '')}`;
    const parts = { tag: 'OME-Zarr', params: zarrParams(version === '0.4' ? '0/.zattrs' : '0/zarr.json') };
    const head = storeHeadOperation({
      ...parts,
      id: `head${name}`,
      summary: `Size of a key of the session as OME-Zarr ${version}`,
      description:
        'Never decodes a plane. Without `Content-Length` for a document whose display ranges have not been computed yet.',
      errors: KEY_ERRORS,
    });
    const get = storeOperation({
      ...parts,
      id: `get${name}`,
      summary: `A key of the session as OME-Zarr ${version}`,
      description:
        'The whole acquisition as a store for Zarr readers: all scenes, channels, time points and sections, in the sample ' +
        'type of the file, with reduced levels. Documents are JSON; chunks are little-endian samples without compression. ' +
        'Every request starts the time-to-live of the session again. Only a key that the store never has is `not_found`, ' +
        'because readers take missing chunks for zeros.',
      errors: [...KEY_ERRORS, 'range_not_satisfiable'],
    });
    app.head(url, head, async (request, reply) =>
      withoutMissing(async () => sendLength(await find(version, request), version, deps, request, reply)),
    );
    app.get(url, get, async (request, reply) =>
      withoutMissing(async () => sendKey(await find(version, request), version, deps, request, reply)),
    );
  }
}

/** Runs `action`. Errors that readers would take for a missing key get another code. */
async function withoutMissing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const code = error instanceof AcqError ? HIDDEN[error.code] : undefined;
    if (code === undefined) throw error;
    throw new AcqError(code, (error as AcqError).message, { cause: error });
  }
}

function finder(deps: AppDependencies): Find {
  const { sessions, sources, stopping } = deps;
  const states = new WeakMap<AcquisitionInfo, ZarrState>();
  return async (version, { params: { sessionId, '*': text } }) => {
    await sessions.renew(sessionId);
    const info = await untilStopped(stopping, sources.info(sessionId));
    let state = states.get(info);
    if (!state) {
      state = new ZarrState(deps, info, sessions.acquisition(sessionId));
      states.set(info, state);
    }
    const key = parseKey(state.info, version, text);
    if (key) return { state, key };
    throw new AcqError(
      'not_found',
      `The OME-Zarr ${version} of this session does not have the key "${text.slice(0, 100)}". ` +
        'Open the address of a scene, which is in `zarr` of the open response, with a program that reads OME-Zarr.',
    );
  };
}

type Found = Awaited<ReturnType<Find>>;

async function sendLength(
  { state, key }: Found,
  version: ZarrVersion,
  deps: AppDependencies,
  { params: { sessionId, '*': text } }: ZarrRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (key.kind === 'chunk') {
    reply.header('content-length', chunkByteLength(key.image, key.place.level));
    return setHeaders(reply, BINARY.mediaType).send();
  }
  const ranges = state.knownRanges(key.display);
  const { type, length } = await toDocument(state, version, { key, text, ranges, sessionId }, deps);
  if (ranges) reply.header('content-length', length);
  return setHeaders(reply, type).send();
}

async function sendKey(
  { state, key }: Found,
  version: ZarrVersion,
  deps: AppDependencies,
  request: ZarrRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sessionId, '*': text } = request.params;
  if (key.kind === 'chunk') {
    const length = chunkByteLength(key.image, key.place.level);
    const range = readRange(request, reply, length);
    const views = await readViews(state, deps, key, reply);
    return sendViews(setHeaders(reply, BINARY.mediaType), views, length, range);
  }
  const ranges = await untilStopped(deps.stopping, state.ranges(key.display));
  const { type, parts, length } = await toDocument(state, version, { key, text, ranges, sessionId }, deps);
  await holdUntilSent(deps, reply, length);
  return sendViews(setHeaders(reply, type), parts, length, readRange(request, reply, length));
}

interface DocumentRequest {
  key: DocumentKey;
  text: string;
  ranges: Awaited<ReturnType<ZarrState['ranges']>> | undefined;
  sessionId: string;
}

async function toDocument(
  { info }: ZarrState,
  version: ZarrVersion,
  { key, text, ranges, sessionId }: DocumentRequest,
  { sessions, stopping }: AppDependencies,
): Promise<{ type: string; parts: Buffer[]; length: number }> {
  const { source, header } = sessions.acquisition(sessionId);
  const details = {
    name: source.name,
    fileSize: header.fileSize,
    ...(source.revision === undefined ? {} : { revision: source.revision }),
    ...(ranges ? { ranges } : {}),
  };
  if (text === OME_XML) {
    const parts = await inSlices(encoded(omeXmlPieces(info, details)), stopping);
    return { type: DOCUMENT_TYPES.xml, parts, length: parts.reduce((sum, part) => sum + part.length, 0) };
  }
  const documents =
    key.scene === undefined ? rootGroups(info, version, details) : sceneDocuments(info, version, key.scene, details);
  const document = documents.get(text);
  if (document === undefined) throw new Error(`no document ${text}`);
  const body = Buffer.from(documentText(document));
  return { type: DOCUMENT_TYPES.json, parts: [body], length: body.length };
}

/** Encodes a text; a slice is some scenes. */
function* encoded(pieces: Iterable<string>): Generator<void, Buffer[]> {
  const parts: Buffer[] = [];
  for (const text of joined(pieces)) {
    parts.push(Buffer.from(text));
    yield;
  }
  return parts;
}

/** Returns the bytes of a chunk, which stay in memory until `reply` has been sent. */
async function readViews(
  state: ZarrState,
  deps: AppDependencies,
  { image, place }: ChunkKey,
  reply: FastifyReply,
): Promise<Uint8Array[]> {
  const { level, channel: channelIndex, t, z } = place;
  const { scene, kind, levels } = image;
  const form = level === 0 ? 'native' : 'levels';
  const signal = clientSignal(reply, deps.stopping);
  await holdUntilSent(deps, reply, copiedBytes(image, place));
  const plane = await untilStopped(deps.stopping, state.plane({ scene, kind, channelIndex, t, z }, form, signal));
  releaseWhenSent(plane.release, reply);
  return readChunk(image, place, plane.data, levelOffset(levels, level));
}

function readRange({ headers }: ZarrRequest, reply: FastifyReply, length: number) {
  // There are no validators, so If-Range never matches.
  const range = headers['if-range'] === undefined ? parseRange(headers.range, length) : undefined;
  if (range !== 'unsatisfiable') return range;
  reply.header('content-range', `bytes */${length}`);
  throw new AcqError('range_not_satisfiable', `The range is outside the value, which has ${plural(length, 'byte')}.`);
}

function sendViews(
  reply: FastifyReply,
  views: Uint8Array[],
  length: number,
  range: ReturnType<typeof readRange>,
): FastifyReply {
  if (!range) return reply.header('content-length', length).send(toBody(views));
  const { start, end } = range;
  reply.code(206).headers({ 'content-range': `bytes ${start}-${end}/${length}`, 'content-length': end - start + 1 });
  return reply.send(toBody(sliceViews(views, start, end + 1)));
}

function setHeaders(reply: FastifyReply, type: string): FastifyReply {
  return reply.headers({ 'content-type': type, 'accept-ranges': 'bytes', 'cache-control': 'no-store' });
}
