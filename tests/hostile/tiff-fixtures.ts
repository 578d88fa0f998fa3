import type { SampleType } from '../../packages/readers/src/model/samples/types.js';
import { allocateSamples, type SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { loadEncoders } from '../writers/codecs.js';
import { type PageSpec, type TiffSpec, writeTiff } from '../writers/tiff.js';

export interface Fixture {
  name: string;
  bytes: Uint8Array;
  /** Decoded by WebAssembly: a failure costs a new instance, so these get fewer cases. */
  slow: boolean;
}

/** Samples that compress and yet differ from their neighbours. */
function ramp(type: SampleType, length: number, step = 3): SampleArray {
  const out = allocateSamples(type, length);
  for (let i = 0; i < length; i++)
    out[i] = (out instanceof BigUint64Array ? BigInt(i * step) : (i * step) % 251) as never;
  return out;
}

const SIZE = { width: 20, height: 12 };
const PIXELS = SIZE.width * SIZE.height;
const grey = (type: SampleType, extra: Partial<PageSpec> = {}): PageSpec => ({
  ...SIZE,
  samples: ramp(type, PIXELS),
  ...extra,
});
const rgb = (extra: Partial<PageSpec> = {}): PageSpec => ({
  ...SIZE,
  samples: [1, 2, 3].map((step) => ramp('uint8', PIXELS, step)),
  ...extra,
});
const TILE = { width: 16, height: 16 };

/** Small files of every compression, layout, sample width and byte order. */
export async function tiffFixtures(): Promise<Fixture[]> {
  const encoders = await loadEncoders();
  const text = { code: 270, type: 2, text: 'ImageJ=1.54\nimages=3\nunit=um\n' };
  const quick: Record<string, TiffSpec> = {
    'three pages': { pages: [grey('uint16', { tags: [text] }), grey('uint16'), grey('uint16')] },
    'IFDs at the end, big-endian': { littleEndian: false, ifds: 'end', pages: [grey('int16'), grey('int16')] },
    BigTIFF: { big: true, pages: [grey('uint16', { rowsPerStrip: 3 }), grey('uint16')] },
    'BigTIFF, big-endian, 32-bit offsets': {
      big: true,
      littleEndian: false,
      offsetType: 4,
      pages: [grey('float32', { rowsPerStrip: 4 })],
    },
    'strips apart': { pages: [grey('uint32', { rowsPerStrip: 2, chunkGap: 5 })] },
    'no byte counts': { pages: [grey('uint16', { rowsPerStrip: 2, omit: [279], compression: 8 })] },
    tiles: { pages: [grey('uint16', { tile: TILE })] },
    'chunky colours': { pages: [rgb({ rowsPerStrip: 5 })] },
    'planar colours': { pages: [rgb({ planar: true, rowsPerStrip: 5, compression: 5 })] },
    'sub-images': { pages: [grey('uint16', { subIfds: [grey('uint8'), grey('uint8')] })] },
    sparse: { pages: [grey('uint16', { rowsPerStrip: 4, sparse: [1], compression: 8 })] },
    '1 bit': {
      pages: [grey('uint8', { bits: 1, samples: Uint8Array.from({ length: PIXELS }, (_, i) => (i >> 1) & 1) })],
    },
    '12 bit, fill order 2': { pages: [grey('uint16', { bits: 12, fillOrder: 2 })] },
    '12 bit, LZW, predictor 2': { pages: [grey('uint16', { bits: 12, compression: 5, predictor: 2, tile: TILE })] },
    '40 bit': { pages: [grey('uint64', { bits: 40 })] },
    '64 bit, predictor 2': { pages: [grey('uint64', { compression: 8, predictor: 2 })] },
    'half floats, predictor 3': { pages: [grey('float16', { bits: 16, compression: 8, predictor: 3, tile: TILE })] },
    '24-bit floats': { pages: [grey('float32', { bits: 24, compression: 32946, predictor: 3 })] },
    doubles: { littleEndian: false, pages: [grey('float64', { compression: 5, predictor: 3, rowsPerStrip: 5 })] },
    LZW: { pages: [grey('uint16', { compression: 5, predictor: 2, rowsPerStrip: 5 })] },
    'LZW colours in tiles': { pages: [rgb({ compression: 5, predictor: 2, tile: TILE })] },
    PackBits: { pages: [grey('uint8', { compression: 32773, rowsPerStrip: 5 })] },
    'deflate colours': { pages: [rgb({ compression: 8, predictor: 2, rowsPerStrip: 5 })] },
    zstd: { pages: [grey('uint16', { compression: 50000, encode: encoders.zstd, predictor: 2, rowsPerStrip: 5 })] },
    circle: { pages: [grey('uint8'), grey('uint8'), grey('uint8')], next: 1 },
    'planes without IFDs': {
      pages: [grey('uint16', { extraPlanes: [ramp('uint16', PIXELS), ramp('uint16', PIXELS)] })],
    },
  };
  const square = { width: 64, height: 64, samples: Uint8Array.from({ length: 4096 }, (_, i) => i >> 6) };
  const three = [1, 2, 3].map((n) => square.samples.map((value) => (value * n) & 255));
  const slow: Record<string, TiffSpec> = {
    JPEG: { pages: [{ ...square, compression: 7, encode: encoders.jpeg, rowsPerStrip: 32 }] },
    'JPEG YCbCr in tiles': {
      pages: [
        {
          ...square,
          samples: three,
          compression: 7,
          photometric: 6,
          encode: encoders.jpeg,
          tile: { width: 64, height: 64 },
        },
      ],
    },
    'JPEG 2000': {
      pages: [{ ...square, samples: Uint16Array.from(square.samples), compression: 34712, encode: encoders.jpeg2000 }],
    },
    WebP: {
      pages: [
        {
          ...square,
          samples: [...three, square.samples],
          compression: 50001,
          encode: encoders.webp,
          tile: { width: 32, height: 32 },
        },
      ],
    },
  };
  const build = (specs: Record<string, TiffSpec>, isSlow: boolean) =>
    Object.entries(specs).map(([name, spec]) => ({ name, bytes: writeTiff(spec), slow: isSlow }));
  return [...build(quick, false), ...build(slow, true)];
}
