import { decodeFailed } from '../base/errors.js';
import { kernelHost } from '../simd/kernels.js';
import { copyMatch } from './lz4.js';

/** A match at a larger distance has two more bytes for it. */
const FAR = 8191;

/**
 * Decodes one BloscLZ stream (derived from FastLZ level 2) into `out[start … end)`.
 * @throws AcqError `decode_failed` unless it fills this range exactly
 */
export function decodeBloscLz(data: Uint8Array, out: Uint8Array, start: number, end: number): void {
  const kernels = kernelHost.forData(data.length, end - start);
  const done = kernels
    ? start + kernels.decode('blosclz', data, out, start, end)
    : decodeBloscLzInTypeScript(data, out, start, end);
  if (done !== end) throw damaged();
}

/** Does the work where vectors are not available. @returns the end of the output */
export function decodeBloscLzInTypeScript(data: Uint8Array, out: Uint8Array, start: number, end: number): number {
  let read = 0;
  let done = start;
  const next = (): number => {
    if (read >= data.length) throw damaged();
    return data[read++]!;
  };
  let control = next() & 31;
  for (;;) {
    if (control < 32) {
      const length = control + 1;
      if (done + length > end || read + length > data.length) throw damaged();
      for (let i = 0; i < length; i++) out[done + i] = data[read + i]!;
      read += length;
      done += length;
    } else {
      let length = (control >> 5) - 1;
      if (length === 6) {
        let more = 255;
        while (more === 255) {
          more = next();
          length += more;
        }
      }
      const low = next();
      const high = (control & 31) << 8;
      const far = low === 255 && high === 31 << 8;
      const offset = far ? FAR + 1 + ((next() << 8) | next()) : high + low + 1;
      length += 3;
      if (done + length > end || offset > done - start) throw damaged();
      copyMatch(out, done, offset, length);
      done += length;
    }
    if (read >= data.length) break;
    control = next();
  }
  return done;
}

function damaged() {
  return decodeFailed('BloscLZ data are corrupted or truncated');
}
