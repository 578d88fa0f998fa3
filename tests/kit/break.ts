/** Ways to break an answer. */
import type { Fault, Reply } from '../support/faulty-proxy.js';

export const OPEN = /^\/api\/v2\/open$/;
export const DATA = /^\/api\/v2\/sessions\/\w+\/channels\/-?\d+\/data$/;
export const REFERENCE_DATA = /\/reference\/channels\/-?\d+\/data$/;
export const SESSION = /^\/api\/v2\/sessions\/\w+$/;
export const V1_OPEN = /^\/api\/v1\/open$/;
export const V1_DATA = /^\/api\/v1\/session\/\w+\/channel\/\w+$/;
export const V1_REFERENCE = /^\/api\/v1\/session\/\w+\/reference\/channel\/[\w-]+$/;

type Where = Omit<Fault, 'change'>;
type Json = Record<string, unknown>;

export function at(where: RegExp | Where, change: (reply: Reply) => void): Fault {
  return { ...(where instanceof RegExp ? { path: where } : where), change };
}

/** Changes a JSON body. */
export function json(where: RegExp | Where, edit: (body: Json) => void): Fault {
  return at(where, (reply) => {
    const body = JSON.parse(reply.body.toString()) as Json;
    edit(body);
    reply.body = Buffer.from(JSON.stringify(body));
  });
}

/** Sets a field of a JSON body, `channels.0.name`; `undefined` removes it. */
export function field(where: RegExp | Where, path: string, value: unknown): Fault {
  return json(where, (body) => {
    const names = path.split('.');
    const last = names.pop() as string;
    const parent = names.reduce<Json | undefined>((node, name) => node?.[name] as Json | undefined, body);
    if (parent && typeof parent === 'object') parent[last] = value;
  });
}

/** Replaces a whole answer by JSON. */
export function answer(where: RegExp | Where, status: number, body: object): Fault {
  return at(where, (reply) => {
    reply.status = status;
    reply.headers['content-type'] = 'application/json';
    reply.body = Buffer.from(JSON.stringify(body));
  });
}

/** Succeeds where the server refuses. */
export function accepted(where: RegExp | Where): Fault {
  return answer(where, 200, { ok: true, apiVersion: 'v2' });
}

/** Servers that do not have the API, in the ways of other frameworks. */
export const absent = (path: RegExp): Fault[] => [
  answer(path, 404, { detail: 'Not Found' }),
  answer(path, 404, { error: 'Not Found', message: 'Route not found', statusCode: 404 }),
  answer(path, 404, { ok: false, error: 'not_found', message: 'no such address', details: null }),
  answer(path, 405, { message: 'Method Not Allowed' }),
  at(path, (reply) => {
    reply.status = 200;
    reply.headers['content-type'] = 'text/html';
    reply.body = Buffer.from('<!doctype html>');
  }),
];

/** Answers with another error code. */
export function otherCode(where: RegExp | Where): Fault {
  return field(where, 'error', 'internal_error');
}

export function status(where: RegExp | Where, code: number): Fault {
  return at(where, (reply) => {
    reply.status = code;
  });
}

/** Sets a header; `undefined` removes it. */
export function header(where: RegExp | Where, name: string, value?: string): Fault {
  return at(where, (reply) => {
    if (value === undefined) delete reply.headers[name];
    else reply.headers[name] = value;
  });
}

/** Changes the bytes of a body. */
export function bytes(where: RegExp | Where, edit: (body: Buffer) => Buffer): Fault {
  return at(where, (reply) => {
    reply.body = edit(Buffer.from(reply.body));
  });
}

export const bigEndian = (body: Buffer): Buffer => body.swap32();
export const oneByteLess = (body: Buffer): Buffer => body.subarray(0, -1);

/** Changes the last bit of the first sample. */
export const oneBit = (body: Buffer): Buffer => {
  body[0] = body[0]! ^ 1;
  return body;
};

/** Swaps rows and columns of samples of four bytes. */
export const transposed =
  (rows: number, columns: number) =>
  (body: Buffer): Buffer => {
    const out = Buffer.alloc(body.length);
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const from = 4 * (y * columns + x);
        body.copy(out, 4 * (x * rows + y), from, from + 4);
      }
    }
    return out;
  };
