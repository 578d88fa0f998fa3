/** The cross of orthogonal views: one place in a stack, which all three pictures show and move. */
import { effect, untracked } from '@preact/signals';
import type { Along } from '../analysis/profile.ts';
import { paneState } from '../image/pane-state.ts';
import type { Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import type { Stack } from '../stack/stack.ts';
import { indexAt, rowOf, type ThirdAxis } from './third-axis.ts';

/** A sample of the stack. */
export interface Spot {
  readonly row: number;
  readonly column: number;
  /** Section or time point. */
  readonly index: number;
}

/** A picture that shows the cross; without `along` it is the plane itself. */
export interface CrossPane {
  readonly pane: Pane;
  readonly along?: Along;
}

/** Returns the sample of the plane under the cross. */
export function crossSample({ cross, shape: [rows, columns] }: Pane): { row: number; column: number } {
  const within = (at: number, size: number) => Math.min(size - 1, Math.max(0, Math.floor(at)));
  const at = cross.value ?? { row: rows / 2, column: columns / 2 };
  return { row: within(at.row, rows), column: within(at.column, columns) };
}

/** Returns the sample of the stack at a point of a picture. What a picture does not show is that of `cross`. */
function spotAt(third: ThirdAxis, { along }: CrossPane, point: PlanePoint, cross: Spot): Spot {
  if (along === undefined) return { ...cross, row: Math.floor(point.row), column: Math.floor(point.column) };
  return { ...cross, [along]: Math.floor(point.column), index: indexAt(third, point.row) };
}

function pointOf(third: ThirdAxis, { along }: CrossPane, spot: Spot): PlanePoint {
  if (along === undefined) return { row: spot.row + 0.5, column: spot.column + 0.5 };
  return { row: rowOf(third, spot.index), column: spot[along] + 0.5 };
}

const same = (a: Spot, b: Spot) => a.row === b.row && a.column === b.column && a.index === b.index;

/**
 * Keeps the cross and the place that each picture keeps for its cursor the same: a click, a drag or a key in one of them
 * moves the others and the slider. Returns a function that stops it.
 */
export function linkCross(source: Pane, panes: readonly CrossPane[], stack: Stack, third: ThirdAxis): () => void {
  const { dim } = third;
  const spot = (): Spot => ({ ...crossSample(source), index: stack.wanted.value[dim] });
  const clicked = paneState(source).anchor.peek();
  if (clicked !== null)
    source.cross.value = { row: Math.floor(clicked.row) + 0.5, column: Math.floor(clicked.column) + 0.5 };
  const stops = panes.flatMap((shown) => {
    const { pane } = shown;
    const { anchor } = paneState(pane);
    return [
      effect(() => {
        const now = spot();
        const before = anchor.peek();
        if (before !== null && same(spotAt(third, shown, before, now), now)) return;
        const next = pointOf(third, shown, now);
        anchor.value = next;
        // A pointer over the picture stays where it is.
        if (pane.cursor.peek() === before || pane.cursor.peek() === null) pane.cursor.value = next;
      }),
      effect(() => {
        const at = anchor.value;
        const now = { ...untracked(() => crossSample(source)), index: stack.wanted.peek()[dim] };
        // Escape removes the cursor, but a cross-section without a place would be of nothing.
        if (at === null) {
          anchor.value = pointOf(third, shown, now);
          return;
        }
        const next = spotAt(third, shown, at, now);
        if (next.row !== now.row || next.column !== now.column) {
          source.cross.value = { row: next.row + 0.5, column: next.column + 0.5 };
        }
        if (next.index !== now.index) stack.go(dim, next.index);
      }),
    ];
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns the sample under the pointer in any of the pictures, otherwise the one under the cross. Reads signals. */
export function pointedSpot(source: Pane, panes: readonly CrossPane[], stack: Stack, third: ThirdAxis): Spot {
  const cross = { ...crossSample(source), index: stack.wanted.value[third.dim] };
  for (const shown of panes) {
    const cursor = shown.pane.cursor.value;
    if (cursor !== null && cursor !== paneState(shown.pane).anchor.value) return spotAt(third, shown, cursor, cross);
  }
  return cross;
}
