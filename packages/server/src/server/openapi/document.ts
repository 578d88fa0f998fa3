import { PublishedError } from '@acquisition-store/client/contract/error.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import type { TSchema } from 'typebox';
import { packageVersion } from '../../package-files.js';
import { DESCRIPTION } from '../about.js';
import type { App } from '../types.js';
import type { Documented } from './documented.js';
import EXAMPLES from './examples.json' with { type: 'json' };
import { HEADERS } from './headers.js';
import { isObject, type Json } from './json.js';
import { commonResponses, examplesAt, toResponses } from './responses.js';
import { SchemaBook } from './schema-book.js';

const INTRODUCTION = `Opens microscope acquisitions and serves normalized metadata and raw float32 planes.

Order of calls: health, capabilities, open (by path or by dialog), the \`dataUrl\` of each channel, delete the session.

Every answer that is not a success has one body: \`{ok: false, error, message, details}\`. Branch on \`error\`.

Ignore response fields that you do not know: later versions of the server add some. Requests are strict: unknown fields are refused.

Every \`GET\` also answers \`HEAD\`, with the same headers and no body.`;

const TAGS = [
  { name: 'Discovery', description: 'What the server is and can do.' },
  { name: 'Open', description: 'From a file to a session.' },
  { name: 'Data', description: 'Raw planes.' },
  { name: 'Analysis', description: 'Parts, overviews and statistics of planes, computed from every sample.' },
  { name: 'OME-Zarr', description: 'Whole acquisitions for programs that read OME-Zarr.' },
  { name: 'Sessions', description: 'What is open, and for how long.' },
  { name: 'Uploads', description: 'Files that a page or program sends, for a server that cannot read them by path.' },
];

/**
 * Collects the operations that are registered from now on. The result creates the OpenAPI document from the schemas
 * that check requests and responses.
 */
export function documentRoutes(app: App): () => Json {
  const operations: [path: string, method: string, operation: Documented][] = [];
  app.addHook('onRoute', ({ url, method, config }) => {
    const documented = config?.documented;
    // The framework adds a HEAD to each GET; only those that say so are documented.
    const methods = [method].flat().filter((name) => name !== 'HEAD' || documented?.method === 'HEAD');
    if (documented) for (const name of methods) operations.push([toPath(url), name, documented]);
  });
  return () => toDocument(operations);
}

/** Converts the address of a route. The rest of an address is the parameter `key`. */
function toPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{key}');
}

function toDocument(operations: readonly [path: string, method: string, operation: Documented][]): Json {
  const book = new SchemaBook();
  book.response(PublishedError);
  const paths: Record<string, Json> = {};
  for (const [path, method, operation] of operations) {
    paths[path] = sorted({ ...paths[path], [method.toLowerCase()]: toOperation(operation, book) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: DESCRIPTION,
      version: packageVersion(),
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: TAGS,
    // No token is required on this computer; other computers need one.
    security: [{}, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required when the server has a token (`--token`) and is not addressed by a loopback name.',
        },
      },
      schemas: book.schemas,
      responses: commonResponses(),
      headers: HEADERS,
    },
  };
}

const FILE_BODY = {
  required: false,
  content: { [BINARY.mediaType]: { schema: { type: 'string', format: 'binary' } } },
};

const METHODS = ['get', 'head', 'post', 'put', 'delete'];

/** Sorts operations by method, reading first, regardless of the order of the routes. */
function sorted(operations: Json): Json {
  return Object.fromEntries(METHODS.filter((method) => method in operations).map((name) => [name, operations[name]]));
}

function toOperation(operation: Documented, book: SchemaBook): Json {
  const { id, tag, summary, description, body, params, query, headers = {}, tokenFree } = operation;
  const examples = (EXAMPLES as Record<string, { request?: Json; responses?: Json }>)[id] ?? {};
  const parameters = [
    ...toParameters('path', params, book),
    ...toParameters('query', query, book),
    ...Object.entries(headers).flatMap(([name, schema]) => toParameter('header', name, schema, false, book)),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(tokenFree ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.takesFile ? { requestBody: FILE_BODY } : {}),
    ...(body ? { requestBody: toRequestBody(body, book, examples.request) } : {}),
    responses: toResponses(operation, book, examples.responses),
  };
}

function toParameters(place: 'path' | 'query', schema: TSchema | undefined, book: SchemaBook): Json[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, TSchema> };
  return Object.entries(properties).map(([name, property]) =>
    toParameter(place, name, property, place === 'path', book),
  );
}

function toParameter(place: string, name: string, schema: TSchema, required: boolean, book: SchemaBook): Json {
  const { description, ...type } = book.request(schema);
  return { name, in: place, required, description, schema: type };
}

/** Describes a request body. It may be omitted when all its fields are optional. */
function toRequestBody(schema: TSchema, book: SchemaBook, examples: Json | undefined): Json {
  const { required } = schema as { required?: string[] };
  const media = { schema: book.request(schema), ...examplesAt(isObject(examples) ? { body: examples } : {}, 'body') };
  return { required: Boolean(required?.length), content: { 'application/json': media } };
}
