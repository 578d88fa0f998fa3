/** Our loops for deflate beside zlib: they have the same results, for streams of every kind and for corrupted ones. */
import { constants, deflateRawSync, deflateSync, gzipSync, type ZlibOptions } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeDeflate } from '../../../packages/readers/src/codecs/deflate.js';
import { decodeGzip } from '../../../packages/readers/src/codecs/gzip.js';
import type { ByteDecoder } from '../../../packages/readers/src/codecs/types.js';
import { inflateByPlatform } from '../../../packages/readers/src/codecs/zlib.js';
import { Inflater } from '../../../packages/readers/src/simd/inflater.js';
import { randomNumbers } from '../../hostile/mutate.js';

const random = randomNumbers(1);
const bytesOf = (length: number, byte: (i: number) => number) => Uint8Array.from({ length }, (_, i) => byte(i));
const shorts = (length: number, sample: (i: number) => number) =>
  new Uint8Array(Uint16Array.from({ length }, (_, i) => sample(i)).buffer);

const DATA: Record<string, Uint8Array> = {
  nothing: new Uint8Array(),
  'one byte': bytesOf(1, () => 7),
  'a signal with noise': shorts(40_000, (i) => (i % 512) * 20 + Math.floor(random() * 64)),
  counts: shorts(40_000, () => Math.floor(-3 * Math.log(random() + 1e-9))),
  zeros: new Uint8Array(100_000),
  'repeats of all short distances': bytesOf(60_000, (i) => (i % (1 + (Math.floor(i / 997) % 40))) * 5),
  'what does not compress': bytesOf(70_000, () => random() * 256),
  'matches from 32 KiB before': bytesOf(120_000, (i) => (Math.imul(i % 32_768, 2_654_435_761) >>> 13) & 255),
  'rare bytes, whose codes are long': bytesOf(80_000, () => Math.floor(256 * random() ** 24)),
  text: Buffer.from(JSON.stringify(process.versions).repeat(40)),
};

const STRATEGIES = ['DEFAULT_STRATEGY', 'FILTERED', 'HUFFMAN_ONLY', 'RLE', 'FIXED'] as const;
const SETTINGS: ZlibOptions[] = [
  ...[0, 1, 4, 6, 9].map((level) => ({ level })),
  ...STRATEGIES.map((strategy) => ({ strategy: constants[`Z_${strategy}`] })),
  ...[1, 9].map((memLevel) => ({ memLevel })),
  ...[9, 12, 15].map((windowBits) => ({ windowBits })),
];

const size = (expected: number, limit = expected) => ({ expected, limit });

describe.each(Object.entries(DATA))('inflating %s', (_, data) => {
  it.each(SETTINGS)('with %o is the work of our loops, and exact', (settings) => {
    const stream = deflateRawSync(data, settings);
    const inflater = new Inflater();
    const inflated = inflater.inflate(stream, 0, data.length)!;
    expect(Buffer.compare(inflated.bytes, data)).toBe(0);
    expect(inflated.used).toBe(stream.length);
    const zlib = deflateSync(data, settings);
    expect(inflater.adler32(inflater.inflate(zlib, 2, data.length)!.bytes)).toBe(zlib.readUInt32BE(zlib.length - 4));
    expect(Buffer.compare(decodeDeflate(zlib, size(data.length)), data)).toBe(0);
    expect(Buffer.compare(decodeGzip(gzipSync(data, settings), size(data.length)), data)).toBe(0);
  });
});

it('inflates several blocks with stored ones between', () => {
  const parts = ['counts', 'what does not compress', 'a signal with noise', 'what does not compress'].map(
    (name) => DATA[name]!,
  );
  const data = Buffer.concat(parts);
  const stream = Buffer.concat(
    parts.map((part, i) =>
      deflateRawSync(part, { finishFlush: i === parts.length - 1 ? constants.Z_FINISH : constants.Z_FULL_FLUSH }),
    ),
  );
  expect(Buffer.compare(new Inflater().inflate(stream, 0, data.length)!.bytes, data)).toBe(0);
});

describe('memory', () => {
  const data = DATA['counts']!;
  const stream = deflateSync(data);

  it('of the caller receives the result', () => {
    const reuse = new Uint8Array(data.length + 10);
    const result = decodeDeflate(stream, { ...size(data.length), reuse });
    expect(result.buffer).toBe(reuse.buffer);
    expect(Buffer.compare(result, data)).toBe(0);
  });

  it('is not that of the decoder', () => {
    const first = decodeDeflate(stream, size(data.length));
    decodeDeflate(deflateSync(DATA['zeros']!), size(100_000));
    expect(Buffer.compare(first, data)).toBe(0);
  });

  it('for large streams is dropped, and streams that are too large are left to zlib', () => {
    const inflater = new Inflater();
    const large = new Uint8Array(20 * 2 ** 20).fill(3);
    expect(inflater.inflate(deflateRawSync(large), 0, large.length)?.bytes.length).toBe(large.length);
    inflater.trim();
    expect(inflater.inflate(deflateRawSync(data), 0, data.length)?.bytes.length).toBe(data.length);
    expect(inflater.inflate(deflateRawSync(data), 0, 64 * 2 ** 20)).toBeUndefined();
  });
});

/** What a decoder makes of a stream: its bytes, or its message. */
function outcome(decode: ByteDecoder, stream: Uint8Array, limit: number): string {
  try {
    return Buffer.from(decode(stream, size(limit))).toString('base64');
  } catch (error) {
    return (error as Error).message;
  }
}

const withZlib: ByteDecoder = (data, limits) =>
  inflateByPlatform('deflate', data, limits, { wrapper: 'zlib', allowsTruncated: true });
const withUnzip: ByteDecoder = (data, limits) => inflateByPlatform('gzip', data, limits, { wrapper: 'gzip' });

describe('corrupted streams', () => {
  const small = shorts(700, (i) => 300 + (i % 50) * 3 + Math.floor(random() * 9));
  const streams = [{}, { strategy: constants.Z_FIXED }, { level: 0 }, { memLevel: 1 }].map((settings) => ({
    zlib: deflateSync(small, settings),
    gzip: gzipSync(small, settings),
  }));

  it('that end early are what zlib makes of them', () => {
    for (const { zlib, gzip } of streams) {
      for (let length = 0; length <= zlib.length; length += length < 40 || length > zlib.length - 40 ? 1 : 7) {
        const start = zlib.subarray(0, length);
        expect(outcome(decodeDeflate, start, small.length)).toBe(outcome(withZlib, start, small.length));
        const other = gzip.subarray(0, length);
        expect(outcome(decodeGzip, other, small.length)).toBe(outcome(withUnzip, other, small.length));
      }
    }
  });

  it('with wrong bytes are what zlib makes of them', () => {
    const next = randomNumbers(7);
    for (let round = 0; round < 1_500; round++) {
      const { zlib, gzip } = streams[round % streams.length]!;
      const isGzip = round % 3 === 0;
      const stream = Uint8Array.from(isGzip ? gzip : zlib);
      for (let n = Math.floor(next() * 3); n >= 0; n--) stream[Math.floor(next() * stream.length)] = next() * 256;
      const [ours, theirs] = isGzip ? [decodeGzip, withUnzip] : [decodeDeflate, withZlib];
      expect(outcome(ours, stream, small.length)).toBe(outcome(theirs, stream, small.length));
    }
  });

  it('that become more or less than expected are what zlib makes of them', () => {
    const { zlib, gzip } = streams[0]!;
    for (const limit of [0, 1, small.length - 1, small.length, small.length + 1, 100_000]) {
      expect(outcome(decodeDeflate, zlib, limit)).toBe(outcome(withZlib, zlib, limit));
      expect(outcome(decodeGzip, gzip, limit)).toBe(outcome(withUnzip, gzip, limit));
    }
  });

  it('and unusual ones are what zlib makes of them', () => {
    const { zlib, gzip } = streams[0]!;
    const named = Buffer.concat([
      gzip.subarray(0, 3),
      Buffer.from([8]),
      gzip.subarray(4, 10),
      Buffer.from('a\0'),
      gzip.subarray(10),
    ]);
    const variants = [
      [Buffer.concat([zlib, Buffer.from('more')]), decodeDeflate, withZlib],
      [deflateSync(small, { dictionary: small.subarray(0, 100) }), decodeDeflate, withZlib],
      [Buffer.concat([gzip, gzip]), decodeGzip, withUnzip],
      [Buffer.concat([gzip, Buffer.alloc(9)]), decodeGzip, withUnzip],
      [Buffer.concat([gzip, Buffer.from('more')]), decodeGzip, withUnzip],
      [named, decodeGzip, withUnzip],
      [zlib, decodeGzip, withUnzip],
    ] as const;
    for (const [stream, ours, theirs] of variants) {
      expect(outcome(ours, stream, 2 * small.length)).toBe(outcome(theirs, stream, 2 * small.length));
    }
  });
});
