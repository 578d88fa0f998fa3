/** Tools that draw and move marks. */
import { revertChange } from '../image/pane-state.ts';
import type { Mark, Pane } from '../model/document.ts';
import type { CardContext, Drag, Tool } from '../model/extension.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { draftMark, endDraft, placePoint } from './draft.ts';
import { gripAt } from './grips.ts';
import { addMark, clamp, type Grip, moveGrip, newChange, replaceMark } from './marks.ts';

/** A drag shorter than this, in CSS pixels, is a click. */
const CLICK = 3;
/** A click this close to the last point of a polyline ends it, in CSS pixels. */
const SAME_POINT = 6;

export const TOOLS: readonly Tool[] = [
  {
    id: 'region',
    label: 'Region',
    key: 'r',
    icon: 'region',
    cursor: 'crosshair',
    begin: (point, _event, card) => begin('region', point, card),
    place: (pane, point) => placePoint(pane, 'region', point, sameSample(point)),
    finish: endDraft,
  },
  {
    id: 'line',
    label: 'Line',
    key: 'l',
    icon: 'line',
    cursor: 'crosshair',
    begin: (point, _event, card) => begin('line', point, card),
    place: (pane, point) => placePoint(pane, 'line', point, sameSample(point)),
    finish: endDraft,
  },
  {
    id: 'polyline',
    label: 'Polyline',
    hint: 'click its points, and the last one twice',
    key: 'y',
    icon: 'polyline',
    cursor: 'crosshair',
    begin: beginPolyline,
    place: (pane, point) => placePoint(pane, 'polyline', point, sameSample(point)),
    finish: endDraft,
  },
  {
    id: 'point',
    label: 'Point',
    key: 'x',
    icon: 'point',
    cursor: 'crosshair',
    begin: beginPoint,
    place: (pane, point) => placePoint(pane, 'point', point, sameSample(point)),
    finish: endDraft,
  },
];

const sameSample = (at: PlanePoint) => (last: PlanePoint) => last.row === at.row && last.column === at.column;

function begin(kind: 'region' | 'line', point: PlanePoint, card: CardContext): Drag {
  const grip = gripAt(card.toScreen(point), card);
  return grip === null ? draw(kind, point, card) : move(grip.mark, grip.grip, point, card);
}

/** Draws a new mark, which appears with the first movement. A click outside of all marks clears the selection. */
function draw(kind: 'region' | 'line', start: PlanePoint, card: CardContext): Drag {
  const { pane } = card;
  const before = pane.selectedMark.value;
  const from = inPlane(start, pane);
  const change = newChange();
  let mark: Mark | null = null;
  const follow = (point: PlanePoint, event: PointerEvent) => {
    const [a, b] = [card.toScreen(start), card.toScreen(point)];
    if (mark === null && Math.hypot(b.x - a.x, b.y - a.y) < CLICK) return;
    const to = inPlane(event.shiftKey && kind === 'line' ? straight(start, point, card) : point, pane);
    if (mark === null) mark = addMark(pane, { kind, from, to }, change);
    else {
      mark = { ...mark, to };
      replaceMark(pane, mark, change);
    }
  };
  return {
    move: follow,
    end(point, event) {
      follow(point, event);
      if (mark === null) pane.selectedMark.value = null;
    },
    cancel() {
      revertChange(pane, change.kind);
      pane.selectedMark.value = before;
    },
  };
}

/** Each click adds a point; between marks, an existing one can be dragged. */
function beginPolyline(point: PlanePoint, _event: PointerEvent, card: CardContext): Drag {
  const { pane } = card;
  const grip = draftMark(pane) === null ? gripAt(card.toScreen(point), card) : null;
  if (grip !== null) return move(grip.mark, grip.grip, point, card);
  return click((at) => {
    const near = (last: PlanePoint) => {
      const [a, b] = [card.toScreen(last), card.toScreen(at)];
      return Math.hypot(a.x - b.x, a.y - b.y) <= SAME_POINT;
    };
    placePoint(pane, 'polyline', inPlane(at, pane), near);
  });
}

function beginPoint(point: PlanePoint, _event: PointerEvent, card: CardContext): Drag {
  const grip = gripAt(card.toScreen(point), card);
  if (grip !== null) return move(grip.mark, grip.grip, point, card);
  return click((at) => placePoint(card.pane, 'point', inPlane(at, card.pane), () => false));
}

/** A drag that only acts where it ends. */
function click(act: (at: PlanePoint) => void): Drag {
  return { move() {}, end: act, cancel() {} };
}

function move(mark: Mark, grip: Grip, start: PlanePoint, { pane }: CardContext): Drag {
  const before = pane.selectedMark.value;
  const change = newChange();
  pane.selectedMark.value = mark.id;
  const follow = (point: PlanePoint) => replaceMark(pane, moveGrip(mark, grip, start, point, pane), change);
  return {
    move: follow,
    end: follow,
    cancel() {
      revertChange(pane, change.kind);
      pane.selectedMark.value = before;
    },
  };
}

function inPlane({ row, column }: PlanePoint, { shape }: Pane): PlanePoint {
  return { row: clamp(row, 0, shape[0]), column: clamp(column, 0, shape[1]) };
}

/** Returns the point on the screen axis that is closer to the direction of the drag. */
function straight(start: PlanePoint, point: PlanePoint, card: CardContext): PlanePoint {
  const [a, b] = [card.toScreen(start), card.toScreen(point)];
  const flat = Math.abs(b.x - a.x) >= Math.abs(b.y - a.y);
  const alongRows = flat === card.pane.orientation.value.transposed;
  return alongRows ? { row: point.row, column: start.column } : { row: start.row, column: point.column };
}
