import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { openTiff } from '../../../packages/readers/src/tiff/parse.js';
import type { TiffFile } from '../../../packages/readers/src/tiff/types.js';
import { CountingSource } from '../../support/counting-source.js';
import { type PageSpec, type TiffSpec, writeTiff } from '../../writers/tiff.js';

const bytesOf = (hex: string) => Uint8Array.from(hex.trim().split(/\s+/), (pair) => Number.parseInt(pair, 16));
const open = (bytes: Uint8Array): TiffFile => openTiff(new MemorySource('memory.tif', bytes));
const page = (extra: Partial<PageSpec> = {}): PageSpec => ({
  width: 4,
  height: 3,
  samples: Uint16Array.from({ length: 12 }, (_, i) => i),
  ...extra,
});

/** The 158-byte page of the fact sheet, typed by hand. */
const MINIMAL = `
49 49 2a 00 08 00 00 00  0a 00
00 01 04 00 01 00 00 00 04 00 00 00
01 01 04 00 01 00 00 00 03 00 00 00
02 01 03 00 01 00 00 00 10 00 00 00
03 01 03 00 01 00 00 00 01 00 00 00
06 01 03 00 01 00 00 00 01 00 00 00
11 01 04 00 01 00 00 00 86 00 00 00
15 01 03 00 01 00 00 00 01 00 00 00
16 01 04 00 01 00 00 00 03 00 00 00
17 01 04 00 01 00 00 00 18 00 00 00
53 01 03 00 01 00 00 00 01 00 00 00
00 00 00 00
00 00 01 00 02 00 03 00 04 00 05 00 06 00 07 00 08 00 09 00 0a 00 0b 00`;

describe('openTiff', () => {
  it('reads the minimal page, and the writer writes it byte for byte', () => {
    const bytes = bytesOf(MINIMAL);
    expect(bytes.length).toBe(158);
    expect(writeTiff({ pages: [page()] })).toEqual(bytes);
    const file = open(bytes);
    expect(file).toMatchObject({ littleEndian: true, bigTiff: false, pageCount: 1, warnings: [] });
    expect(file.page(0).layout).toEqual({
      width: 4,
      height: 3,
      samplesPerPixel: 1,
      bits: 16,
      sampleFormat: 'uint',
      sampleType: 'uint16',
      compression: 1,
      photometric: 1,
      planar: false,
      predictor: 1,
      fillOrder: 1,
      tiled: false,
      chunkWidth: 4,
      chunkHeight: 3,
      reduced: false,
      mask: false,
    });
  });

  it('reads the big-endian form: a SHORT sits in the first two value bytes', () => {
    const bytes = writeTiff({ littleEndian: false, pages: [page()] });
    expect([...bytes.subarray(0, 8)]).toEqual([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8]);
    expect([...bytes.subarray(34, 46)]).toEqual([1, 2, 0, 3, 0, 0, 0, 1, 0, 16, 0, 0]);
    const file = open(bytes);
    expect(file.littleEndian).toBe(false);
    expect(file.page(0).layout.bits).toBe(16);
  });

  it('reads the BigTIFF form of 256 bytes with its data at 232', () => {
    const bytes = writeTiff({ big: true, pages: [page()] });
    expect(bytes.length).toBe(256);
    const file = open(bytes);
    expect(file.bigTiff).toBe(true);
    expect(file.page(0).numbers(273)).toEqual([232]);
    expect(file.page(0).layout).toMatchObject({ width: 4, height: 3 });
  });

  it('accepts 32-bit offsets in a BigTIFF', () => {
    const file = open(writeTiff({ big: true, offsetType: 4, pages: [page({ rowsPerStrip: 1 })] }));
    expect(file.page(0).numbers(273)).toHaveLength(3);
  });

  it.each<[string, TiffSpec]>([
    ['IFDs first', { pages: [page(), page(), page()] }],
    ['IFDs behind their data', { ifds: 'last', pages: [page(), page(), page()] }],
    [
      'IFDs at the end, at odd offsets, unsorted',
      { ifds: 'end', headerGap: 3, pages: [page(), page({ unsorted: true }), page()] },
    ],
  ])('walks three pages: %s', (_, spec) => {
    const file = open(writeTiff(spec));
    expect(file.pageCount).toBe(3);
    expect(file.page(2).layout.width).toBe(4);
    expect(file.page(2).nextIfdOffset).toBe(0);
    expect(file.page(0).nextIfdOffset).toBe(file.page(1).ifdOffset);
  });

  it('reads every field type', () => {
    const tags = [
      { code: 65001, type: 1, values: [1, 255] },
      { code: 65002, type: 6, values: [-1, 127] },
      { code: 65003, type: 8, values: [-2] },
      { code: 65004, type: 9, values: [-70_000] },
      { code: 65005, type: 5, values: [1, 4] },
      { code: 65006, type: 10, values: [-1, 2] },
      { code: 65007, type: 11, values: [0.5] },
      { code: 65008, type: 12, values: [0.1] },
      { code: 65009, type: 16, values: [2 ** 40] },
      { code: 65010, type: 17, values: [-(2 ** 40)] },
      { code: 65011, type: 7, bytes: new Uint8Array([9, 8, 7]) },
      { code: 65012, type: 2, text: 'µm after all' },
      { code: 65013, type: 2, bytes: new Uint8Array([0xb5, 0x6d, 0, 0x78]) },
      { code: 65014, type: 99, values: [1] },
      { code: 65015, type: 4, values: [], count: 0 },
    ];
    for (const littleEndian of [true, false]) {
      const ifd = open(writeTiff({ littleEndian, pages: [page({ tags })] })).page(0);
      expect([65001, 65002, 65003, 65004].map((code) => ifd.numbers(code))).toEqual([
        [1, 255],
        [-1, 127],
        [-2],
        [-70_000],
      ]);
      expect([65005, 65006, 65007, 65008].map((code) => ifd.number(code))).toEqual([0.25, -0.5, 0.5, 0.1]);
      expect(ifd.number(65009)).toBe(2 ** 40);
      expect(ifd.numbers(65010)).toEqual([-(2 ** 40)]);
      expect(ifd.bytes(65011)).toEqual(new Uint8Array([9, 8, 7]));
      expect(ifd.text(65012)).toBe('µm after all');
      expect(ifd.text(65013)).toBe('µm');
      expect(ifd.tags.has(65014)).toBe(false);
      expect([ifd.numbers(65015), ifd.number(65015), ifd.text(65015)]).toEqual([[], undefined, undefined]);
      expect([ifd.numbers(1), ifd.number(1), ifd.text(1), ifd.bytes(1)]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it('reads SubIFDs by their offsets without counting them as pages', () => {
    const spec = page({
      subIfds: [
        page({ width: 2, height: 1, samples: new Uint16Array(2), tags: [{ code: 254, type: 4, values: [1] }] }),
      ],
    });
    for (const big of [false, true]) {
      const file = open(writeTiff({ big, pages: [spec, page()] }));
      expect(file.pageCount).toBe(2);
      const [offset] = file.page(0).numbers(330) as [number];
      expect(file.pageAt(offset)).toMatchObject({ index: -1, layout: { width: 2, height: 1, reduced: true } });
    }
  });
});

describe('a chain that breaks', () => {
  it.each([0, 1, 2])('with a loop to page %i keeps every page once, with a warning', (next) => {
    const file = open(writeTiff({ pages: [page(), page(), page()], next }));
    expect(file.pageCount).toBe(3);
    expect(file.warnings).toEqual([
      'memory.tif: the chain of pages contains a loop after 3 pages; only these are shown',
    ]);
  });

  it('with a long loop keeps all its pages', () => {
    const pages = Array.from({ length: 37 }, () => page());
    for (const next of [0, 1, 11, 35, 36]) expect(open(writeTiff({ pages, next })).pageCount).toBe(37);
  });

  it('keeps the pages before an IFD outside the file', () => {
    const file = open(writeTiff({ pages: [page(), page()], next: { offset: 4_000_000 } }));
    expect(file.pageCount).toBe(2);
    expect(file.warnings).toEqual([
      'memory.tif: the chain of pages breaks after 2 pages (expected an IFD at offset 4,000,000, but the file ends ' +
        'at 308); the recording may have been interrupted, or the file truncated',
    ]);
  });

  it('keeps the pages before an invalid IFD', () => {
    const bytes = writeTiff({ pages: [page(), page()], headerGap: 2, next: { offset: 8 } });
    const file = open(bytes);
    expect(file.pageCount).toBe(2);
    expect(file.warnings[0]).toContain('expected an IFD at offset 8, but it lists 0 tags');
  });

  it('keeps a last page whose next-IFD pointer is truncated', () => {
    const bytes = writeTiff({ ifds: 'end', pages: [page(), page()] });
    const file = open(bytes.subarray(0, bytes.length - 2));
    expect(file.pageCount).toBe(2);
    expect(file.page(1)).toMatchObject({ nextIfdOffset: 0, layout: { width: 4 } });
    expect(file.warnings[0]).toContain('is truncated inside the IFD of page 2');
  });

  it.each([
    ['no first IFD', 4, [0, 0, 0, 0], 'decode_failed', 'the header contains no IFD offset'],
    [
      'first IFD outside',
      4,
      [0xff, 0xff, 0xff, 0xff],
      'decode_failed',
      'offset 4,294,967,295, but the file ends at 158',
    ],
    ['first IFD inside the header', 4, [2, 0, 0, 0], 'decode_failed', 'offset 2'],
    ['first IFD without tags', 8, [0, 0], 'decode_failed', 'lists 0 tags'],
    ['first IFD with 65535 tags', 8, [0xff, 0xff], 'decode_failed', 'lists 65,535 tags'],
    ['first IFD longer than the file', 8, [99, 0], 'decode_failed', 'has 1,190 bytes, but the file ends at 158'],
    ['wrong version', 2, [44, 0], 'unsupported_format', 'is not a TIFF file'],
    ['wrong byte order mark', 0, [0x49, 0x4d], 'unsupported_format', 'is not a TIFF file'],
  ])('refuses: %s', (_, at, replacement, code, message) => {
    const bytes = bytesOf(MINIMAL);
    bytes.set(replacement, at);
    expect(() => open(bytes)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('refuses files that end inside the header', () => {
    expect(() => open(bytesOf(MINIMAL).subarray(0, 7))).toThrow(expect.objectContaining({ code: 'decode_failed' }));
    const big = writeTiff({ big: true, pages: [page()] });
    expect(() => open(big.subarray(0, 12))).toThrow(expect.objectContaining({ code: 'decode_failed' }));
    const odd = big.slice();
    odd[4] = 4;
    expect(() => open(odd)).toThrow(expect.objectContaining({ code: 'unsupported_format' }));
  });

  it('names pages and tags that are missing or too large', () => {
    const huge = { code: 65000, type: 4, values: [1, 2], count: 4_000_000_000 };
    const file = open(writeTiff({ pages: [page({ tags: [huge] })] }));
    expect(() => file.page(1)).toThrow(/page 2 does not exist; the file has 1 page/);
    expect(() => file.page(0).numbers(65000)).toThrow(
      /tag 65000 of the IFD at offset 8 has 4,000,000,000 values; the limit is/,
    );
    expect(() => file.page(0).bytes(65000)).toThrow(
      /tag 65000 of the IFD at offset 8 has 16,000,000,000 bytes; the limit is/,
    );
    expect(file.page(0).number(65000)).toBe(1);
  });
});

describe('the cost of a long chain', () => {
  const tiny = { width: 2, height: 1, samples: new Uint8Array(2) };

  it('reads adjacent IFDs of 100,000 pages in few large reads', () => {
    const bytes = writeTiff({ ifds: 'end', pages: new Array<PageSpec>(100_000).fill(tiny) });
    const source = new CountingSource(bytes);
    const file = openTiff(source);
    expect(file.pageCount).toBe(100_000);
    expect(source.reads).toBeLessThan(100);
    expect(source.bytes).toBeLessThanOrEqual(bytes.length * 1.01);
    source.reset();
    expect(file.page(50_000).layout.width).toBe(2);
    expect(source.reads).toBe(1);
    expect(source.bytes).toBeLessThanOrEqual(512);
  });

  it('reads one small piece per IFD when pixels lie between them', () => {
    const samples = new Uint8Array(8192);
    const pages = new Array<PageSpec>(2000).fill({ width: 128, height: 64, samples });
    const source = new CountingSource(writeTiff({ pages }));
    expect(openTiff(source).pageCount).toBe(2000);
    expect(source.reads).toBe(2001);
    expect(source.bytes).toBeLessThanOrEqual(2001 * 512);
  });
});
