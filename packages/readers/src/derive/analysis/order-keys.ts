/**
 * Maps float32 values to unsigned 32-bit keys of the same order: the bits of a positive number with the sign bit set, all
 * bits of a negative number inverted. So order statistics are found by counting, without a sort.
 */
const bits = new Uint32Array(1);
const value = new Float32Array(bits.buffer);

/** Returns the key of the bits of a float32. */
export function toKey(word: number): number {
  return (word & 0x8000_0000 ? ~word : word ^ 0x8000_0000) >>> 0;
}

/** Returns the value of a key. */
export function fromKey(key: number): number {
  bits[0] = key & 0x8000_0000 ? key ^ 0x8000_0000 : ~key;
  return value[0]!;
}
