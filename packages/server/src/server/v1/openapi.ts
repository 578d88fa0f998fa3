/** The OpenAPI document of v1, made from its own schemas. */

import {
  V1_ERROR_STATUS,
  V1_ROLES,
  V1Cancelled,
  V1Error,
  type V1ErrorCode,
  V1Health,
  V1OpenRequest,
  V1OpenSuccess,
  V1PickRequest,
} from '@acquisition-store/client/contract/v1.js';
import { type TSchema, Type } from 'typebox';
import type { Json } from '../openapi/json.js';
import { SchemaBook } from '../openapi/schema-book.js';
import { type StaticBody, sendStatic, toStaticBody } from '../static-body.js';
import type { App } from '../types.js';

const INTRODUCTION =
  'The frozen older interface, for pages that were written for it. It never changes. Write new clients for API v2, whose ' +
  'document is at `/openapi.json`. Besides the errors listed here, the checks of the server answer with codes of v2 in ' +
  'the same body: `host_not_allowed`, `origin_not_allowed`, `unauthorized`, `path_not_allowed`, `capacity_exceeded` and others.';

const OPEN_ERRORS: V1ErrorCode[] = [
  'path_not_found',
  'unsupported_format',
  'channel_out_of_range',
  'calibration_unavailable',
  'load_timeout',
  'decode_failed',
];

export function v1OpenApi(app: App, version: string): void {
  // Created for the first who asks, as that of v2.
  let body: StaticBody | undefined;
  app.get('/api/v1/openapi.json', { config: { tokenFree: true }, exposeHeadRoute: false }, async (request, reply) => {
    body ??= toStaticBody(Buffer.from(JSON.stringify(createV1Document(version))), 'application/json; charset=utf-8');
    return sendStatic(request, reply.header('cache-control', 'no-cache'), body);
  });
}

function createV1Document(version: string): Json {
  const book = new SchemaBook();
  const error = book.response(V1Error);
  const errors = (codes: readonly V1ErrorCode[]): Json => {
    const statuses = [...new Set(codes.map((code) => V1_ERROR_STATUS[code]))];
    return Object.fromEntries(
      statuses.map((status) => {
        const matching = codes.filter((code) => V1_ERROR_STATUS[code] === status);
        return [status, { description: matching.join(', '), content: { 'application/json': { schema: error } } }];
      }),
    );
  };
  const json = (description: string, schema: TSchema): Json => ({
    description,
    content: { 'application/json': { schema: book.response(schema) } },
  });
  const toBody = (required: boolean, schema: TSchema): Json => ({
    required,
    content: { 'application/json': { schema: book.request(schema) } },
  });
  const openAnswer = Type.Union([V1OpenSuccess, V1Cancelled]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Acquisition Store Server, API v1 (frozen)',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    paths: {
      '/api/v1/health': {
        get: {
          operationId: 'getHealthV1',
          summary: 'Check that the server answers',
          security: [],
          responses: { 200: json('The server answers.', V1Health) },
        },
      },
      '/api/v1/open': {
        post: {
          operationId: 'openV1',
          summary: 'Open a file by its path',
          requestBody: toBody(true, V1OpenRequest),
          responses: { 200: json('The new session.', V1OpenSuccess), ...errors(OPEN_ERRORS) },
        },
      },
      '/api/v1/pick-and-open': {
        post: {
          operationId: 'pickAndOpenV1',
          summary: 'Open the file that the user picks in a dialog',
          requestBody: toBody(false, V1PickRequest),
          responses: { 200: json('The new session, or `cancelled`.', openAnswer), ...errors(OPEN_ERRORS) },
        },
      },
      ...planePaths(errors),
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: book.schemas,
    },
  };
}

function planePaths(errors: (codes: readonly V1ErrorCode[]) => Json): Json {
  const plane = (operationId: string, summary: string, name: string, schema: Json): Json => ({
    get: {
      operationId,
      summary,
      parameters: [
        { name: 'sessionId', in: 'path', required: true, schema: { type: 'string' } },
        { name, in: 'path', required: true, schema },
      ],
      responses: {
        200: {
          description: 'Little-endian float32 samples, row after row.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        ...errors(['path_not_found', 'channel_out_of_range']),
      },
    },
  });
  return {
    '/api/v1/session/{sessionId}/channel/{role}': plane('getChannelV1', 'Plane of a channel', 'role', {
      type: 'string',
      enum: [...V1_ROLES],
    }),
    '/api/v1/session/{sessionId}/reference/channel/{n}': plane(
      'getReferenceChannelV1',
      'Plane of a channel of the reference image',
      'n',
      { type: 'integer', minimum: 0 },
    ),
  };
}
