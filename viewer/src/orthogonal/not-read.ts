/** Hatches what has not been read, so that nobody takes it for dark samples. */
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Rect } from '../model/geometry.ts';
import type { ThirdAxis } from './third-axis.ts';

const GROUND = '#868c94';
const STRIPE = '#6b727b';
/** Distance of the stripes, CSS pixels. */
const STEP = 8;

/** @param missing returns the indices that have not been read. Reads signals. */
export function notReadOverlay(third: ThirdAxis, missing: () => readonly number[]): Overlay {
  return {
    id: 'not-read',
    paint(context, card) {
      for (const [first, end] of rowRuns(third, missing())) hatch(context, boxOf(card, first, end));
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

function hatch(context: CanvasRenderingContext2D, { x, y, width, height }: Rect): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillStyle = GROUND;
  context.fillRect(x, y, width, height);
  context.strokeStyle = STRIPE;
  context.lineWidth = 2;
  context.beginPath();
  const start = Math.floor((x - height) / STEP) * STEP;
  for (let at = start; at < x + width; at += STEP) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}
