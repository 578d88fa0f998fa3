import { expect, it } from 'vitest';
import { cardColumns } from '../../../viewer/src/image/card-grid.ts';

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
