import type { RouteShorthandOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { BINARY } from '../contract/common.js';
import { errorResponses } from '../contract/error.js';
import type { ErrorCode } from '../errors.js';
import { COMMON_ERRORS, type Documented } from './openapi/documented.js';
import type { Access } from './policy.js';

/** Codes of every operation that takes a body. */
const OF_BODIES: readonly ErrorCode[] = ['request_validation_failed', 'payload_too_large', 'unsupported_media_type'];

/** Codes of every operation with parts in its address: they may not be text (`%ff`). */
const OF_ADDRESSES: readonly ErrorCode[] = ['request_validation_failed'];

interface OperationParts<Ok extends TSchema, Body extends TSchema, Params extends TSchema> {
  id: string;
  tag: string;
  summary: string;
  description?: string;
  ok: Ok;
  body?: Body;
  params?: Params;
  errors?: readonly ErrorCode[];
  /** Default: `trusted`. */
  access?: Access;
  tokenFree?: boolean;
}

/** The framework's route options of a JSON operation of the contract: schemas, documentation, who may call it. */
export function operation<Ok extends TSchema, Body extends TSchema = TSchema, Params extends TSchema = TSchema>(
  parts: OperationParts<Ok, Body, Params>,
) {
  const { ok, body, params, access = 'trusted', tokenFree = false, ...text } = parts;
  const requestErrors = body ? OF_BODIES : params ? OF_ADDRESSES : [];
  const errors = [...COMMON_ERRORS, ...requestErrors, ...(parts.errors ?? [])];
  const request = { ...(body ? { body } : {}), ...(params ? { params } : {}) };
  const { description = 'Success.' } = ok as { description?: string };
  const success: Documented['success'] = {
    200: { description, mediaType: 'application/json', schema: ok, headers: [] },
  };
  const documented: Documented = { ...text, ...request, success, errors, tokenFree };
  return {
    config: { access, tokenFree, documented },
    schema: {
      ...(request as { body: Body; params: Params }),
      response: { 200: ok, ...errorResponses(errors) } as { 200: Ok },
    },
  } satisfies RouteShorthandOptions;
}

const Binary = Type.String({ format: 'binary' });
const PLANE = { mediaType: BINARY.mediaType, schema: Binary };

type BinaryParts<Params extends TSchema> = Pick<Documented, 'id' | 'tag' | 'summary' | 'description' | 'errors'> & {
  params: Params;
};

/** Like `operation`, for raw planes. */
export function binaryOperation<Params extends TSchema>(parts: BinaryParts<Params>) {
  const headers = {
    Range: Type.Optional(
      Type.String({
        description:
          'One range of bytes, for example `bytes=0-4095`, is answered with 206. Several, another unit or a ' +
          'malformed range are ignored.',
      }),
    ),
    'If-Range': Type.Optional(
      Type.String({ description: 'Planes have no validators: with this header the whole plane is sent.' }),
    ),
  };
  const success: Documented['success'] = {
    200: { ...PLANE, description: 'The samples.', headers: ['Content-Length', 'Accept-Ranges'] },
    206: {
      ...PLANE,
      description: 'The bytes of the range.',
      headers: ['Content-Length', 'Content-Range', 'Accept-Ranges'],
    },
  };
  return planeOperation({ ...parts, headers, success });
}

/** `HEAD` of a raw plane. */
export function binaryHeadOperation<Params extends TSchema>(parts: BinaryParts<Params>) {
  const success: Documented['success'] = {
    200: { ...PLANE, description: 'The headers of the plane.', headers: ['Content-Length', 'Accept-Ranges'] },
  };
  return planeOperation({ ...parts, method: 'HEAD', success });
}

function planeOperation<Params extends TSchema>(
  parts: BinaryParts<Params> & Pick<Documented, 'method' | 'headers' | 'success'>,
) {
  const errors = [...COMMON_ERRORS, ...parts.errors];
  const documented: Documented = { ...parts, errors, tokenFree: false };
  return {
    config: { access: 'consent' as const, tokenFree: false, documented },
    schema: { params: parts.params, response: errorResponses(errors) },
  } satisfies RouteShorthandOptions;
}
