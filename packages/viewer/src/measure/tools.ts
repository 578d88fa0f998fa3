/** Tools that draw and move marks. */
import { revertChange } from '../image/pane-state.ts';
import { rowsOf } from '../image/plane-axes.ts';
import { MAX_POINTS, type Mark, type MarkKind, type Pane } from '../model/document.ts';
import type { CardContext, Drag, Tool } from '../model/extension.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { draftMark, endDraft, placePoint } from './draft.ts';
import { gripAt } from './grips.ts';
import { withWholeSamples } from './mark-region.ts';
import { addMark, clamp, type MarkGrip, moveGrip, newChange, replaceMark } from './marks.ts';
import { simplify } from './simplify.ts';
import { spokenMark } from './spoken-mark.ts';

/** A drag shorter than this, in CSS pixels, is a click. */
const CLICK = 3;
/** A click this close to the last point of a polyline ends it, in CSS pixels. */
const SAME_POINT = 6;

export const TOOLS: readonly Tool[] = [
  dragged({ id: 'region', label: 'Region', key: 'r', icon: 'region', group: 'region' }),
  dragged({ id: 'ellipse', label: 'Ellipse', key: 'e', icon: 'ellipse', group: 'region' }),
  clicked({ id: 'polygon', label: 'Polygon', key: 'g', icon: 'polygon', group: 'region' }),
  byHand({ id: 'freehand', label: 'Freehand region', key: 'd', icon: 'freehand', group: 'region' }),
  dragged({ id: 'line', label: 'Line', key: 'l', icon: 'line', group: 'line' }),
  clicked({ id: 'polyline', label: 'Polyline', key: 'y', icon: 'polyline', group: 'line' }),
  byHand({ id: 'freeline', label: 'Freehand line', key: 'n', icon: 'freeline', group: 'line' }),
  {
    id: 'point',
    label: 'Point',
    key: 'x',
    icon: 'point',
    cursor: 'crosshair',
    begin: beginPoint,
    place: placing('point'),
    finish: endDraft,
  },
];

type ToolParts = Pick<Tool, 'label' | 'key' | 'icon' | 'group'> & { readonly id: MarkKind };
type Begin = (kind: MarkKind, point: PlanePoint, card: CardContext) => Drag;

/** A tool that draws from one corner or end to the other. */
function dragged(parts: ToolParts): Tool {
  return tool(parts, (kind, point, card) => atGrip(point, card) ?? draw(kind, point, card));
}

/** A tool whose points are clicked one by one. */
function clicked(parts: ToolParts): Tool {
  return { ...tool(parts, beginClicks), hint: 'click its points, and the last one twice' };
}

/** A tool that follows the pointer. */
function byHand(parts: ToolParts): Tool {
  return tool(parts, (kind, point, card) => atGrip(point, card) ?? drawByHand(kind, point, card));
}

function tool(parts: ToolParts, begin: Begin): Tool {
  const { id } = parts;
  return {
    ...parts,
    cursor: 'crosshair',
    begin: (point, _event, card) => begin(id, point, card),
    place: placing(id),
    finish: endDraft,
  };
}

/** Places a point, and says what the mark is by now. */
function placing(kind: MarkKind): NonNullable<Tool['place']> {
  return (pane, point) => {
    placePoint(pane, kind, point, sameSample(point));
    return spokenMark(pane);
  };
}

const sameSample = (at: PlanePoint) => (last: PlanePoint) => last.row === at.row && last.column === at.column;

/** Returns the drag of what lies under the pointer. */
function atGrip(point: PlanePoint, card: CardContext): Drag | null {
  const grip = gripAt(card.toScreen(point), card);
  return grip && move(grip.mark, grip.grip, point, card);
}

/** Draws a new mark, which appears with the first movement. A click outside of all marks clears the selection. */
function draw(kind: MarkKind, start: PlanePoint, card: CardContext): Drag {
  const { pane } = card;
  const before = pane.selectedMark.value;
  const from = inPlane(start, pane);
  const change = newChange();
  let mark: Mark | null = null;
  const follow = (point: PlanePoint, event: PointerEvent) => {
    const [a, b] = [card.toScreen(start), card.toScreen(point)];
    if (mark === null && (Math.hypot(b.x - a.x, b.y - a.y) < CLICK || isInPause(pane, start, point))) return;
    const to = inPlane(event.shiftKey && kind === 'line' ? straight(start, point, card) : point, pane);
    const drawn = withWholeSamples({ kind, from, to }, pane.shape);
    if (mark === null) mark = addMark(pane, drawn, change);
    else replaceMark(pane, { ...mark, ...drawn }, change);
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

/** True when both points lie in one pause: a mark there would take the row after it. */
function isInPause(pane: Pane, a: PlanePoint, b: PlanePoint): boolean {
  if (a.row !== b.row || !Number.isInteger(a.row)) return false;
  return rowsOf(pane)?.gaps.some(({ after }) => after + 1 === a.row) ?? false;
}

/** Draws a path along the pointer, with as few points as keep it within half a pixel of the screen. */
function drawByHand(kind: MarkKind, start: PlanePoint, card: CardContext): Drag {
  const { pane } = card;
  const before = pane.selectedMark.value;
  const change = newChange();
  let points = [inPlane(start, pane)];
  let mark: Mark | null = null;
  const follow = (point: PlanePoint) => {
    const next = inPlane(point, pane);
    const [a, b] = [card.toScreen(points.at(-1)!), card.toScreen(next)];
    if (Math.hypot(b.x - a.x, b.y - a.y) < (mark === null ? CLICK : 1)) return;
    points.push(next);
    if (points.length > MAX_POINTS) points = fewer(points, card);
    const parts = { kind, from: points[0]!, to: points.at(-1)!, via: points.slice(1, -1) };
    if (mark === null) mark = addMark(pane, parts, change);
    else {
      mark = { ...mark, ...parts };
      replaceMark(pane, mark, change);
    }
  };
  return {
    move: follow,
    end(point) {
      follow(point);
      if (mark === null) pane.selectedMark.value = null;
      else replaceMark(pane, { ...mark, via: fewer(points, card).slice(1, -1) }, change);
    },
    cancel() {
      revertChange(pane, change.kind);
      pane.selectedMark.value = before;
    },
  };
}

function fewer(points: readonly PlanePoint[], { toScreen }: CardContext): PlanePoint[] {
  return simplify(points.map(toScreen), 0.5, MAX_POINTS / 2).map((at) => points[at]!);
}

/** Each click adds a point; between marks, an existing one can be dragged. */
function beginClicks(kind: MarkKind, point: PlanePoint, card: CardContext): Drag {
  const { pane } = card;
  const drag = draftMark(pane) === null ? atGrip(point, card) : null;
  if (drag !== null) return drag;
  return click((at) => {
    const near = (last: PlanePoint) => {
      const [a, b] = [card.toScreen(last), card.toScreen(at)];
      return Math.hypot(a.x - b.x, a.y - b.y) <= SAME_POINT;
    };
    placePoint(pane, kind, inPlane(at, pane), near);
  });
}

function beginPoint(point: PlanePoint, _event: PointerEvent, card: CardContext): Drag {
  return atGrip(point, card) ?? click((at) => placePoint(card.pane, 'point', inPlane(at, card.pane), () => false));
}

/** A drag that only acts where it ends. */
function click(act: (at: PlanePoint) => void): Drag {
  return { move() {}, end: act, cancel() {} };
}

function move(mark: Mark, grip: MarkGrip, start: PlanePoint, { pane }: CardContext): Drag {
  const before = pane.selectedMark.value;
  const change = newChange();
  pane.selectedMark.value = mark.id;
  const follow = (point: PlanePoint) =>
    replaceMark(pane, withWholeSamples(moveGrip(mark, grip, start, point, pane), pane.shape), change);
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
