/** Marks that are drawn point by point, with clicks or with Enter at the cursor. */
import { type Signal, signal } from '@preact/signals';
import { revertChange } from '../image/pane-state.ts';
import { MAX_POINTS, type Mark, type MarkKind, type Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { hasVertices } from '../model/mark-kind.ts';
import { withWholeSamples } from './mark-region.ts';
import { addMark, newChange, replaceMark, selectedMark } from './marks.ts';

/** The change of the last point, which is taken back when the mark ends there. */
interface Draft {
  readonly id: string;
  readonly change: string;
}

const drafts = new WeakMap<Pane, Signal<Draft | null>>();

function draftSignal(pane: Pane): Signal<Draft | null> {
  let draft = drafts.get(pane);
  if (draft === undefined) {
    draft = signal<Draft | null>(null);
    drafts.set(pane, draft);
  }
  return draft;
}

/** Returns the mark that waits for its next point: it is still there, selected, and of the kind of the tool. */
export function draftMark(pane: Pane): Mark | null {
  const draft = draftSignal(pane).value;
  const mark = selectedMark(pane);
  return draft !== null && mark?.id === draft.id && mark.kind === pane.tool.value ? mark : null;
}

/** Starts a mark at a point, or continues the one that waits. `again` ends it: the last point is clicked twice. */
export function placePoint(pane: Pane, kind: MarkKind, at: PlanePoint, again: (last: PlanePoint) => boolean): void {
  const draft = draftSignal(pane);
  const mark = draftMark(pane);
  const change = newChange();
  if (kind === 'point') addMark(pane, { kind, from: at, to: at }, change);
  else if (mark === null)
    draft.value = { id: addMark(pane, { kind, from: at, to: at }, change).id, change: change.kind };
  else if (again(mark.to)) endDraft(pane);
  else if (!hasVertices(kind)) {
    // One step for undo, which would leave a mark of a single sample otherwise.
    if (draft.value !== null) revertChange(pane, draft.value.change);
    draft.value = null;
    const { id, ...drawn } = withWholeSamples({ ...mark, to: at }, pane.shape);
    if (pane.marks.value.some((other) => other.id === id)) replaceMark(pane, { id, ...drawn }, change);
    else addMark(pane, drawn, change);
  } else {
    const first = (mark.via?.length ?? 0) === 0 && sameSpot(mark.from, mark.to);
    const via = first ? [] : [...(mark.via ?? []), mark.to];
    const moved = { ...mark, to: at, ...(via.length > 0 ? { via } : {}) };
    replaceMark(pane, withWholeSamples(moved, pane.shape), change);
    const done = via.length + 2 >= MAX_POINTS;
    draft.value = done ? null : { id: mark.id, change: change.kind };
  }
}

/** Ends the mark that waits; returns false when none does. A mark with a single point is removed. */
export function endDraft(pane: Pane): boolean {
  const draft = draftSignal(pane);
  const mark = draftMark(pane);
  const change = draft.value?.change;
  draft.value = null;
  if (mark === null || change === undefined) return false;
  if (sameSpot(mark.from, mark.to) && (mark.via?.length ?? 0) === 0) {
    revertChange(pane, change);
    pane.selectedMark.value = null;
  }
  return true;
}

function sameSpot(a: PlanePoint, b: PlanePoint): boolean {
  return a.row === b.row && a.column === b.column;
}
