import swagger from '@fastify/swagger';
import { DESCRIPTION, packageVersion } from './about.js';
import type { App } from './app.js';

const INTRODUCTION = `Opens microscope acquisitions and serves normalised metadata and raw float32 planes.

Order of calls: health, capabilities, open (by path or by dialog), each channel's \`dataUrl\`, delete the session.
Everything that is not a success is one envelope, \`{ok: false, error, message, details}\`; clients branch on \`error\`.`;

/** `/openapi.json` is made of the schemas that check requests and responses. */
export async function registerOpenApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: DESCRIPTION,
        version: packageVersion(),
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'Discovery', description: 'What the server is and can.' },
        { name: 'Open', description: 'From a file to a session.' },
        { name: 'Sessions', description: 'What is open, and for how long.' },
        { name: 'Data', description: 'Raw planes.' },
      ],
      // No token is needed on this machine; beyond it one is.
      security: [{}, { token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
    transformObject: (source) => {
      if (!('openapiObject' in source)) return source.swaggerObject;
      return tidy(source.openapiObject as unknown as Json) as never;
    },
  });
}

type Json = { [key: string]: JsonValue };
interface RequestBody extends Json {
  required: boolean;
  content: { 'application/json': { schema: { $ref: string } } };
}
type JsonValue = Json | JsonValue[] | string | number | boolean | null | undefined;

/** Named schemas move to `components`; what every response carries is written to every response. */
function tidy(document: Json): Json {
  const schemas: Json = {};
  const out = { ...document, paths: hoist(document['paths'], schemas) } as Json;
  for (const path of Object.values(out['paths'] as Json)) {
    for (const operation of Object.values(path as Json)) tidyOperation(operation as Json, schemas);
  }
  const components = out['components'] as Json;
  out['components'] = { ...components, schemas, headers: { 'X-Request-Id': REQUEST_ID, 'Retry-After': RETRY_AFTER } };
  return out;
}

const REQUEST_ID: Json = { description: 'Also in the log of the server.', schema: { type: 'string', format: 'uuid' } };
const RETRY_AFTER: Json = { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } };

function tidyOperation(operation: Json, schemas: Json): void {
  const body = operation['requestBody'] as RequestBody | undefined;
  if (body) {
    const name = body.content['application/json'].schema.$ref.split('/').at(-1) as string;
    const { required } = schemas[name] as { required?: string[] };
    // A body whose fields are all optional may be left out.
    body.required = Boolean(required?.length);
  }
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    const headers: Json = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
    if (status === '503' || status === '409') headers['Retry-After'] = { $ref: '#/components/headers/Retry-After' };
    const own = response as Json;
    own['headers'] = headers;
    if (own['description'] === 'Default Response') own['description'] = 'Success.';
  }
}

/** Replaces each schema that has a title by a reference to it. */
function hoist(value: JsonValue, schemas: Json): JsonValue {
  if (Array.isArray(value)) return value.map((item) => hoist(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const out = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hoist(item, schemas)]));
  const { title } = out;
  if (typeof title !== 'string') return out;
  schemas[title] = out;
  return { $ref: `#/components/schemas/${title}` };
}
