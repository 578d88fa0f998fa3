import { setMarks, type ViewChange } from '../image/pane-state.ts';
import { type Mark, type MarkKind, type Pane, POINT_DECIMALS } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { isArea, isBox, isPath } from '../model/mark-kind.ts';

/**
 * A part of a mark that can be dragged. `from-to` is the corner with the row of `from` and the column of `to`; a number
 * is a position in `via`.
 */
export type MarkGrip = 'from' | 'to' | 'from-to' | 'to-from' | 'body' | number;

let changes = 0;

/** Returns a change that is an undo step of its own. Used for several changes, it makes them one step. */
export function newChange(): ViewChange {
  changes += 1;
  return { kind: `marks ${changes}`, at: 0 };
}

/** Adds a mark and selects it. */
export function addMark(pane: Pane, mark: Omit<Mark, 'id'>, change = newChange()): Mark {
  const added = withShortPoints({ ...mark, id: nextId(pane) });
  setMarks(pane, [...pane.marks.value, added], change);
  pane.selectedMark.value = added.id;
  return added;
}

/** Returns `1`, `2`, … as shown on screen, one more than the largest number in use. */
function nextId(pane: Pane): string {
  const taken = pane.marks.value.map(({ id }) => Number(id)).filter(Number.isInteger);
  return String(Math.max(0, ...taken) + 1);
}

/** Replaces the mark with the same id; does nothing when both are equal. */
export function replaceMark(pane: Pane, changed: Mark, change = newChange()): void {
  const mark = withShortPoints(changed);
  const before = pane.marks.value.find(({ id }) => id === mark.id);
  if (before === undefined || JSON.stringify(before) === JSON.stringify(mark)) return;
  setMarks(
    pane,
    pane.marks.value.map((other) => (other.id === mark.id ? mark : other)),
    change,
  );
}

export function removeMark(pane: Pane, id: string): void {
  setMarks(
    pane,
    pane.marks.value.filter((mark) => mark.id !== id),
    newChange(),
  );
  if (pane.selectedMark.value === id) pane.selectedMark.value = null;
}

export function selectedMark(pane: Pane): Mark | null {
  return pane.marks.value.find(({ id }) => id === pane.selectedMark.value) ?? null;
}

const KINDS: Record<MarkKind, string> = {
  line: 'Line',
  polyline: 'Polyline',
  freeline: 'Freehand line',
  region: 'Region',
  ellipse: 'Ellipse',
  polygon: 'Polygon',
  freehand: 'Freehand region',
  point: 'Point',
};

export function kindName(kind: MarkKind): string {
  return KINDS[kind];
}

/** Returns the name that the user gave, or for example `Line 3`. */
export function markName(mark: Mark): string {
  return mark.name ?? plainName(mark);
}

/** Returns the name of the mark with an id; `Region 3` also when it was deleted. */
export function markNameOf(pane: Pane, id: string): string {
  const mark = pane.marks.peek().find((other) => other.id === id);
  return mark ? markName(mark) : plainName({ id, kind: 'region' });
}

/** Returns the region that is subtracted from others; null without one, or when it was deleted. */
export function backgroundMark({ marks, background }: Pane): Mark | null {
  const id = background.value;
  return marks.value.find((mark) => mark.id === id && isArea(mark.kind)) ?? null;
}

/** Returns the name of a mark to which the user has given none. */
export function plainName({ id, kind }: Pick<Mark, 'id' | 'kind'>): string {
  return `${KINDS[kind]} ${id}`;
}

/** Returns the samples across a line that are averaged; 1 on a line scan, where they were recorded at other times. */
export function lineWidth({ kind, width = 1 }: Mark, { lineScan }: Pane): number {
  return isPath(kind) && !lineScan ? width : 1;
}

/** Returns all points of a mark, from its first to its last. */
export function markPoints({ kind, from, via = [], to }: Mark): readonly PlanePoint[] {
  return kind === 'point' ? [from] : [from, ...via, to];
}

/** Returns the points of a line as the server counts: whole numbers are centers of pixels. */
export function centeredPoints(mark: Mark): (readonly [row: number, column: number])[] {
  return markPoints(mark).map(({ row, column }) => [row - 0.5, column - 0.5] as const);
}

/** Returns the mark from the start of a drag with its grip moved, limited to the plane. */
export function moveGrip(mark: Mark, grip: MarkGrip, start: PlanePoint, now: PlanePoint, pane: Pane): Mark {
  const [rows, columns] = pane.shape;
  if (grip === 'body') {
    const points = markPoints(mark);
    const low = corner(points, Math.min);
    const high = corner(points, Math.max);
    const row = clamp(now.row - start.row, -low.row, rows - high.row);
    const column = clamp(now.column - start.column, -low.column, columns - high.column);
    // Edges stay between samples, and the size stays.
    const by = isBox(mark.kind) ? Math.round : (value: number) => value;
    return mapPoints(mark, (point) => ({ row: point.row + by(row), column: point.column + by(column) }));
  }
  const at = { row: clamp(now.row, 0, rows), column: clamp(now.column, 0, columns) };
  if (typeof grip === 'number') return { ...mark, via: (mark.via ?? []).map((point, i) => (i === grip ? at : point)) };
  if (mark.kind === 'point') return { ...mark, from: at, to: at };
  const from = {
    row: grip.startsWith('from') ? at.row : mark.from.row,
    column: grip === 'from' || grip === 'to-from' ? at.column : mark.from.column,
  };
  const to = {
    row: grip.startsWith('to') ? at.row : mark.to.row,
    column: grip === 'to' || grip === 'from-to' ? at.column : mark.to.column,
  };
  return { ...mark, from, to };
}

/** Returns a mark whose outline has the decimals that a link keeps, so that it stays the same. */
function withShortPoints(mark: Mark): Mark {
  const short = (value: number) => Number(value.toFixed(POINT_DECIMALS));
  return mark.via === undefined
    ? mark
    : { ...mark, via: mark.via.map(({ row, column }) => ({ row: short(row), column: short(column) })) };
}

function mapPoints(mark: Mark, move: (point: PlanePoint) => PlanePoint): Mark {
  const via = mark.via?.map(move);
  return { ...mark, from: move(mark.from), to: move(mark.to), ...(via ? { via } : {}) };
}

export function corner(points: readonly PlanePoint[], pick: (...values: number[]) => number): PlanePoint {
  return { row: pick(...points.map(({ row }) => row)), column: pick(...points.map(({ column }) => column)) };
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
