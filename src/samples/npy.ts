import { NUMPY_TYPES, type SampleType } from './types.js';

/** The header of a NumPy file is a multiple of it. */
const ALIGNMENT = 64;

/**
 * Returns what stands before the samples in a NumPy file (NEP 1, version 1.0): row-major, little-endian.
 * @param shape sizes, slowest dimension first
 */
export function npyHeader(type: SampleType, shape: readonly number[]): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${NUMPY_TYPES[type]}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Magic, version, length of the text (2 bytes); the text ends with a newline.
  const prefix = 10;
  const length = Math.ceil((prefix + text.length + 1) / ALIGNMENT) * ALIGNMENT;
  const header = Buffer.alloc(length, ' ');
  header.write('\x93NUMPY\x01\x00', 0, 'latin1');
  header.writeUInt16LE(length - prefix, 8);
  header.write(text, prefix, 'latin1');
  header.write('\n', length - 1);
  return header;
}
