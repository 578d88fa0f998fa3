import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SampleArray } from '../../../packages/readers/src/model/samples/types.js';
import { interleave } from '../../support/native.js';
import { hex, readAll } from '../../support/tiff-pages.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { JPEG_VECTORS } from '../../writers/jpeg-vectors.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../../writers/jpegxr-vectors.js';
import { type ChunkBytes, type PageSpec, writeTiff } from '../../writers/tiff.js';

let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
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

  it('reads 12 bits, two and four components, and refuses them in pages of 8 bits', async () => {
    const shape = { width: 26, height: 21, compression: 7 };
    const read = async (name: keyof typeof JPEG_VECTORS, extra: Partial<PageSpec>) => {
      const { stream, sha256 } = JPEG_VECTORS[name];
      const planes = Array.from({ length: extra.photometric === 5 ? 4 : name === 'twoComponents' ? 2 : 1 }, () =>
        extra.bits === 12 ? new Uint16Array(26 * 21) : new Uint8Array(26 * 21),
      );
      const samples = planes.length === 1 ? planes[0]! : planes;
      const found = await readAll(writeTiff({ pages: [{ ...shape, samples, encode: () => stream, ...extra }] }));
      const { buffer, byteOffset, byteLength } = found.length === 1 ? found[0]! : interleave(found);
      const digest = createHash('sha256').update(new Uint8Array(buffer, byteOffset, byteLength));
      expect(digest.digest('hex')).toBe(sha256);
    };
    await read('gray12Bits', { bits: 12 });
    await read('twoComponents', {});
    await read('fourComponents', { photometric: 5 });
    await read('fourProgressive', { photometric: 5 });
    await expect(read('gray12Bits', {})).rejects.toMatchObject({
      message: expect.stringContaining('decodes to 16-bit integers, but the page has uint8 samples'),
    });
  });

  it('reads JPEG XR', async () => {
    const samples = Uint16Array.from({ length: JPEG_XR_WIDTH * JPEG_XR_HEIGHT }, (_, i) => {
      const [x, y] = [i % JPEG_XR_WIDTH, Math.floor(i / JPEG_XR_WIDTH)];
      return (701 * x + 37 * y) % 65_536;
    });
    for (const compression of [22_610, 34_934]) {
      const page = { width: JPEG_XR_WIDTH, height: JPEG_XR_HEIGHT, compression, samples, encode: () => JPEG_XR.gray16 };
      expect(await readAll(writeTiff({ pages: [page] }))).toEqual([samples]);
    }
  });

  it.each([
    [
      'cut off',
      (s: Uint8Array) => s.subarray(0, s.length - 40),
      'decode_failed',
      'JPEG data are corrupted or truncated',
    ],
    ['no JPEG', (s: Uint8Array) => s.fill(0), 'decode_failed', 'is not a JPEG stream'],
    ['10 bit', (s: Uint8Array) => patchFrame(s, 4, 10), 'decode_failed', 'JPEG with 10 bits does not exist'],
    ['5 components', (s: Uint8Array) => patchFrame(s, 9, 5), 'unsupported_format', 'JPEG with 5 components'],
    ['lossless', (s: Uint8Array) => patchFrame(s, 1, 0xc3), 'unsupported_format', 'lossless JPEG'],
    ['too wide', (s: Uint8Array) => patchFrame(s, 7, 0xff), 'decode_failed', 'JPEG image is 65,344 × 64 pixels'],
    [
      'too low',
      () => encoders.jpeg({ bytes: new Uint8Array(512), width: 64, rows: 8, samples: 1 }),
      'decode_failed',
      'decodes to 64 × 8 pixels of 1 sample; expected 64 × 64 of 1',
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
