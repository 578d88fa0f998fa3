import type { Pane } from '../model/document.ts';
import { displayToScreen, type Point, type Rect, type Size } from '../model/geometry.ts';
import { coveredArea } from './covered-area.ts';
import { type CardColors, textScale } from './palette.ts';
import { cardKeys, paneState, sharesColumn } from './pane-state.ts';
import {
  axisTitle,
  type DisplayAxis,
  displayAxes,
  displayStep,
  toDisplayCoordinate,
  visibleExtent,
} from './plane-axes.ts';
import { displayTicks } from './row-ticks.ts';
import { scaleBar } from './ticks.ts';

interface Gutters {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Height of a horizontal axis with its labels and title, CSS pixels. */
const AXIS_HEIGHT = 24;
/** Height of the ticks of an axis whose labels are below. */
export const TICKS_HEIGHT = 5;

const NONE: Gutters = { left: 0, right: 0, top: 0, bottom: 0 };

/** Returns the space around the image for its axes, in CSS pixels. */
export function axesRoom(): Gutters {
  const larger = (pixels: number) => Math.round(pixels * textScale.value);
  return { left: larger(52), right: 10, top: 4, bottom: larger(AXIS_HEIGHT) };
}

const fontPixels = () => Math.round(11 * textScale.value);

/** Returns the gutters of a card. Of linked cards in one column, only the last has the labels of the shared axis. */
export function guttersOf(pane: Pane, card: string): Gutters {
  if (!pane.axes.value) return NONE;
  const room = axesRoom();
  return {
    ...room,
    ...(sharesAxisBelow(pane, card) ? { bottom: TICKS_HEIGHT } : {}),
    ...(sharesAxisBeside(pane) ? { left: TICKS_HEIGHT } : {}),
  };
}

/** True when the labels of the horizontal axis are below the next card, or below the strips. */
function sharesAxisBelow(pane: Pane, card: string): boolean {
  if (paneState(pane).orthogonal.value?.labels.bottom === false) return true;
  if (!sharesColumn(pane) || !pane.linked.value) return false;
  return paneState(pane).axisBelow.value || cardKeys(pane).at(-1) !== card;
}

/** True when the labels of the vertical axis are on the picture to the left. */
function sharesAxisBeside(pane: Pane): boolean {
  return paneState(pane).orthogonal.value?.labels.left === false;
}

const MAJOR = 5;
const MINOR = 3;
/** Max labels of an axis of any length, and their min distance in CSS pixels. */
const MAX_LABELS = 16;
/** Distance of the title of an axis from the label before it, CSS pixels. */
const TITLE_GAP = 10;
const LEAST_ACROSS = 48;
const LEAST_UP = 24;

interface AxesRequest {
  readonly pane: Pane;
  readonly card: string;
  readonly view: Rect;
  /** Image area. Its corner is the origin of the context, whose unit is a CSS pixel. */
  readonly area: Size;
  readonly palette: CardColors;
}

/** Paints frame, ticks, labels and titles around the image, in the gutters. */
export function paintAxes(context: CanvasRenderingContext2D, { pane, card, view, area, palette }: AxesRequest): void {
  const axes = displayAxes(pane);
  const covered = coveredArea(view, { width: axes.x.length, height: axes.y.length }, area);
  const labeled = !sharesAxisBelow(pane, card);
  context.save();
  setPen(context, palette);
  const toScreen = (point: Point) => displayToScreen(point, view, area);
  paintHorizontal(context, axes.x, view, covered, toScreen, labeled);
  paintVertical(context, axes.y, view, covered, toScreen, !sharesAxisBeside(pane));
  context.strokeRect(crisp(covered.x), crisp(covered.y), Math.round(covered.width) - 1, Math.round(covered.height) - 1);
  context.restore();
}

function setPen(context: CanvasRenderingContext2D, { font, text }: CardColors): void {
  context.font = `${fontPixels()}px ${font}`;
  context.fillStyle = text;
  context.strokeStyle = text;
  context.lineWidth = 1;
}

type ToScreen = (point: Point) => Point;

function paintHorizontal(
  context: CanvasRenderingContext2D,
  axis: DisplayAxis,
  view: Rect,
  covered: Rect,
  toScreen: ToScreen,
  labeled: boolean,
): void {
  const extent = visibleExtent(axis, view, 'x');
  const room = (label: string) =>
    Math.max(LEAST_ACROSS, covered.width / MAX_LABELS, context.measureText(label).width + 14);
  const { major, minor } = displayTicks(axis, [view.x, view.x + view.width], {
    ...extent,
    pixels: covered.width,
    room,
  });
  const bottom = Math.round(covered.y + covered.height);
  const at = (value: number) => crisp(toScreen({ x: toDisplayCoordinate(axis, value), y: 0 }).x);
  strokeTicks(context, minor, (value) => [at(value), bottom, at(value), bottom + MINOR]);
  strokeTicks(
    context,
    major.map(({ value }) => value),
    (value) => [at(value), bottom, at(value), bottom + MAJOR],
  );
  if (!labeled) return;
  const line = bottom + MAJOR + 3 + fontPixels();
  context.textBaseline = 'alphabetic';
  // The title stands at the end of the axis, in the row of the labels, of which those before it are left out.
  const end = covered.x + covered.width + axesRoom().right - 3;
  const title = axisTitle(axis, Math.max(Math.abs(extent.from), Math.abs(extent.to)));
  context.textAlign = 'right';
  context.fillText(title, end, line);
  const free = end - context.measureText(title).width - TITLE_GAP;
  context.textAlign = 'center';
  for (const { value, label } of major) {
    const half = context.measureText(label).width / 2;
    if (at(value) + half <= free) context.fillText(label, at(value), line);
  }
}

/** Paints the shared axis of a column of images and strips. The context begins at the left edge of the image area. */
export function paintAxisBelow(context: CanvasRenderingContext2D, request: Omit<AxesRequest, 'card'>): void {
  const { pane, view, area, palette } = request;
  const axes = displayAxes(pane);
  const covered = coveredArea(view, { width: axes.x.length, height: axes.y.length }, area);
  context.save();
  setPen(context, palette);
  const line = { ...covered, y: 0, height: 0 };
  paintHorizontal(context, axes.x, view, line, (point) => displayToScreen(point, view, area), true);
  context.restore();
}

function paintVertical(
  context: CanvasRenderingContext2D,
  axis: DisplayAxis,
  view: Rect,
  covered: Rect,
  toScreen: ToScreen,
  labeled: boolean,
): void {
  const extent = visibleExtent(axis, view, 'y');
  const { major, minor } = displayTicks(axis, [view.y, view.y + view.height], {
    ...extent,
    pixels: covered.height,
    room: () => Math.max(LEAST_UP, covered.height / MAX_LABELS),
  });
  const left = Math.round(covered.x);
  const at = (value: number) => crisp(toScreen({ x: 0, y: toDisplayCoordinate(axis, value) }).y);
  strokeTicks(context, minor, (value) => [left - MINOR, at(value), left, at(value)]);
  strokeTicks(
    context,
    major.map(({ value }) => value),
    (value) => [left - MAJOR, at(value), left, at(value)],
  );
  if (!labeled) return;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  // The label of the upper end is not cut by the edge of the card.
  const top = fontPixels() / 2 + 1 - axesRoom().top;
  for (const { value, label } of major) context.fillText(label, left - MAJOR - 3, Math.max(top, at(value)));
  const title = axisTitle(axis, Math.max(Math.abs(extent.from), Math.abs(extent.to)));
  const shown = fitting(context, title, covered.height + 16);
  context.save();
  context.translate(left - axesRoom().left + fontPixels() / 2 + 3, covered.y + covered.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.fillText(shown, 0, 0);
  context.restore();
}

/** Returns the title, or only its unit when the title does not fit. */
function fitting(context: CanvasRenderingContext2D, title: string, room: number): string {
  if (context.measureText(title).width <= room) return title;
  return title.match(/\((.*)\)/)?.[1] ?? '';
}

function strokeTicks(
  context: CanvasRenderingContext2D,
  values: readonly number[],
  line: (value: number) => [number, number, number, number],
): void {
  context.beginPath();
  for (const value of values) {
    const [x1, y1, x2, y2] = line(value);
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
}

/** Rounds to the middle of a CSS pixel, so that a line one pixel wide is sharp. */
function crisp(value: number): number {
  return Math.floor(value) + 0.5;
}

const BAR_MARGIN = 10;
const BAR_WIDTH = 3;
/** Steps that differ by no more than this share of each other have one bar: they would differ by a fifth of a pixel. */
const ALIKE = 1e-3;

/** Paints scale bars in the lower right corner of the image: one, or one per direction when their scales differ. */
export function paintScaleBars(context: CanvasRenderingContext2D, { pane, view, area, palette }: AxesRequest): void {
  const axes = displayAxes(pane);
  const covered = coveredArea(view, { width: axes.x.length, height: axes.y.length }, area);
  const [stepX, stepY] = [displayStep(axes.x), displayStep(axes.y)];
  const perPixel = {
    x: stepX === null ? null : (stepX * view.width) / area.width,
    y: stepY === null ? null : (stepY * view.height) / area.height,
  };
  const alike = axes.x.unit === axes.y.unit && Math.abs((perPixel.x ?? 0) / (perPixel.y ?? 0) - 1) < ALIKE;
  const noun = (axis: DisplayAxis) => (axis.sample === 'line' ? 'lines' : 'px');
  const barOf = (axis: DisplayAxis, scale: number | null, longest: number) =>
    scale === null ? null : scaleBar(axis.unit, scale, longest, noun(axis));
  const across = barOf(axes.x, perPixel.x, Math.min(covered.width * 0.3, 200));
  const up = alike ? null : barOf(axes.y, perPixel.y, Math.min(covered.height * 0.4, 120));
  context.save();
  context.font = `600 ${fontPixels() + 1}px ${palette.font}`;
  const right = covered.x + covered.width - BAR_MARGIN - (up ? BAR_WIDTH : 0);
  const bottom = covered.y + covered.height - BAR_MARGIN;
  context.textBaseline = 'alphabetic';
  if (across) {
    bar(context, right - across.length, bottom - BAR_WIDTH, across.length + (up ? BAR_WIDTH : 0), BAR_WIDTH);
    context.textAlign = 'right';
    outlined(context, across.label, right - (up ? 4 : 0), bottom - BAR_WIDTH - 4);
  }
  if (up) {
    bar(context, right, bottom - up.length, BAR_WIDTH, up.length);
    context.textAlign = 'right';
    outlined(
      context,
      up.label,
      right - 4,
      bottom - Math.max(up.length, (across ? fontPixels() + 8 : 0) + fontPixels()) + fontPixels(),
    );
  }
  context.restore();
}

/** Paints a light bar with a dark edge, which is visible on any image. */
function bar(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  context.fillStyle = 'rgb(0 0 0 / 0.65)';
  context.fillRect(x - 1, y - 1, width + 2, height + 2);
  context.fillStyle = '#fff';
  context.fillRect(x, y, width, height);
}

function outlined(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = 'rgb(0 0 0 / 0.75)';
  context.strokeText(text, x, y);
  context.fillStyle = '#fff';
  context.fillText(text, x, y);
}
