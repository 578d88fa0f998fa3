let table: Int32Array | undefined;

/** Returns the checksum of gzip, ZIP and PNG, for platforms that have none. */
export function crc32(bytes: Uint8Array): number {
  table ??= Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    return sum;
  });
  let sum = -1;
  for (let i = 0; i < bytes.length; i++) sum = table[(sum ^ bytes[i]!) & 255]! ^ (sum >>> 8);
  return ~sum >>> 0;
}
