/** Overlays of the measuring tools: marks, the scan path, and the position on it that corresponds to the pointer. */
import { paintShapes } from '../image/paint-shapes.ts';
import { imageAreaOf } from '../image/pane-state.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import type { CardContext, Overlay } from '../model/extension.ts';
import type { DrawnShape } from '../model/shapes.ts';
import { draftMark } from './draft.ts';
import { dot, markShapes, path, SELECTED } from './mark-shapes.ts';
import { nearestOnPath, pointOnPath, toScanPath } from './scan-path.ts';

const PATH = '#fb7185';
/** Max distance of the pointer from the path, in CSS pixels. */
const PATH_REACH = 24;

export const OVERLAYS: readonly Overlay[] = [
  { id: 'scan-path', paint: painter(scanPathShapes), shapes: scanPathShapes },
  { id: 'linked-position', paint: painter(linkedPositionShapes) },
  {
    id: 'marks',
    paint: painter((card) => [...markShapes(card, card.pane.selectedMark.value), ...draftShapes(card)]),
    shapes: (card) => markShapes(card, null),
  },
];

function painter(shapes: (card: CardContext) => readonly DrawnShape[]): Overlay['paint'] {
  return (context, card) => paintShapes(context, shapes(card), card.size);
}

function scanPathShapes(card: CardContext): DrawnShape[] {
  const { document, pane } = card;
  if (pane.kind !== 'reference' || !document.showScanPath.value) return [];
  const scan = toScanPath(document.info.value.reference);
  if (scan === null) return [];
  const points = scan.points.map(({ x, y }) => card.toScreen({ row: y, column: x }));
  const [first, last] = [points[0]!, points.at(-1)!];
  const apart = points.length > 1 && Math.hypot(last.x - first.x, last.y - first.y) / points.length > 12;
  // Draw each vertex if there is room, and always the start, which is the first pixel of a line.
  const vertices = apart ? points : [last];
  return [path(points, 2, PATH), ...vertices.map((at) => dot(at, 2.5, PATH)), dot(first, 4, PATH)];
}

/**
 * Marks the pixel under the pointer on the reference, or the pixel of the line scan that corresponds to the pointer
 * there.
 */
function linkedPositionShapes(card: CardContext): DrawnShape[] {
  const { document, pane } = card;
  const { showScanPath, source, reference, info } = document;
  const scan = showScanPath.value ? toScanPath(info.value.reference) : null;
  if (scan === null) return [];
  const columns = source.value.shape[1];
  if (pane.kind === 'reference') {
    const cursor = source.value.cursor.value;
    if (cursor === null) return [];
    const { x, y } = pointOnPath(scan, cursor.column, columns);
    return [dot(card.toScreen({ row: y, column: x }), 5, SELECTED)];
  }
  const cursor = reference.value?.cursor.value ?? null;
  const column = cursor === null ? null : linkedColumn(document, card);
  if (column === null) return [];
  const [rows] = pane.shape;
  return [path([card.toScreen({ row: 0, column }), card.toScreen({ row: rows, column })], 1.5, SELECTED)];
}

/**
 * Returns the column of the line scan that corresponds to the cursor of the reference; null when that is far from the
 * path.
 */
function linkedColumn({ reference, info }: AcquisitionDocument, { pane }: CardContext): number | null {
  const shown = reference.value;
  const cursor = shown?.cursor.value ?? null;
  const scan = toScanPath(info.value.reference);
  if (shown === null || cursor === null || scan === null) return null;
  const { distance, column } = nearestOnPath(scan, cursor, pane.shape[1]);
  const area = imageAreaOf(shown).value;
  const perSample = area === null ? 1 : area.width / area.view.width;
  return distance * perSample <= PATH_REACH ? column : null;
}

/** The piece from the last point of a mark that is being drawn to the cursor. */
function draftShapes(card: CardContext): DrawnShape[] {
  const mark = draftMark(card.pane);
  const cursor = card.pane.cursor.value;
  if (mark === null || cursor === null) return [];
  return [path([card.toScreen(mark.to), card.toScreen(cursor)], 1, SELECTED)];
}
