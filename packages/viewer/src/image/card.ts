import { type Signal, signal } from '@preact/signals';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import type { CardContext, Tool } from '../model/extension.ts';
import {
  displayToPlane,
  displayToScreen,
  type Layout,
  type PlanePoint,
  type Point,
  planeToDisplay,
  type Rect,
  type Shape,
  type Size,
  screenToDisplay,
} from '../model/geometry.ts';
import { type Gap, gapAt, placeAtRow } from '../model/row-layout.ts';
import type { CanvasSize } from './canvas-size.ts';
import type { Band } from './paint-marks.ts';
import { frameOf, paneState, setView, type ViewChange, viewIn } from './pane-state.ts';
import { layoutOf } from './plane-axes.ts';
import type { Frame } from './viewport.ts';

/** One card on screen: the state that gestures, keys and painting share. */
export interface Card {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly key: string;
  /** Null on a composite card. */
  readonly channel: ChannelView | null;
  readonly tools: readonly Tool[];
  /** Size of the image canvas; null until it has been laid out. */
  readonly size: Signal<CanvasSize | null>;
  readonly band: Signal<Band | null>;
  /** True while the space key is held, so that dragging moves the image. */
  readonly space: Signal<boolean>;
  /** Kind of the drag in progress, which decides the shape of the pointer; null when there is none. */
  readonly dragging: Signal<'pan' | 'other' | null>;
}

type CardParts = Pick<Card, 'document' | 'pane' | 'key' | 'channel' | 'tools'>;

export function createCard(parts: CardParts): Card {
  return { ...parts, size: signal(null), band: signal(null), space: signal(false), dragging: signal(null) };
}

/** Returns the view of the card and its frame; null while the card has no size. */
export function cardViewport({ pane, key, size }: Card): { readonly view: Rect; readonly frame: Frame } | null {
  const area = size.value;
  if (area === null || area.width === 0 || area.height === 0) return null;
  return { view: viewIn(pane, key, area), frame: frameOf(pane, area) };
}

export function cardContext(card: Card): CardContext | null {
  const viewport = cardViewport(card);
  if (viewport === null) return null;
  const { document, pane, channel } = card;
  const { view, frame } = viewport;
  const layout = layoutOf(pane);
  return {
    document,
    pane,
    channel,
    size: { width: frame.card.width, height: frame.card.height },
    toScreen: screenOf(pane.shape, layout, view, frame.card),
    toPlane: (point) => displayToPlane(screenToDisplay(point, view, frame.card), pane.shape, layout),
  };
}

/** Returns `planeToDisplay` and `displayToScreen` in one, for the thousands of points of outlines in every frame. */
function screenOf(shape: Shape, layout: Layout, view: Rect, size: Size): CardContext['toScreen'] {
  const { transposed, upward, rows = null } = layout;
  const [height, width] = [rows?.length ?? shape[0], shape[1]];
  const at = (row: number, column: number) =>
    displayToScreen(planeToDisplay({ row, column }, [height, width], { transposed, upward }), view, size);
  const [origin, down, right] = [at(0, 0), at(1, 0), at(0, 1)];
  const [rowX, rowY] = [down.x - origin.x, down.y - origin.y];
  const [columnX, columnY] = [right.x - origin.x, right.y - origin.y];
  return ({ row, column }) => {
    const along = rows === null ? row : placeAtRow(rows, row);
    return { x: origin.x + along * rowX + column * columnX, y: origin.y + along * rowY + column * columnY };
  };
}

export function moveView(card: Card, change: ViewChange, next: (view: Rect, frame: Frame) => Rect): void {
  const viewport = cardViewport(card);
  if (viewport !== null) setView(card.pane, card.key, next(viewport.view, viewport.frame), change);
}

export function displayPoint(card: Card, at: Point): Point | null {
  const viewport = cardViewport(card);
  return viewport && screenToDisplay(at, viewport.view, viewport.frame.card);
}

/** Returns the plane coordinates of a point of the image area; null outside of the plane, and where nothing was recorded. */
export function pointAt(card: Card, at: Point): PlanePoint | null {
  if (gapUnder(card, at) !== null) return null;
  const point = cardContext(card)?.toPlane(at) ?? null;
  if (point === null) return null;
  const [rows, columns] = card.pane.shape;
  return point.row >= 0 && point.row < rows && point.column >= 0 && point.column < columns ? point : null;
}

export function anchorCursor(pane: Pane, point: PlanePoint | null): void {
  paneState(pane).anchor.value = point;
  pane.cursor.value = point;
}

/** Moves the cursor to the pointer, at a point of the image area. */
export function pointCursor(card: Card, at: Point): void {
  paneState(card.pane).pause.value = gapUnder(card, at);
  card.pane.cursor.value = pointAt(card, at);
}

/** Returns the gap at a point of the image area; null elsewhere. */
function gapUnder(card: Card, at: Point): Gap | null {
  const point = displayPoint(card, at);
  const { transposed, upward, rows } = layoutOf(card.pane);
  if (point === null || !rows) return null;
  return gapAt(rows, transposed ? point.x : upward ? rows.length - point.y : point.y);
}

/** Makes the card the one that buttons and keys act on. */
export function activate({ document, pane, key }: Card): void {
  document.activePane.value = pane.kind;
  paneState(pane).activeCard.value = key;
}
