/** Answers with arrays: without a header, or as a NumPy file. */
import type { FastifyReply } from 'fastify';
import { BINARY } from '../contract/common.js';
import { bytesPerElement, NUMPY_TYPES, type SampleType } from '../samples/types.js';

export interface ArrayAnswer {
  shape: readonly number[];
  as: 'raw' | 'npy';
  /** `float32` when omitted. */
  type?: SampleType;
}

/** Sets the headers of an array; `shape` has the slowest dimension first. Returns what comes before the samples. */
export function startArray(reply: FastifyReply, { shape, as, type = 'float32' }: ArrayAnswer): Buffer {
  const samples = shape.reduce((product, size) => product * size, 1);
  const head = as === 'npy' ? npyHeader(shape, type) : Buffer.alloc(0);
  reply.headers({
    'content-type': BINARY.mediaType,
    'content-length': head.length + samples * bytesPerElement(type),
    'cache-control': 'no-store',
    'x-array-shape': shape.join(','),
    'x-array-dtype': NUMPY_TYPES[type],
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
function npyHeader(shape: readonly number[], type: SampleType): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${NUMPY_TYPES[type]}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const padding = 63 - ((10 + text.length) % 64);
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${text}${' '.repeat(padding)}\n`, 'latin1');
  header.writeUInt16LE(header.length - 10, 8);
  return header;
}
