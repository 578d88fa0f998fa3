import type { FastifyRequest } from 'fastify';
import { validationFailed } from './validation.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Parses UTF-8 JSON; an empty body is `undefined`. Bytes that are not UTF-8 are refused, not replaced. */
export async function parseJsonBody(_request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    throw validationFailed([{ location: ['body'], message: 'The body is not valid JSON', type: 'json_invalid' }]);
  }
}
