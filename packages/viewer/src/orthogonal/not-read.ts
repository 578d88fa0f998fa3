/** Hatches what has not been read, so that nobody takes it for dark samples. */
import { paintHatch } from '../image/paint-gaps.ts';
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Rect } from '../model/geometry.ts';
import type { ThirdAxis } from './third-axis.ts';

/** Darker than the hatching of what was not recorded. */
const COLORS = { ground: '#868c94', line: '#6b727b' };

/** @param missing returns the indices that have not been read. Reads signals. */
export function notReadOverlay(third: ThirdAxis, missing: () => readonly number[]): Overlay {
  return {
    id: 'not-read',
    paint(context, card) {
      const area = { x: 0, y: 0, ...card.size };
      for (const [first, end] of rowRuns(third, missing())) paintHatch(context, boxOf(card, first, end), area, COLORS);
    },
  };
}

/** Returns the rows of some indices, neighbors together. */
export function rowRuns({ from, end }: ThirdAxis, indices: readonly number[]): (readonly [number, number])[] {
  const rows = indices.map((index) => [from[index]!, end[index]!] as const).sort((a, b) => a[0] - b[0]);
  const runs: [number, number][] = [];
  for (const [first, last] of rows) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === first) run[1] = last;
    else runs.push([first, last]);
  }
  return runs;
}

function boxOf({ pane, toScreen }: CardContext, first: number, end: number): Rect {
  const [a, b] = [toScreen({ row: first, column: 0 }), toScreen({ row: end, column: pane.shape[1] })];
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(b.x - a.x), height: Math.abs(b.y - a.y) };
}
