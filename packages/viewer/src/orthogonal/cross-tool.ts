/** Dragging the cross, and painting it. */
import { anchorCursor } from '../image/card.ts';
import { BASE_TOOLS } from '../image/commands.ts';
import { visibleEdges } from '../image/covered-area.ts';
import { paneState } from '../image/pane-state.ts';
import type { Pane } from '../model/document.ts';
import type { CardContext, Drag, Overlay, Tool } from '../model/extension.ts';
import type { PlanePoint, Point } from '../model/geometry.ts';

/** Distance from a line of the cross at which a press takes it, CSS pixels. */
const REACH = 6;
const FINGER_REACH = 16;

/** The zoom and the pan tool of a card, which drag the cross where the press is on it. */
export const CROSS_TOOLS: readonly Tool[] = BASE_TOOLS.map((tool) => ({ ...tool, begin: grabCross }));

function grabCross(point: PlanePoint, event: PointerEvent, card: CardContext): Drag | null {
  const { pane } = card;
  const start = paneState(pane).anchor.peek();
  if (start === null || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return null;
  const [cross, at] = [card.toScreen(start), card.toScreen(point)];
  const reach = event.pointerType === 'touch' ? FINGER_REACH : REACH;
  const takes = { x: Math.abs(at.x - cross.x) <= reach, y: Math.abs(at.y - cross.y) <= reach };
  if (!takes.x && !takes.y) return null;
  const { transposed } = pane.orientation.peek();
  const [takesRow, takesColumn] = transposed ? [takes.x, takes.y] : [takes.y, takes.x];
  const move = (to: PlanePoint) => {
    const next = { row: takesRow ? to.row : start.row, column: takesColumn ? to.column : start.column };
    anchorCursor(pane, withinPlane(next, pane));
  };
  return { move, end: move, cancel: () => anchorCursor(pane, start) };
}

function withinPlane({ row, column }: PlanePoint, { shape: [rows, columns] }: Pane): PlanePoint {
  const within = (at: number, size: number) => Math.min(size - 0.5, Math.max(0, at));
  return { row: within(row, rows), column: within(column, columns) };
}

const DASHES = [5, 4];
/** Around the sample under the cross, CSS pixels. */
const GAP = 5;

/** Dashed lines through the sample at which the other pictures are cut. */
export const CROSS: Overlay = {
  id: 'cross',
  paint(context, card) {
    const { pane } = card;
    const at = paneState(pane).anchor.value;
    if (at === null) return;
    const middle = card.toScreen(sampleMiddle(at, pane));
    const { left, top, bottom } = visibleEdges(card);
    const right = Math.min(card.size.width, card.size.width - left);
    const path = crossPath(middle, { left, top, right, bottom });
    context.setLineDash(DASHES);
    context.strokeStyle = 'rgb(0 0 0 / 0.6)';
    context.lineWidth = 3;
    context.stroke(path);
    context.strokeStyle = '#fff';
    context.lineWidth = 1;
    context.stroke(path);
  },
};

/** Rows of cross-sections may be a part of a section. */
function sampleMiddle({ row, column }: PlanePoint, { sampleRatio }: Pane): PlanePoint {
  return { row: sampleRatio === undefined ? Math.floor(row) + 0.5 : row, column: Math.floor(column) + 0.5 };
}

function crossPath({ x, y }: Point, edges: Record<'left' | 'right' | 'top' | 'bottom', number>): Path2D {
  const path = new Path2D();
  path.moveTo(x - GAP, y);
  path.lineTo(edges.left, y);
  path.moveTo(x + GAP, y);
  path.lineTo(edges.right, y);
  path.moveTo(x, y - GAP);
  path.lineTo(x, edges.top);
  path.moveTo(x, y + GAP);
  path.lineTo(x, edges.bottom);
  return path;
}
