import { beforeAll, describe, expect, it } from 'vitest';
import { expectedPlane, expectSamePlane, openFiles, servedPlane } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { type CziBlock, dims, hiLo, PIXEL_TYPES, words, writeCzi, zstd1, zstdStored } from '../../writers/czi.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../../writers/jpegxr-vectors.js';

const folder = tempFolder();
const open = (block: CziBlock) => openFiles(folder, { 'coded.czi': writeCzi({ blocks: [block] }) });

const raw16 = words(64 * 48, (i) => (i % 64) * 300 + Math.floor(i / 64));
const plane16 = expectedPlane(48, 64, (y, x) => x * 300 + y);
const gray16 = { dims: dims({ X: 64, Y: 48, C: 1 }), pixelType: PIXEL_TYPES.Gray16 };

let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
});
const zstd = (bytes: Uint8Array) => encoders.zstd({ bytes, width: 64, rows: 48, samples: 1 } as never);

describe('CZI with Zstd', () => {
  it.each([
    ['method 5', 5, () => zstd(raw16)],
    ['method 6 without options', 6, () => Uint8Array.from([1, ...zstd(raw16)])],
    ['method 6, bytes as they are', 6, () => zstd1(zstd(raw16), false)],
    ['method 6, low and high bytes apart', 6, () => zstd1(zstd(hiLo(raw16)), true)],
    ['method 6, of stored blocks', 6, () => zstd1(zstdStored(hiLo(raw16)), true)],
  ])('decodes %s', async (_, compression, encode) => {
    const opened = await open({ ...gray16, compression, data: encode() });
    expectSamePlane(await servedPlane(opened), plane16);
    opened.close();
  });

  it('joins low and high bytes for any number of samples', async () => {
    for (const columns of [1, 5, 7, 8, 12]) {
      const raw = words(columns * 3, (i) => 0xfedc - 4099 * i);
      const block = { dims: dims({ X: columns, Y: 3 }), pixelType: PIXEL_TYPES.Gray16 };
      const opened = await open({ ...block, compression: 6, data: zstd1(zstdStored(hiLo(raw)), true) });
      const sample = (y: number, x: number) => (0xfedc - 4099 * (y * columns + x)) & 0xffff;
      expectSamePlane(await servedPlane(opened), expectedPlane(3, columns, sample));
      opened.close();
    }
  });

  it('keeps 8-bit samples in their order regardless of the flag', async () => {
    const bytes = Uint8Array.from({ length: 96 }, (_, i) => i);
    const block = { dims: dims({ X: 12, Y: 8 }), pixelType: PIXEL_TYPES.Gray8 };
    const opened = await open({ ...block, compression: 6, data: zstd1(zstdStored(bytes), true) });
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(8, 12, (y, x) => 12 * y + x),
    );
    opened.close();
  });

  it('reads all colors of one subblock', async () => {
    const bytes = Uint8Array.from({ length: 36 }, (_, i) => i);
    const block = { dims: dims({ X: 4, Y: 3 }), pixelType: PIXEL_TYPES.Bgr24 };
    const opened = await open({ ...block, compression: 5, data: zstdStored(bytes) });
    for (const channel of [0, 1, 2]) {
      const sample = (y: number, x: number) => 3 * (4 * y + x) + 2 - channel;
      expectSamePlane(await servedPlane(opened, { channel }), expectedPlane(3, 4, sample));
    }
    opened.close();
  });

  it.each([
    [
      'another size than the entry',
      () => zstd1(zstd(raw16.slice(2)), false),
      /Zstd data decompressed to 6,142 bytes; expected 6,144/,
    ],
    [
      'more than the entry',
      () => zstd1(zstd(words(6400, () => 1)), false),
      /decompress to 12,800 bytes; expected 6,144/,
    ],
    ['a cut end', () => zstd1(zstd(raw16).slice(0, -20), false), /corrupted or truncated/],
    [
      'unknown options',
      () => Uint8Array.from([4, 2, 0, 0, ...zstd(raw16)]),
      /options in the Zstd header are not supported/,
    ],
    ['no header', () => Uint8Array.of(0x83), /Zstd header is corrupted/],
  ])('refuses data with %s', async (_, encode, message) => {
    const opened = await open({ ...gray16, compression: 6, data: encode() });
    await expect(servedPlane(opened)).rejects.toThrow(message);
    await expect(servedPlane(opened)).rejects.toMatchObject({
      message: expect.stringContaining('subblock at offset 544'),
    });
    opened.close();
  });
});

describe('CZI with JPEG XR', () => {
  const picture = (pixelType: number, data: Uint8Array): CziBlock => ({
    dims: dims({ X: JPEG_XR_WIDTH, Y: JPEG_XR_HEIGHT }),
    pixelType,
    compression: 4,
    data,
  });
  const plane = (sample: (y: number, x: number) => number) => expectedPlane(JPEG_XR_HEIGHT, JPEG_XR_WIDTH, sample);

  it.each([
    ['gray8', PIXEL_TYPES.Gray8, [(y: number, x: number) => (7 * x + 3 * y) % 256]],
    ['gray16', PIXEL_TYPES.Gray16, [(y: number, x: number) => (701 * x + 37 * y) % 65_536]],
    ['gray32Float', PIXEL_TYPES.Gray32Float, [(y: number, x: number) => (x + y) / 4]],
    [
      'bgr24',
      PIXEL_TYPES.Bgr24,
      [(_: number, x: number) => 10 * x, (y: number) => 12 * y, (y: number, x: number) => x + y],
    ],
    [
      'rgb48',
      PIXEL_TYPES.Bgr48,
      [(_: number, x: number) => 1000 * x, (y: number) => 1200 * y, (y: number, x: number) => x + y],
    ],
  ] as const)('decodes %s', async (name, pixelType, samples) => {
    const opened = await open(picture(pixelType, JPEG_XR[name]));
    for (const [channel, sample] of samples.entries()) {
      expectSamePlane(await servedPlane(opened, { channel }), plane(sample));
    }
    opened.close();
  });

  it('leaves no handlers on the process', async () => {
    const before = process.listenerCount('unhandledRejection');
    const opened = await open(picture(PIXEL_TYPES.Gray8, JPEG_XR.gray8));
    await servedPlane(opened);
    opened.close();
    expect(process.listenerCount('unhandledRejection')).toBe(before);
  });

  it('refuses streams that are corrupted, truncated, or of another size, and reads the next one', async () => {
    const stream = JPEG_XR.gray16;
    const wider = { ...picture(PIXEL_TYPES.Gray16, stream), dims: dims({ X: 24, Y: 10 }) };
    const small = { ...picture(PIXEL_TYPES.Gray16, stream), dims: dims({ X: 10, Y: 10 }) };
    const bad: [CziBlock, RegExp][] = [
      [picture(PIXEL_TYPES.Gray16, stream.slice(0, 60)), /truncated|corrupted/],
      [picture(PIXEL_TYPES.Gray16, new Uint8Array(200)), /is not a JPEG XR image/],
      [
        picture(PIXEL_TYPES.Gray8, stream),
        /decoded to 20 × 12 pixels of 1 × 16 bits; expected 240 pixels of type Gray8/,
      ],
      [wider, /decoded to 20 × 12 pixels/],
      [small, /JPEG XR image is 20 × 12 pixels; the limit is/],
    ];
    for (const [block, message] of bad) {
      const opened = await open(block);
      await expect(servedPlane(opened)).rejects.toThrow(message);
      opened.close();
    }
    const opened = await open(picture(PIXEL_TYPES.Gray16, stream));
    expectSamePlane(
      await servedPlane(opened),
      plane((y, x) => (701 * x + 37 * y) % 65_536),
    );
    opened.close();
  });
});

describe('CZI with JPEG', () => {
  it('decodes 8-bit samples to nearly what was encoded', async () => {
    const bytes = Uint8Array.from({ length: 64 * 48 }, (_, i) => (i % 64) * 2 + Math.floor(i / 64));
    const data = encoders.jpeg({ bytes, width: 64, rows: 48, samples: 1 } as never);
    const opened = await open({ dims: dims({ X: 64, Y: 48 }), pixelType: PIXEL_TYPES.Gray8, compression: 1, data });
    const served = await servedPlane(opened);
    expect(Math.max(...served.map((value, i) => Math.abs(value - bytes[i]!)))).toBeLessThan(6);
    opened.close();
  });
});

describe('CZI that cannot be read', () => {
  it.each([
    [2, /compression with LZW is not supported/],
    [3, /lossless JPEG/],
    [104, /a camera-specific format \(104\)/],
    [77, /method 77/],
  ])('is refused with the name of compression %i', async (compression, message) => {
    const opened = await open({ ...gray16, compression, data: new Uint8Array(100) });
    const refused = { code: 'unsupported_format', message: expect.stringMatching(message) };
    await expect(servedPlane(opened)).rejects.toMatchObject(refused);
    opened.close();
  });

  it('has an error, never zeros, for pixels missing from a subblock', async () => {
    const opened = await open({ ...gray16, data: raw16.slice(0, 6000) });
    await expect(servedPlane(opened)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/subblock at offset 544: contains 6,000 bytes of pixels; expected 6,144/),
    });
    opened.close();
  });
});
