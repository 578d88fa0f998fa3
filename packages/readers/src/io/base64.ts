const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The value of each character; −1 for others. */
const VALUES = new Int8Array(256).fill(-1);
for (let i = 0; i < CHARACTERS.length; i++) VALUES[CHARACTERS.charCodeAt(i)] = i;

/** Decodes base64 (RFC 4648) that comes in parts. Skips everything else: white space, padding, line ends. */
export class Base64Decoder {
  private bits = 0;
  private held = 0;

  /** Returns the bytes of all groups of four characters that end in `text`; also of an incomplete one when it is the last. */
  decode(text: Uint8Array, isLast: boolean): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(((this.held + text.length) * 3) / 4));
    let { bits, held } = this;
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const value = VALUES[text[i]!]!;
      if (value < 0) continue;
      bits = (bits << 6) | value;
      if (++held < 4) continue;
      bytes[at] = bits >> 16;
      bytes[at + 1] = bits >> 8;
      bytes[at + 2] = bits;
      at += 3;
      bits = held = 0;
    }
    this.bits = bits;
    this.held = held;
    if (isLast && held >= 2) bytes[at++] = bits >> (6 * held - 8);
    if (isLast && held === 3) bytes[at++] = bits >> 2;
    return bytes.subarray(0, at);
  }
}
