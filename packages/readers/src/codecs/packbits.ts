import type { OutputSize } from './types.js';

/** Decodes PackBits (TIFF 6.0 section 9): n < 128 copies n + 1 bytes, n > 128 repeats the next byte 257 − n times, 128 is skipped. */
export function decodePackBits(data: Uint8Array, size: OutputSize): Uint8Array {
  const out = new Uint8Array(Math.min(size.expected, data.length * 64));
  let read = 0;
  let done = 0;
  while (done < out.length && read < data.length) {
    const n = data[read++]!;
    if (n < 128) {
      const count = Math.min(n + 1, out.length - done, data.length - read);
      out.set(data.subarray(read, read + count), done);
      read += n + 1;
      done += count;
    } else if (n > 128 && read < data.length) {
      const end = Math.min(done + 257 - n, out.length);
      out.fill(data[read++]!, done, end);
      done = end;
    }
  }
  return done === out.length ? out : out.subarray(0, done);
}
