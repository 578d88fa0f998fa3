import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { OutputSize } from './types.js';

const CLEAR = 256;
const END = 257;
const FIRST = 258;
/** Codes have at most 12 bits. Strings grow by one byte per code, so a code decodes to at most 3,839 bytes. */
const MAX_CODES = 4096;
const MAX_EXPANSION = 2560;

/**
 * Decodes TIFF LZW (TIFF 6.0 section 13): codes of 9–12 bits, most significant bit first, growing one code early. The dialect
 * of libtiff before 1995 (least significant bit first, growing on time) is recognized by its first code, as in libtiff.
 * A missing end code is accepted. Instead of a table of strings, every code is a range of the output.
 */
export function decodeLzw(data: Uint8Array, size: OutputSize): Uint8Array {
  const capacity = Math.min(size.expected, data.length * MAX_EXPANSION);
  const out = new Uint8Array(capacity);
  const old = data.length >= 2 && data[0] === 0 && (data[1]! & 1) === 1;
  const used = old ? expand(lsbReader(data), 0, out) : expand(msbReader(data), 1, out);
  return used === capacity ? out : out.subarray(0, used);
}

/** Reads the next code of `bits` bits; −1 at the end of the data. */
type ReadCode = (bits: number) => number;

function msbReader(data: Uint8Array): ReadCode {
  let waiting = 0;
  let filled = 0;
  let read = 0;
  return (bits) => {
    while (filled < bits) {
      if (read >= data.length) return -1;
      waiting = ((waiting << 8) | data[read++]!) & 0xffffff;
      filled += 8;
    }
    filled -= bits;
    return (waiting >>> filled) & ((1 << bits) - 1);
  };
}

function lsbReader(data: Uint8Array): ReadCode {
  let waiting = 0;
  let filled = 0;
  let read = 0;
  return (bits) => {
    while (filled < bits) {
      if (read >= data.length) return -1;
      waiting |= data[read++]! << filled;
      filled += 8;
    }
    const code = waiting & ((1 << bits) - 1);
    waiting >>>= bits;
    filled -= bits;
    return code;
  };
}

/** @param early 1 when codes grow one entry early */
function expand(readCode: ReadCode, early: number, out: Uint8Array): number {
  const start = new Uint32Array(MAX_CODES);
  const length = new Uint16Array(MAX_CODES);
  let next = FIRST;
  let bits = 9;
  let done = 0;
  let previousStart = 0;
  let previousLength = 0;
  while (done < out.length) {
    const code = readCode(bits);
    if (code < 0 || code === END) return done;
    if (code === CLEAR) {
      next = FIRST;
      bits = 9;
      previousLength = 0;
      continue;
    }
    const at = done;
    let count = 1;
    if (code < CLEAR) out[done++] = code;
    else {
      const known = code < next;
      if (!known && (code > next || previousLength === 0)) throw badCode(code, done);
      const from = known ? start[code]! : previousStart;
      // A code that is being defined right now ends with the first byte of its own string, which this copy writes first.
      count = Math.min(known ? length[code]! : previousLength + 1, out.length - done);
      for (let i = 0; i < count; i++) out[done + i] = out[from + i]!;
      done += count;
    }
    if (previousLength > 0 && next < MAX_CODES) {
      start[next] = previousStart;
      length[next] = previousLength + 1;
      next++;
      if (next === (1 << bits) - early && bits < 12) bits++;
    }
    previousStart = at;
    previousLength = count;
  }
  return done;
}

function badCode(code: number, position: number) {
  return decodeFailed(`LZW data are corrupted: code ${code} at decoded byte ${grouped(position)} is not defined`);
}
