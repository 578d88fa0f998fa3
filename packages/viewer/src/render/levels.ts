import type { Shape } from '../model/geometry.ts';

/** A reduction of a plane: each block of `rows` × `columns` samples is one entry with its extremes and mean. */
export interface Level {
  readonly rows: number;
  readonly columns: number;
}

/** Factor of the first reduction. An entry has four numbers, so all levels need about a third of the plane's memory. */
const FIRST = 16;
const NEXT = 4;
/** Entries below which another level would save nothing. */
const MIN_ENTRIES = 65_536;

/**
 * Returns the levels of a plane; level 0 is the plane itself. A long axis is reduced alone (a kymograph only along
 * time) until both axes are comparable, then both are reduced.
 */
export function planLevels([rows, columns]: Shape): Level[] {
  const levels: Level[] = [{ rows: 1, columns: 1 }];
  let last: Level = { rows: 1, columns: 1 };
  while ((rows / last.rows) * (columns / last.columns) > MIN_ENTRIES) {
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
 * Returns the index of the coarsest level whose blocks are at most `share` of a pixel. With 0.5, the edges of cells,
 * which are between blocks, are shifted by at most a quarter of a pixel.
 */
export function chooseLevel(levels: readonly Level[], rowStep: number, columnStep: number, share = 0.5): number {
  const fits = ({ rows, columns }: Level) =>
    (rows === 1 || rows <= rowStep * share) && (columns === 1 || columns <= columnStep * share);
  return Math.max(0, levels.findLastIndex(fits));
}
