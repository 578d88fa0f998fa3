/** Reads a struct of a MATLAB file of version 5, whose elements may be compressed ("MAT-File Format", MathWorks). */

import { latin1 } from '../../base/bytes.js';
import { decodeFailed, ignoreCorrupted } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { decodeDeflate } from '../../codecs/deflate.js';
import type { ByteSource } from '../../io/byte-source.js';
import { MATLAB_LIMITS, type MatVariable } from './mat-variable.js';
import { MATRIX, Mat5Elements } from './mat5-elements.js';

const HEADER_BYTES = 128;
const COMPRESSED = 15;
/** Compressed bytes that are enough for the name of a variable. */
const PEEK_BYTES = 256;
/** Variables of one file that are looked at. */
const MAX_VARIABLES = 100;

/**
 * Returns a variable by its name; `undefined` when the file has none.
 * @throws AcqError `decode_failed`
 */
export function readMat5(source: ByteSource, name: string): MatVariable | undefined {
  const head = source.read(0, Math.min(HEADER_BYTES, source.size));
  const order = latin1(head.subarray(126, 128));
  if (order !== 'IM' && order !== 'MI') throw decodeFailed('the header has no byte order of MATLAB.');
  const littleEndian = order === 'IM';
  let at = HEADER_BYTES;
  for (let i = 0; i < MAX_VARIABLES && at + 8 <= source.size; i++) {
    const tag = source.read(at, 8);
    const view = new DataView(tag.buffer, tag.byteOffset, 8);
    const [type, bytes] = [view.getUint32(0, littleEndian), view.getUint32(4, littleEndian)];
    const isIt = nameOf(source, at, { type, bytes, littleEndian }) === name;
    if (isIt) return readVariable(source, at, { type, bytes, littleEndian });
    at += 8 + bytes;
  }
  return undefined;
}

interface Variable {
  type: number;
  bytes: number;
  littleEndian: boolean;
}

/** Returns the name without reading all of a variable, which may be large. */
function nameOf(source: ByteSource, at: number, { type, bytes, littleEndian }: Variable): string | undefined {
  const length = Math.min(bytes, PEEK_BYTES, source.size - at - 8);
  const stored = source.read(at + 8, length);
  return ignoreCorrupted(() => {
    const limit = 2_048 * PEEK_BYTES;
    const inside = type === COMPRESSED ? decodeDeflate(stored, { expected: limit, limit }).subarray(8) : stored;
    return type === COMPRESSED || type === MATRIX ? new Mat5Elements(inside, littleEndian).name() : undefined;
  });
}

function readVariable(source: ByteSource, at: number, { type, bytes, littleEndian }: Variable): MatVariable {
  const limit = MATLAB_LIMITS.bytes;
  if (bytes > limit) throw decodeFailed(`a variable has ${grouped(bytes)} bytes; the limit is ${grouped(limit)}.`);
  const stored = source.read(at + 8, bytes);
  if (type !== COMPRESSED) return new Mat5Elements(stored, littleEndian).matrix();
  const expected = Math.min(limit, Math.max(4_096, 16 * bytes));
  const inflated = decodeDeflate(stored, { expected, limit });
  const elements = new Mat5Elements(inflated, littleEndian);
  const inner = elements.tag(0, inflated.length);
  if (inner.type !== MATRIX) throw decodeFailed('a compressed variable contains no array.');
  return new Mat5Elements(inflated.subarray(inner.start, inner.end), littleEndian).matrix();
}
