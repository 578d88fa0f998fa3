import { describe, expect, it } from 'vitest';
import { sortByName } from '../../../packages/server/src/paths/natural-order.js';
import fc from '../../support/fast-check.js';

const collator = new Intl.Collator('en', { numeric: true });

/** The order by the definition. */
function naive(names: readonly string[]): string[] {
  return [...names].sort((a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0));
}

const sorted = (names: readonly string[]) => sortByName(names.map((name) => ({ name }))).map(({ name }) => name);

const digits = fc.oneof(
  fc.constantFrom('0', '00', '000', '01', '1', '9', '10', '010', '99', '100', '65535', '18446744073709551616'),
  fc.integer({ min: 1, max: 300 }).map((count) => '7'.repeat(count)),
);
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 4 });
const word = fc.constantFrom(
  'scan',
  'Scan',
  'SCAN',
  'cell',
  ' ',
  '_',
  '-',
  '.',
  '.tif',
  '.TIF',
  'a',
  'A',
  'b',
  '(',
  ')',
);
const foreign = fc.constantFrom(
  'é',
  'e\u0301',
  'É',
  'ß',
  'ss',
  'İ',
  'ı',
  'Ω',
  'ς',
  'я',
  '日本',
  'か',
  'カ',
  '한',
  'ا',
  '٣',
  '３',
  '²',
  '😀',
  'ﬁ',
  '\u200b',
  '\t',
  '\u0001',
  '\x7f',
);
const names = (...parts: fc.Arbitrary<string>[]) =>
  fc.array(
    fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 5 }).map((all) => all.join('')),
    { maxLength: 40 },
  );

describe('the natural order', () => {
  it('puts numbers in words by their values', () => {
    const order = ['a', 'A', 'a 9', 'a.tif', 'a1', 'a01', 'a2', 'a02b', 'a2c', 'a10', 'A10', 'ab', 'é', 'f', 'z'];
    expect(sorted([...order].reverse())).toEqual(naive(order));
    expect(sorted(['scan 10.tif', 'scan 2.tif', 'Scan 1.tif'])).toEqual(['Scan 1.tif', 'scan 2.tif', 'scan 10.tif']);
  });

  it.each([
    ['printable characters of ASCII', names(ascii, digits, word)],
    ['names that differ in case and zeros', names(word, digits)],
    ['any script', names(word, digits, foreign)],
  ])('is that of the collator, and then of the characters, for %s', (_, lists) => {
    const isInOrder = (list: string[]) => {
      expect(sorted(list)).toEqual(naive(list));
    };
    fc.assert(fc.property(lists, isInOrder), { numRuns: 300 });
  });

  it('has a place for each pair of characters', () => {
    const codes = Array.from({ length: 0x7f }, (_, i) => String.fromCharCode(i + 1));
    const pairs = codes.flatMap((a) => codes.map((b) => a + b));
    expect(sorted(pairs)).toEqual(naive(pairs));
  });

  it('takes names that are longer than those of any file', () => {
    const list = ['9', '8'].flatMap((last) =>
      [199, 200, 201, 253, 254, 255, 1_023, 1_024, 1_025].map((n) => '1'.repeat(n) + last),
    );
    expect(sorted(list)).toEqual(naive(list));
    const words = list.map((number) => `a${number}`.replaceAll('1', 'b'));
    expect(sorted(words)).toEqual(naive(words));
  });
});
