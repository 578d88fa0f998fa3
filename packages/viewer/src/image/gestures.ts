import { batch } from '@preact/signals';
import { activate, type Card, displayPoint, moveView, pointCursor } from './card.ts';
import { goHome } from './pane-state.ts';
import { PointerTracker, type ToPoint } from './pointer-tracker.ts';
import { panBy, zoomAt } from './viewport.ts';
import { wheelAction } from './wheel.ts';

export interface Gestures {
  /** Undoes the drag in progress; returns false when there is none. */
  cancel(): boolean;
  stop(): void;
}

/** Listens to pointers and the wheel over `stage`. Points are relative to the top left corner of `image`. */
export function listen(card: Card, stage: HTMLElement, image: HTMLElement): Gestures {
  const toPoint: ToPoint = ({ clientX, clientY }) => {
    const { left, top } = image.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const tracker = new PointerTracker(card, toPoint);
  const ended = new AbortController();
  const options = { signal: ended.signal };
  const handlePointerDown = (event: PointerEvent) => {
    // A synthetic event has no pointer that could be captured.
    if (event.isTrusted) stage.setPointerCapture(event.pointerId);
    tracker.handlePointerDown(event);
  };
  stage.addEventListener('pointerdown', handlePointerDown, options);
  stage.addEventListener('pointermove', (event) => tracker.handlePointerMove(event), options);
  stage.addEventListener('pointerup', (event) => tracker.handlePointerUp(event), options);
  stage.addEventListener('pointercancel', (event) => tracker.handlePointerCancel(event), options);
  stage.addEventListener('pointerleave', () => tracker.handlePointerLeave(), options);
  stage.addEventListener('wheel', (event) => handleWheel(card, toPoint, event), { ...options, passive: false });
  const handleDoubleClick = () => {
    // The second click ends a polyline or polygon.
    const tool = card.pane.tool.value;
    if (tool !== 'polyline' && tool !== 'polygon') goHome(card.pane, card.key);
  };
  stage.addEventListener('dblclick', handleDoubleClick, options);
  // Otherwise the browser starts to scroll with the middle button.
  stage.addEventListener('mousedown', (event) => event.button === 1 && event.preventDefault(), options);
  return {
    cancel: () => tracker.cancel(),
    stop() {
      tracker.cancel();
      ended.abort();
    },
  };
}

function handleWheel(card: Card, toPoint: ToPoint, event: WheelEvent): void {
  event.preventDefault();
  const screen = toPoint(event);
  const { zoom, pan } = wheelAction(event);
  const change = { kind: 'wheel', at: event.timeStamp };
  activate(card);
  batch(() => {
    const point = displayPoint(card, screen);
    if (pan !== 0)
      moveView(card, change, (view, frame) => panBy(view, (pan / frame.card.width) * view.width, 0, frame));
    else if (point) moveView(card, change, (view, frame) => zoomAt(view, point, zoom, frame));
    pointCursor(card, screen);
  });
}
