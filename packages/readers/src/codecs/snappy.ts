import { decodeFailed } from '../base/errors.js';
import { kernelHost } from '../simd/kernels.js';
import { copyMatch } from './lz4.js';

/**
 * Decodes one raw Snappy stream (format description of 2011) into `out[start … end)`.
 * @throws AcqError `decode_failed` unless it fills this range exactly
 */
export function decodeSnappy(data: Uint8Array, out: Uint8Array, start: number, end: number): void {
  const first = skipLength(data, end - start);
  const kernels = kernelHost.forData(data.length, end - start);
  const done = kernels
    ? start + kernels.decode('snappy', data.subarray(first), out, start, end)
    : decodeSnappyInTypeScript(data, first, out, start, end);
  if (done !== end) throw damaged();
}

/** Decodes the elements, from `first` on, where vectors are not available. @returns the end of the output */
export function decodeSnappyInTypeScript(
  data: Uint8Array,
  first: number,
  out: Uint8Array,
  start: number,
  end: number,
): number {
  let read = first;
  let done = start;
  while (read < data.length) {
    const tag = data[read++]!;
    const kind = tag & 3;
    const extra = kind === 0 ? Math.max(0, (tag >> 2) - 59) : ([0, 1, 2, 4][kind] as number);
    if (read + extra > data.length) throw damaged();
    let value = 0;
    for (let i = 0; i < extra; i++) value += data[read + i]! * 2 ** (8 * i);
    read += extra;
    const length = kind === 0 ? (extra > 0 ? value : tag >> 2) + 1 : kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    if (done + length > end) throw damaged();
    if (kind === 0) {
      if (read + length > data.length) throw damaged();
      out.set(data.subarray(read, read + length), done);
      read += length;
    } else {
      const offset = kind === 1 ? ((tag >> 5) << 8) | value : value;
      if (offset === 0 || offset > done - start) throw damaged();
      copyMatch(out, done, offset, length);
    }
    done += length;
  }
  return done;
}

/** Reads the decoded length, a varint in front. @returns the offset of the data */
function skipLength(data: Uint8Array, expected: number): number {
  let length = 0;
  for (let i = 0; i < Math.min(5, data.length); i++) {
    const byte = data[i]!;
    length += (byte & 127) * 2 ** (7 * i);
    if (byte >= 128) continue;
    if (length !== expected) throw damaged();
    return i + 1;
  }
  throw damaged();
}

function damaged() {
  return decodeFailed('Snappy data are corrupted or truncated');
}
