import type { Size } from '../model/geometry.ts';

/**
 * Returns the number of columns that gives `count` cards the largest images. `ratio` is the height of the image divided
 * by its width; `around` is the space that a card needs besides its image.
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
