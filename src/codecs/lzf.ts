import { decodeFailed } from '../errors.js';
import { copyMatch } from './lz4.js';
import type { OutputSize } from './types.js';

/** Longest match over its three bytes. */
const MOST_EXPANSION = 88;

/**
 * LibLZF: a control byte below 32 announces literals, any other a match by length and distance.
 * @throws AcqError `decode_failed` for data that are damaged or hold more than the limit
 */
export function decodeLzf(data: Uint8Array, size: OutputSize): Uint8Array {
  const out = new Uint8Array(Math.min(size.limit, (data.length + 1) * MOST_EXPANSION));
  let from = 0;
  let to = 0;
  const damaged = () => decodeFailed('LZF data are damaged, cut off, or hold more than they should');
  while (from < data.length) {
    const control = data[from++] as number;
    if (control < 32) {
      const literals = control + 1;
      if (from + literals > data.length || to + literals > out.length) throw damaged();
      out.set(data.subarray(from, from + literals), to);
      from += literals;
      to += literals;
      continue;
    }
    const long = control >> 5 === 7;
    if (from + (long ? 2 : 1) > data.length) throw damaged();
    const length = (control >> 5) + 2 + (long ? (data[from++] as number) : 0);
    const distance = (((control & 31) << 8) | (data[from++] as number)) + 1;
    if (distance > to || to + length > out.length) throw damaged();
    copyMatch(out, to, distance, length);
    to += length;
  }
  return out.subarray(0, to);
}
