/** Bytes as text and numbers, with what every platform has. */

/** Calling a decoder takes longer than joining this many characters. */
const SHORT = 16;
/** Arguments that a call may have on every engine. */
const MAX_ARGUMENTS = 8_192;
const WINDOWS_1252 = new TextDecoder('windows-1252');
const UTF8 = new TextEncoder();

/** Decodes Latin-1, in which each byte is the character of its number. */
export function latin1(bytes: Uint8Array): string {
  if (bytes.length <= SHORT) return charactersOf(bytes);
  // It differs for 0x80–0x9F, some of which become characters that Latin-1 does not have. All the rest stays as it is.
  const text = WINDOWS_1252.decode(bytes);
  return /[^\0-\xff]/.test(text) ? joinCharacters(bytes) : text;
}

function charactersOf(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

function joinCharacters(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    // Typed arrays are lists of arguments too.
    const part = bytes.subarray(at, at + MAX_ARGUMENTS) as unknown as number[];
    text += String.fromCharCode.apply(undefined, part);
  }
  return text;
}

/** Encodes Latin-1. Characters that it does not have lose their upper byte. */
export function toLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function toUtf8(text: string): Uint8Array<ArrayBuffer> {
  return UTF8.encode(text);
}

/** Encodes UTF-16, little-endian. */
export function toUtf16(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), true);
  return bytes;
}

/** Returns two lower-case digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += (256 + byte).toString(16).slice(1);
  return digits;
}

/** Joins parts in new memory. */
export function concat(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** True when `pattern` is at an offset. */
export function hasBytesAt(bytes: Uint8Array, pattern: Uint8Array, at = 0): boolean {
  for (let i = 0; i < pattern.length; i++) if (bytes[at + i] !== pattern[i]) return false;
  return true;
}

/** Returns the offset of the first `pattern` at `from` or after it, or −1. A pattern has at least one byte. */
export function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from = 0): number {
  const first = pattern[0]!;
  let at = bytes.indexOf(first, from);
  while (at >= 0 && !hasBytesAt(bytes, pattern, at)) at = bytes.indexOf(first, at + 1);
  return at;
}

/** Returns the offset of the last `pattern`, or −1. A pattern has at least one byte. */
export function lastIndexOfBytes(bytes: Uint8Array, pattern: Uint8Array): number {
  const first = pattern[0]!;
  for (let end = bytes.length; end > 0; ) {
    const at = bytes.lastIndexOf(first, end - 1);
    if (at < 0 || hasBytesAt(bytes, pattern, at)) return at;
    end = at;
  }
  return -1;
}
