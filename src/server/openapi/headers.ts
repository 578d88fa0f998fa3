import type { Json } from './json.js';

/** `components.headers`. */
export const HEADERS = {
  'X-Request-Id': header('Names the request in the log of the server.', { type: 'string', format: 'uuid' }),
  'Cache-Control': header('Always `no-store`.', { type: 'string', const: 'no-store' }),
  'Content-Length': header('Size of the body in bytes.', { type: 'integer', minimum: 0 }),
  'Accept-Ranges': header('Always `bytes`: a part of the plane can be asked for.', { type: 'string', const: 'bytes' }),
  'Content-Range': header(
    'The bytes that are sent, and the size of the plane: `bytes 0-4095/1536000`. With status 416 `bytes */1536000`.',
    { type: 'string' },
  ),
  'Retry-After': header('Seconds after which the request is worth repeating. Absent when it is not.', {
    type: 'integer',
    minimum: 1,
  }),
  'WWW-Authenticate': header('Always `Bearer`.', { type: 'string', const: 'Bearer' }),
} satisfies Json;

type HeaderName = keyof typeof HEADERS;

/** References to headers that are set beside those of every response. */
export function headersOf(...names: HeaderName[]): Json {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of an error response by its status. */
export function errorHeaders(status: number): Json {
  switch (status) {
    case 401:
      return headersOf('WWW-Authenticate');
    case 409:
    case 503:
      return headersOf('Retry-After');
    case 416:
      return headersOf('Content-Range');
    default:
      return headersOf();
  }
}

function header(description: string, schema: Json): Json {
  return { description, schema };
}
