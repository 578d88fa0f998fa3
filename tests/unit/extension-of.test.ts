import { expect, it } from 'vitest';
import { extensionOf, supportedExtensions } from '../../packages/readers/src/formats/index.js';
import fc from '../support/fast-check.js';

/** The longest extension that a name ends with, by the definition. */
function naive(name: string, extensions: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const ends = extensions.filter((one) => lower.endsWith(one) && lower.length > one.length);
  return ends.toSorted((a, b) => b.length - a.length)[0];
}

it('the extension of a name is the longest known one', () => {
  const parts = fc.constantFrom(
    ...supportedExtensions(),
    ...'.aAxZİıΣςK\u212a',
    'scan',
    '.TIF',
    '.Ome',
    '.mar\u212a',
    '.ome.',
    '𝄞',
  );
  const names = fc.array(parts, { maxLength: 5 }).map((all) => all.join(''));
  const subsets = fc.oneof(fc.constant(supportedExtensions()), fc.subarray([...supportedExtensions()]));
  const isRight = (name: string, extensions: readonly string[]) => {
    expect(extensionOf(name, extensions)).toBe(naive(name, extensions));
  };
  fc.assert(fc.property(names, subsets, isRight), { numRuns: 2_000 });
  expect(extensionOf('scan.OME.TIF')).toBe('.ome.tif');
  expect(extensionOf('.tif')).toBeUndefined();
  expect(extensionOf('.ome.tif')).toBe('.tif');
  expect(extensionOf('')).toBeUndefined();
});
