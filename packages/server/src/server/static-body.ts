import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer that does not change while the server runs. All requests send the same memory. */
export interface StaticBody {
  bytes: Buffer;
  /** Media type. */
  type: string;
  /** Strong validator, including its quotes. */
  etag: string;
}

export function toStaticBody(bytes: Buffer, type: string): StaticBody {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, type, etag: `"${digest}"` };
}

/** Sends the body, or 304 to a client that already has it. */
export function sendStatic(request: FastifyRequest, reply: FastifyReply, { bytes, type, etag }: StaticBody) {
  reply.header('etag', etag);
  if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** Compares tags by the weak comparison of RFC 9110 §13.1.2. */
function matchesTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
