import type { TProperties, TSchema } from 'typebox';
import type { ErrorCode } from '../../errors.js';
import type { headersOf } from './headers.js';

/** Codes that every operation can answer with. */
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
    /** An operation of the contract, as the OpenAPI document shows it. */
    documented?: Documented;
  }
}

/** What the OpenAPI document says about an operation. */
export interface Documented {
  /** Default: that of the route. */
  method?: 'HEAD';
  /** Stable name for generated clients. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  body?: TSchema;
  params?: TSchema;
  /** Request headers with a meaning of their own. */
  headers?: TProperties;
  /** By status. */
  success: Record<number, Success>;
  errors: readonly ErrorCode[];
  tokenFree: boolean;
}

interface Success {
  description: string;
  mediaType: string;
  schema: TSchema;
  /** Beside those of every response. */
  headers: Parameters<typeof headersOf>;
}
