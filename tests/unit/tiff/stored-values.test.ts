import { describe, expect, it } from 'vitest';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { readContiguousPlane, readPageSample } from '../../../packages/readers/src/tiff/read-page.js';
import { expectSame, openBytes, pattern, readAll } from '../../support/tiff-pages.js';
import { writeTiff } from '../../writers/tiff.js';

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
    const file = openBytes(writeTiff({ pages: [{ width, height: 1, samples }] }));
    const whole = new NativeTarget('uint8', 1, width);
    await readPageSample(file, file.page(0), 0, whole);
    expectSame(whole.data, samples);
    // The same bytes as 4-bit pixels of twice the width.
    const tags = [256, 258].map((code) => ({ code, type: 4, values: [code === 256 ? width * 2 : 4] }));
    const packed = openBytes(writeTiff({ pages: [{ width, height: 1, samples, tags }] }));
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
    const file = openBytes(writeTiff({ littleEndian, pages: [spec] }));
    const page = file.page(0);
    const start = page.number(273) as number;
    for (const [n, plane] of planes.entries()) {
      const target = new NativeTarget('uint16', 3, 4);
      await readContiguousPlane(file, page, { sample: 0, dataOffset: start + n * 24 }, target);
      expect(target.data).toEqual(plane);
    }
    const target = new NativeTarget('uint16', 3, 4);
    await expect(readContiguousPlane(file, page, { sample: 0, dataOffset: start + 60 }, target)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining(`the plane at offset ${start + 60} has 24 bytes`),
    });
  });

  it('may be interleaved or planar', async () => {
    const rgb = planes.map((plane) => plane.slice());
    for (const planar of [false, true]) {
      const file = openBytes(writeTiff({ pages: [{ ...spec, samples: rgb, extraPlanes: [], planar }] }));
      const page = file.page(0);
      for (const sample of [0, 1, 2]) {
        const target = new NativeTarget('uint16', 3, 4);
        await readContiguousPlane(file, page, { sample, dataOffset: page.number(273)! }, target);
        expect(target.data).toEqual(rgb[sample]);
      }
    }
  });

  it('are never compressed', async () => {
    const file = openBytes(writeTiff({ pages: [{ ...spec, compression: 8, extraPlanes: [] }] }));
    const target = new NativeTarget('uint16', 3, 4);
    await expect(readContiguousPlane(file, file.page(0), { sample: 0, dataOffset: 8 }, target)).rejects.toThrow(
      /is compressed/,
    );
  });
});
