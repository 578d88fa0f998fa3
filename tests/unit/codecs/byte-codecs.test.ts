import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeDeflate } from '../../../packages/readers/src/codecs/deflate.js';
import { decodeLzw } from '../../../packages/readers/src/codecs/lzw.js';
import { decodePackBits } from '../../../packages/readers/src/codecs/packbits.js';
import { loadZstd, wasmDecoder } from '../../../packages/readers/src/codecs/zstd.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { encodeLzw, encodePackBits } from '../../writers/tiff-encode.js';

const size = (expected: number, limit = expected) => ({ expected, limit });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const noise = (length: number) => {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
};
const failure = expect.objectContaining({ code: 'decode_failed' });

describe('LZW', () => {
  /** Codes of nine bits, least significant bit first. */
  const packLsb = (codes: number[]) => {
    const bits = codes.flatMap((code) => Array.from({ length: 9 }, (_, bit) => (code >> bit) & 1));
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    for (const [i, bit] of bits.entries()) bytes[i >> 3] = (bytes[i >> 3] as number) | (bit << (i & 7));
    return bytes;
  };

  it('reads the old dialect: least significant bit first', () => {
    const data = packLsb([256, 65, 66, 258, 260, 257]);
    expect([...data.subarray(0, 2)]).toEqual([0x00, 0x83]);
    // 258 = AB; 260 is only being defined: AB and its own first byte.
    expect(text(decodeLzw(data, size(99)))).toBe('ABABABA');
  });

  it('grows its codes one early, starts again when the table is full, and stops at what is expected', () => {
    for (const length of [1, 257, 300, 2000, 20_000]) {
      for (const bytes of [noise(length), new Uint8Array(length).fill(7)]) {
        expect(decodeLzw(encodeLzw(bytes), size(length))).toEqual(bytes);
        expect(decodeLzw(encodeLzw(bytes, false), size(length))).toEqual(bytes);
        expect(decodeLzw(encodeLzw(bytes), size(Math.ceil(length / 2)))).toEqual(
          bytes.subarray(0, Math.ceil(length / 2)),
        );
      }
    }
  });

  it('returns what a cut stream holds, never more than it can hold', () => {
    const bytes = noise(2000);
    const cut = decodeLzw(encodeLzw(bytes).subarray(0, 500), size(2000));
    expect(cut.length).toBeLessThan(500);
    expect(cut).toEqual(bytes.subarray(0, cut.length));
    expect(decodeLzw(new Uint8Array(), size(2 ** 30)).length).toBe(0);
    expect(decodeLzw(Uint8Array.of(0x80), size(2 ** 40)).buffer.byteLength).toBeLessThan(10_000);
  });

  it('refuses a code that stands for nothing', () => {
    expect(() => decodeLzw(Uint8Array.of(0x80, 0x7f, 0xff), size(10))).toThrow(failure);
  });
});

describe('PackBits', () => {
  it('reads runs, copies and the empty code', () => {
    const data = Uint8Array.of(
      0xfe,
      0xaa,
      0x02,
      0x80,
      0x00,
      0x2a,
      0x80,
      0xfd,
      0xaa,
      0x03,
      0x80,
      0x00,
      0x2a,
      0x22,
      0xf7,
      0xaa,
    );
    // The example of TIFF 6.0 section 9 with an empty code in it.
    const expected = 'aa aa aa 80 00 2a aa aa aa aa 80 00 2a 22 aa aa aa aa aa aa aa aa aa aa';
    expect(Buffer.from(decodePackBits(data, size(24))).toString('hex')).toBe(expected.replaceAll(' ', ''));
  });

  it('stops at the end of its data and of what is expected', () => {
    expect(decodePackBits(Uint8Array.of(5, 1, 2), size(6))).toEqual(Uint8Array.of(1, 2));
    expect(decodePackBits(Uint8Array.of(0x81), size(6))).toEqual(new Uint8Array());
    expect(decodePackBits(Uint8Array.of(0x81, 9), size(6))).toEqual(new Uint8Array(6).fill(9));
    const bytes = noise(1000);
    expect(decodePackBits(encodePackBits(bytes, 100), size(1000))).toEqual(bytes);
  });
});

describe('deflate', () => {
  const bytes = noise(5000);

  it('returns what a cut stream holds', () => {
    expect(Buffer.from(decodeDeflate(deflateSync(bytes), size(5000)))).toEqual(Buffer.from(bytes));
    const cut = decodeDeflate(deflateSync(bytes).subarray(0, 2000), size(5000));
    expect(cut.length).toBeLessThan(2000);
    expect(Buffer.from(cut)).toEqual(Buffer.from(bytes.subarray(0, cut.length)));
  });

  it('refuses damage and bombs', () => {
    const damaged = deflateSync(bytes);
    damaged[0] = 0;
    expect(() => decodeDeflate(damaged, size(5000))).toThrow(failure);
    const wrongSum = deflateSync(bytes);
    wrongSum[wrongSum.length - 1] = (wrongSum.at(-1) as number) ^ 1;
    expect(() => decodeDeflate(wrongSum, size(5000))).toThrow(failure);
    const bomb = deflateSync(new Uint8Array(2 ** 24));
    expect(() => decodeDeflate(bomb, size(5000, 10_000))).toThrow(/decompress to more than the expected 5,000 bytes/);
  });
});

describe('zstd', () => {
  let encoders: Encoders;
  beforeAll(async () => {
    encoders = await loadEncoders();
  });
  const bytes = noise(5000);
  const frame = () => encoders.zstd({ bytes, width: 5000, rows: 1, samples: 1 });

  it.each([
    ['the one of this Node version', loadZstd],
    ['the WebAssembly one', wasmDecoder],
  ])('%s decodes, loaded more than once, and refuses damage and false sizes', async (_, load) => {
    const decode = await load();
    expect(Buffer.from(decode(frame(), size(5000)))).toEqual(Buffer.from(bytes));
    const again = await load();
    expect(Buffer.from(again(frame(), size(5000)))).toEqual(Buffer.from(bytes));
    for (const length of [3000, frame().length - 1, 10]) {
      expect(() => decode(frame().subarray(0, length), size(5000)), `${length} bytes`).toThrow(failure);
    }
    expect(() => decode(frame(), size(4000))).toThrow(/decompress to 5,000 bytes; expected 4,000/);
    expect(() => decode(Uint8Array.of(1, 2, 3), size(10))).toThrow(/is not a zstd frame/);
    expect(Buffer.from(decode(frame(), size(5000)))).toEqual(Buffer.from(bytes));
  });

  it('a frame without a size: 1000 zeros as one run-length block', async () => {
    // Magic, no size and a window of 1 KiB, last block of type RLE with 1000 times the byte 0 (RFC 8878).
    const data = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, ...[(1000 << 3) | 3, ((1000 << 3) | 3) >> 8, 0], 0);
    for (const decode of [await loadZstd(), await wasmDecoder()]) {
      expect(Buffer.from(decode(data, size(1000)))).toEqual(Buffer.alloc(1000));
      expect(() => decode(data, size(999))).toThrow(failure);
      expect(() => decode(data.subarray(0, -1), size(1000))).toThrow(failure);
    }
  });
});
