import { describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { decodeFax, type FaxOptions } from '../../../packages/readers/src/codecs/fax.js';
import { readAll } from '../../support/tiff-pages.js';
import { writeTiff } from '../../writers/tiff.js';

/** Pictures whose strips libtiff 4.7.1 made: of many short runs, and of runs longer than 2,560 pixels. */
const PICTURES = {
  short: {
    width: 45,
    height: 9,
    isBlack: (x: number, y: number) => !((x * y + x * 3) % 29 < 11 || y === 8 || (x > 36 && y % 3 === 0)),
  },
  long: { width: 2700, height: 2, isBlack: (x: number, y: number) => !(x > 2650 - y * 2600) },
};

const STRIPS: [name: string, picture: keyof typeof PICTURES, compression: number, t4Options: number, strip: string][] =
  [
    [
      'group 3',
      'short',
      3,
      0,
      '001b2b282b730018373870e0dcc700189dbb76f44edf00179e79e7879e75300178787879f7df7878787c005f1e1f7c787df1f7c787df1c005f1f1f1f7c7c7c7c7df1fa' +
        '000ba1f1f1f1f1f1f1f1f1d3a1f1f1f1f1c00410',
    ],
    [
      'group 3, two-dimensional',
      'short',
      3,
      1,
      '001d959415b98009045ccc30ea5ce00389dbb76f44edf0012482081020cbda48a9800de1e1e1e7df7de1e1e1f0015248241020c136fa490494006f8f8f8fbe3e3e3e3ef8' +
        'fd00054924904104c26130982d2447c8f825001820',
    ],
    [
      'group 3, marks that end bytes',
      'short',
      3,
      4,
      '0001b2b282b730018373870e0dcc700189dbb76f44edf00179e79e7879e753000178787879f7df7878787c00017c787df1e1f7c7df1e1f7c70017c7c7c7df1f1f1f1f7c7' +
        'e80001743e3e3e3e3e3e3e3e3a743e3e3e3e38000104',
    ],
    [
      'group 4',
      'short',
      4,
      0,
      '3646c8c11b74117330c3a973c20811765dbc208104d24104081065ed2454f4820810609bbe991e0b492090408304dbe924125e920824104c13fe8474924904104c26130982' +
        'd2447c8f82511111111111111180080080',
    ],
    [
      'Huffman',
      'short',
      2,
      0,
      'b2b282b7308373870e0dcc7089dbb76f44edf079e79e7879e75378787879f7df7878787c7c787df1e1f7c7df1e1f7c707c7c7c7df1f1f1f1f7c7e8743e3e3e3e3e3e3e3e' +
        '3a743e3e3e3e3804',
    ],
    ['group 3', 'long', 3, 0, '0013501f03c32d48004d414c07f6ac'],
    ['group 3, two-dimensional', 'long', 3, 1, '0019a80f81e196a4002905301fdab0'],
    ['group 4', 'long', 4, 0, '26a03e07865e414c07f6ac004004'],
    ['Huffman', 'long', 2, 0, '3501f03c32d4803505301fdab0'],
  ];

function pixels({ width, height, isBlack }: (typeof PICTURES)['short']): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, i) => (isBlack(i % width, Math.floor(i / width)) ? 1 : 0));
}

function page(picture: keyof typeof PICTURES, compression: number, t4Options: number, strip: Uint8Array, extra = {}) {
  const { width, height } = PICTURES[picture];
  const tags = [{ code: 292, type: 4, values: [t4Options] }];
  const samples = new Uint8Array(width * height);
  return writeTiff({ pages: [{ width, height, samples, bits: 1, compression, tags, encode: () => strip, ...extra }] });
}

describe('fax', () => {
  it.each(STRIPS)('%s: the %s runs of libtiff', async (_, picture, compression, options, strip) => {
    const expected = pixels(PICTURES[picture]);
    expect(await readAll(page(picture, compression, options, Buffer.from(strip, 'hex')))).toEqual([expected]);
  });

  it('reads bits of bytes in the other order, and rows that begin with words of 16 bits', async () => {
    const group4 = Buffer.from(STRIPS[3]![4], 'hex');
    expect(await readAll(page('short', 4, 0, group4, { fillOrder: 2 }))).toEqual([pixels(PICTURES.short)]);
    // The first row has 7 bytes.
    const rows = Buffer.from(STRIPS[8]![4], 'hex');
    const words = Buffer.concat([rows.subarray(0, 7), Buffer.alloc(1), rows.subarray(7)]);
    expect(await readAll(page('long', 32_771, 0, words))).toEqual([pixels(PICTURES.long)]);
    const odd = Buffer.from(STRIPS[4]![4], 'hex');
    await expect(readAll(page('short', 32_771, 0, odd))).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('says which row is corrupted, and how much of a truncated strip is there', async () => {
    const group4 = Buffer.from(STRIPS[3]![4], 'hex');
    await expect(readAll(page('short', 4, 0, group4.subarray(0, 30)))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/strip 1 of 1 .*has \d+ bytes, but its pixels need 54/),
    });
    const damaged = Buffer.from(group4);
    damaged.fill(0, 20, 24);
    await expect(readAll(page('short', 4, 0, damaged))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/row \d of the fax is corrupted: /),
    });
    await expect(readAll(page('short', 4, 0, group4, { bits: 8 }))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('is compressed as a fax, but has 1 sample of 8 bits per pixel'),
    });
  });

  it('refuses tiles whose pixels would take far more memory than the file has bytes', async () => {
    const tags = [
      { code: 322, type: 4, values: [131_072] },
      { code: 323, type: 4, values: [8192] },
    ];
    const tile = { width: 16, height: 16 };
    const bytes = page('short', 4, 0, new Uint8Array(1024).fill(255), { tile, tags });
    await expect(readAll(bytes)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('the limit of faxes is'),
    });
  });

  it('ends with an error or with rows for any data, never more than were asked for', () => {
    let state = 1;
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 16;
    };
    for (let i = 0; i < 3000; i++) {
      const data = Uint8Array.from({ length: next() % 200 }, () => next() & next() & 255);
      const scheme = (['huffman', 'words', 'group3', 'group4'] as const)[i % 4]!;
      const options: FaxOptions = {
        columns: 1 + (next() % 70),
        rows: 1 + (next() % 20),
        scheme,
        twoDimensional: i % 8 > 3,
      };
      try {
        expect(decodeFax(data, options).length).toBeLessThanOrEqual(Math.ceil(options.columns / 8) * options.rows);
      } catch (error) {
        expect(error).toBeInstanceOf(AcqError);
      }
    }
  });
});
