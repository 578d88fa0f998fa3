/** Answers with arrays: without a header, or as a NumPy file. */

import { BINARY } from '@acquisition-store/client/contract/values.js';
import { npyHeader } from '@acquisition-store/readers/model/samples/npy.js';
import { bytesPerElement, NUMPY_TYPES, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { FastifyReply } from 'fastify';
import { toBody } from './routes/data.js';

export interface ArrayAnswer {
  shape: readonly number[];
  as: 'raw' | 'npy';
  /** `float32` when omitted. */
  type?: SampleType;
}

/** Sets the headers of an array; `shape` has the slowest dimension first. Returns what comes before the samples. */
export function startArray(reply: FastifyReply, { shape, as, type = 'float32' }: ArrayAnswer): Uint8Array {
  const samples = shape.reduce((product, size) => product * size, 1);
  const head = as === 'npy' ? npyHeader(type, shape) : new Uint8Array();
  reply.headers({
    'content-type': BINARY.mediaType,
    'content-length': head.length + samples * bytesPerElement(type),
    'cache-control': 'no-store',
    'x-array-shape': shape.join(','),
    'x-array-dtype': NUMPY_TYPES[type],
  });
  return head;
}

/** Sends a whole array, whose memory the caller has counted until it is sent. */
export function sendArray(
  reply: FastifyReply,
  samples: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  answer: ArrayAnswer,
): FastifyReply {
  const head = startArray(reply, answer);
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return reply.send(toBody(head.length > 0 ? [head, bytes] : [bytes]));
}
