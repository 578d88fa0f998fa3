import type { RouteShorthandOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { BINARY } from '../contract/common.js';
import { errorResponses } from '../contract/error.js';
import type { ErrorCode } from '../errors.js';
import type { Access } from './policy.js';

/** Codes that every operation can answer with. */
const COMMON: readonly ErrorCode[] = [
  'host_not_allowed',
  'origin_not_allowed',
  'unauthorized',
  'malformed_request',
  'request_timeout',
  'internal_error',
];

/** Codes of every operation that takes a body. */
const OF_BODIES: readonly ErrorCode[] = ['request_validation_failed', 'payload_too_large', 'unsupported_media_type'];

/** Codes of every operation with parts in its address: they may be no text (`%ff`). */
const OF_ADDRESSES: readonly ErrorCode[] = ['request_validation_failed'];

interface OperationParts<Ok extends TSchema, Body extends TSchema, Params extends TSchema> {
  /** Stable name for generated clients. */
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
  const { id, tag, summary, description, ok, body, params, errors = [], access = 'trusted', tokenFree = false } = parts;
  const requestErrors = body ? OF_BODIES : params ? OF_ADDRESSES : [];
  return {
    config: { access, tokenFree },
    schema: {
      operationId: id,
      tags: [tag],
      summary,
      ...(description === undefined ? {} : { description }),
      ...(tokenFree ? { security: [] } : {}),
      ...({ ...(body ? { body } : {}), ...(params ? { params } : {}) } as { body: Body; params: Params }),
      response: { 200: ok, ...errorResponses([...COMMON, ...requestErrors, ...errors]) } as { 200: Ok },
    },
  } satisfies RouteShorthandOptions;
}

const Binary = Type.String({ format: 'binary' });
const Plane = { description: 'The samples.', content: { [BINARY.mediaType]: { schema: Binary } } };
const PartOfPlane = { description: 'The range asked for.', content: { [BINARY.mediaType]: { schema: Binary } } };

/** Like `operation`, for raw planes. */
export function binaryOperation<Params extends TSchema>(
  parts: Omit<OperationParts<TSchema, TSchema, Params>, 'ok' | 'body' | 'access' | 'tokenFree'> & { params: Params },
) {
  const { id, tag, summary, description, params, errors = [] } = parts;
  return {
    config: { access: 'consent' as const, tokenFree: false },
    schema: {
      operationId: id,
      tags: [tag],
      summary,
      ...(description === undefined ? {} : { description }),
      params,
      response: { 200: Plane, 206: PartOfPlane, ...errorResponses([...COMMON, ...errors]) },
    },
  } satisfies RouteShorthandOptions;
}
