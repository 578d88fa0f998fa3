import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { kernelHost } from '../simd/kernels.js';
import { FAILURE } from '../simd/matches.js';
import { type ByteDecoder, resultMemory } from './types.js';

/** Data cannot expand by more: each length byte of 255 adds 255 bytes. */
const MAX_EXPANSION = 255;
/** From this length on, a native copy is faster than a loop. */
const LONG = 48;

/** Decodes LZ4 as the numcodecs library stores it: the decoded size as u32 LE, then one block. */
export const decodeSizedLz4: ByteDecoder = (data, size) => {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const claimed = data.length < 4 ? -1 : view.getUint32(0, true);
  if (claimed < 0 || claimed > size.limit || claimed > data.length * MAX_EXPANSION) {
    throw decodeFailed(`LZ4 data decompress to ${grouped(claimed)} bytes; expected ${grouped(size.expected)}`);
  }
  const out = resultMemory(claimed, size);
  const end = decodeLz4Block(data, 4, data.length, out, 0, claimed);
  kernelHost.trim();
  return end === claimed ? out : out.subarray(0, end);
};

/**
 * Decodes one LZ4 block (LZ4 block format, 2022) from `data[from … to)` into `out[start … end)`.
 * @returns the end of the output
 * @throws AcqError `decode_failed`
 */
export function decodeLz4Block(
  data: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  start: number,
  end: number,
): number {
  const kernels = kernelHost.forData(to - from, end - start);
  if (!kernels) return decodeLz4InTypeScript(data, from, to, out, start, end);
  const done = kernels.decode('lz4', data.subarray(from, to), out, start, end);
  if (done >= 0) return start + done;
  if (done === FAILURE.tooLong) throw tooLong(end - start);
  throw done === FAILURE.beforeOutput ? beforeOutput() : truncated();
}

/** Does the same where vectors are not available. Never reads or writes outside the ranges. */
export function decodeLz4InTypeScript(
  data: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  start: number,
  end: number,
): number {
  let read = from;
  let done = start;
  while (read < to) {
    const token = data[read++]!;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (read >= to) throw truncated();
        more = data[read++]!;
        literals += more;
      }
    }
    if (literals > 0) {
      if (read + literals > to) throw truncated();
      if (done + literals > end) throw tooLong(end - start);
      if (literals >= LONG) out.set(data.subarray(read, read + literals), done);
      else for (let i = 0; i < literals; i++) out[done + i] = data[read + i]!;
      read += literals;
      done += literals;
    }
    if (read === to) return done;
    if (read + 2 > to) throw truncated();
    const offset = data[read]! | (data[read + 1]! << 8);
    read += 2;
    if (offset === 0 || offset > done - start) throw beforeOutput();
    let length = (token & 15) + 4;
    if (length === 19) {
      let more = 255;
      while (more === 255) {
        if (read >= to) throw truncated();
        more = data[read++]!;
        length += more;
      }
    }
    if (done + length > end) throw tooLong(end - start);
    copyMatch(out, done, offset, length);
    done += length;
  }
  throw truncated();
}

/** Copies `length` bytes from `offset` before `at`. The ranges may overlap, which repeats a pattern. */
export function copyMatch(out: Uint8Array, at: number, offset: number, length: number): void {
  const from = at - offset;
  if (length < LONG) for (let i = 0; i < length; i++) out[at + i] = out[from + i]!;
  else if (offset >= length) out.copyWithin(at, from, from + length);
  else if (offset === 1) out.fill(out[from]!, at, at + length);
  else {
    // Copy the pattern once, then double what has been copied.
    let copied = offset;
    out.copyWithin(at, from, at);
    while (copied < length) {
      const count = Math.min(copied, length - copied);
      out.copyWithin(at + copied, at, at + count);
      copied += count;
    }
  }
}

function beforeOutput() {
  return decodeFailed('LZ4 data are corrupted: a match starts before the output');
}

function truncated() {
  return decodeFailed('LZ4 data are truncated');
}

function tooLong(expected: number) {
  return decodeFailed(`LZ4 block decompresses to more than the expected ${grouped(expected)} bytes`);
}
