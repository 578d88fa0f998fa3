/**
 * Text of a sidecar file, whatever wrote it: UTF-16 with a byte order mark, UTF-8 with or without one, else cp1252 (a
 * single 0xB5 for µ). Never throws: bytes that are no text come out as characters that match nothing.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
