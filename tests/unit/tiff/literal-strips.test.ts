import { describe, expect, it } from 'vitest';
import { hex, readAll } from '../../support/tiff-pages.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

/** One page whose only strip holds `data`. */
const raw = (width: number, height: number, bits: number, data: Uint8Array, extra: Partial<PageSpec> = {}) =>
  writeTiff({
    pages: [
      { width, height, bits, samples: new Uint8Array(width * height), encode: () => data, sampleFormat: 1, ...extra },
    ],
  });

describe('literal strips', () => {
  it('12 bit: three pixels are five bytes', async () => {
    const data = hex('ab c1 23 ff f0 00 10 02 00 30');
    expect(await readAll(raw(3, 2, 12, data))).toEqual([Uint16Array.of(2748, 291, 4095, 1, 2, 3)]);
  });

  it('10 and 14 bit, most significant bit first', async () => {
    // 1023 0 1 512 | 3: 1111111111 0000000000 0000000001 1000000000 | 0000000011 padded to 7 bytes.
    expect(await readAll(raw(5, 1, 10, hex('ff c0 00 06 00 00 c0')))).toEqual([Uint16Array.of(1023, 0, 1, 512, 3)]);
    // 16383 1 8192 2 | 5
    expect(await readAll(raw(5, 1, 14, hex('ff fc 00 18 00 00 02 00 14')))).toEqual([
      Uint16Array.of(16383, 1, 8192, 2, 5),
    ]);
  });

  it('1, 2, 4 bit: the leftmost pixel is the highest bit', async () => {
    expect(await readAll(raw(3, 2, 1, hex('a0 40')))).toEqual([Uint8Array.of(1, 0, 1, 0, 1, 0)]);
    expect(await readAll(raw(5, 1, 2, hex('1b c0')))).toEqual([Uint8Array.of(0, 1, 2, 3, 3)]);
    expect(await readAll(raw(3, 1, 4, hex('1f 70')))).toEqual([Uint8Array.of(1, 15, 7)]);
  });

  it('24, 31 and 40 bit integers', async () => {
    expect(await readAll(raw(2, 1, 24, hex('01 02 03 ff ff fe')))).toEqual([Uint32Array.of(0x010203, 0xfffffe)]);
    expect(await readAll(raw(1, 1, 31, hex('ff ff ff fe')))).toEqual([Uint32Array.of(0x7fffffff)]);
    expect(await readAll(raw(1, 1, 40, hex('01 00 00 00 02')))).toEqual([BigUint64Array.of(0x0100000002n)]);
  });

  it('signed packed samples: 12-bit FFF is −1', async () => {
    expect(await readAll(raw(2, 1, 12, hex('ff f7 ff'), { sampleFormat: 2 }))).toEqual([Int16Array.of(-1, 2047)]);
  });

  it('FillOrder 2: the bits of every byte are reversed', async () => {
    // 12-bit AB C1 23 with each byte mirrored.
    expect(await readAll(raw(2, 1, 12, hex('d5 83 c4'), { tags: [{ code: 266, type: 3, values: [2] }] }))).toEqual([
      Uint16Array.of(0xabc, 0x123),
    ]);
  });

  it('16-bit floats: 1, −2, 65504, smallest subnormal, infinity', async () => {
    const data = hex('00 3c 00 c0 ff 7b 01 00 00 7c');
    expect(await readAll(raw(5, 1, 16, data, { sampleFormat: 3 }))).toEqual([
      Float32Array.of(1, -2, 65504, 2 ** -24, Number.POSITIVE_INFINITY),
    ]);
  });

  it('24-bit floats in file byte order: 1, −1.5, subnormal, −infinity', async () => {
    // 1 sign, 7 exponent bits with bias 63, 16 mantissa bits: 1 = 3f 00 00, −1.5 = bf 80 00.
    const data = hex('00 00 3f 00 80 bf 01 00 00 00 00 ff');
    expect(await readAll(raw(4, 1, 24, data, { sampleFormat: 3 }))).toEqual([
      Float32Array.of(1, -1.5, 2 ** -78, Number.NEGATIVE_INFINITY),
    ]);
  });

  it('PackBits', async () => {
    const data = hex('fd 07 03 01 02 03 04 80 fd 09');
    expect(await readAll(raw(4, 3, 8, data, { compression: 32773 }))).toEqual([
      Uint8Array.of(7, 7, 7, 7, 1, 2, 3, 4, 9, 9, 9, 9),
    ]);
  });

  it('LZW: the example of TIFF 6.0, with and without its end code', async () => {
    // 256 7 258 8 8 258 6 6 257 as nine-bit codes: 7 7 7 8 8 7 7 6 6.
    const bits = [256, 7, 258, 8, 8, 258, 6, 6, 257].map((code) => code.toString(2).padStart(9, '0')).join('');
    const data = Uint8Array.from({ length: 11 }, (_, i) =>
      Number.parseInt(bits.slice(i * 8, i * 8 + 8).padEnd(8, '0'), 2),
    );
    const expected = [Uint8Array.of(7, 7, 7, 8, 8, 7, 7, 6, 6)];
    expect(await readAll(raw(9, 1, 8, data, { compression: 5 }))).toEqual(expected);
    expect(await readAll(raw(9, 1, 8, data.subarray(0, 9), { compression: 5 }))).toEqual(expected);
  });

  it('predictor 3: most significant bytes first, whatever the byte order', async () => {
    // 1.5 = 3fc00000, −2.25 = c0100000: planes 3f c0 | c0 10 | 00 00 | 00 00, then differences.
    const data = hex('3f 81 00 50 f0 00 00 00');
    for (const littleEndian of [true, false]) {
      const page = { width: 2, height: 1, samples: new Float32Array(2), predictor: 3 as const, encode: () => data };
      expect(await readAll(writeTiff({ littleEndian, pages: [page] }))).toEqual([Float32Array.of(1.5, -2.25)]);
    }
  });
});
