import { platform } from '../../base/platform.js';

/**
 * Reverses the bytes of each word in place.
 * @param bytes whole words, at a multiple of their size in memory
 * @param size of a word: 1, 2, 4 or 8
 */
export function swapBytes(bytes: Uint8Array, size: number): void {
  if (size === 1) return;
  const swap = platform().swapBytes ?? swapInLoops;
  swap(bytes, size);
}

/** For platforms that have nothing faster. */
export function swapInLoops(bytes: Uint8Array, size: number): void {
  if (size === 2) swap16(bytes);
  else if (size === 4) swap32(wordsOf(bytes, 0, bytes.length));
  else if (size === 8) swap64(wordsOf(bytes, 0, bytes.length));
}

function wordsOf(bytes: Uint8Array, from: number, length: number): Uint32Array {
  return new Uint32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + from, length >> 2);
}

/** Two words at a time. */
function swap16(bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  const start = bytes.byteOffset % 4;
  if (start > 0) swapPair(bytes, 0);
  const words = wordsOf(bytes, start, bytes.length - start);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    words[i] = ((word & 0x00ff_00ff) << 8) | ((word >>> 8) & 0x00ff_00ff);
  }
  if ((bytes.length - start) % 4 > 0) swapPair(bytes, bytes.length - 2);
}

function swapPair(bytes: Uint8Array, at: number): void {
  const first = bytes[at]!;
  bytes[at] = bytes[at + 1]!;
  bytes[at + 1] = first;
}

function swap32(words: Uint32Array): void {
  for (let i = 0; i < words.length; i++) words[i] = reversed(words[i]!);
}

function swap64(words: Uint32Array): void {
  for (let i = 0; i < words.length; i += 2) {
    const low = words[i]!;
    words[i] = reversed(words[i + 1]!);
    words[i + 1] = reversed(low);
  }
}

function reversed(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
