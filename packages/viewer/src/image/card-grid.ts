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

/** The room for the small pictures of the channels, and on which side of the composite it is. */
export interface CardsRoom {
  readonly side: 'right' | 'below';
  /** Width of the column, or height of the row. */
  readonly pixels: number;
}

/** Smallest and largest extent of the small pictures, CSS pixels. */
const MIN_CARD = 88;
const MAX_CARD = 320;
const CARD_GAP = 8;

/** Returns the width beside a picture that is as high as the room, CSS pixels; negative where it is too wide for that. */
export function widthBeside(room: Size, ratio: number, around: Size): number {
  return room.width - around.width - (room.height - around.height) / ratio;
}

/**
 * Returns the room for `count` small pictures of the same shape beside a picture, so that all pictures together are as large
 * as possible and the large one loses little: what the picture leaves free, and at least the smallest extent.
 */
export function cardsRoom(count: number, room: Size, ratio: number, around: Size): CardsRoom {
  const free = {
    right: widthBeside(room, ratio, around),
    below: room.height - around.height - (room.width - around.width) * ratio,
  };
  // All of them are in view: one below the other, or one beside the other.
  const most = {
    right: (room.height / count - CARD_GAP) / ratio,
    below: (room.width / count - CARD_GAP) * ratio,
  };
  // Without free room, on a phone, the longer side has some.
  const isTight = Math.max(free.right, free.below) < MIN_CARD;
  const side = (isTight ? room.width >= room.height : free.right >= free.below) ? 'right' : 'below';
  const wanted = Math.min(free[side] - 2 * CARD_GAP, most[side], MAX_CARD);
  return { side, pixels: Math.floor(Math.max(MIN_CARD, wanted)) };
}
