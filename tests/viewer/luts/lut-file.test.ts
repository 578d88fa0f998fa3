import { describe, expect, it } from 'vitest';
import { MAX_LUT_FILE, parseLutFile } from '../../../packages/viewer/src/luts/lut-file.ts';
import { isLut, lutTable, tableLut } from '../../../packages/viewer/src/luts/luts.ts';
import { addUserLut, MAX_USER_LUTS, toUserLuts, type UserLut } from '../../../packages/viewer/src/luts/user-luts.ts';

/** A table of which every byte is different from its neighbors: red i, green 255 − i, blue 7 · i. */
const color = (i: number) => [i, 255 - i, (7 * i) % 256];
const TABLE = Uint8Array.from({ length: 768 }, (_, at) => color(Math.floor(at / 3))[at % 3] as number);
const planes = (count = 256) =>
  Array.from({ length: 3 * count }, (_, at) => color(at % count)[Math.floor(at / count)] as number);
const header = (count: number) => [...Buffer.from('ICOL'), 0, 1, count >> 8, count & 255, ...Array(24).fill(0)];
const lines = (line: (i: number) => string) => Array.from({ length: 256 }, (_, i) => line(i)).join('\n');
const text = (content: string) => new TextEncoder().encode(content);

describe('a color table file', () => {
  it.each([
    ['raw', Uint8Array.from(planes())],
    ['raw with 202 bytes behind it', Uint8Array.from([...planes(), ...Array(202).fill(9)])],
    ['with the header of NIH Image', Uint8Array.from([...header(256), ...planes()])],
    ['text with three columns', text(lines((i) => color(i).join(' ')))],
    [
      'text with four columns, names and Windows line ends',
      text(`Index,Red,Green,Blue\r\n${lines((i) => [i, ...color(i)].join(',')).replaceAll('\n', '\r\n')}\r\n`),
    ],
    ['text aligned with tabs and blanks', text(lines((i) => `  ${[i, ...color(i)].join('\t ')}`))],
  ])('is read: %s', (_, bytes) => {
    expect(parseLutFile('a.lut', bytes)).toEqual(TABLE);
  });

  it('with fewer colors is interpolated as ImageJ does', () => {
    const table = parseLutFile('a.lut', Uint8Array.from([...header(2), 0, 255, 10, 20, 200, 100]));
    const at = (i: number) => [...table.subarray(3 * i, 3 * i + 3)];
    expect([0, 64, 128, 255].map(at)).toEqual([
      [0, 10, 200],
      [127, 15, 150],
      [255, 20, 100],
      [255, 20, 100],
    ]);
  });

  it.each([
    ['empty', new Uint8Array(0), 'a.lut: not a color table (0 bytes)'],
    ['of another size', new Uint8Array(767), 'a.lut: not a color table (767 bytes)'],
    ['too large', new Uint8Array(MAX_LUT_FILE + 1), 'a.lut: the file has 65,537 bytes; the limit is 65,536'],
    [
      'truncated',
      Uint8Array.from([...header(256), ...planes()].slice(0, 500)),
      'a.lut: truncated; 256 colors take 800 bytes, but the file has 500',
    ],
    ['cut in its header', Uint8Array.from(header(256).slice(0, 7)), 'says 0 colors; expected 2 to 256'],
    ['with too many colors', Uint8Array.from([...header(300), ...planes(300)]), 'says 300 colors; expected 2 to 256'],
    ['with too few lines', text('1 2 3\n4 5 6'), 'a.lut: has 2 lines of text; expected 256'],
    ['with a value above 255', text(lines((i) => `${i} 0 ${i === 9 ? 256 : 0}`)), 'line 10 of the colors is "9 0 256"'],
    ['with fractions', text(lines(() => '0.5 0.5 0.5')), 'line 1 of the colors is "0.5 0.5 0.5"'],
    ['with two columns', text(lines((i) => `${i} 0`)), 'line 1 of the colors is "0 0"'],
    ['with a wrong index', text(lines((i) => `${i === 3 ? 7 : i} 0 0 0`)), 'line 4 of the colors is "7 0 0 0"'],
    ['with five columns', text(lines((i) => `${i} 0 0 0 0`)), 'line 1 of the colors'],
  ])('is refused by name: %s', (_, bytes, message) => {
    expect(() => parseLutFile('a.lut', bytes)).toThrow(message);
  });
});

describe('the tables of the user', () => {
  it('are named by their colors, which links carry', () => {
    const id = tableLut(TABLE);
    expect(id).toMatch(/^~[\w-]{1024}$/);
    expect(isLut(id)).toBe(true);
    expect(lutTable(id)).toEqual(TABLE);
    expect([...lutTable(id, true).subarray(0, 3)]).toEqual(color(255));
    expect([id.slice(0, -1), `${id}A`, id.replace('~', '!'), `~${'='.repeat(1024)}`].map(isLut)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  const lut = (i: number): UserLut => ({ id: tableLut(TABLE.map((byte) => (byte + i) & 255)), name: `Table ${i}` });

  it('are kept once each, the newest last, up to a limit', () => {
    let kept: readonly UserLut[] = [];
    for (let i = 0; i < MAX_USER_LUTS + 2; i++) kept = addUserLut(kept, lut(i));
    expect(kept.length).toBe(MAX_USER_LUTS);
    expect(kept.at(-1)).toEqual(lut(MAX_USER_LUTS + 1));
    kept = addUserLut(kept, { ...lut(5), name: 'Again' });
    expect(kept.filter(({ id }) => id === lut(5).id)).toEqual([{ id: lut(5).id, name: 'Again' }]);
  });

  it('are checked when they come from storage', () => {
    const stored = [
      lut(1),
      { ...lut(2), name: '' },
      { id: '~abc', name: 'short' },
      { id: 'grey', name: 'x' },
      null,
      'a',
    ];
    expect(toUserLuts(stored)).toEqual([lut(1)]);
    expect([null, {}, 'text', 3].map(toUserLuts)).toEqual([[], [], [], []]);
  });
});
