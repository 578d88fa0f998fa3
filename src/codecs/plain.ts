/**
 * Returns the same memory as a plain array. `slice` of a Buffer shares memory, that of a Uint8Array copies it, and callers
 * that swap bytes in place rely on the copy.
 */
export function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
