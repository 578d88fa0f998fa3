import { describe, expect, it } from 'vitest';
import { afterKey, centered, dragged, gripAt, zoomed } from '../../../packages/viewer/src/measure/overview.ts';

const limits = { whole: 1000, least: 4 };
const span = { from: 200, to: 300 };

describe('the overview bar', () => {
  it('takes an end near it, the part inside, and nothing far away', () => {
    const at = (x: number, part = span) => gripAt(x, part);
    expect([150, 191, 193, 200, 207, 209, 250, 292, 293, 308, 309].map((x) => at(x))).toEqual([
      'beside',
      'beside',
      'from',
      'from',
      'from',
      'both',
      'both',
      'both',
      'to',
      'to',
      'beside',
    ]);
    // Half of a narrow part moves it; one below a pixel is still taken.
    const narrow = { from: 200, to: 208 };
    expect([201, 202, 204, 206, 207].map((x) => at(x, narrow))).toEqual(['from', 'both', 'both', 'both', 'to']);
    expect(at(200, { from: 200, to: 200.2 })).toBe('from');
  });

  it('moves and zooms within the recording', () => {
    expect(dragged('both', span, 50, limits)).toEqual({ from: 250, to: 350 });
    expect(dragged('both', span, 5000, limits)).toEqual({ from: 900, to: 1000 });
    expect(dragged('beside', span, -5000, limits)).toEqual({ from: 0, to: 100 });
    expect(dragged('from', span, -50, limits)).toEqual({ from: 150, to: 300 });
    expect(dragged('from', span, 500, limits)).toEqual({ from: 296, to: 300 });
    expect(dragged('to', span, 5000, limits)).toEqual({ from: 200, to: 1000 });
    expect(dragged('to', span, -500, limits)).toEqual({ from: 200, to: 204 });
    expect(centered(span, 700, limits)).toEqual({ from: 650, to: 750 });
    expect(centered(span, 10, limits)).toEqual({ from: 0, to: 100 });
  });

  it('keeps what is at the pointer when it zooms, beside the part its nearer end', () => {
    expect(zoomed(span, 225, 2, limits)).toEqual({ from: 212.5, to: 262.5 });
    expect(zoomed(span, 900, 2, limits)).toEqual({ from: 250, to: 300 });
    expect(zoomed(span, 250, 1e9, limits)).toEqual({ from: 248, to: 252 });
    expect(zoomed(span, 250, 1e-9, limits)).toEqual({ from: 0, to: 1000 });
  });

  it('follows keys', () => {
    const press = (key: string, shift = false) => afterKey(key, shift, span, limits);
    expect(press('ArrowRight')).toEqual({ from: 210, to: 310 });
    expect(press('ArrowDown')).toEqual({ from: 190, to: 290 });
    expect(press('PageUp')).toEqual({ from: 300, to: 400 });
    expect(press('Home')).toEqual({ from: 0, to: 100 });
    expect(press('End')).toEqual({ from: 900, to: 1000 });
    expect(press('0')).toEqual({ from: 0, to: 1000 });
    expect(press('-')).toEqual({ from: 175, to: 325 });
    expect(press('ArrowLeft', true)).toEqual(press('-'));
    expect(press('ArrowRight', true)).toEqual(press('+'));
    expect(press('x')).toBeNull();
  });
});
