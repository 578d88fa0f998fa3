import { describe, expect, it } from 'vitest';
import { apply, chooseMutants, makeMutants } from '../../scripts/mutation/mutants.mjs';

const FILE = 'packages/readers/src/io/a.ts';
const changes = (source: string) => makeMutants(FILE, source).map((mutant) => apply(source, mutant));

describe('the mutants of a source', () => {
  it.each([
    ['a < b;', ['a <= b;', 'a >= b;']],
    ['a === 1;', ['a !== 1;', 'a === (1 + 1);']],
    ['(a + b) * c;', ['(a + b) / c;', '(a - b) * c;']],
    ["a + 'text';", []],
    ['x = a && !b;', ['x = a || !b;', 'x = a && b;']],
    ['a ?? (b, c);', ['a ;']],
    ['a -= 2n;', ['a += 2n;', 'a -= (2n + 1n);']],
    ['const a = b ? c : d;', ['const a = (b, true) ? c : d;', 'const a = (b, false) ? c : d;']],
    ['f(a, b.c, d.e);', [';', 'f(a, d.e, b.c);']],
    ['type A = 1 | 2; let a = b as 1;', []],
  ])('of %s have one fault each', (source, expected) => {
    expect(changes(source)).toEqual(expected);
  });

  it('force conditions, skip what they guard, and leave what is thrown alone', () => {
    const source = 'for (;;) { if (a) throw new Error(b + 1); if (c) { d(); continue; } }';
    expect(changes(source)).toEqual([
      source.replace('(a)', '((a, true))'),
      source.replace('(a)', '((a, false))'),
      source.replace('(c)', '((c, true))'),
      source.replace('(c)', '((c, false))'),
      source.replace('continue;', ';'),
      source.replace('d();', ';'),
    ]);
  });

  it('have names by which they are the same in a file that has grown', () => {
    const source = 'export class A { b(c: number): number { return c + (1 + 1); } }';
    const names = makeMutants(FILE, source).map(({ id }) => id);
    expect(names).toEqual([
      'io/a.ts b: c + (1 + 1): + → -',
      'io/a.ts b: 1 + 1: + → -',
      'io/a.ts b: 1 → (1 + 1)',
      'io/a.ts b: 1 → (1 + 1) (2)',
    ]);
    const longer = makeMutants('packages/server/src/io/a.ts', `f(0);\n${source}`);
    expect(longer.slice(-4).map(({ id, line }) => [id, line])).toEqual(names.map((id) => [id, 2]));
  });

  it('are chosen by their names and a seed, whatever the others are', () => {
    const all = makeMutants(FILE, 'export const a = [1, 2, 3, 4, 5, 6, 7, 8, 9];');
    const chosen = chooseMutants(all, '1', 0, 4);
    expect(new Set(chosen).size).toBe(4);
    expect(chooseMutants([...all].reverse(), '1', 1, 2)).toEqual(chosen.slice(1, 3));
    expect(chooseMutants(all, '2', 0, 4)).not.toEqual(chosen);
    const others = all.filter((mutant) => mutant !== chosen[0]);
    expect(chooseMutants(others, '1', 0, 3)).toEqual(chosen.slice(1));
  });
});
