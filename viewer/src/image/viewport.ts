/**
 * What part of an image a card shows, and how that changes. A view is a rectangle of the display (geometry.ts) that fills
 * the image area of the card. Pure functions: every view that leaves here is inside the limits of its frame.
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
  /** Of the display, in samples. */
  readonly image: Size;
  /** Image area of the card, in CSS pixels. */
  readonly card: Size;
  /** How many times as high as wide a sample is drawn; `fill`: each axis is stretched on its own. */
  readonly fit: 'fill' | number;
}

export interface Factors {
  readonly x: number;
  readonly y: number;
}

/** No zoom shows fewer samples than this along an axis, unless the image has fewer. */
export const SMALLEST = 4;

/** The whole image: filling the card, or centerd in it with an even margin. */
export function homeView(frame: Frame): Rect {
  return place({ x: 0, y: 0, ...sizeAt(frame, homeScale(frame)) }, frame);
}

/** The view of this card that shows all of `wanted`: of the card's shape, and inside the limits. */
export function settle(wanted: Rect, frame: Frame): Rect {
  const size = clampSize(wanted, frame);
  return place(
    { x: wanted.x + (wanted.width - size.width) / 2, y: wanted.y + (wanted.height - size.height) / 2, ...size },
    frame,
  );
}

/** Magnifies by `factors` (above 1: fewer samples) and keeps `at` where it is on screen, as far as the limits allow. */
export function zoomAt(view: Rect, at: Point, factors: Factors, frame: Frame): Rect {
  const { x: byX, y: byY } = frame.fit === 'fill' ? factors : alike(factors);
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

/** Moves the view over the image; in samples. */
export function panBy(view: Rect, dx: number, dy: number, frame: Frame): Rect {
  return place({ ...view, x: view.x + dx, y: view.y + dy }, frame);
}

/** The least movement of the view that brings a point of the display into it. */
export function reveal(view: Rect, { x, y }: Point, frame: Frame): Rect {
  const along = (start: number, length: number, at: number) =>
    Math.min(0, at - start) + Math.max(0, at - start - length);
  return panBy(view, along(view.x, view.width, x), along(view.y, view.height, y), frame);
}

/** Zoom to the rectangle between two points; along one axis only when `axis` is given. */
export function viewOfBox(from: Point, to: Point, axis: 'x' | 'y' | null, view: Rect, frame: Frame): Rect {
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

/** How many times the home view is magnified, per axis. */
export function magnification(view: Rect, frame: Frame): Factors {
  const home = homeView(frame);
  return { x: home.width / view.width, y: home.height / view.height };
}

/** The same part of the plane after it was turned or flipped. */
export function reorient(view: Rect, shape: readonly [number, number], from: Orientation, to: Orientation): Rect {
  const corner = (point: Point) => planeToDisplay(displayToPlane(point, shape, from), shape, to);
  const a = corner(view);
  const b = corner({ x: view.x + view.width, y: view.y + view.height });
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(b.x - a.x), height: Math.abs(b.y - a.y) };
}

/** CSS pixels per sample, horizontally and vertically. */
function homeScale({ image, card, fit }: Frame): Factors {
  const scale = { x: card.width / image.width, y: card.height / image.height };
  if (fit === 'fill') return scale;
  const both = Math.min(scale.x, scale.y / fit);
  return { x: both, y: both * fit };
}

function largestScale({ image, card, fit }: Frame): Factors {
  const scale = {
    x: card.width / Math.min(SMALLEST, image.width),
    y: card.height / Math.min(SMALLEST, image.height),
  };
  if (fit === 'fill') return scale;
  const both = Math.min(scale.x, scale.y / fit);
  return { x: both, y: both * fit };
}

function sizeAt({ card }: Frame, scale: Factors): Size {
  return { width: card.width / scale.x, height: card.height / scale.y };
}

/** Of the frame's proportions, holding all of `wanted`, not above home and not below the smallest. */
function clampSize(wanted: Size, frame: Frame): Size {
  const home = sizeAt(frame, homeScale(frame));
  const least = sizeAt(frame, largestScale(frame));
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), Math.max(low, high));
  if (frame.fit === 'fill') {
    return {
      width: within(wanted.width, least.width, home.width),
      height: within(wanted.height, least.height, home.height),
    };
  }
  const share = Math.max(wanted.width / home.width, wanted.height / home.height);
  const clamped = within(share, least.width / home.width, 1);
  return { width: home.width * clamped, height: home.height * clamped };
}

/** No view leaves the image; one larger than the image has it in its middle. */
function place({ x, y, width, height }: Rect, { image }: Frame): Rect {
  const along = (start: number, length: number, whole: number) =>
    length >= whole ? (whole - length) / 2 : Math.min(Math.max(start, 0), whole - length);
  return { x: along(x, width, image.width), y: along(y, height, image.height), width, height };
}

/** Axes of one scale zoom together, even when only one was asked for. */
function alike({ x, y }: Factors): Factors {
  const both = x === 1 ? y : x;
  return { x: both, y: both };
}
