/** Tools that draw and move regions and lines. */
import type { Mark } from '../model/document.ts';
import type { CardContext, Drag, Tool } from '../model/extension.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { gripAt } from './grips.ts';
import { addMark, clamp, moveGrip, removeMark, replaceMark } from './marks.ts';

/** A drag shorter than this, in CSS pixels, is a click. */
const CLICK = 3;

export const TOOLS: readonly Tool[] = [
  {
    id: 'region',
    label: 'Region',
    key: 'r',
    icon: 'M2.5 4.5h11v7h-11z',
    cursor: 'crosshair',
    begin: (point, _event, card) => begin('region', point, card),
  },
  {
    id: 'line',
    label: 'Line',
    key: 'l',
    icon: 'M3 13L13 3M2 12l2 2M12 2l2 2',
    cursor: 'crosshair',
    begin: (point, _event, card) => begin('line', point, card),
  },
];

function begin(kind: Mark['kind'], point: PlanePoint, card: CardContext): Drag {
  const grip = gripAt(card.toScreen(point), card);
  return grip === null ? draw(kind, point, card) : move(grip.mark, grip.grip, point, card);
}

/** Draws a new mark, which appears with the first movement. A click outside of all marks clears the selection. */
function draw(kind: Mark['kind'], start: PlanePoint, card: CardContext): Drag {
  const { pane } = card;
  const before = pane.selectedMark.value;
  const from = inPlane(start, card);
  let mark: Mark | null = null;
  const follow = (point: PlanePoint, event: PointerEvent) => {
    const [a, b] = [card.toScreen(start), card.toScreen(point)];
    if (mark === null && Math.hypot(b.x - a.x, b.y - a.y) < CLICK) return;
    const to = inPlane(event.shiftKey && kind === 'line' ? straight(start, point, card) : point, card);
    if (mark === null) mark = addMark(pane, kind, from, to);
    else {
      mark = { ...mark, to };
      replaceMark(pane, mark);
    }
  };
  return {
    move: follow,
    end(point, event) {
      follow(point, event);
      if (mark === null) pane.selectedMark.value = null;
    },
    cancel() {
      if (mark !== null) removeMark(pane, mark.id);
      pane.selectedMark.value = before;
    },
  };
}

function move(mark: Mark, grip: Parameters<typeof moveGrip>[1], start: PlanePoint, { pane }: CardContext): Drag {
  const before = pane.selectedMark.value;
  pane.selectedMark.value = mark.id;
  const follow = (point: PlanePoint) => replaceMark(pane, moveGrip(mark, grip, start, point, pane));
  return {
    move: follow,
    end: follow,
    cancel() {
      replaceMark(pane, mark);
      pane.selectedMark.value = before;
    },
  };
}

function inPlane({ row, column }: PlanePoint, { pane }: CardContext): PlanePoint {
  return { row: clamp(row, 0, pane.shape[0]), column: clamp(column, 0, pane.shape[1]) };
}

/** Returns the point on the screen axis that is closer to the direction of the drag. */
function straight(start: PlanePoint, point: PlanePoint, card: CardContext): PlanePoint {
  const [a, b] = [card.toScreen(start), card.toScreen(point)];
  const flat = Math.abs(b.x - a.x) >= Math.abs(b.y - a.y);
  const alongRows = flat === card.pane.orientation.value.transposed;
  return alongRows ? { row: point.row, column: start.column } : { row: start.row, column: point.column };
}
