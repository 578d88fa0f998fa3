import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openDocument } from '../../../packages/readers/src/formats/ome-xml/index.js';
import { type OpenedAcquisition, openAcquisition } from '../../../packages/server/src/open.js';
import { CountingSource } from '../../support/counting-source.js';
import { readNative } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { summary, withFixture } from '../../support/tiff-cases.js';
import { binData, type OmeImageSpec, omeXml } from '../../writers/ome.js';

const root = tempFolder();
const document = (image: OmeImageSpec) => omeXml({ images: [image] });
const open = <T>(text: string | Uint8Array, use: (opened: OpenedAcquisition) => Promise<T>, name = 'a.ome') =>
  withFixture(root, { [name]: text }, use);
const plane = async (opened: OpenedAcquisition, at: { channel?: number; t?: number; z?: number } = {}) =>
  Array.from(await readNative(opened, 0, { channel: 0, t: 0, z: 0, ...at }), Number);
const warnings = ({ acquisition }: OpenedAcquisition) => acquisition.info.scenes[0]?.warnings;

/** The swatch of the OME schema: 6 × 4 pixels. */
const SWATCH = Uint8Array.of(
  ...[0xff, 0x00, 0xab, 0xce, 0xea, 0xff, 0xff, 0x00, 0x79, 0xa0, 0xc3, 0xe2],
  ...[0xf9, 0xff, 0xbc, 0xff, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09],
);
const swatch = (content: string, more: Partial<OmeImageSpec> = {}): OmeImageSpec => ({
  ...{ type: 'uint8', sizes: { X: 6, Y: 4 }, pixels: { PhysicalSizeX: 10_000 }, children: [content] },
  ...more,
});

describe('OME-XML with pixels', () => {
  it.each([
    ['in one line', binData(SWATCH)],
    ['in lines', binData(SWATCH, {}, { wrap: true })],
    ['with a prefix, and a length that is wrong', binData(SWATCH, { Length: 24 }, { prefix: 'Bin:' })],
    ['compressed', binData(deflateSync(SWATCH), { Compression: 'zlib' })],
  ])('%s opens', async (_, content) => {
    await open(document(swatch(content)), async (opened) => {
      expect(opened.format.id).toBe('ome-xml');
      expect(opened.acquisition.info.format).toBe('ome');
      expect(await plane(opened)).toEqual([...SWATCH]);
      expect(summary(opened.acquisition.info.scenes[0]).steps['X']).toEqual([10_000, 'micrometer', 'file']);
    });
  });

  it.each(['a.ome', 'a.ome.xml', 'a.companion.ome'])('opens as %s', async (name) => {
    await open(
      document(swatch(binData(SWATCH))),
      async (opened) => expect(await plane(opened)).toEqual([...SWATCH]),
      name,
    );
  });

  it.each([
    ['little-endian', Buffer.from(document(swatch(binData(SWATCH))), 'utf16le')],
    ['big-endian', Buffer.from(document(swatch(binData(SWATCH))), 'utf16le').swap16()],
  ])('opens in UTF-16, %s', async (_, bytes) => {
    await open(new Uint8Array(bytes), async (opened) => expect(await plane(opened)).toEqual([...SWATCH]));
  });

  it.each([
    ['of the block', 'true', {}, [1, 256]],
    ['of the block, low byte first', 'f', { BigEndian: 'true' }, [256, 1]],
    ['of the image', undefined, { BigEndian: 't' }, [1, 256]],
    ['that is assumed', undefined, {}, [1, 256]],
  ])('has the byte order %s', async (label, own, pixels, expected) => {
    const content = binData(Uint8Array.of(0, 1, 1, 0), own === undefined ? {} : { BigEndian: own });
    const image = { type: 'uint16', sizes: { X: 2, Y: 1 }, pixels, children: [content] };
    await open(document(image), async (opened) => {
      expect(await plane(opened)).toEqual(expected);
      expect(warnings(opened)).toEqual(label.includes('assumed') ? [expect.stringContaining('byte order')] : []);
    });
  });

  it('has a block for each plane in DimensionOrder', async () => {
    const children = Array.from({ length: 12 }, (_, i) => binData(Uint8Array.of(i, 100)));
    const image = { order: 'XYTZC', type: 'uint8', sizes: { X: 1, Y: 2, Z: 2, C: 2, T: 3 }, children };
    await open(document(image), async (opened) => {
      expect((await plane(opened, { t: 1 }))[0]).toBe(1);
      expect((await plane(opened, { z: 1 }))[0]).toBe(3);
      expect((await plane(opened, { channel: 1, t: 2, z: 1 }))[0]).toBe(11);
    });
  });

  it.each([
    ['plain', (bytes: Uint8Array) => binData(bytes, {}, { wrap: true })],
    ['compressed', (bytes: Uint8Array) => binData(deflateSync(bytes), { Compression: 'zlib' })],
  ])('may have all planes in one block, %s', async (_, write) => {
    const image = {
      type: 'uint8',
      sizes: { X: 2, Y: 2, T: 3 },
      children: [write(Uint8Array.from({ length: 12 }, (__, i) => i))],
    };
    await open(document(image), async (opened) => expect(await plane(opened, { t: 2 })).toEqual([8, 9, 10, 11]));
  });

  it.each([
    [true, [2, 5]],
    [false, [4, 5]],
  ])('of color has a channel for each sample, interleaved: %s', async (interleaved, blue) => {
    const children = ['<Channel ID="Channel:0" SamplesPerPixel="3"/>', binData(Uint8Array.of(0, 1, 2, 3, 4, 5))];
    const pixels = { Interleaved: String(interleaved) };
    await open(document({ type: 'uint8', sizes: { X: 2, Y: 1, C: 3 }, pixels, children }), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
      expect(await plane(opened, { channel: 2 })).toEqual(blue);
    });
  });

  it('of bits has zeros and ones', async () => {
    const image = { type: 'bit', sizes: { X: 5, Y: 2 }, children: [binData(Uint8Array.of(0b10110_011, 0b01_000000))] };
    await open(document(image), async (opened) => {
      expect(await plane(opened)).toEqual([1, 0, 1, 1, 0, 0, 1, 1, 0, 1]);
      expect(warnings(opened)).toEqual([expect.stringContaining('bits')]);
    });
  });

  it('has true times and positions', async () => {
    const times = [0, 1, 2, 60].map((time, t) => `<Plane TheZ="0" TheC="0" TheT="${t}" DeltaT="${time}"/>`);
    const children = [...[0, 1, 2, 3].map((i) => binData(Uint8Array.of(i, 0))), ...times];
    await open(document({ type: 'uint8', sizes: { X: 1, Y: 2, T: 4 }, children }), async (opened) => {
      expect([...opened.acquisition.info.scenes[0]!.coordinates!.T!.values]).toEqual([0, 1, 2, 60]);
      expect(warnings(opened)).toEqual([expect.stringContaining('1 s to 58 s apart')]);
    });
  });

  it('of lines in T has lines for rows', async () => {
    const children = [0, 1, 2].map((i) => binData(Uint8Array.of(i, 9)));
    const image = {
      type: 'uint8',
      sizes: { X: 2, Y: 1, T: 3 },
      pixels: { TimeIncrement: 2, TimeIncrementUnit: 'ms' },
      children,
    };
    await open(document(image), async (opened) => {
      expect(await plane(opened)).toEqual([0, 9, 1, 9, 2, 9]);
      expect(opened.acquisition.info.scenes[0]?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    });
  });

  it('is not read beyond its tags where blocks say their length', () => {
    const large = new Uint8Array(3_000_000);
    const text = document({
      type: 'uint8',
      sizes: { X: 2000, Y: 1500, T: 3 },
      children: [1, 2, 3].map(() => binData(large)),
    });
    const source = new CountingSource(Buffer.from(text));
    expect(openDocument(source).info.scenes[0]?.sizes.T).toBe(3);
    expect(source.bytes).toBeLessThan(text.length / 2);
  });
});

describe('OME-XML with pixels that are missing', () => {
  it.each([
    ['a block', [binData(SWATCH)], { T: 3 }, 'before the last plane'],
    ['blocks', [binData(SWATCH), binData(SWATCH)], { T: 3 }, 'but 2 blocks of pixels. The others are shown as zeros'],
    ['the end of a block', [binData(SWATCH.slice(0, 13))], {}, 'shorter than a plane'],
    ['all of a block', [binData(SWATCH), '<BinData Length="0"/>'], { T: 2 }, 'shorter than a plane'],
  ])('lacks %s: zeros, and a warning', async (_, children, sizes, warning) => {
    await open(document(swatch('', { sizes: { X: 6, Y: 4, ...sizes }, children })), async (opened) => {
      expect(warnings(opened)?.join()).toContain(warning);
      const last = await plane(opened, { t: opened.acquisition.info.scenes[0]!.sizes.T - 1 });
      expect(last.slice(18)).toEqual([0, 0, 0, 0, 0, 0]);
    });
  });

  it.each([
    ['bzip2', binData(SWATCH, { Compression: 'bzip2' }), 'unsupported_format', 'bzip2'],
    ['a corrupted stream', binData(Uint8Array.of(1, 2, 3, 4), { Compression: 'zlib' }), 'decode_failed', ''],
    ['more than a plane', binData(deflateSync(new Uint8Array(9999)), { Compression: 'zlib' }), 'decode_failed', ''],
  ])('with %s fails when it is read', async (_, content, code, message) => {
    await open(document(swatch(content)), async (opened) => {
      await expect(plane(opened)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    });
  });

  it.each([
    ['no image', omeXml({ images: [] })],
    ['an image without pixels', '<OME><Image ID="Image:0"/></OME>'],
    ['metadata only', document({ sizes: { X: 4, Y: 3 }, children: ['<MetadataOnly/>'] })],
    ['TiffData without a file', document({ sizes: { X: 4, Y: 3 } })],
    [
      'BinData of an annotation',
      omeXml({ images: [], extra: '<StructuredAnnotations><BinData>AAAA</BinData></StructuredAnnotations>' }),
    ],
    ['complex numbers', document(swatch(binData(SWATCH), { type: 'complex' }))],
  ])('with %s answers unsupported_format in a sentence', async (_, text) => {
    for (const name of ['a.ome', 'a.ome.xml']) {
      await expect(open(text, async () => {}, name)).rejects.toMatchObject({
        code: 'unsupported_format',
        message: expect.stringMatching(/^a\.ome(\.xml)?(: | contains ).*(no pixels|names no file|not supported)/),
      });
    }
  });

  it.each([
    ['truncated before its pixels', document(swatch(binData(SWATCH))).slice(0, 200)],
    ['of billions of planes', document(swatch(binData(SWATCH), { sizes: { X: 6, Y: 4, T: 4_000_000_000 } }))],
    ['of a plane without pixels', document(swatch(binData(SWATCH), { sizes: { X: 0, Y: 4 } }))],
  ])('%s is refused', async (_, text) => {
    await expect(open(text, async () => {})).rejects.toMatchObject({ code: 'decode_failed' });
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next/omexml');

describe.skipIf(!existsSync(real))('real OME-XML files (need shared/samples-next)', () => {
  // The hash is that of the blocks as Python's base64 decodes them.
  it.each(['18x24y5z5t2c8b-text.ome', '18x24y5z5t2c8b-text-invalid.ome'])('%s has 50 planes', async (name) => {
    const opened = await openAcquisition(join(real, name));
    const [scene] = opened.acquisition.info.scenes;
    expect([scene?.sizes, scene?.channels.length]).toEqual([{ T: 5, Z: 5, Y: 24, X: 18 }, 2]);
    const hash = createHash('sha256');
    for (let t = 0; t < 5; t++)
      for (let z = 0; z < 5; z++)
        for (let channel = 0; channel < 2; channel++)
          hash.update(Uint8Array.from(await plane(opened, { channel, t, z })));
    expect(hash.digest('hex')).toMatch(/^1e0438ffa7d63ee2/);
    opened.close();
  });
});
