import { decodeFailed } from '../base/errors.js';
import { kernelHost } from '../simd/kernels.js';
import { copyMatch } from './lz4.js';
import type { OutputSize } from './types.js';

/** The longest match (264 bytes) takes three bytes. */
const MAX_EXPANSION = 88;

/**
 * Decodes LibLZF data: a control byte below 32 starts literals, any other one a match with length and distance.
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function decodeLzf(data: Uint8Array, size: OutputSize): Uint8Array {
  const out = new Uint8Array(Math.min(size.limit, (data.length + 1) * MAX_EXPANSION));
  const kernels = kernelHost.forData(data.length, out.length);
  const done = kernels ? kernels.decode('lzf', data, out, 0, out.length) : decodeLzfInTypeScript(data, out);
  kernelHost.trim();
  if (done < 0) throw corrupted();
  return out.subarray(0, done);
}

/** Does the work where vectors are not available. @returns the end of the output */
export function decodeLzfInTypeScript(data: Uint8Array, out: Uint8Array): number {
  let from = 0;
  let to = 0;
  while (from < data.length) {
    const control = data[from++]!;
    if (control < 32) {
      const literals = control + 1;
      if (from + literals > data.length || to + literals > out.length) throw corrupted();
      out.set(data.subarray(from, from + literals), to);
      from += literals;
      to += literals;
      continue;
    }
    const long = control >> 5 === 7;
    if (from + (long ? 2 : 1) > data.length) throw corrupted();
    const length = (control >> 5) + 2 + (long ? data[from++]! : 0);
    const distance = (((control & 31) << 8) | data[from++]!) + 1;
    if (distance > to || to + length > out.length) throw corrupted();
    copyMatch(out, to, distance, length);
    to += length;
  }
  return to;
}

function corrupted() {
  return decodeFailed('LZF data are corrupted or truncated, or decompress to more than expected');
}
