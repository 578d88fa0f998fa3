import type { Size } from '../model/geometry.ts';

/**
 * Columns in which `count` cards of one image are drawn largest. `ratio`: height of the image over its width; `around`:
 * what a card needs beside it.
 */
export function cardColumns(count: number, room: Size, ratio: number, around: Size): number {
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
