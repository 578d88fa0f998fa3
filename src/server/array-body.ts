/** Answers with arrays of float32: without a header, or as a NumPy file. */
import type { FastifyReply } from 'fastify';
import { BINARY } from '../contract/common.js';

export interface ArrayAnswer {
  shape: readonly number[];
  as: 'raw' | 'npy';
}

/** Sets the headers of an array; `shape` has the slowest dimension first. Returns what comes before the samples. */
export function startArray(reply: FastifyReply, { shape, as }: ArrayAnswer): Buffer {
  const samples = shape.reduce((product, size) => product * size, 1);
  const head = as === 'npy' ? npyHeader(shape) : Buffer.alloc(0);
  reply.headers({
    'content-type': BINARY.mediaType,
    'content-length': head.length + samples * Float32Array.BYTES_PER_ELEMENT,
    'cache-control': 'no-store',
    'x-array-shape': shape.join(','),
    'x-array-dtype': '<f4',
  });
  return head;
}

/** Sends a whole array. */
export function sendArray(reply: FastifyReply, samples: Float32Array<ArrayBuffer>, answer: ArrayAnswer): FastifyReply {
  const head = startArray(reply, answer);
  const body = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return reply.send(head.length === 0 ? body : Buffer.concat([head, body]));
}

/** Returns the header of NPY 1.0, padded so that the samples start at a multiple of 64. */
function npyHeader(shape: readonly number[]): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes}), }`;
  const padding = 63 - ((10 + text.length) % 64);
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${text}${' '.repeat(padding)}\n`, 'latin1');
  header.writeUInt16LE(header.length - 10, 8);
  return header;
}
