import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer that never changes while the server runs: made once, and sent by all requests from the same memory. */
export interface StaticBody {
  bytes: Buffer;
  /** Media type. */
  type: string;
  /** Strong validator, with its quotes. */
  etag: string;
}

export function toStaticBody(bytes: Buffer, type: string): StaticBody {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, type, etag: `"${digest}"` };
}

/** 304 to a client that has it already. */
export function sendStatic(request: FastifyRequest, reply: FastifyReply, { bytes, type, etag }: StaticBody) {
  reply.header('etag', etag);
  if (hasIt(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** Weak comparison of RFC 9110 §13.1.2. */
function hasIt(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
