import { errorResponses } from '@acquisition-store/client/contract/error.js';
import { EVENT_STREAM } from '@acquisition-store/client/contract/events.js';
import { UploadFileParams, UploadFileRouteParams } from '@acquisition-store/client/contract/uploads.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { DOCUMENT_TYPES, type ZarrParams, ZarrRouteParams } from '@acquisition-store/client/contract/zarr.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { RouteShorthandOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { Access } from './caller.js';
import { COMMON_ERRORS, type Documented, type Success } from './openapi/documented.js';

/** Codes of every operation with a body. */
const BODY_ERRORS: readonly ErrorCode[] = ['request_validation_failed', 'payload_too_large', 'unsupported_media_type'];

/** Codes of every operation with parameters in its address, which may not be valid text (`%ff`). */
const ADDRESS_ERRORS: readonly ErrorCode[] = ['request_validation_failed'];

const Binary = Type.String({ format: 'binary' });

const TYPE_HEADERS: Success['headers'] = ['X-Array-Shape', 'X-Array-Dtype'];
const ARRAY_HEADERS: Success['headers'] = ['Content-Length', ...TYPE_HEADERS];
const ARRAY: Pick<Success, 'further' | 'headers'> = { further: { [BINARY.mediaType]: Binary }, headers: ARRAY_HEADERS };

interface OperationParts<Ok extends TSchema, Body extends TSchema, Params extends TSchema, Query extends TSchema> {
  id: string;
  tag: string;
  summary: string;
  description?: string;
  ok: Ok;
  /** The same can be requested as an array. */
  alsoArray?: boolean;
  body?: Body;
  params?: Params;
  query?: Query;
  errors?: readonly ErrorCode[];
  /** Default: `trusted`. */
  access?: Access;
  tokenFree?: boolean;
}

/** Returns the route options of a JSON operation: schemas, documentation, and who may call it. */
export function operation<
  Ok extends TSchema,
  Body extends TSchema = TSchema,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
>(parts: OperationParts<Ok, Body, Params, Query>) {
  const { ok, alsoArray = false, body, params, query, access = 'trusted', tokenFree = false, ...text } = parts;
  const requestErrors = body ? BODY_ERRORS : params ? ADDRESS_ERRORS : [];
  const errors = [...COMMON_ERRORS, ...requestErrors, ...(parts.errors ?? [])];
  const request = { ...(body ? { body } : {}), ...(params ? { params } : {}) };
  const { description = 'Success.' } = ok as { description?: string };
  const success: Documented['success'] = {
    200: { description, mediaType: 'application/json', schema: ok, headers: [], ...(alsoArray ? ARRAY : {}) },
  };
  const documented: Documented = { ...text, ...request, ...(query ? { query } : {}), success, errors, tokenFree };
  return {
    config: { access, tokenFree, documented },
    schema: {
      ...(request as { body: Body; params: Params }),
      ...((query ? { querystring: query } : {}) as { querystring: Query }),
      response: { 200: ok, ...errorResponses(errors) } as { 200: Ok },
    },
  } satisfies RouteShorthandOptions;
}

type UploadOperation<Ok extends TSchema> = Omit<
  OperationParts<Ok, TSchema, TSchema, TSchema>,
  'body' | 'params' | 'query'
>;

/** Returns the route options of a PUT of a file of an upload, whose address ends with `*`. */
export function uploadOperation<Ok extends TSchema>(parts: UploadOperation<Ok>) {
  const errors: ErrorCode[] = [...(parts.errors ?? []), 'unsupported_media_type'];
  const { config, schema } = operation({ ...parts, errors, params: UploadFileParams });
  const documented: Documented = { ...config.documented, takesFile: true };
  return {
    config: { ...config, documented, octets: true },
    schema: { params: UploadFileRouteParams, response: schema.response },
  } satisfies RouteShorthandOptions;
}

const PLANE = { mediaType: BINARY.mediaType, schema: Binary };

type BinaryParts<Params extends TSchema, Query extends TSchema, Body extends TSchema = TSchema> = Pick<
  Documented,
  'id' | 'tag' | 'summary' | 'description' | 'errors'
> & { params: Params; query?: Query; body?: Body };

/** Returns the route options of a GET of raw planes. */
export function binaryOperation<Params extends TSchema, Query extends TSchema>({
  isTyped = false,
  ...parts
}: BinaryParts<Params, Query> & { isTyped?: boolean }) {
  const typed = isTyped ? TYPE_HEADERS : [];
  const headers = {
    Range: Type.Optional(
      Type.String({
        description:
          'One range of bytes, for example `bytes=0-4095`, is answered with 206. Several ranges, other units and ' +
          'malformed ranges are ignored.',
      }),
    ),
    'If-Range': Type.Optional(
      Type.String({ description: 'Planes have no validators: with this header the whole plane is sent.' }),
    ),
  };
  const success: Documented['success'] = {
    200: { ...PLANE, description: 'The samples.', headers: ['Content-Length', 'Accept-Ranges', ...typed] },
    206: {
      ...PLANE,
      description: 'The bytes of the range.',
      headers: ['Content-Length', 'Content-Range', 'Accept-Ranges', ...typed],
    },
  };
  return planeOperation({ ...parts, headers, success });
}

/** Returns the route options of a HEAD of raw planes. */
export function binaryHeadOperation<Params extends TSchema, Query extends TSchema>(parts: BinaryParts<Params, Query>) {
  const success: Documented['success'] = {
    200: { ...PLANE, description: 'The headers of the plane.', headers: ['Content-Length', 'Accept-Ranges'] },
  };
  return planeOperation({ ...parts, method: 'HEAD', success });
}

/** Documents in a store, beside chunks. */
const FURTHER = { [DOCUMENT_TYPES.json]: Type.Unknown(), [DOCUMENT_TYPES.xml]: Type.String() };

type StoreParts = Omit<BinaryParts<ZarrParams, TSchema>, 'query'>;

/** Returns the route options of a GET of a key of a Zarr store, whose address ends with `*`. */
export function storeOperation(parts: StoreParts) {
  return withKey(binaryOperation(parts));
}

/** Returns the route options of a HEAD of a key of a Zarr store. */
export function storeHeadOperation(parts: StoreParts) {
  return withKey(binaryHeadOperation(parts));
}

function withKey({ config, schema }: ReturnType<typeof planeOperation<ZarrParams, TSchema, TSchema>>) {
  const { documented } = config;
  const success = Object.fromEntries(
    Object.entries(documented.success).map(([status, answer]) => [status, { ...answer, further: FURTHER }]),
  );
  return {
    config: { ...config, documented: { ...documented, success }, isStore: true },
    schema: { params: ZarrRouteParams, response: schema.response },
  } satisfies RouteShorthandOptions;
}

type EventParts<Params extends TSchema> = Omit<BinaryParts<Params, TSchema>, 'query' | 'body'> &
  Pick<Documented, 'method'>;

/** Returns the route options of a stream of events, for GET or HEAD. */
export function eventOperation<Params extends TSchema>({ errors, ...parts }: EventParts<Params>) {
  const success: Documented['success'] = {
    200: { description: 'The events.', mediaType: EVENT_STREAM, schema: Type.String(), headers: [] },
  };
  return planeOperation({ ...parts, errors: [...ADDRESS_ERRORS, ...errors], success });
}

/** Returns the route options of an operation that answers with an array of float32. */
export function arrayOperation<Params extends TSchema, Query extends TSchema, Body extends TSchema = TSchema>(
  parts: BinaryParts<Params, Query, Body>,
) {
  const errors = [...(parts.body ? BODY_ERRORS : ADDRESS_ERRORS), ...parts.errors];
  const success: Documented['success'] = {
    200: {
      ...PLANE,
      description: 'The array.',
      headers: ARRAY_HEADERS,
    },
  };
  return planeOperation({ ...parts, errors, success });
}

function planeOperation<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  parts: BinaryParts<Params, Query, Body> & Pick<Documented, 'method' | 'headers' | 'success'>,
) {
  const { params, query, body } = parts;
  const errors = [...COMMON_ERRORS, ...parts.errors];
  const documented: Documented = { ...parts, errors, tokenFree: false };
  return {
    config: { access: 'consent' as const, tokenFree: false, documented },
    schema: {
      params,
      ...((query ? { querystring: query } : {}) as { querystring: Query }),
      ...((body ? { body } : {}) as { body: Body }),
      response: errorResponses(errors),
    },
  } satisfies RouteShorthandOptions;
}
