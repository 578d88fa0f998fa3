import { describe, expect, it } from 'vitest';
import { labelIndex, tableIndex, tone } from '../../../packages/viewer/src/render/colors.ts';

const display = { lut: 'grey', min: 100, max: 1100, scale: 'linear', gamma: 1 } as const;

describe('the index of a value in its table', () => {
  it.each([
    ['linear', 1, [0, 26, 128, 255]],
    ['linear', 2, [0, 3, 64, 255]],
    // log10(1 + 999 · 0.1) / 3 = 0.66815, and 0.89966 at the middle.
    ['log', 1, [0, 170, 229, 255]],
    ['log', 2, [0, 114, 206, 255]],
  ] as const)('is exact on a %s scale with gamma %d', (scale, gamma, indices) => {
    const values = [100, 200, 600, 1100];
    expect(values.map((value) => tableIndex(value, { ...display, scale, gamma }))).toEqual(indices);
    expect([-1e9, 1e9].map((value) => tableIndex(value, { ...display, scale, gamma }))).toEqual([0, 255]);
  });

  it('grows by the same amount with each factor of ten on the logarithmic scale', () => {
    const shares = [0, 9, 99, 999].map((part) => part / 999);
    const tones = shares.map((share) => tone(share, { scale: 'log', gamma: 1 }));
    for (const [i, value] of tones.entries()) expect(value).toBeCloseTo(i / 3, 12);
  });

  it('is the label itself in the table of labels, whatever the range', () => {
    expect([-3, 0, 0.5, 1, 2.9, 255, 256, 511, 16_777_216].map(labelIndex)).toEqual([0, 0, 0, 1, 2, 255, 1, 1, 1]);
    expect(labelIndex(3e38)).toBe(1 + ((2_147_483_520 - 1) % 255));
    expect(tableIndex(7, { ...display, lut: 'glasbey', scale: 'log', gamma: 3 })).toBe(7);
  });
});
