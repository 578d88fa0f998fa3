/** Marks as ROIs of ImageJ, and back. */
import { touched } from '../analysis/area.ts';

import { markColor } from '../measure/mark-colors.ts';
import { markName, markPoints } from '../measure/marks.ts';
import { simplify } from '../measure/simplify.ts';
import { MAX_NAME, MAX_POINTS, MAX_WIDTH, type Mark, type MarkKind } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { isArea } from '../model/mark-kind.ts';
import { formatNumber } from '../model/number-text.ts';
import { type Roi, type RoiType, writeRoi } from './roi-format.ts';

const TYPES: Readonly<Record<MarkKind, RoiType>> = {
  ...{ line: 'line', polyline: 'polyline', freeline: 'freeline', point: 'point' },
  ...{ region: 'rectangle', ellipse: 'oval', polygon: 'polygon', freehand: 'freehand' },
};
const KINDS: Readonly<Record<RoiType, MarkKind>> = {
  ...{ line: 'line', polyline: 'polyline', freeline: 'freeline', angle: 'polyline', point: 'point' },
  ...{ rectangle: 'region', oval: 'ellipse', polygon: 'polygon', freehand: 'freehand', traced: 'freehand' },
};
/** A polygon with more points has no grips. */
const MAX_GRIPS = 64;

/** Returns a mark as a file that ImageJ reads. */
export function markRoi(mark: Mark): Uint8Array<ArrayBuffer> {
  const { c = 0, z = 0, t = 0 } = mark.plane ?? {};
  const roi = { name: markName(mark), width: mark.width ?? 0, c, z, t };
  const color = Number.parseInt(markColor(mark).slice(1), 16);
  return writeRoi({ ...roi, type: TYPES[mark.kind], points: roiPoints(mark) }, color);
}

function roiPoints(mark: Mark): Roi['points'] {
  if (mark.kind === 'region' || mark.kind === 'ellipse') {
    const { from, to } = mark;
    // The whole samples that are measured.
    const rows = touched(from.row, to.row);
    const columns = touched(from.column, to.column);
    return [0, 1].map((end) => [columns[end]!, rows[end]!] as const);
  }
  const points = markPoints(mark);
  if (mark.kind === 'point') return points.map(({ row, column }) => [Math.floor(column), Math.floor(row)]);
  const origin = isArea(mark.kind) ? 0 : 0.5;
  return points.map(({ row, column }) => [column - origin, row - origin]);
}

/** How many planes of each kind a stack has. */
type Sizes = Readonly<Partial<Record<'C' | 'Z' | 'T', number>>>;

/** Returns the marks of a ROI: one for each of its points, otherwise one; and in words what is not as in ImageJ. */
export function roiMarks(roi: Roi, sizes: Sizes): { marks: Omit<Mark, 'id'>[]; change: string } {
  const { type, points } = roi;
  const kind = KINDS[type];
  const origin = isArea(kind) ? 0 : 0.5;
  const all = points.map(([x, y]): PlanePoint => ({ row: y + origin, column: x + origin }));
  const plane = planeOf(roi, sizes);
  const name = roi.name.trim().slice(0, MAX_NAME);
  const parts = { ...(name === '' ? {} : { name }), ...(plane ? { plane } : {}) };
  if (kind === 'point') return { marks: all.map((at) => ({ kind, from: at, to: at, ...parts })), change: '' };
  const { points: kept, isSimplified } = fewer(
    isArea(kind) && type !== 'rectangle' && type !== 'oval' ? opened(all) : all,
  );
  const width = lineWidth(roi.width);
  const via = kept.slice(1, -1);
  const mark = {
    kind: kind === 'polygon' && kept.length > MAX_GRIPS ? ('freehand' as const) : kind,
    ...{ from: kept[0]!, to: kept.at(-1)! },
    ...(via.length > 0 ? { via } : {}),
    ...(isArea(kind) || width === 1 ? {} : { width }),
    ...parts,
  };
  return {
    marks: [mark],
    change: isSimplified ? `${kept.length} of ${formatNumber(points.length)} points` : roi.change,
  };
}

function lineWidth(width: number): number {
  return Math.min(MAX_WIDTH, Math.max(1, Math.round(width)));
}

/** Some outlines repeat their first point at the end. */
function opened(points: readonly PlanePoint[]): readonly PlanePoint[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  return points.length > 1 && first.row === last.row && first.column === last.column ? points.slice(0, -1) : points;
}

/** Leaves out points in the middle of straight pieces, and more only where a mark cannot have all others. */
function fewer(points: readonly PlanePoint[]): { points: readonly PlanePoint[]; isSimplified: boolean } {
  if (points.length <= MAX_POINTS) return { points, isSimplified: false };
  const turns = points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]];
    if (before === undefined || after === undefined) return true;
    const [down, right] = [point.row - before.row, point.column - before.column];
    return down * (after.column - point.column) !== right * (after.row - point.row);
  });
  if (turns.length <= MAX_POINTS) return { points: turns, isSimplified: false };
  const places = turns.map(({ row, column }) => ({ x: column, y: row }));
  return { points: simplify(places, 0.05, MAX_POINTS).map((at) => turns[at]!), isSimplified: true };
}

/** Returns the plane of a ROI. A stack of ImageJ without C, Z and T counts its planes through C, then Z, then T. */
function planeOf({ c, z, t, position }: Roi, sizes: Sizes): Mark['plane'] | null {
  const named = { ...(c > 0 ? { c } : {}), ...(z > 0 ? { z } : {}), ...(t > 0 ? { t } : {}) };
  if (Object.keys(named).length > 0) return named;
  const [C, Z, T] = [sizes.C ?? 1, sizes.Z ?? 1, sizes.T ?? 1];
  const at = position - 1;
  if (at < 0 || at >= C * Z * T || C * Z * T === 1) return null;
  const places = { c: (at % C) + 1, z: (Math.floor(at / C) % Z) + 1, t: Math.floor(at / (C * Z)) + 1 };
  return {
    ...(C > 1 ? { c: places.c } : {}),
    ...(Z > 1 ? { z: places.z } : {}),
    ...(T > 1 ? { t: places.t } : {}),
  };
}
