import { batch } from '@preact/signals';
import type { Point } from '../model/geometry.ts';
import { type Card, displayPoint, moveView, pointAt } from './card.ts';
import { panDrag, pinchDrag, type ScreenDrag, toolDrag, zoomDrag } from './drags.ts';
import { goHome, paneState } from './pane-state.ts';
import { panBy, zoomAt } from './viewport.ts';
import { wheelAction } from './wheel.ts';

export interface Gestures {
  /** Ends what is being dragged as if it had not begun; false when nothing is. */
  cancel(): boolean;
  stop(): void;
}

/** Pointers and wheel over `stage`; points are told from the corner of `image`. */
export function listen(card: Card, stage: HTMLElement, image: HTMLElement): Gestures {
  const ended = new AbortController();
  const pointers = new Map<number, Point>();
  let drag: { readonly id: number; readonly screen: ScreenDrag } | null = null;
  let pinch: ReturnType<typeof pinchDrag> | null = null;

  const local = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = image.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const cancel = () => {
    const busy = drag !== null || pinch !== null;
    drag?.screen.cancel();
    pinch?.cancel();
    drag = null;
    pinch = null;
    card.dragging.value = null;
    return busy;
  };

  function down(event: PointerEvent): void {
    activate(card);
    pointers.set(event.pointerId, local(event));
    // A pointer that is gone already cannot be held.
    if (event.isTrusted) stage.setPointerCapture(event.pointerId);
    if (pointers.size === 2) {
      cancel();
      const [a, b] = [...pointers.values()] as [Point, Point];
      pinch = pinchDrag(card, a, b);
      card.dragging.value = 'pan';
      return;
    }
    if (drag !== null || pinch !== null || pointers.size > 1) return;
    const screen = begin(card, local(event), event);
    if (screen === null) return;
    drag = { id: event.pointerId, screen };
    card.dragging.value = screen.kind;
  }

  function move(event: PointerEvent): void {
    const at = local(event);
    batch(() => {
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
      const [a, b] = [...pointers.values()];
      if (pinch !== null && a && b) pinch.move(a, b);
      else if (drag?.id === event.pointerId) drag.screen.move(at, event);
      if (pinch === null) card.pane.cursor.value = pointAt(card, at);
    });
  }

  function up(event: PointerEvent): void {
    pointers.delete(event.pointerId);
    if (pinch !== null) {
      if (pointers.size === 0) pinch = null;
    } else if (drag?.id === event.pointerId) {
      const { screen } = drag;
      drag = null;
      screen.end(local(event), event);
    }
    if (drag === null && pinch === null) card.dragging.value = null;
  }

  function lost(event: PointerEvent): void {
    pointers.delete(event.pointerId);
    cancel();
  }

  function leave(): void {
    if (drag === null && pinch === null) card.pane.cursor.value = paneState(card.pane).anchor.value;
  }

  function wheel(event: WheelEvent): void {
    event.preventDefault();
    const at = local(event);
    const { zoom, pan } = wheelAction(event);
    const change = { kind: 'wheel', at: event.timeStamp };
    activate(card);
    batch(() => {
      const point = displayPoint(card, at);
      if (pan !== 0)
        moveView(card, change, (view, frame) => panBy(view, (pan / frame.card.width) * view.width, 0, frame));
      else if (point) moveView(card, change, (view, frame) => zoomAt(view, point, zoom, frame));
      card.pane.cursor.value = pointAt(card, at);
    });
  }

  const options = { signal: ended.signal };
  stage.addEventListener('pointerdown', down, options);
  stage.addEventListener('pointermove', move, options);
  stage.addEventListener('pointerup', up, options);
  stage.addEventListener('pointercancel', lost, options);
  stage.addEventListener('pointerleave', leave, options);
  stage.addEventListener('wheel', wheel, { ...options, passive: false });
  stage.addEventListener('dblclick', () => goHome(card.pane, card.key), options);
  // The middle button would start to scroll by itself.
  stage.addEventListener('mousedown', (event) => event.button === 1 && event.preventDefault(), options);
  return {
    cancel,
    stop() {
      cancel();
      ended.abort();
    },
  };
}

export function activate({ document, pane, key }: Card): void {
  document.activePane.value = pane.kind;
  paneState(pane).activeCard.value = key;
}

/** What a press begins: the image is moved with shift, space, the middle button or one finger, else the tool decides. */
function begin(card: Card, at: Point, event: PointerEvent): ScreenDrag | null {
  const { pane, tools, space } = card;
  const chosen = tools.find(({ id }) => id === pane.tool.value);
  if (event.button === 1 || space.value) return panDrag(card, at);
  if (event.button !== 0) return null;
  const measured = chosen && toolDrag(card, chosen, at, event);
  if (measured) return measured;
  if (event.shiftKey || pane.tool.value === 'pan' || event.pointerType === 'touch') return panDrag(card, at);
  return zoomDrag(card, at, event.altKey || event.ctrlKey || event.metaKey);
}
