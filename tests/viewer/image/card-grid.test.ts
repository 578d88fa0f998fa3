import { describe, expect, it } from 'vitest';
import { cardColumns, cardsRoom, widthBeside } from '../../../packages/viewer/src/image/card-grid.ts';

const none = { width: 0, height: 0 };

it.each([
  // Two squares in 1000 × 400: side by side 400 each, one above the other 200.
  ['two squares in a wide place', 2, { width: 1000, height: 400 }, 1, 2],
  ['two squares in a tall place', 2, { width: 400, height: 1000 }, 1, 1],
  // Four in 1000 × 1000: 2 × 2 gives 500; a row 250.
  ['four squares', 4, { width: 1000, height: 1000 }, 1, 2],
  // Ten times as wide as high in 1000 × 400: one column 1000 wide, 100 high.
  ['two flat images', 2, { width: 1000, height: 400 }, 0.1, 1],
  ['one', 1, { width: 1000, height: 400 }, 1, 1],
])('%s', (_name, count, room, ratio, columns) => expect(cardColumns(count, room, ratio, none)).toBe(columns));

describe('the room beside a picture', () => {
  const around = { width: 60, height: 40 };

  it.each([
    // As high as the room: 360 / 0.5 = 720 wide.
    ['a flat picture', { width: 1000, height: 400 }, 0.5, 1000 - 60 - 720],
    ['a tall picture', { width: 1000, height: 400 }, 2, 1000 - 60 - 180],
    ['a picture that is too wide', { width: 500, height: 400 }, 0.5, 500 - 60 - 720],
  ])('is what %s leaves', (_name, room, ratio, width) => expect(widthBeside(room, ratio, around)).toBe(width));

  it.each([
    // 220 are free, less two gaps of 8; a card has at most (400 / 2 − 8) / 0.5 = 384.
    ['right of a flat picture', 2, { width: 1000, height: 400 }, 0.5, { side: 'right', pixels: 204 }],
    // Four cards have (400 / 4 − 8) / 2 = 46 of the 760: the smallest extent.
    ['right of a tall picture', 4, { width: 1000, height: 400 }, 2, { side: 'right', pixels: 88 }],
    // (900 − 40) − (400 − 60) · 1 = 520 are free below; a card has at most 400 / 2 − 8 = 192.
    ['below a square picture', 2, { width: 400, height: 900 }, 1, { side: 'below', pixels: 192 }],
  ])('has cards %s', (_name, count, room, ratio, expected) =>
    expect(cardsRoom(count, room, ratio, around)).toEqual(expected),
  );
});
