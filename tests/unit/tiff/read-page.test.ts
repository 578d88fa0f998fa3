import { beforeAll, describe, expect, it } from 'vitest';
import type { SampleType } from '../../../src/acquisition.js';
import { MemorySource } from '../../../src/io/byte-source.js';
import { allocateSamples, Float32Target, NativeTarget, type SampleArray } from '../../../src/plane-target.js';
import { openTiff } from '../../../src/tiff/parse.js';
import { readContiguousPlane, readPageSample, readPageSamples } from '../../../src/tiff/read-page.js';
import { CountingSource } from '../../support/counting-source.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { type ChunkBytes, type PageSpec, type TiffSpec, writeTiff } from '../../writers/tiff.js';

let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
});

const hex = (text: string) => Uint8Array.from(text.trim().split(/\s+/), (pair) => Number.parseInt(pair, 16));
const open = (bytes: Uint8Array) => openTiff(new MemorySource('memory.tif', bytes));

/** Equality of samples and their type; quick for large arrays. */
function expectSame(actual: SampleArray, expected: SampleArray): void {
  const bytes = ({ buffer, byteOffset, byteLength }: SampleArray) => Buffer.from(buffer, byteOffset, byteLength);
  const same = actual.constructor === expected.constructor && bytes(actual).equals(bytes(expected));
  if (!same) expect(actual).toEqual(expected);
  expect(same).toBe(true);
}

/** Samples of page `index`, one array per sample of a pixel. */
async function readAll(bytes: Uint8Array, index = 0): Promise<SampleArray[]> {
  const file = open(bytes);
  const page = file.page(index);
  const { width, height, sampleType, samplesPerPixel } = page.layout;
  const targets = Array.from({ length: samplesPerPixel }, () => new NativeTarget(sampleType, height, width));
  const samples = targets.map((_, sample) => sample);
  await readPageSamples(file, page, samples, targets);
  for (const sample of samples) {
    const again = new NativeTarget(sampleType, height, width);
    await readPageSample(file, page, sample, again);
    expectSame(again.data, targets[sample]?.data as SampleArray);
  }
  return targets.map((target) => target.data);
}

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

/** Values that reach the ends of the type. Floats are exact in the narrowest form. */
function pattern(type: SampleType, length: number, bits = 64, seed = 1): SampleArray {
  const out = allocateSamples(type, length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const value = state >>> 3;
    if (out instanceof BigUint64Array) out[i] = BigInt.asUintN(bits, (BigInt(value) << 35n) | BigInt(i));
    else if (out instanceof BigInt64Array) out[i] = BigInt.asIntN(bits, (BigInt(value) << 35n) | BigInt(i));
    else if (type.startsWith('float')) out[i] = ((value % 2048) - 1024) / 8;
    else if (type.startsWith('uint') && bits < 32) out[i] = value & (2 ** bits - 1);
    else out[i] = bits < 32 ? (value << (32 - bits)) >> (32 - bits) : state;
  }
  return out;
}

const WHOLE: SampleType[] = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'uint64',
  'int64',
  'float32',
  'float64',
];
const LAYOUTS: [string, Partial<PageSpec>][] = [
  ['one strip', {}],
  ['strips of 3 rows', { rowsPerStrip: 3 }],
  ['strips of 3 rows apart', { rowsPerStrip: 3, chunkGap: 3 }],
  ['tiles of 16 × 16', { tile: { width: 16, height: 16 } }],
  ['a tile larger than the image', { tile: { width: 32, height: 16 } }],
];
const ORDERS: [string, Omit<TiffSpec, 'pages'>][] = [
  ['II', {}],
  ['MM', { littleEndian: false }],
  ['II big', { big: true, ifds: 'last' }],
  ['MM big', { big: true, littleEndian: false, ifds: 'end' }],
];
const [WIDTH, HEIGHT] = [19, 7];

/** Every layout × byte order × predictor of one kind of sample, with 1 sample, 3 chunky and 3 planar ones. */
async function roundTrips(
  type: SampleType,
  spec: Partial<PageSpec>,
  predictors: (1 | 2 | 3)[],
  orders = ORDERS.slice(1, 3),
): Promise<number> {
  let count = 0;
  const planes = [1, 2, 3].map((seed) => pattern(type, WIDTH * HEIGHT, spec.bits ?? 64, seed));
  const shapes: { samples: SampleArray[]; planar?: boolean }[] = [
    { samples: planes.slice(0, 1) },
    { samples: planes },
    { samples: planes, planar: true },
  ];
  for (const [, layout] of LAYOUTS) {
    for (const [, order] of orders) {
      for (const predictor of predictors) {
        for (const shape of shapes) {
          const page = { width: WIDTH, height: HEIGHT, predictor, ...layout, ...spec, ...shape };
          const read = await readAll(writeTiff({ ...order, pages: [page] }));
          expect(read).toHaveLength(shape.samples.length);
          for (const [i, plane] of read.entries()) expectSame(plane, shape.samples[i] as SampleArray);
          count++;
        }
      }
    }
  }
  return count;
}

describe('round trips: every layout, byte order and number of samples', () => {
  it.each(WHOLE)('%s uncompressed, deflate and LZW, with predictors', async (type) => {
    const predictors: (1 | 2 | 3)[] = type.startsWith('float') ? [1, 2, 3] : [1, 2];
    expect(await roundTrips(type, {}, [1, 2], ORDERS)).toBe(120);
    await roundTrips(type, { compression: 8 }, predictors);
    await roundTrips(type, { compression: 5 }, [2]);
  });

  it.each([1, 2, 3, 4, 7, 9, 10, 12, 14, 15, 17, 24, 25, 31, 33, 63])('%i bits', async (bits) => {
    const whole = [8, 16, 32, 64].find((width) => width > bits);
    await roundTrips(`uint${whole}` as SampleType, { bits }, [1]);
    await roundTrips(`int${whole}` as SampleType, { bits, compression: 8 }, bits > 1 ? [1, 2] : [1]);
  });

  it('16- and 24-bit floats, with predictors', async () => {
    await roundTrips('float16', { bits: 16 }, [1]);
    await roundTrips('float16', { bits: 16, compression: 8 }, [2, 3]);
    await roundTrips('float32', { bits: 24 }, [1]);
    await roundTrips('float32', { bits: 24, compression: 32946 }, [1, 3]);
  });

  it('FillOrder 2, uncompressed and compressed', async () => {
    await roundTrips('uint16', { fillOrder: 2 }, [1, 2]);
    await roundTrips('uint16', { fillOrder: 2, compression: 5 }, [1, 2]);
    await roundTrips('uint8', { fillOrder: 2, compression: 32773 }, [1]);
    await roundTrips('uint16', { fillOrder: 2, bits: 12, compression: 8 }, [1]);
  });

  it('PackBits and zstd', async () => {
    await roundTrips('uint8', { compression: 32773 }, [1]);
    await roundTrips('int16', { compression: 32773 }, [1]);
    for (const compression of [50000, 34926]) {
      await roundTrips('uint16', { compression, encode: encoders.zstd }, [1, 2]);
    }
    await roundTrips('float32', { compression: 50000, encode: encoders.zstd }, [3]);
  });

  it('JPEG 2000, 8 and 16 bit, strips and tiles', async () => {
    const shape = { width: 64, height: 64 };
    for (const compression of [34712, 33004, 33005]) {
      for (const layout of [{}, { rowsPerStrip: 32 }, { tile: { width: 32, height: 32 } }]) {
        const samples = Uint16Array.from({ length: 64 * 64 }, (_, i) => i * 16);
        const page = { ...shape, samples, compression, encode: encoders.jpeg2000, ...layout };
        expect(await readAll(writeTiff({ pages: [page] }))).toEqual([samples]);
      }
    }
    const rgb = [1, 2, 3].map((seed) => Uint8Array.from({ length: 64 * 64 }, (_, i) => (i >> 4) * seed));
    const page = { ...shape, samples: rgb, compression: 34712, encode: encoders.jpeg2000 };
    expect(await readAll(writeTiff({ pages: [page] }))).toEqual(rgb);
    expect(await readAll(writeTiff({ pages: [{ ...page, planar: true }] }))).toEqual(rgb);
  });

  it('WebP, RGBA and RGB', async () => {
    const planes = [1, 2, 3, 4].map((seed) => pattern('uint8', 32 * 32, 8, seed));
    const tile = { width: 16, height: 16 };
    for (const compression of [50001, 34927]) {
      const page = { width: 32, height: 32, samples: planes, compression, encode: encoders.webp, tile };
      expect(await readAll(writeTiff({ pages: [page] }))).toEqual(planes);
    }
    const withAlpha = ({ bytes, width, rows }: ChunkBytes) => {
      const rgba = new Uint8Array(width * rows * 4).fill(255);
      for (let i = 0; i < width * rows; i++) rgba.set(bytes.subarray(i * 3, i * 3 + 3), i * 4);
      return encoders.webp({ bytes: rgba, width, rows, samples: 4 });
    };
    const page = { width: 32, height: 32, samples: planes.slice(0, 3), compression: 50001, encode: withAlpha };
    expect(await readAll(writeTiff({ pages: [page] }))).toEqual(planes.slice(0, 3));
  });
});

describe('JPEG', () => {
  const flat = (value: number) => new Uint8Array(64 * 64).fill(value);
  const red = [flat(255), flat(0), flat(0)];
  const noJfif = (stream: Uint8Array) => {
    // The JFIF segment follows the start mark: ff e0, then its length.
    expect([stream[2], stream[3]]).toEqual([0xff, 0xe0]);
    const length = ((stream[4] as number) << 8) | (stream[5] as number);
    return Buffer.concat([stream.subarray(0, 2), stream.subarray(4 + length)]);
  };
  const page = (extra: Partial<PageSpec>): Uint8Array =>
    writeTiff({ pages: [{ width: 64, height: 64, samples: red, compression: 7, encode: encoders.jpeg, ...extra }] });
  const firsts = (planes: SampleArray[]) => planes.map((plane) => Number(plane[0]));

  it('decodes grey', async () => {
    expect(await readAll(page({ samples: flat(77), tile: { width: 32, height: 32 } }))).toEqual([flat(77)]);
  });

  it('converts YCbCr to RGB where the tag says YCbCr', async () => {
    expect(firsts(await readAll(page({ photometric: 6 })))).toEqual([254, 0, 0]);
    const plain = { encode: (chunk: ChunkBytes) => noJfif(encoders.jpeg(chunk)) };
    expect(firsts(await readAll(page({ photometric: 6, ...plain })))).toEqual([254, 0, 0]);
  });

  it('leaves components alone where the tag says RGB, unless a JFIF header says YCbCr', async () => {
    // Red as YCbCr: 0.299 · 255 = 76; 128 − 0.168736 · 255 = 85; 128 + 0.5 · 255 = 255.
    const plain = { encode: (chunk: ChunkBytes) => noJfif(encoders.jpeg(chunk)) };
    expect(firsts(await readAll(page({ photometric: 2, ...plain })))).toEqual([76, 85, 255]);
    expect(firsts(await readAll(page({ photometric: 2 })))).toEqual([254, 0, 0]);
  });

  it('joins the tables of tag 347 with the strips', async () => {
    const split = (stream: Uint8Array) => {
      const tables: Uint8Array[] = [];
      const rest: Uint8Array[] = [];
      let at = 2;
      while (stream[at + 1] !== 0xda) {
        const end = at + 2 + (((stream[at + 2] as number) << 8) | (stream[at + 3] as number));
        (stream[at + 1] === 0xdb || stream[at + 1] === 0xc4 ? tables : rest).push(stream.subarray(at, end));
        at = end;
      }
      const start = hex('ff d8');
      return {
        tables: Buffer.concat([start, ...tables, hex('ff d9')]),
        image: Buffer.concat([start, ...rest, stream.subarray(at)]),
      };
    };
    const chunk = { bytes: flat(200), width: 64, rows: 64, samples: 1 };
    const { tables, image } = split(encoders.jpeg(chunk));
    const bytes = page({ samples: flat(200), encode: () => image, tags: [{ code: 347, type: 7, bytes: tables }] });
    expect(await readAll(bytes)).toEqual([flat(200)]);
  });

  it.each([
    ['cut off', (s: Uint8Array) => s.subarray(0, s.length - 40), 'decode_failed', 'JPEG data are damaged or cut off'],
    ['no JPEG', (s: Uint8Array) => s.fill(0), 'decode_failed', 'is no JPEG stream'],
    ['12 bit', (s: Uint8Array) => patchFrame(s, 4, 12), 'unsupported_format', '12-bit JPEG'],
    ['lossless', (s: Uint8Array) => patchFrame(s, 1, 0xc3), 'unsupported_format', 'lossless JPEG'],
    ['too wide', (s: Uint8Array) => patchFrame(s, 7, 0xff), 'decode_failed', 'claims 65344 × 64 pixels'],
    [
      'too low',
      () => encoders.jpeg({ bytes: new Uint8Array(512), width: 64, rows: 8, samples: 1 }),
      'decode_failed',
      'decodes to 64 × 8 pixels of 1 samples, not 64 × 64 of 1',
    ],
  ])('refuses a stream that is %s, and decodes the next one', async (_, damage, code, message) => {
    const samples = Uint8Array.from({ length: 4096 }, (__, i) => (i >> 3) & 255);
    const bytes = page({ samples, encode: (chunk) => damage(encoders.jpeg(chunk)) });
    const error = { code, message: expect.stringContaining(message) };
    await expect(readAll(bytes)).rejects.toMatchObject(error);
    expect(await readAll(page({ samples: flat(9) }))).toEqual([flat(9)]);
  });

  /** Changes one byte of the frame header (SOF0 or SOF2). */
  function patchFrame(stream: Uint8Array, at: number, value: number): Uint8Array {
    for (let i = 2; i < stream.length; i += 2 + (((stream[i + 2] as number) << 8) | (stream[i + 3] as number))) {
      if (stream[i + 1] !== 0xc0 && stream[i + 1] !== 0xc2) continue;
      stream[i + at] = value;
      return stream;
    }
    throw new Error('no frame header');
  }
});

describe('what is stored is served', () => {
  const grey = { width: 4, height: 1, samples: Uint8Array.of(0, 1, 2, 255) };

  it.each([0, 1, 3, 4])('photometric %i is not interpreted', async (photometric) => {
    expect(await readAll(writeTiff({ pages: [{ ...grey, photometric }] }))).toEqual([grey.samples]);
  });

  it('separated colours are four samples, extra samples further ones', async () => {
    const planes = [1, 2, 3, 4, 5].map((seed) => pattern('uint8', 4, 8, seed));
    expect(await readAll(writeTiff({ pages: [{ ...grey, samples: planes, photometric: 5 }] }))).toEqual(planes);
  });

  it('sparse strips and tiles are zeros', async () => {
    const samples = Uint16Array.from({ length: 64 * 4 }, (_, i) => i + 1);
    for (const compression of [1, 8]) {
      const page = { width: 64, height: 4, samples, compression, sparse: [1] };
      const [strips] = await readAll(writeTiff({ pages: [{ ...page, rowsPerStrip: 2 }] }));
      expect(strips).toEqual(samples.map((value, i) => (i >= 128 ? 0 : value)));
      const [tiles] = await readAll(writeTiff({ pages: [{ ...page, tile: { width: 32, height: 4 } }] }));
      expect(tiles).toEqual(samples.map((value, i) => (i % 64 >= 32 ? 0 : value)));
    }
  });

  it('missing byte counts are derived', async () => {
    const samples = pattern('uint16', 37 * 11, 16);
    for (const compression of [1, 5, 8]) {
      const page = { width: 37, height: 11, samples, compression, rowsPerStrip: 3, omit: [279] };
      expect(await readAll(writeTiff({ pages: [page, page] }), 1)).toEqual([samples]);
    }
  });

  it('RowsPerStrip may be missing, 2³²−1 or above the height', async () => {
    const page = { ...grey, samples: Uint8Array.of(1, 2, 3, 4) };
    const values = [[2 ** 32 - 1], [99]];
    for (const value of values) {
      const bytes = writeTiff({ pages: [{ ...page, tags: [{ code: 278, type: 4, values: value }] }] });
      expect(await readAll(bytes)).toEqual([page.samples]);
    }
    expect(await readAll(writeTiff({ pages: [{ ...page, omit: [278] }] }))).toEqual([page.samples]);
  });

  it('byte counts that are too large are cut at the end of the file', async () => {
    const samples = pattern('uint16', 37 * 11, 16);
    for (const compression of [1, 8]) {
      const tags = [{ code: 279, type: 4, values: [9_999_999] }];
      const bytes = writeTiff({ pages: [{ width: 37, height: 11, samples, compression, tags }] });
      expect(await readAll(bytes)).toEqual([samples]);
    }
  });

  it('rows of many megabytes are read in pieces', async () => {
    const width = 4 * 2 ** 20 + 3;
    const samples = new Uint8Array(width);
    for (let i = 0; i < width; i++) samples[i] = i % 251;
    const file = open(writeTiff({ pages: [{ width, height: 1, samples }] }));
    const whole = new NativeTarget('uint8', 1, width);
    await readPageSample(file, file.page(0), 0, whole);
    expectSame(whole.data, samples);
    // The same bytes as 4-bit pixels of twice the width.
    const tags = [256, 258].map((code) => ({ code, type: 4, values: [code === 256 ? width * 2 : 4] }));
    const packed = open(writeTiff({ pages: [{ width, height: 1, samples, tags }] }));
    const halves = new NativeTarget('uint8', 1, width * 2);
    await readPageSample(packed, packed.page(0), 0, halves);
    const nibble = (i: number) => (i % 2 === 0 ? (samples[i >> 1] as number) >> 4 : (samples[i >> 1] as number) & 15);
    expectSame(
      halves.data,
      Uint8Array.from({ length: width * 2 }, (_, i) => nibble(i)),
    );
  });
});

describe('planes without an IFD', () => {
  const planes = [0, 1, 2].map((n) => Uint16Array.from({ length: 12 }, (_, i) => n * 100 + i));
  const spec = { width: 4, height: 3, samples: planes[0] as Uint16Array, extraPlanes: planes.slice(1) };

  it.each([true, false])('follow the first one (little-endian: %s)', async (littleEndian) => {
    const file = open(writeTiff({ littleEndian, pages: [spec] }));
    const page = file.page(0);
    const start = page.number(273) as number;
    for (const [n, plane] of planes.entries()) {
      const target = new NativeTarget('uint16', 3, 4);
      await readContiguousPlane(file, page, 0, start + n * 24, target);
      expect(target.data).toEqual(plane);
    }
    const target = new NativeTarget('uint16', 3, 4);
    await expect(readContiguousPlane(file, page, 0, start + 60, target)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining(`the plane at offset ${start + 60} needs 24 bytes`),
    });
  });

  it('may be interleaved or planar', async () => {
    const rgb = planes.map((plane) => plane.slice());
    for (const planar of [false, true]) {
      const file = open(writeTiff({ pages: [{ ...spec, samples: rgb, extraPlanes: [], planar }] }));
      const page = file.page(0);
      for (const sample of [0, 1, 2]) {
        const target = new NativeTarget('uint16', 3, 4);
        await readContiguousPlane(file, page, sample, page.number(273) as number, target);
        expect(target.data).toEqual(rgb[sample]);
      }
    }
  });

  it('are never compressed', async () => {
    const file = open(writeTiff({ pages: [{ ...spec, compression: 8, extraPlanes: [] }] }));
    const target = new NativeTarget('uint16', 3, 4);
    await expect(readContiguousPlane(file, file.page(0), 0, 8, target)).rejects.toThrow(/is compressed/);
  });
});

describe('what is damaged is named', () => {
  const samples = pattern('uint16', 37 * 11, 16);
  const spec: PageSpec = { width: 37, height: 11, samples, rowsPerStrip: 4 };
  const failure = async (page: Partial<PageSpec>, cut = 0, index = 0) => {
    const bytes = writeTiff({ pages: [{ ...spec, ...page }] });
    return await readAll(bytes.subarray(0, bytes.length - cut), index).then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it.each<[string, Partial<PageSpec>, number, string, RegExp]>([
    [
      'file cut',
      {},
      1,
      'decode_failed',
      /^memory.tif: page 1 \(IFD at offset 8\): strip 3 of 3 at offset \d+ needs 222 bytes, but the file ends at/,
    ],
    ['deflate cut', { compression: 8 }, 9, 'decode_failed', /strip 3 of 3 at offset \d+: holds \d+ bytes of the 222/],
    ['LZW cut', { compression: 5 }, 9, 'decode_failed', /strip 3 of 3 at offset \d+: holds \d+ bytes of the 222/],
    [
      'deflate damaged',
      { compression: 8, encode: () => hex('00 01 02 03') },
      0,
      'decode_failed',
      /strip 1 of 3 at offset \d+: deflate data are damaged/,
    ],
    [
      'deflate bomb',
      { compression: 8, encode: ({ bytes }) => Buffer.concat([bombHead, bytes]) },
      0,
      'decode_failed',
      /deflate data are damaged/,
    ],
    [
      'LZW code',
      { compression: 5, encode: () => hex('80 7f ff ff') },
      0,
      'decode_failed',
      /LZW code 511 at decoded byte 0 stands for nothing/,
    ],
    ['no offsets', { omit: [273] }, 0, 'decode_failed', /names 0 of its 3 strips/],
    ['few offsets', { tags: [{ code: 273, type: 4, values: [8, 8] }] }, 0, 'decode_failed', /names 2 of its 3 strips/],
    [
      'few counts',
      { tags: [{ code: 279, type: 4, values: [8, 8] }] },
      0,
      'decode_failed',
      /gives the size of 2 of its 3 strips/,
    ],
    [
      'short counts',
      { tags: [{ code: 279, type: 4, values: [296, 8, 222] }] },
      0,
      'decode_failed',
      /strip 2 of 3 at offset \d+ has 8 bytes of the 296/,
    ],
    [
      'offset 0 with a count',
      { tags: [{ code: 273, type: 4, values: [0, 0, 0] }] },
      0,
      'decode_failed',
      /strip 1 of 3 at offset 0 is no place for pixels/,
    ],
    ['no width', { omit: [256] }, 0, 'decode_failed', /has no ImageWidth/],
    ['width 0', { tags: [{ code: 256, type: 4, values: [0] }] }, 0, 'decode_failed', /ImageWidth is 0/],
    [
      'claims too much',
      { tags: [{ code: 257, type: 4, values: [30_000] }] },
      0,
      'decode_failed',
      /claims 37 × 30000 pixels, 2220000 bytes, but the file has only/,
    ],
    [
      'too large',
      {
        tags: [
          { code: 256, type: 4, values: [2 ** 26] },
          { code: 257, type: 4, values: [2 ** 26] },
        ],
      },
      0,
      'plane_too_large',
      /claims 67108864 × 67108864 pixels/,
    ],
    ['0 bits', { tags: [{ code: 258, type: 3, values: [0] }] }, 0, 'decode_failed', /claims 0 bits per sample/],
    ['65 bits', { tags: [{ code: 258, type: 3, values: [65] }] }, 0, 'decode_failed', /claims 65 bits per sample/],
    ['sample format 9', { sampleFormat: 9 }, 0, 'decode_failed', /claims SampleFormat 9/],
    ['complex', { sampleFormat: 6 }, 0, 'unsupported_format', /holds complex numbers/],
    [
      '8-bit float',
      {
        tags: [
          { code: 258, type: 3, values: [8] },
          { code: 339, type: 3, values: [3] },
        ],
      },
      0,
      'unsupported_format',
      /8-bit floating point/,
    ],
    ['rows per strip 0', { tags: [{ code: 278, type: 4, values: [0] }] }, 0, 'decode_failed', /RowsPerStrip is 0/],
    [
      '5000 samples',
      { tags: [{ code: 277, type: 3, values: [5000] }] },
      0,
      'decode_failed',
      /claims 5000 samples per pixel/,
    ],
    ['volume', { tags: [{ code: 32997, type: 4, values: [5] }] }, 0, 'unsupported_format', /volume of 5 slices/],
    [
      'float predictor on integers',
      { predictor: 3, encode: ({ bytes }) => bytes },
      0,
      'decode_failed',
      /its samples are integers/,
    ],
    [
      'predictor 34892',
      { tags: [{ code: 317, type: 3, values: [34892] }] },
      0,
      'unsupported_format',
      /predictor 34892/,
    ],
    ['LERC', { compression: 34887, encode: ({ bytes }) => bytes }, 0, 'unsupported_format', /compressed with LERC/],
    ['LZMA', { compression: 34925, encode: ({ bytes }) => bytes }, 0, 'unsupported_format', /compressed with LZMA/],
    [
      'unknown codec',
      { compression: 4711, encode: ({ bytes }) => bytes },
      0,
      'unsupported_format',
      /unknown method \(Compression 4711\)/,
    ],
  ])('%s', async (_, page, cut, code, message) => {
    expect(await failure(page, cut)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('samples that differ in width', async () => {
    const rgb = [1, 2, 3].map((seed) => pattern('uint8', 12, 8, seed));
    const tags = [{ code: 258, type: 3, values: [5, 6, 5] }];
    const bytes = writeTiff({ pages: [{ width: 4, height: 3, samples: rgb, tags }] });
    await expect(readAll(bytes)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining('(5, 6, 5)'),
    });
  });

  it('a sample or a shape that the page does not have', async () => {
    const file = open(writeTiff({ pages: [spec] }));
    const page = file.page(0);
    await expect(readPageSample(file, page, 1, new Float32Target(11, 37))).rejects.toThrow(
      /has no sample 1; it has 1 per pixel/,
    );
    await expect(readPageSample(file, page, 0, new Float32Target(37, 11))).rejects.toThrow(
      /has 11 lines of 37 pixels, not 37 of 11/,
    );
  });

  it.each([1, 8])('an abort between pieces of a plane (compression %i)', async (compression) => {
    const plane = { width: 1024, height: 2048, samples: new Uint16Array(1024 * 2048) };
    const file = open(writeTiff({ pages: [{ ...plane, compression, rowsPerStrip: 256 }] }));
    const controller = new AbortController();
    let pieces = 0;
    const put = () => {
      pieces++;
      controller.abort();
    };
    const target = { rows: 2048, columns: 1024, put };
    await expect(readPageSample(file, file.page(0), 0, target, controller.signal)).rejects.toThrow(/aborted/);
    expect(pieces).toBe(1);
  });

  it('an aborted signal', async () => {
    const file = open(writeTiff({ pages: [spec] }));
    const signal = AbortSignal.abort();
    await expect(readPageSample(file, file.page(0), 0, new Float32Target(11, 37), signal)).rejects.toThrow(/aborted/);
  });
});

/** A zlib header and a block that refers back before the start of the data. */
const bombHead = hex('78 9c 03 02');

describe('the cost of a plane', () => {
  const samples = pattern('uint16', 64 * 32, 16);

  it('one plane of 1000 pages reads that plane and its IFD', async () => {
    const pages = new Array<PageSpec>(1000).fill({ width: 64, height: 32, samples, rowsPerStrip: 8 });
    const source = new CountingSource(writeTiff({ pages }));
    const file = openTiff(source);
    source.reset();
    const target = new Float32Target(32, 64);
    await readPageSample(file, file.page(700), 0, target);
    expect(target.data).toEqual(Float32Array.from(samples as Uint16Array));
    expect(source.bytes).toBeLessThanOrEqual(samples.byteLength + 1024);
    expect(source.reads).toBeLessThanOrEqual(3);
  });

  it('strips side by side are read together, strips apart one by one', async () => {
    const count = async (chunkGap: number) => {
      const source = new CountingSource(
        writeTiff({ pages: [{ width: 64, height: 32, samples, rowsPerStrip: 1, chunkGap }] }),
      );
      const file = openTiff(source);
      const page = file.page(0);
      page.numbers(273);
      source.reset();
      await readPageSample(file, page, 0, new Float32Target(32, 64));
      return source.reads;
    };
    expect(await count(0)).toBeLessThanOrEqual(3);
    expect(await count(2)).toBeGreaterThanOrEqual(32);
  });

  it('interleaved strips are decoded once for all samples read one after the other', async () => {
    const planes = [1, 2, 3].map((seed) => pattern('uint8', 64 * 32, 8, seed));
    const bytes = writeTiff({ pages: [{ width: 64, height: 32, samples: planes, compression: 8, rowsPerStrip: 8 }] });
    const source = new CountingSource(bytes);
    const file = openTiff(source);
    for (const sample of [0, 1, 2]) await readPageSample(file, file.page(0), sample, new Float32Target(32, 64));
    expect(source.bytes).toBeLessThan(bytes.length + 4096);
  });
});
