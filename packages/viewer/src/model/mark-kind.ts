/** What the kinds of marks have in common. */
import type { MarkKind } from './document.ts';

const AREAS: readonly MarkKind[] = ['region', 'ellipse', 'polygon', 'freehand'];
const PATHS: readonly MarkKind[] = ['line', 'polyline', 'freeline'];

export const MARK_KINDS: readonly MarkKind[] = [...AREAS, ...PATHS, 'point'];

/** True for marks that enclose samples. */
export function isArea(kind: MarkKind): boolean {
  return AREAS.includes(kind);
}

/** True for marks along which samples lie. */
export function isPath(kind: MarkKind): boolean {
  return PATHS.includes(kind);
}

/** True for a rectangle and the ellipse inside one, which two opposite corners describe. */
export function isBox(kind: MarkKind): boolean {
  return kind === 'region' || kind === 'ellipse';
}

/** True for marks with more points than their ends. */
export function hasVertices(kind: MarkKind): boolean {
  return isArea(kind) ? !isBox(kind) : kind === 'polyline' || kind === 'freeline';
}

/** True for marks whose last point is joined to the first. */
export function isClosed(kind: MarkKind): boolean {
  return kind === 'polygon' || kind === 'freehand';
}

/** True for marks whose points follow the pointer, so that they are not moved one by one. */
export function isFreehand(kind: MarkKind): boolean {
  return kind === 'freehand' || kind === 'freeline';
}
