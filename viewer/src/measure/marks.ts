import type { Mark, Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';

/** A part of a mark that can be dragged. `from-to` is the corner with the row of `from` and the column of `to`. */
export type Grip = 'from' | 'to' | 'from-to' | 'to-from' | 'body';

export function addMark(pane: Pane, kind: Mark['kind'], from: PlanePoint, to: PlanePoint): Mark {
  const mark = { id: nextId(pane), kind, from, to };
  pane.marks.value = [...pane.marks.value, mark];
  pane.selectedMark.value = mark.id;
  return mark;
}

/** Returns `1`, `2`, … as shown on screen. The number of an existing mark is never used again. */
function nextId(pane: Pane): string {
  const taken = pane.marks.value.map(({ id }) => Number(id)).filter(Number.isInteger);
  return String(Math.max(0, ...taken) + 1);
}

export function replaceMark(pane: Pane, mark: Mark): void {
  pane.marks.value = pane.marks.value.map((other) => (other.id === mark.id ? mark : other));
}

export function removeMark(pane: Pane, id: string): void {
  pane.marks.value = pane.marks.value.filter((mark) => mark.id !== id);
  if (pane.selectedMark.value === id) pane.selectedMark.value = null;
}

export function selectedMark(pane: Pane): Mark | null {
  return pane.marks.value.find(({ id }) => id === pane.selectedMark.value) ?? null;
}

/** Returns the mark from the start of a drag with its grip moved, limited to the plane. */
export function moveGrip(mark: Mark, grip: Grip, start: PlanePoint, now: PlanePoint, pane: Pane): Mark {
  const [rows, columns] = pane.shape;
  if (grip === 'body') {
    const low = corner(mark, Math.min);
    const high = corner(mark, Math.max);
    const row = clamp(now.row - start.row, -low.row, rows - high.row);
    const column = clamp(now.column - start.column, -low.column, columns - high.column);
    return { ...mark, from: shifted(mark.from, row, column), to: shifted(mark.to, row, column) };
  }
  const at = { row: clamp(now.row, 0, rows), column: clamp(now.column, 0, columns) };
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

function corner({ from, to }: Mark, pick: (a: number, b: number) => number): PlanePoint {
  return { row: pick(from.row, to.row), column: pick(from.column, to.column) };
}

function shifted(point: PlanePoint, row: number, column: number): PlanePoint {
  return { row: point.row + row, column: point.column + column };
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
