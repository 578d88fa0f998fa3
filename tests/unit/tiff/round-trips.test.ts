import { beforeAll, describe, expect, it } from 'vitest';
import type { SampleArray, SampleType } from '../../../packages/readers/src/model/samples/types.js';
import { expectSame, pattern, readAll } from '../../support/tiff-pages.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { type ChunkBytes, type PageSpec, type TiffSpec, writeTiff } from '../../writers/tiff.js';

let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
});

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
