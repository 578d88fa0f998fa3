/**
 * NumPy's .npy format, version 1.0: magic, a Python literal padded to 64 bytes, then the samples (numpy.lib.format).
 */

import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { littleEndianBytes } from './bytes.ts';
import { sampleType } from './sample-type.ts';

const MAGIC = '\x93NUMPY\x01\x00';

/** Returns a file that `numpy.load` reads as an array of `shape`, in the type of the samples, which are not copied. */
export function npyParts(data: Samples, [rows, columns]: Shape): BlobPart[] {
  return [npyHeader(sampleType(data).npy, [rows, columns]), littleEndianBytes(data)];
}

/** Returns what comes before the samples. `descr` is their type as NumPy writes it. */
export function npyHeader(descr: string, [rows, columns]: Shape): Uint8Array<ArrayBuffer> {
  const literal = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const length = Math.ceil((MAGIC.length + 2 + literal.length + 1) / 64) * 64 - MAGIC.length - 2;
  const text = `${literal.padEnd(length - 1)}\n`;
  const header = new Uint8Array(MAGIC.length + 2 + length);
  for (let i = 0; i < MAGIC.length; i++) header[i] = MAGIC.charCodeAt(i);
  new DataView(header.buffer).setUint16(MAGIC.length, length, true);
  header.set(new TextEncoder().encode(text), MAGIC.length + 2);
  return header;
}
