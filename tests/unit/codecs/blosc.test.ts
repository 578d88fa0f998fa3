import { deflateSync, gzipSync } from 'node:zlib';
import Blosc from 'numcodecs/blosc';
import LZ4 from 'numcodecs/lz4';
import { describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { crc32c } from '../../../packages/readers/src/codecs/crc32c.js';
import { BYTE_CODECS } from '../../../packages/readers/src/codecs/index.js';
import { mutate, randomNumbers } from '../../hostile/mutate.js';
import { some } from '../../support/long.js';

/** Samples of a smooth signal with noise, and runs of one value. */
function signal(bytes: number, typeSize: number): Uint8Array {
  const random = randomNumbers(bytes + typeSize);
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) {
    const sample = Math.floor(i / typeSize);
    const value = sample % 1000 < 300 ? 70_000 : 500 + Math.floor(400 * Math.sin(sample / 50) + random() * 30);
    out[i] = (value >> (8 * (i % typeSize))) & 255;
  }
  return out;
}

const exactly = (length: number) => ({ expected: length, limit: length });

describe('Blosc, decoded here, equals what c-blosc made', () => {
  const cases = ['blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd'].flatMap((cname) =>
    [0, 1, 2].map((shuffle) => ({ cname, shuffle })),
  );

  const settings = some(
    [
      [5, 0],
      [9, 0],
      [1, 0],
      [5, 4096],
      [5, 1000],
    ],
    3,
  );

  it.each(cases)('$cname, shuffle $shuffle', async ({ cname, shuffle }) => {
    const decode = await BYTE_CODECS.blosc();
    for (const length of some([0, 1, 7, 16, 127, 128, 1000, 4096, 65_536, 262_144, 300_007], 5)) {
      const data = signal(length, 2);
      for (const [clevel, blocksize] of settings) {
        const codec = Blosc.fromConfig({ id: 'blosc', cname, shuffle, clevel, blocksize });
        const packed = new Uint8Array(await codec.encode(data));
        expect(Buffer.compare(decode(packed, exactly(length)), data), `${length} ${clevel} ${blocksize}`).toBe(0);
      }
    }
  });
});

/** A chunk of one block in unpacked streams, shuffled by the definition. */
function storedChunk(data: Uint8Array, typeSize: number, flags: number): Uint8Array {
  const count = Math.floor(data.length / typeSize);
  const block = Uint8Array.from(data);
  if (flags & 1) {
    for (let i = 0; i < count * typeSize; i++)
      block[(i % typeSize) * count + Math.floor(i / typeSize)] = data[i] as number;
  }
  if (flags & 4 && count % 8 === 0) {
    block.fill(0, 0, count * typeSize);
    for (let i = 0; i < count * typeSize * 8; i++) {
      const [sample, k, bit] = [Math.floor(i / 8 / typeSize), Math.floor(i / 8) % typeSize, i % 8];
      const value = ((data[sample * typeSize + k] as number) >> bit) & 1;
      const to = (k * 8 + bit) * (count / 8) + (sample >> 3);
      block[to] = (block[to] as number) | (value << (sample & 7));
    }
  }
  const split = !(flags & 16) && data.length / typeSize >= 128;
  const streams = split ? typeSize : 1;
  const each = block.length / streams;
  const parts = Array.from({ length: streams }, (_, i) => {
    const size = Buffer.alloc(4);
    size.writeInt32LE(each);
    return Buffer.concat([size, block.subarray(i * each, (i + 1) * each)]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(20);
  head.set([2, 1, flags | (1 << 5), typeSize]);
  head.writeUInt32LE(data.length, 4);
  head.writeUInt32LE(data.length, 8);
  head.writeUInt32LE(20 + body.length, 12);
  head.writeUInt32LE(20, 16);
  return new Uint8Array(Buffer.concat([head, body]));
}

describe('Blosc chunks by hand', () => {
  const sizes = [1, 2, 3, 4, 8, 16].flatMap((typeSize) => [0, 1, 4, 16, 17, 20].map((flags) => ({ typeSize, flags })));

  it.each(sizes)('samples of $typeSize bytes, flags $flags', async ({ typeSize, flags }) => {
    const decode = await BYTE_CODECS.blosc();
    for (const count of [8, 24, 27, 128, 1000]) {
      const data = signal(count * typeSize, typeSize);
      expect(decode(storedChunk(data, typeSize, flags), exactly(data.length))).toEqual(data);
    }
  });

  it('stored as a whole', async () => {
    const decode = await BYTE_CODECS.blosc();
    const chunk = Uint8Array.from(Buffer.from('02010202080000000800000018000000' + '0102030405060708', 'hex'));
    expect([...decode(chunk, exactly(8))]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each([
    ['more than has a place', 4, 9, /decompress to 9 bytes; expected 8/],
    ['another length', 12, 25, /truncated: 24 of 25 bytes/],
    ['a compression that does not exist', 2, 0xe0, /Blosc compression 7 is not supported/],
  ])('refuses %s before it allocates', async (_, at, value, message) => {
    const decode = await BYTE_CODECS.blosc();
    const chunk = Uint8Array.from(Buffer.from('02010202080000000800000018000000' + '0102030405060708', 'hex'));
    chunk[at] = value;
    expect(() => decode(chunk, exactly(8))).toThrow(message);
  });

  it('refuses a gigabyte in a few bytes', async () => {
    const decode = await BYTE_CODECS.blosc();
    const chunk = storedChunk(new Uint8Array(64), 2, 0);
    const view = new DataView(chunk.buffer);
    view.setUint32(4, 2 ** 30, true);
    view.setUint32(8, 2 ** 30, true);
    expect(() => decode(chunk, exactly(2 ** 30))).toThrow(/cannot decompress to/);
  });
});

describe('memory that a decoder is given', () => {
  it.each([0, 1, 2])('receives the result when it is large enough, shuffle %i', async (shuffle) => {
    const decode = await BYTE_CODECS.blosc();
    const data = signal(50_000, 2);
    const codec = Blosc.fromConfig({ id: 'blosc', cname: 'lz4', shuffle, clevel: 5, blocksize: 0 });
    const packed = new Uint8Array(await codec.encode(data));
    const reuse = new Uint8Array(60_000).fill(7);
    const out = decode(packed, { ...exactly(data.length), reuse });
    expect(out.buffer).toBe(reuse.buffer);
    expect(Buffer.compare(out, data)).toBe(0);
    expect(decode(packed, { ...exactly(data.length), reuse: new Uint8Array(100) }).length).toBe(data.length);
  });
});

describe('damaged data', () => {
  it('of every Blosc compressor are an error or bytes of the right length, nothing else', async () => {
    const decode = await BYTE_CODECS.blosc();
    const data = signal(20_000, 2);
    let refused = 0;
    for (const cname of ['blosclz', 'lz4', 'snappy', 'zlib', 'zstd']) {
      const packed = new Uint8Array(
        await Blosc.fromConfig({ id: 'blosc', cname, shuffle: 1, clevel: 5, blocksize: 4096 }).encode(data),
      );
      for (let seed = 0; seed < 400; seed++) {
        const bytes = mutate(packed, seed);
        if (bytes.length >= 16) new DataView(bytes.buffer).setUint32(12, bytes.length, true);
        try {
          expect(decode(bytes, exactly(data.length)).length).toBeLessThanOrEqual(data.length);
        } catch (error) {
          expect(error).toBeInstanceOf(AcqError);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});

describe('LZ4, gzip, CRC-32C', () => {
  it('decodes what the LZ4 library made', async () => {
    const decode = await BYTE_CODECS.lz4();
    for (const length of [0, 1, 20, 5000, 200_000]) {
      const data = signal(length, 4);
      const packed = new Uint8Array(await LZ4.fromConfig({ id: 'lz4' }).encode(data));
      expect(Buffer.compare(decode(packed, exactly(length)), data)).toBe(0);
      if (length > 0) expect(() => decode(packed, exactly(length - 1))).toThrow(/decompress to [\d,]+ bytes/);
      if (length > 100)
        expect(() => decode(packed.subarray(0, packed.length - 3), exactly(length))).toThrow(/LZ4 data/);
    }
  });

  it('tells gzip from zlib, and refuses what is cut off or too long', async () => {
    const decode = await BYTE_CODECS.gzip();
    const data = signal(5000, 2);
    for (const packed of [gzipSync(data), deflateSync(data)]) {
      expect(Buffer.compare(decode(packed, exactly(5000)), data)).toBe(0);
      expect(() => decode(packed.subarray(0, 200), exactly(5000))).toThrow(/corrupted/);
      expect(() => decode(packed, exactly(4999))).toThrow(/more than the expected 4,999 bytes/);
    }
  });

  it('has the checksum of the standard', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });
});
