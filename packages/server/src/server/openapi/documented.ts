import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { TProperties, TSchema } from 'typebox';
import type { headerRefs } from './headers.js';

/** Error codes that every operation can answer with. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'host_not_allowed',
  'origin_not_allowed',
  'unauthorized',
  'malformed_request',
  'request_timeout',
  'internal_error',
  // All connections are in use.
  'capacity_exceeded',
];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Describes an operation of the contract for the OpenAPI document. */
    documented?: Documented;
  }
}

/** Description of an operation in the OpenAPI document. */
export interface Documented {
  /** Default: that of the route. */
  method?: 'HEAD';
  /** Stable name for generated clients. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  body?: TSchema;
  /** The body is a file, as raw bytes. */
  takesFile?: boolean;
  params?: TSchema;
  query?: TSchema;
  /** Request headers that have a meaning for this operation. */
  headers?: TProperties;
  /** By status. */
  success: Record<number, Success>;
  errors: readonly ErrorCode[];
  tokenFree: boolean;
}

export interface Success {
  description: string;
  mediaType: string;
  schema: TSchema;
  /** Schemas of further media types that the body may have. */
  further?: Record<string, TSchema>;
  /** Headers in addition to those of every response. */
  headers: Parameters<typeof headerRefs>;
}
