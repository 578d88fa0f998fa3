import { batch } from '@preact/signals';
import type { Point } from '../model/geometry.ts';
import { activate, anchorCursor, type Card, pointAt, pointCursor } from './card.ts';
import { panDrag, pinchDrag, type ScreenDrag, toolDrag, zoomDrag } from './drags.ts';
import { paneState } from './pane-state.ts';

/** Converts a mouse event to a point of the image area. */
export type ToPoint = (event: MouseEvent) => Point;

/** Milliseconds and CSS pixels that tell a long press from a drag. */
const LONG_PRESS = 450;
const LONG_PRESS_REACH = 8;

/** Follows the pointers that are pressed on a card, and turns them into one drag or one pinch at a time. */
export class PointerTracker {
  readonly #card: Card;
  readonly #toPoint: ToPoint;
  /** Pressed pointers, by id. */
  readonly #pointers = new Map<number, Point>();
  #drag: { readonly id: number; readonly screen: ScreenDrag } | null = null;
  #pinch: ReturnType<typeof pinchDrag> | null = null;
  /** A finger that may become a long press; its timer and where it began. */
  #pressed: { readonly at: Point; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  /** True while a finger reads values, after a long press. */
  #reads = false;

  constructor(card: Card, toPoint: ToPoint) {
    this.#card = card;
    this.#toPoint = toPoint;
  }

  get busy(): boolean {
    return this.#drag !== null || this.#pinch !== null;
  }

  /** Undoes the drag or pinch in progress; returns false when there is none. */
  cancel(): boolean {
    const { busy } = this;
    this.#drag?.screen.cancel();
    this.#pinch?.cancel();
    this.#drag = null;
    this.#pinch = null;
    this.#card.dragging.value = null;
    return busy;
  }

  handlePointerDown(event: PointerEvent): void {
    const point = this.#toPoint(event);
    activate(this.#card);
    this.#pointers.set(event.pointerId, point);
    this.#endPress();
    if (this.#pointers.size === 2) this.#startPinch();
    else if (!this.busy && this.#pointers.size === 1) {
      this.#startDrag(point, event);
      if (event.pointerType === 'touch') this.#startPress(point);
    }
  }

  /** A finger that stays where it is reads the values there, and where it goes then. */
  #startPress(at: Point): void {
    const timer = setTimeout(() => {
      this.#pressed = null;
      this.cancel();
      this.#reads = true;
      anchorCursor(this.#card.pane, pointAt(this.#card, at));
    }, LONG_PRESS);
    this.#pressed = { at, timer };
  }

  #endPress(): void {
    clearTimeout(this.#pressed?.timer);
    this.#pressed = null;
    this.#reads = false;
  }

  #startPinch(): void {
    this.cancel();
    const [first, second] = [...this.#pointers.values()] as [Point, Point];
    this.#pinch = pinchDrag(this.#card, first, second);
    this.#card.dragging.value = 'pan';
  }

  #startDrag(point: Point, event: PointerEvent): void {
    const screen = startDrag(this.#card, point, event);
    if (screen === null) return;
    this.#drag = { id: event.pointerId, screen };
    this.#card.dragging.value = screen.kind;
  }

  handlePointerMove(event: PointerEvent): void {
    const point = this.#toPoint(event);
    if (this.#reads) {
      anchorCursor(this.#card.pane, pointAt(this.#card, point));
      return;
    }
    const pressed = this.#pressed;
    if (pressed && Math.hypot(point.x - pressed.at.x, point.y - pressed.at.y) > LONG_PRESS_REACH) this.#endPress();
    batch(() => {
      if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, point);
      const [first, second] = [...this.#pointers.values()];
      if (this.#pinch !== null && first && second) this.#pinch.move(first, second);
      else if (this.#drag?.id === event.pointerId) this.#drag.screen.move(point, event);
      if (this.#pinch === null) pointCursor(this.#card, point);
    });
  }

  handlePointerUp(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    this.#endPress();
    if (this.#pinch !== null) {
      if (this.#pointers.size === 0) this.#pinch = null;
    } else if (this.#drag?.id === event.pointerId) {
      const { screen } = this.#drag;
      this.#drag = null;
      screen.end(this.#toPoint(event), event);
    }
    if (!this.busy) this.#card.dragging.value = null;
  }

  handlePointerCancel(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    this.#endPress();
    this.cancel();
  }

  handlePointerLeave(): void {
    const { pane } = this.#card;
    paneState(pane).pause.value = null;
    if (!this.busy) pane.cursor.value = paneState(pane).anchor.value;
  }
}

/** Shift, space, the middle button or one finger move the image; otherwise the selected tool decides. */
function startDrag(card: Card, point: Point, event: PointerEvent): ScreenDrag | null {
  const { pane, tools, space } = card;
  const tool = tools.find(({ id }) => id === pane.tool.value);
  if (event.button === 1 || space.value) return panDrag(card, point);
  if (event.button !== 0) return null;
  const drag = tool && toolDrag(card, tool, point, event);
  if (drag) return drag;
  if (event.shiftKey || pane.tool.value === 'pan' || event.pointerType === 'touch') return panDrag(card, point);
  return zoomDrag(card, point, event.altKey || event.ctrlKey || event.metaKey);
}
