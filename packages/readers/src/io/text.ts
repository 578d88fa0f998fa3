/** Creating a decoder takes longer than decoding a short text. */
const [UTF8, SHIFT_JIS, UTF16LE, UTF16BE, WINDOWS_1252] = [
  new TextDecoder('utf-8', { fatal: true }),
  new TextDecoder('shift_jis', { fatal: true }),
  new TextDecoder('utf-16le'),
  new TextDecoder('utf-16be'),
  new TextDecoder('windows-1252'),
] as const;

/**
 * Decodes text of unknown encoding. A byte order mark decides; without one, zero high bytes mean UTF-16, and everything
 * else is UTF-8, or, when it is not valid UTF-8, Shift-JIS (`μ` and kana of Japanese vendors) or Windows-1252 (a lone 0xB5 is
 * the `µ` of older vendor files).
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF16LE.decode(bytes.subarray(2));
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return UTF16BE.decode(bytes.subarray(2));
  if (bytes.length >= 4 && bytes[0] !== 0 && bytes[1] === 0 && bytes[2] !== 0 && bytes[3] === 0) {
    return UTF16LE.decode(bytes);
  }
  if (bytes.length >= 4 && bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0 && bytes[3] !== 0) {
    return UTF16BE.decode(bytes);
  }
  try {
    return UTF8.decode(bytes);
  } catch {
    return decodeShiftJis(bytes) ?? WINDOWS_1252.decode(bytes);
  }
}

/**
 * Decodes Shift-JIS with letters of the rows of Greek, kana and wide Latin, which begin with 0x82 and 0x83: in Windows-1252
 * these are `‚` and `ƒ`, which no unit or name has. Other bytes could be either.
 */
function decodeShiftJis(bytes: Uint8Array): string | undefined {
  const isKana = bytes.some((byte, i) => (byte === 0x82 || byte === 0x83) && (bytes[i + 1] ?? 0) >= 0x40);
  if (!isKana) return undefined;
  try {
    return SHIFT_JIS.decode(bytes);
  } catch {
    return undefined;
  }
}

/** True for XML in UTF-16, with a byte order mark or without. */
export function isUtf16Xml([first, second, third, fourth]: Uint8Array): boolean {
  if (first === 0xff && second === 0xfe) return third === 0x3c && fourth === 0;
  if (first === 0xfe && second === 0xff) return third === 0 && fourth === 0x3c;
  return (first === 0x3c && second === 0 && fourth === 0) || (first === 0 && second === 0x3c && third === 0);
}

/** The bytes of byte order marks, of white space, and of the upper halves of UTF-16. */
const BEFORE_TAG = new Set([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00, 0x20, 0x09, 0x0a, 0x0d]);

/** False for bytes that cannot be XML, which need not be decoded. */
export function startsWithTag(bytes: Uint8Array): boolean {
  return bytes.find((byte) => !BEFORE_TAG.has(byte)) === 0x3c;
}
