/** IEEE 754 half precision → float32, exactly. */
export function float16ToFloat32(words: Uint16Array): Float32Array {
  const out = new Float32Array(words.length);
  const bits = new Uint32Array(out.buffer);
  for (let i = 0; i < words.length; i++) bits[i] = widen(words[i] as number, 5, 10);
  return out;
}

/**
 * 24-bit floats (Adobe TIFF Technical Note 3: 1 sign, 7 exponent bits with bias 63, 16 mantissa bits) in file byte
 * order → float32, exactly.
 */
export function float24ToFloat32(bytes: Uint8Array, count: number, littleEndian: boolean): Float32Array {
  const out = new Float32Array(count);
  const bits = new Uint32Array(out.buffer);
  const [high, low] = littleEndian ? [2, 0] : [0, 2];
  for (let i = 0, p = 0; i < count; i++, p += 3) {
    const word = ((bytes[p + high] as number) << 16) | ((bytes[p + 1] as number) << 8) | (bytes[p + low] as number);
    bits[i] = widen(word, 7, 16);
  }
  return out;
}

/** Bit pattern of a float with fewer exponent and mantissa bits → float32 bit pattern. */
function widen(word: number, exponentBits: number, mantissaBits: number): number {
  const sign = (word >>> (exponentBits + mantissaBits)) << 31;
  const exponent = (word >>> mantissaBits) & ((1 << exponentBits) - 1);
  let mantissa = word & ((1 << mantissaBits) - 1);
  const shift = 23 - mantissaBits;
  const top = (1 << exponentBits) - 1;
  const rebias = 127 - (top >> 1);
  if (exponent === top) return sign | 0x7f800000 | (mantissa << shift);
  if (exponent !== 0) return sign | ((exponent + rebias) << 23) | (mantissa << shift);
  if (mantissa === 0) return sign;
  // Subnormal: float32 has room to normalise it.
  let e = rebias + 1;
  while ((mantissa & (1 << mantissaBits)) === 0) {
    mantissa <<= 1;
    e--;
  }
  return sign | (e << 23) | ((mantissa & ((1 << mantissaBits) - 1)) << shift);
}
