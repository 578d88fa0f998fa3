/**
 * Views: the part of an image that a card shows. A view is a rectangle in display coordinates (geometry.ts) that fills
 * the image area of the card. Pure functions: every returned view is within the limits of its frame.
 */
import {
  displayToPlane,
  type Orientation,
  type Point,
  planeToDisplay,
  type Rect,
  type Size,
} from '../model/geometry.ts';

export interface Frame {
  /** Size of the display in samples. */
  readonly image: Size;
  /** Size of the image area in CSS pixels. */
  readonly card: Size;
  /** Height of a drawn sample divided by its width; `fill` stretches each axis on its own. */
  readonly fit: 'fill' | number;
  /** True for an image that may be magnified until its longer side, not its shorter one, shows few samples. */
  readonly isThin?: boolean;
}

export interface Factors {
  readonly x: number;
  readonly y: number;
}

/** Min number of samples that a view shows along an axis, unless the image has fewer. */
const MIN_SAMPLES = 4;

/** Returns the shortest part that a view shows along an axis with `samples`. */
export function leastLength(samples: number): number {
  return Math.min(MIN_SAMPLES, samples);
}

/** Returns the view of the whole image, which fills the card or is centered in it. */
export function homeView(frame: Frame): Rect {
  // Exactly: the way over the size of the card rounds.
  if (frame.fit === 'fill') return { x: 0, y: 0, ...frame.image };
  return place({ x: 0, y: 0, ...sizeAt(frame, homeScale(frame)) }, frame);
}

/** Returns the view within the limits that shows all of `part` and has the shape of the card. */
export function settle(part: Rect, frame: Frame): Rect {
  const size = clampSize(part, frame);
  return place(
    { x: part.x + (part.width - size.width) / 2, y: part.y + (part.height - size.height) / 2, ...size },
    frame,
  );
}

/** Magnifies by `factors` (above 1 shows fewer samples). Keeps `at` where it is on screen, within the limits. */
export function zoomAt(view: Rect, at: Point, factors: Factors, frame: Frame): Rect {
  const { x: byX, y: byY } = frame.fit === 'fill' ? factors : sameFactor(factors);
  const size = clampSize({ width: view.width / byX, height: view.height / byY }, frame);
  return place(
    {
      x: at.x - (at.x - view.x) * (size.width / view.width),
      y: at.y - (at.y - view.y) * (size.height / view.height),
      ...size,
    },
    frame,
  );
}

/** Moves the view over the image by `dx` and `dy` samples. */
export function panBy(view: Rect, dx: number, dy: number, frame: Frame): Rect {
  return place({ ...view, x: view.x + dx, y: view.y + dy }, frame);
}

/** Moves the view as little as possible to show a point of the display. */
export function reveal(view: Rect, { x, y }: Point, frame: Frame): Rect {
  const along = (start: number, length: number, at: number) =>
    Math.min(0, at - start) + Math.max(0, at - start - length);
  return panBy(view, along(view.x, view.width, x), along(view.y, view.height, y), frame);
}

/** Returns the view of the rectangle between two points; along one axis only when `axis` is given. */
export function zoomToBox(from: Point, to: Point, axis: 'x' | 'y' | null, view: Rect, frame: Frame): Rect {
  const box = {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(to.x - from.x),
    height: Math.abs(to.y - from.y),
  };
  if (axis === 'x') return settle({ ...box, y: view.y, height: view.height }, frame);
  if (axis === 'y') return settle({ ...box, x: view.x, width: view.width }, frame);
  return settle(box, frame);
}

export function isHome(view: Rect, frame: Frame): boolean {
  const home = homeView(frame);
  return view.width >= home.width * (1 - 1e-9) && view.height >= home.height * (1 - 1e-9);
}

/** Returns the magnification relative to the home view, per axis. */
export function magnification(view: Rect, frame: Frame): Factors {
  const home = homeView(frame);
  return { x: home.width / view.width, y: home.height / view.height };
}

/** Returns the view of the same part after a display was transposed or flipped whose rows and columns have the lengths `shape`. */
export function reorient(view: Rect, shape: readonly [number, number], from: Orientation, to: Orientation): Rect {
  const corner = (point: Point) => planeToDisplay(displayToPlane(point, shape, from), shape, to);
  const a = corner(view);
  const b = corner({ x: view.x + view.width, y: view.y + view.height });
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(b.x - a.x), height: Math.abs(b.y - a.y) };
}

/** Returns CSS pixels per sample of the home view, horizontally and vertically. */
function homeScale({ image, card, fit }: Frame): Factors {
  const scale = { x: card.width / image.width, y: card.height / image.height };
  if (fit === 'fill') return scale;
  const both = Math.min(scale.x, scale.y / fit);
  return { x: both, y: both * fit };
}

function maxScale({ image, card, fit, isThin = false }: Frame): Factors {
  const scale = {
    x: card.width / leastLength(image.width),
    y: card.height / leastLength(image.height),
  };
  if (fit === 'fill') return scale;
  const both = (isThin ? Math.max : Math.min)(scale.x, scale.y / fit);
  return { x: both, y: both * fit };
}

function sizeAt({ card }: Frame, scale: Factors): Size {
  return { width: card.width / scale.x, height: card.height / scale.y };
}

/** Returns a size with the proportions of the frame that contains `size`, between the max zoom and the home view. */
function clampSize(size: Size, frame: Frame): Size {
  const home = sizeAt(frame, homeScale(frame));
  const min = sizeAt(frame, maxScale(frame));
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), Math.max(low, high));
  if (frame.fit === 'fill') {
    return {
      width: within(size.width, min.width, home.width),
      height: within(size.height, min.height, home.height),
    };
  }
  const share = Math.max(size.width / home.width, size.height / home.height);
  const clamped = within(share, min.width / home.width, 1);
  return { width: home.width * clamped, height: home.height * clamped };
}

/** Moves a view into the image; a view that is larger than the image is centered on it. */
function place({ x, y, width, height }: Rect, { image }: Frame): Rect {
  const along = (start: number, length: number, whole: number) =>
    length >= whole ? (whole - length) / 2 : Math.min(Math.max(start, 0), whole - length);
  return { x: along(x, width, image.width), y: along(y, height, image.height), width, height };
}

/** Uses one factor for both axes, which have a common scale. */
function sameFactor({ x, y }: Factors): Factors {
  const both = x === 1 ? y : x;
  return { x: both, y: both };
}
