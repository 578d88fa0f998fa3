import { describe, expect, it } from 'vitest';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { readPageSample } from '../../../packages/readers/src/tiff/read-page.js';
import { hex, openBytes, pattern, readAll } from '../../support/tiff-pages.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

/** A zlib header and a block that refers back before the start of the data. */
const bombHead = hex('78 9c 03 02');

describe('corrupted pages', () => {
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
    [
      'deflate cut',
      { compression: 8 },
      9,
      'decode_failed',
      /strip 3 of 3 at offset \d+: has \d+ bytes, but its pixels need 222/,
    ],
    [
      'LZW cut',
      { compression: 5 },
      9,
      'decode_failed',
      /strip 3 of 3 at offset \d+: has \d+ bytes, but its pixels need 222/,
    ],
    [
      'deflate damaged',
      { compression: 8, encode: () => hex('00 01 02 03') },
      0,
      'decode_failed',
      /strip 1 of 3 at offset \d+: deflate data are corrupted/,
    ],
    [
      'deflate bomb',
      { compression: 8, encode: ({ bytes }) => Buffer.concat([bombHead, bytes]) },
      0,
      'decode_failed',
      /deflate data are corrupted/,
    ],
    [
      'LZW code',
      { compression: 5, encode: () => hex('80 7f ff ff') },
      0,
      'decode_failed',
      /LZW data are corrupted: code 511 at decoded byte 0/,
    ],
    ['no offsets', { omit: [273] }, 0, 'decode_failed', /lists 0 of its 3 strips/],
    ['few offsets', { tags: [{ code: 273, type: 4, values: [8, 8] }] }, 0, 'decode_failed', /lists 2 of its 3 strips/],
    [
      'few counts',
      { tags: [{ code: 279, type: 4, values: [8, 8] }] },
      0,
      'decode_failed',
      /lists the sizes of 2 of its 3 strips/,
    ],
    [
      'short counts',
      { tags: [{ code: 279, type: 4, values: [296, 8, 222] }] },
      0,
      'decode_failed',
      /strip 2 of 3 at offset \d+ has 8 bytes, but its pixels need 296/,
    ],
    [
      'offset 0 with a count',
      { tags: [{ code: 273, type: 4, values: [0, 0, 0] }] },
      0,
      'decode_failed',
      /strip 1 of 3 at offset 0 falls outside the file/,
    ],
    ['no width', { omit: [256] }, 0, 'decode_failed', /ImageWidth is missing/],
    ['width 0', { tags: [{ code: 256, type: 4, values: [0] }] }, 0, 'decode_failed', /ImageWidth is 0/],
    [
      'claims too much',
      { tags: [{ code: 257, type: 4, values: [30_000] }] },
      0,
      'decode_failed',
      /has 37 × 30,000 pixels \(2,220,000 bytes\), but the file has only/,
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
      /the plane has 67,108,864 rows of 67,108,864 pixels; the limit is/,
    ],
    ['0 bits', { tags: [{ code: 258, type: 3, values: [0] }] }, 0, 'decode_failed', /has 0 bits per sample/],
    ['65 bits', { tags: [{ code: 258, type: 3, values: [65] }] }, 0, 'decode_failed', /has 65 bits per sample/],
    ['24078 bits', { tags: [{ code: 258, type: 3, values: [24_078] }] }, 0, 'decode_failed', /has 24,078 bits per/],
    ['sample format 9', { sampleFormat: 9 }, 0, 'decode_failed', /SampleFormat 9 is invalid/],
    ['complex', { sampleFormat: 6 }, 0, 'unsupported_format', /contains complex numbers/],
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
      /has 5,000 samples per pixel/,
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
  ])('are refused with the reason: %s', async (_, page, cut, code, message) => {
    expect(await failure(page, cut)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('are refused if their samples differ in width', async () => {
    const rgb = [1, 2, 3].map((seed) => pattern('uint8', 12, 8, seed));
    const tags = [{ code: 258, type: 3, values: [5, 6, 5] }];
    const bytes = writeTiff({ pages: [{ width: 4, height: 3, samples: rgb, tags }] });
    await expect(readAll(bytes)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining('(5, 6, 5)'),
    });
  });

  it('are refused for a sample or a shape that they do not have', async () => {
    const file = openBytes(writeTiff({ pages: [spec] }));
    const page = file.page(0);
    await expect(readPageSample(file, page, 1, new Float32Target(11, 37))).rejects.toThrow(
      /sample 1 does not exist; the page has 1 per pixel/,
    );
    await expect(readPageSample(file, page, 0, new Float32Target(37, 11))).rejects.toThrow(
      /has 11 lines of 37 pixels; expected 37 of 11/,
    );
  });

  it.each([1, 8])('stop reading when aborted between pieces of a plane (compression %i)', async (compression) => {
    const plane = { width: 1024, height: 2048, samples: new Uint16Array(1024 * 2048) };
    const file = openBytes(writeTiff({ pages: [{ ...plane, compression, rowsPerStrip: 256 }] }));
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

  it('are not read with an aborted signal', async () => {
    const file = openBytes(writeTiff({ pages: [spec] }));
    const signal = AbortSignal.abort();
    await expect(readPageSample(file, file.page(0), 0, new Float32Target(11, 37), signal)).rejects.toThrow(/aborted/);
  });
});
