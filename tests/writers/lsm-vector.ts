import { gunzipSync } from 'node:zlib';

/**
 * A line scan of 4 pixels × 6 lines in two channels, written byte by byte for the description of the format: one image
 * page, one thumbnail, BitsPerSample at an offset although it would fit. 1078 bytes, CRC-32 ddecd65f.
 */
export function lsmVector(): Uint8Array {
  return new Uint8Array(gunzipSync(Buffer.from(PACKED, 'base64')));
}

const PACKED =
  'H4sIAAAAAAACA/P01GLgYGBg4GH4x8DCwMgABYwQNguICWWzATETIzMDE5D2AAowA9kgcbAcElsQqB6kxgHIEYWKg/jiUHEfoIAMkrgtkt6c' +
  'NkaGDiAjBIi3MeAGXHDXMuJwLQvUtSA2yH/YXMsEdS1YjAXhWmaoa0FsAwaEaxmxuGQZUPE1IBYAQgOoeh9PBhaQL1igemB2sUFpGOh9u3XB' +
  '92MT7BiIBExYxESAdv9Z+fGSb1KCPYjvwgwRv8PEMOKBBTTMIcDT4bi3eacjkO6dnifUDKRDHi+dfQRIS+vfVWFj9HR4WCWyzh1IG0DDGoQl' +
  'gFgBZsR/MALHq3OGIZQ2AskIwDMOkA3SxwpKzZl5qaDEBxfwAQnIAAVYoakSAi7Ym6GJTVB95vAfCGAqXjC/ZH7F/Jr5E/Nn5i/MX5n/MP9l' +
  '/sf8n5mNhZ2Fg4WTRYBFkEWIRZhFikWaRYZFluUC+0X2S+yX2W+x32a/w36X/Qn7U/Zn7M/Z37G/Z//A/pH9B/tP9l/sv9mZOJg5WDhYOUgN' +
  'WQBf1uzdNgQAAA==';
