import type { Size } from '../model/geometry.ts';

/**
 * Columns in which `count` cards of one image are drawn largest. Cards of line scans stand in one column: so they share
 * their horizontal axis. `ratio`: height of the image over its width; `around`: what a card needs beside it.
 */
export function cardColumns(count: number, room: Size, ratio: number, around: Size, stacked: boolean): number {
  if (stacked || count < 2) return 1;
  let best = { columns: 1, width: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const width = room.width / columns - around.width;
    const height = room.height / rows - around.height;
    const drawn = Math.min(width, height / ratio);
    if (drawn > best.width) best = { columns, width: drawn };
  }
  return best.columns;
}
