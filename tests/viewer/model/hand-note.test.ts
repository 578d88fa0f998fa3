import { describe, expect, it } from 'vitest';
import { handNote } from '../../../packages/viewer/src/model/hand-note.js';

describe('the note on steps that were entered by hand', () => {
  it('names each step with its value', () => {
    const Y = { step: 0.002, unit: 'seconds' } as const;
    const X = { step: 0.25, unit: 'micrometer' } as const;
    expect(handNote({ Y, X })).toBe('line period 2 ms and pixel size 0.25 µm entered by hand');
    const T = { step: 0.5, unit: 'seconds' } as const;
    expect(handNote({ T, Z: X, X })).toBe(
      'frame interval 500 ms, section distance 0.25 µm and pixel size 0.25 µm entered by hand',
    );
    expect(handNote({ Y: X })).toBe('pixel height 0.25 µm entered by hand');
    expect(handNote({ Y: X, X })).toBe('pixel height 0.25 µm and pixel width 0.25 µm entered by hand');
  });

  it('is absent when all steps are those of the file', () => {
    expect(handNote(null)).toBeNull();
    expect(handNote({})).toBeNull();
  });
});
