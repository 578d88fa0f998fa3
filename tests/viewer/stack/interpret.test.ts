import { describe, expect, it } from 'vitest';
import {
  fitPlanes,
  isAboutAxes,
  meaningOf,
  toInterpretation,
  toRequestedAxes,
} from '../../../packages/viewer/src/stack/interpret.ts';

const counts = (T: number, Z: number, C: number) => ({ T, Z, C });

describe('what planes are', () => {
  it('is all planes on one axis, with the channels as they are', () => {
    expect(fitPlanes('T', counts(1, 1, 1), counts(1, 14, 2))).toEqual(counts(14, 1, 2));
    expect(fitPlanes('Z', counts(1, 1, 1), counts(7, 2, 1))).toEqual(counts(1, 14, 1));
  });

  it('gives the first axis what the others leave', () => {
    expect(fitPlanes('TC', counts(1, 1, 2), counts(1, 14, 1))).toEqual(counts(7, 1, 2));
    expect(fitPlanes('TZC', counts(1, 3, 2), counts(2, 6, 1))).toEqual(counts(2, 3, 2));
    // Channels that were planes become planes again.
    expect(fitPlanes('ZC', counts(1, 1, 1), counts(7, 1, 2))).toEqual(counts(1, 14, 1));
  });

  it('says why sizes do not fit', () => {
    expect(fitPlanes('TC', counts(1, 1, 4), counts(1, 14, 1))).toBe('14 planes are not a multiple of 4.');
    for (const size of [0, -1, 1.5, Number.NaN]) {
      expect([size, fitPlanes('TZ', counts(1, size, 1), counts(1, 14, 1))]).toEqual([
        size,
        'Enter whole numbers above 0.',
      ]);
    }
  });

  it('is requested with the fastest axis last', () => {
    expect(toRequestedAxes('T', counts(14, 1, 1), 'T')).toEqual({ axes: counts(14, 1, 1) });
    expect(toRequestedAxes('TC', counts(7, 1, 2), 'C')).toEqual({ axes: counts(7, 1, 2), order: ['T', 'C'] });
    expect(toRequestedAxes('TZC', counts(2, 3, 2), 'T')).toEqual({ axes: counts(2, 3, 2), order: ['Z', 'C', 'T'] });
  });

  it('begins with what is shown', () => {
    const meanings = [counts(14, 1, 1), counts(1, 14, 2), counts(7, 2, 1), counts(1, 1, 3)].map(meaningOf);
    expect(meanings).toEqual(['T', 'Z', 'TZ', 'TC']);
  });

  it('is taken from a link only where it is valid', () => {
    const valid = { axes: { T: 7, C: 2 }, order: ['C', 'T'] };
    expect(toInterpretation(valid)).toEqual({ interpret: valid });
    expect(toInterpretation({ axes: { T: 7, X: 2, Z: 0 }, order: ['T', 'T', 4] })).toEqual({
      interpret: { axes: { T: 7 }, order: ['T'] },
    });
    for (const value of [null, undefined, 5, 'T', [], {}, { axes: { T: '7' }, order: 'T' }]) {
      expect([value, toInterpretation(value)]).toEqual([value, {}]);
    }
  });

  it('is offered with the warnings of files that do not name their axes', () => {
    expect(isAboutAxes('a.tif: The file does not say what its 14 pages are: sections or time points. They are')).toBe(
      true,
    );
    expect(isAboutAxes('The file does not say what axis Q of its array (7, 8) is. Showing Z.')).toBe(true);
    expect(isAboutAxes('The OME-XML does not say the byte order.')).toBe(false);
  });
});
