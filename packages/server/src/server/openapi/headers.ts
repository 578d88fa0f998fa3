import type { Json } from './json.js';

/** `components.headers`. */
export const HEADERS = {
  'X-Request-Id': header('Id of the request in the log of the server.', { type: 'string', format: 'uuid' }),
  'Cache-Control': header('Always `no-store`.', { type: 'string', const: 'no-store' }),
  'Content-Length': header('Size of the body in bytes.', { type: 'integer', minimum: 0 }),
  'Accept-Ranges': header('Always `bytes`: a part of the plane can be requested.', { type: 'string', const: 'bytes' }),
  'Content-Range': header(
    'The bytes that are sent, and the size of the plane: `bytes 0-4095/1536000`. With status 416 `bytes */1536000`.',
    { type: 'string' },
  ),
  'X-Array-Shape': header('Sizes of the array, slowest dimension first: `3,1000,512`.', { type: 'string' }),
  'X-Array-Dtype': header(
    'Type of the samples as NumPy names it: `<f4`, little-endian float32, unless the operation or `type` names another.',
    { type: 'string' },
  ),
  'Retry-After': header('Seconds after which to repeat the request. Absent when repeating does not help.', {
    type: 'integer',
    minimum: 1,
  }),
  'WWW-Authenticate': header('Always `Bearer`.', { type: 'string', const: 'Bearer' }),
} satisfies Json;

type HeaderName = keyof typeof HEADERS;

/** Returns references to the headers of every response and to `names`. */
export function headerRefs(...names: HeaderName[]): Json {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns references to the headers of an error response by its status. */
export function errorHeaders(status: number): Json {
  switch (status) {
    case 401:
      return headerRefs('WWW-Authenticate');
    case 409:
    case 503:
      return headerRefs('Retry-After');
    case 416:
      return headerRefs('Content-Range');
    default:
      return headerRefs();
  }
}

function header(description: string, schema: Json): Json {
  return { description, schema };
}
