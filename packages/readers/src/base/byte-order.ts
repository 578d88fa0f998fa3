import { AcqError } from './errors.js';

/**
 * Checks that this computer is little-endian. Readers view samples as typed arrays without swapping bytes, and served
 * planes are little-endian.
 * @throws AcqError `unsupported_format`
 */
export function checkByteOrder(order: 'BE' | 'LE' = hostOrder()): void {
  if (order === 'LE') return;
  throw new AcqError(
    'unsupported_format',
    'This computer is big-endian, which is not supported. Use a little-endian computer, for example x86-64 or ARM64.',
  );
}

function hostOrder(): 'BE' | 'LE' {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'LE' : 'BE';
}
