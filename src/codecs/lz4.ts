import { decodeFailed } from '../errors.js';
import type { ByteDecoder } from './types.js';

/** A block cannot expand further than this: a length byte of 255 stands for as many bytes. */
const MOST_EXPANSION = 255;
/** From this length on, a native copy is worth its call. */
const LONG = 48;

/** LZ4 as the numcodecs library stores it: the decoded size as u32 LE, then one block. */
export const decodeSizedLz4: ByteDecoder = (data, size) => {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const claimed = data.length < 4 ? -1 : view.getUint32(0, true);
  if (claimed < 0 || claimed > size.limit || claimed > data.length * MOST_EXPANSION) {
    throw decodeFailed(`LZ4 data claim ${claimed} bytes where ${size.expected} are expected`);
  }
  const out = new Uint8Array(claimed);
  const end = decodeLz4Block(data, 4, data.length, out, 0, claimed);
  return end === claimed ? out : out.subarray(0, end);
};

/**
 * One LZ4 block (LZ4 block format, 2022) from `data[from … to)` into `out[start … end)`. Never reads or writes outside.
 * @returns where the output ends
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
  let read = from;
  let done = start;
  while (read < to) {
    const token = data[read++] as number;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (read >= to) throw cutOff();
        more = data[read++] as number;
        literals += more;
      }
    }
    if (literals > 0) {
      if (read + literals > to) throw cutOff();
      if (done + literals > end) throw tooLong();
      if (literals >= LONG) out.set(data.subarray(read, read + literals), done);
      else for (let i = 0; i < literals; i++) out[done + i] = data[read + i] as number;
      read += literals;
      done += literals;
    }
    if (read === to) return done;
    if (read + 2 > to) throw cutOff();
    const offset = (data[read] as number) | ((data[read + 1] as number) << 8);
    read += 2;
    if (offset === 0 || offset > done - start) throw decodeFailed('LZ4 data refer to bytes before their start');
    let length = (token & 15) + 4;
    if (length === 19) {
      let more = 255;
      while (more === 255) {
        if (read >= to) throw cutOff();
        more = data[read++] as number;
        length += more;
      }
    }
    if (done + length > end) throw tooLong();
    copyMatch(out, done, offset, length);
    done += length;
  }
  throw cutOff();
}

/** Repeats `length` bytes from `offset` before `at`; they may overlap, which makes a pattern. */
export function copyMatch(out: Uint8Array, at: number, offset: number, length: number): void {
  const from = at - offset;
  if (length < LONG) for (let i = 0; i < length; i++) out[at + i] = out[from + i] as number;
  else if (offset >= length) out.copyWithin(at, from, from + length);
  else if (offset === 1) out.fill(out[from] as number, at, at + length);
  else {
    // The pattern is copied, then what is there already is doubled.
    let have = offset;
    out.copyWithin(at, from, at);
    while (have < length) {
      const count = Math.min(have, length - have);
      out.copyWithin(at + have, at, at + count);
      have += count;
    }
  }
}

function cutOff() {
  return decodeFailed('LZ4 data are cut off');
}

function tooLong() {
  return decodeFailed('LZ4 data hold more than has a place');
}
