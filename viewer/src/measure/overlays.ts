/** Overlays of the measuring tools: marks, the scan path, and the position on it that corresponds to the pointer. */
import { lineMeasure } from '../analysis/line.ts';
import { imageAreaOf } from '../image/pane-state.ts';
import type { AcquisitionDocument, Mark } from '../model/document.ts';
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { gripPoints } from './grips.ts';
import { nearestOnPath, pointOnPath, toScanPath } from './scan-path.ts';
import { lineSummary } from './summary.ts';

/** Light with a dark border, readable over any color table. */
const LIGHT = '#ffffff';
const SELECTED = '#ffd54a';
const PATH = '#fb7185';
const BORDER = 'rgb(0 0 0 / 0.75)';
/** Max distance of the pointer from the path, in CSS pixels. */
const PATH_REACH = 24;

export const OVERLAYS: readonly Overlay[] = [
  { id: 'scan-path', paint: paintScanPath },
  { id: 'linked-position', paint: paintLinkedPosition },
  { id: 'marks', paint: paintMarks },
];

function paintScanPath(context: CanvasRenderingContext2D, card: CardContext): void {
  const { document, pane } = card;
  if (pane.kind !== 'reference' || !document.showScanPath.value) return;
  const path = toScanPath(document.info.value.reference);
  if (path === null) return;
  const points = path.points.map(({ x, y }) => card.toScreen({ row: y, column: x }));
  outlined(context, PATH, 2, () => trace(context, points));
  const [first, last] = [points[0]!, points.at(-1)!];
  const apart = points.length > 1 && Math.hypot(last.x - first.x, last.y - first.y) / points.length > 12;
  // Draw each vertex if there is room, and always the start, which is the first pixel of a line.
  for (const point of apart ? points : [last]) dot(context, point, 2.5, PATH);
  dot(context, first, 4, PATH);
}

/**
 * Marks the pixel under the pointer on the reference, or the pixel of the line scan that corresponds to the pointer
 * there.
 */
function paintLinkedPosition(context: CanvasRenderingContext2D, card: CardContext): void {
  const { document, pane } = card;
  const { showScanPath, source, reference, info } = document;
  const path = showScanPath.value ? toScanPath(info.value.reference) : null;
  if (path === null) return;
  const columns = source.value.shape[1];
  if (pane.kind === 'reference') {
    const cursor = source.value.cursor.value;
    if (cursor === null) return;
    const { x, y } = pointOnPath(path, cursor.column, columns);
    dot(context, card.toScreen({ row: y, column: x }), 5, SELECTED);
    return;
  }
  const cursor = reference.value?.cursor.value ?? null;
  const column = cursor === null ? null : linkedColumn(document, card);
  if (column === null) return;
  const [rows] = pane.shape;
  outlined(context, SELECTED, 1.5, () =>
    trace(context, [card.toScreen({ row: 0, column }), card.toScreen({ row: rows, column })]),
  );
}

/**
 * Returns the column of the line scan that corresponds to the cursor of the reference; null when that is far from the
 * path.
 */
function linkedColumn({ reference, info }: AcquisitionDocument, { pane }: CardContext): number | null {
  const shown = reference.value;
  const cursor = shown?.cursor.value ?? null;
  const path = toScanPath(info.value.reference);
  if (shown === null || cursor === null || path === null) return null;
  const { distance, column } = nearestOnPath(path, cursor, pane.shape[1]);
  const area = imageAreaOf(shown).value;
  const perSample = area === null ? 1 : area.width / area.view.width;
  return distance * perSample <= PATH_REACH ? column : null;
}

function paintMarks(context: CanvasRenderingContext2D, card: CardContext): void {
  const { marks, selectedMark } = card.pane;
  for (const mark of marks.value) {
    const selected = mark.id === selectedMark.value;
    const color = selected ? SELECTED : LIGHT;
    outlined(context, color, 1.5, () => traceMark(context, mark, card));
    if (selected) for (const [, point] of gripPoints(mark, card)) dot(context, point, 4, color);
    label(context, mark, card, color);
  }
}

function traceMark(context: CanvasRenderingContext2D, mark: Mark, card: CardContext): void {
  const [a, b] = [card.toScreen(mark.from), card.toScreen(mark.to)];
  if (mark.kind === 'line') trace(context, [a, b]);
  else {
    context.beginPath();
    context.rect(Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(b.x - a.x), Math.abs(b.y - a.y));
    context.stroke();
  }
}

function label(context: CanvasRenderingContext2D, mark: Mark, card: CardContext, color: string): void {
  const [a, b] = [card.toScreen(mark.from), card.toScreen(mark.to)];
  const summary = mark.kind === 'line' ? ` ${lineSummary(lineMeasure(mark.from, mark.to, card.pane.plane.axes))}` : '';
  const text = `${mark.id}${summary}`;
  context.font = '600 12px system-ui, sans-serif';
  const width = context.measureText(text).width;
  const place = mark.kind === 'line' ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : corner(a, b);
  const x = Math.min(Math.max(2, place.x + 6), Math.max(2, card.size.width - width - 4));
  const y = Math.min(Math.max(13, place.y - 5), card.size.height - 4);
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = BORDER;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

const corner = (a: Point, b: Point): Point => ({ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y) });

function trace(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  context.beginPath();
  points.forEach(({ x, y }, i) => {
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
  context.stroke();
}

function outlined(context: CanvasRenderingContext2D, color: string, width: number, draw: () => void): void {
  context.lineJoin = 'round';
  context.strokeStyle = BORDER;
  context.lineWidth = width + 2;
  draw();
  context.strokeStyle = color;
  context.lineWidth = width;
  draw();
}

function dot(context: CanvasRenderingContext2D, { x, y }: Point, radius: number, color: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = BORDER;
  context.stroke();
}
