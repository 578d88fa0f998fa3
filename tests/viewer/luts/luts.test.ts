import { describe, expect, it } from 'vitest';
import { isLabelLut, isLut, LUTS, lutTable } from '../../../packages/viewer/src/luts/luts.ts';

const color = (id: string, index: number, invert = false) => [...lutTable(id, invert).slice(3 * index, 3 * index + 3)];
const hex = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
/** Relative luminance of sRGB (WCAG 2). */
function luminance(bytes: number[]): number {
  const [red, green, blue] = bytes.map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('color tables', () => {
  it('have 256 colors each', () => {
    expect(LUTS.length).toBe(16);
    for (const { id } of LUTS) expect(lutTable(id).length, id).toBe(768);
  });

  // The published hex codes of matplotlib's tables.
  it.each([
    ['viridis', '#440154', '#fde725'],
    ['magma', '#000004', '#fcfdbf'],
    ['inferno', '#000004', '#fcffa4'],
    ['plasma', '#0d0887', '#f0f921'],
    ['cividis', '#00224e', '#fee838'],
    ['turbo', '#30123b', '#7a0403'],
  ])('%s runs from %s to %s', (id, first, last) => {
    expect(color(id, 0)).toEqual(hex(first));
    expect(color(id, 255)).toEqual(hex(last));
  });

  it('viridis is #21918c at 128', () => expect(color('viridis', 128)).toEqual(hex('#21918c')));

  it.each(['viridis', 'magma', 'inferno', 'plasma', 'cividis', 'hot', 'grey'])('%s grows brighter throughout', (id) => {
    for (let i = 8; i < 256; i += 8)
      expect(luminance(color(id, i)), `${id} ${i}`).toBeGreaterThan(luminance(color(id, i - 8)));
  });

  it.each([
    ['grey', [1, 1, 1]],
    ['red', [1, 0, 0]],
    ['green', [0, 1, 0]],
    ['blue', [0, 0, 1]],
    ['cyan', [0, 1, 1]],
    ['magenta', [1, 0, 1]],
    ['yellow', [1, 1, 0]],
  ])('%s is a ramp', (id, full) => {
    for (const i of [0, 1, 77, 255]) expect(color(id, i)).toEqual(full.map((share) => share * i));
  });

  it('fire has the colors of ImageJ at every eighth index and is linear between them', () => {
    expect(color('fire', 0)).toEqual([0, 0, 0]);
    expect(color('fire', 8)).toEqual([0, 0, 61]);
    expect(color('fire', 4)).toEqual([0, 0, 30]); // 30.5
    expect(color('fire', 128)).toEqual([240, 79, 0]);
    expect(color('fire', 255)).toEqual([255, 255, 255]);
  });

  it('hot reaches full red at 0.365 and full green at 0.746', () => {
    expect(color('hot', 0)).toEqual([11, 0, 0]); // 0.0416 · 255 = 10.6
    expect(color('hot', 93)).toEqual([255, 0, 0]); // 93.1 is the corner
    expect(color('hot', 190)).toEqual([255, 254, 0]); // 190.2 is the corner: 254.4
    expect(color('hot', 191)).toEqual([255, 255, 3]); // 255 · (0.74902 − 0.746032) / 0.253968 = 3.0
    expect(color('hot', 255)).toEqual([255, 255, 255]);
  });

  it('an inverted table has the opposite order', () => {
    for (const { id } of LUTS) for (const i of [0, 100, 255]) expect(color(id, i, true)).toEqual(color(id, 255 - i));
  });

  it('a color is a ramp from black to it', () => {
    expect([0, 1, 128, 255].map((index) => color('#0033FF', index))).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [0, 26, 128], // 25.6
      [0, 51, 255],
    ]);
    expect(isLut('#0033FF')).toBe(true);
    expect(['#0033ff', '#0033F', 'no such table', ''].map(isLut)).toEqual([false, false, false, false]);
  });

  it('glasbey starts with black and has 255 colors that differ clearly from each other', () => {
    const colors = Array.from({ length: 256 }, (_, index) => color('glasbey', index));
    expect(colors[0]).toEqual([0, 0, 0]);
    // The colors of the first labels differ most.
    const nearest = (count: number) => {
      let least = Infinity;
      for (let a = 0; a < count; a++) {
        for (let b = 0; b < a; b++) {
          const squared = [0, 1, 2].map((part) => ((colors[a]?.[part] ?? 0) - (colors[b]?.[part] ?? 0)) ** 2);
          least = Math.min(least, Math.sqrt(squared.reduce((sum, value) => sum + value)));
        }
      }
      return least;
    };
    expect(nearest(16)).toBeGreaterThanOrEqual(80);
    expect(nearest(256)).toBeGreaterThan(10);
    expect(['glasbey', 'viridis', '#0033FF'].map(isLabelLut)).toEqual([true, false, false]);
  });

  it('an unknown name gives the gray table', () => expect(color('no such table', 9)).toEqual([9, 9, 9]));
});
