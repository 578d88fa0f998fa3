/** CRC-32C (Castagnoli, RFC 3720 appendix B.4). Chunks are small, so one byte at a time is fast enough. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** Returns the checksum; that of `123456789` is 0xE3069283. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) {
    crc = (TABLE[(crc ^ bytes[i]!) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
