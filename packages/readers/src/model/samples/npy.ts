import { toLatin1 } from '../../base/bytes.js';
import { NUMPY_TYPES, type SampleType } from './types.js';

/** The header of a NumPy file is a multiple of it. */
const ALIGNMENT = 64;

/**
 * Returns what stands before the samples in a NumPy file (NEP 1, version 1.0): row-major, little-endian.
 * @param shape sizes, slowest dimension first
 */
export function npyHeader(type: SampleType, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${NUMPY_TYPES[type]}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Magic, version, length of the text (2 bytes); the text ends with a newline.
  const prefix = 10;
  const length = Math.ceil((prefix + text.length + 1) / ALIGNMENT) * ALIGNMENT;
  const lengthBytes = String.fromCharCode((length - prefix) & 0xff, (length - prefix) >> 8);
  return toLatin1(`\x93NUMPY\x01\x00${lengthBytes}${text.padEnd(length - prefix - 1)}\n`);
}
