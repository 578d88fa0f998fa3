import type { Shape } from '../model/document.ts';

/** A reduction of a plane: each block of `rows` × `columns` samples is one entry with its extremes and mean. */
export interface Level {
  readonly rows: number;
  readonly columns: number;
}

/** First reduction: an entry has four numbers, so that all levels together need about a third of the plane's memory. */
const FIRST = 16;
const NEXT = 4;
/** A level with fewer entries would save nothing. */
const SMALLEST = 65_536;

/**
 * Level 0 is the plane itself. A long axis is reduced alone (a kymograph along time only) until both are comparable, then
 * both are.
 */
export function levelsOf([rows, columns]: Shape): Level[] {
  const levels: Level[] = [{ rows: 1, columns: 1 }];
  let last: Level = { rows: 1, columns: 1 };
  while ((rows / last.rows) * (columns / last.columns) > SMALLEST) {
    const factor = levels.length === 1 ? FIRST : NEXT;
    const ratio = rows / last.rows / (columns / last.columns);
    if (ratio > 4) last = { rows: last.rows * factor, columns: last.columns };
    else if (ratio < 1 / 4) last = { rows: last.rows, columns: last.columns * factor };
    else last = { rows: last.rows * Math.sqrt(factor), columns: last.columns * Math.sqrt(factor) };
    levels.push(last);
  }
  return levels;
}

/**
 * Index of the coarsest level whose blocks are at most `share` of what a pixel covers. With a half, the edges of cells,
 * which lie between blocks, are off by a quarter of a pixel at most.
 */
export function chooseLevel(levels: readonly Level[], rowStep: number, columnStep: number, share = 0.5): number {
  const fits = ({ rows, columns }: Level) =>
    (rows === 1 || rows <= rowStep * share) && (columns === 1 || columns <= columnStep * share);
  return Math.max(0, levels.findLastIndex(fits));
}
