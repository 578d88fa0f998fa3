import { describe, expect, it } from 'vitest';
import {
  type Frame,
  homeView,
  isHome,
  magnification,
  panBy,
  reorient,
  reveal,
  settle,
  zoomAt,
  zoomToBox,
} from '../../../packages/viewer/src/image/viewport.ts';
import type { Rect } from '../../../packages/viewer/src/model/geometry.ts';
import fc from '../../support/fast-check.js';

/** 30,000 lines of 38 pixels, lying: stretched over the card. */
const kymograph: Frame = { image: { width: 30_000, height: 38 }, card: { width: 600, height: 190 }, fit: 'fill' };
/** A square image in a wide card: 200 CSS pixels for 100 samples, so the card is 300 samples wide. */
const square: Frame = { image: { width: 100, height: 100 }, card: { width: 600, height: 200 }, fit: 1 };

describe('the home view', () => {
  it('stretches a line scan over the card', () => {
    expect(homeView(kymograph)).toEqual({ x: 0, y: 0, width: 30_000, height: 38 });
  });

  it('centers an image with square samples', () => {
    expect(homeView(square)).toEqual({ x: -100, y: 0, width: 300, height: 100 });
  });

  it('draws a sample twice as high as wide when it is', () => {
    // 100 rows need 200 units of height: 1 CSS pixel a unit, 600 columns wide.
    expect(homeView({ ...square, fit: 2 })).toEqual({ x: -250, y: 0, width: 600, height: 100 });
  });
});

describe('zoom', () => {
  it('keeps the sample under the cursor', () => {
    // A quarter from the left: 30 of the 40 removed samples go right of it.
    expect(zoomAt({ x: 100, y: 0, width: 80, height: 38 }, { x: 120, y: 19 }, { x: 2, y: 1 }, kymograph)).toEqual({
      x: 110,
      y: 0,
      width: 40,
      height: 38,
    });
  });

  it('does not jump: one notch out from home stays at home', () => {
    const home = homeView(kymograph);
    expect(zoomAt(home, { x: 1234, y: 3 }, { x: 1 / 1.2, y: 1 / 1.2 }, kymograph)).toEqual(home);
    const closer = zoomAt(home, { x: 1234, y: 3 }, { x: 1.2, y: 1.2 }, kymograph);
    expect(closer.width).toBeCloseTo(25_000, 9);
    expect(zoomAt(closer, { x: 29_000, y: 30 }, { x: 1 / 1.3, y: 1 / 1.3 }, kymograph)).toEqual(home);
  });

  it('stops at four samples, or at the whole of a smaller image', () => {
    const closest = zoomAt(homeView(kymograph), { x: 15_000, y: 19 }, { x: 1e9, y: 1e9 }, kymograph);
    expect([closest.width, closest.height]).toEqual([4, 4]);
    const thin: Frame = { ...kymograph, image: { width: 30_000, height: 2 } };
    expect(zoomAt(homeView(thin), { x: 15_000, y: 1 }, { x: 1e9, y: 1e9 }, thin).height).toBe(2);
  });

  it('zooms both axes of an image with a common scale', () => {
    expect(zoomAt(homeView(square), { x: 50, y: 50 }, { x: 2, y: 1 }, square)).toEqual({
      x: -25,
      y: 25,
      width: 150,
      height: 50,
    });
  });
});

describe('box', () => {
  it('zooms only the axis of a band', () => {
    const view = { x: 0, y: 10, width: 30_000, height: 20 };
    expect(zoomToBox({ x: 900, y: 12 }, { x: 300, y: 14 }, 'x', view, kymograph)).toEqual({
      x: 300,
      y: 10,
      width: 600,
      height: 20,
    });
    expect(zoomToBox({ x: 900, y: 14 }, { x: 300, y: 22 }, 'y', view, kymograph)).toEqual({
      x: 0,
      y: 14,
      width: 30_000,
      height: 8,
    });
  });

  it('shows all of a box in the shape of the card', () => {
    // 10 × 10 in a card three times as wide as high: 30 × 10 around the same center (45, 65).
    expect(zoomToBox({ x: 40, y: 60 }, { x: 50, y: 70 }, null, homeView(square), square)).toEqual({
      x: 30,
      y: 60,
      width: 30,
      height: 10,
    });
  });
});

describe('pan', () => {
  it('never leaves the image', () => {
    const view = { x: 100, y: 4, width: 50, height: 20 };
    expect(panBy(view, -1e6, 5, kymograph)).toEqual({ x: 0, y: 9, width: 50, height: 20 });
    expect(panBy(view, 1e6, 1e6, kymograph)).toEqual({ x: 29_950, y: 18, width: 50, height: 20 });
    expect(panBy(homeView(square), 40, -3, square)).toEqual(homeView(square));
  });

  it('shows a point with the smallest movement', () => {
    const view = { x: 100, y: 4, width: 50, height: 20 };
    expect(reveal(view, { x: 120, y: 10 }, kymograph)).toEqual(view);
    expect(reveal(view, { x: 160, y: 1 }, kymograph)).toEqual({ x: 110, y: 1, width: 50, height: 20 });
  });
});

it('transposes a view with the plane', () => {
  // Rows 10–30 and columns 5–9 of 100 × 20, upright; lying with the first column below, columns count from the bottom.
  const upright = { transposed: false, upward: false };
  const lying = { transposed: true, upward: true };
  const view = { x: 5, y: 10, width: 4, height: 20 };
  const turned = reorient(view, [100, 20], upright, lying);
  expect(turned).toEqual({ x: 10, y: 11, width: 20, height: 4 });
  expect(reorient(turned, [100, 20], lying, upright)).toEqual(view);
});

describe('in all frames', () => {
  const length = fc.integer({ min: 1, max: 200_000 });
  const frames = fc.record({
    image: fc.record({ width: length, height: length }),
    card: fc.record({ width: fc.integer({ min: 20, max: 4000 }), height: fc.integer({ min: 20, max: 2000 }) }),
    fit: fc.oneof(fc.constant('fill' as const), fc.double({ min: 0.01, max: 100, noNaN: true })),
  });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const views = frames.chain((frame) =>
    fc
      .tuple(
        share,
        share,
        fc.double({ min: 1e-6, max: 1.5, noNaN: true }),
        fc.double({ min: 1e-6, max: 1.5, noNaN: true }),
      )
      .map(([x, y, width, height]) => ({
        frame,
        view: settle(
          {
            x: x * frame.image.width,
            y: y * frame.image.height,
            width: width * frame.image.width,
            height: height * frame.image.height,
          },
          frame,
        ),
      })),
  );
  const near = (a: number, b: number) =>
    expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(a) + Math.abs(b)) * 1e3);

  function expectInside(view: Rect, frame: Frame): void {
    const home = homeView(frame);
    for (const [start, size, whole, most] of [
      [view.x, view.width, frame.image.width, home.width],
      [view.y, view.height, frame.image.height, home.height],
    ] as const) {
      expect(size).toBeGreaterThan(0);
      expect(size).toBeLessThanOrEqual(most * (1 + 1e-9));
      if (size < whole) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + size).toBeLessThanOrEqual(whole * (1 + 1e-9));
      } else near(start + size / 2, whole / 2);
    }
    if (frame.fit !== 'fill') {
      near((view.width / view.height) * frame.card.height, frame.card.width * frame.fit);
    }
  }

  it('zoom stays inside, and keeps the sample under the cursor away from the edges', () => {
    fc.assert(
      fc.property(views, share, share, fc.double({ min: -3, max: 3, noNaN: true }), ({ frame, view }, u, v, power) => {
        const at = { x: view.x + u * view.width, y: view.y + v * view.height };
        const next = zoomAt(view, at, { x: 10 ** power, y: 10 ** power }, frame);
        expectInside(next, frame);
        const held = (start: number, size: number, whole: number) =>
          size >= whole * (1 - 1e-9) || start <= 0 || start + size >= whole * (1 - 1e-12);
        if (!held(next.x, next.width, frame.image.width)) near((at.x - next.x) / next.width, u);
        if (!held(next.y, next.height, frame.image.height)) near((at.y - next.y) / next.height, v);
      }),
    );
  });

  it('pan and settle stay inside, and settling twice changes nothing', () => {
    fc.assert(
      fc.property(views, fc.integer(), fc.integer(), ({ frame, view }, dx, dy) => {
        expectInside(view, frame);
        expectInside(panBy(view, dx, dy, frame), frame);
        const again = settle(view, frame);
        for (const side of ['x', 'y', 'width', 'height'] as const) near(again[side], view[side]);
      }),
    );
  });

  it('zooming out leads to home, with magnification 1', () => {
    fc.assert(
      fc.property(views, ({ frame, view }) => {
        const out = zoomAt(view, view, { x: 1e-12, y: 1e-12 }, frame);
        expect(isHome(out, frame)).toBe(true);
        near(magnification(out, frame).x, 1);
        near(magnification(out, frame).y, 1);
      }),
    );
  });
});
