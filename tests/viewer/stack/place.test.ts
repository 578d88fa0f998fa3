import { describe, expect, it } from 'vitest';
import type { CardContext } from '../../../packages/viewer/src/model/extension.ts';
import { selectionWords } from '../../../packages/viewer/src/stack/place.ts';
import { PROJECTION_LABEL } from '../../../packages/viewer/src/stack/projection-label.ts';

describe('what is chosen of an acquisition', () => {
  it('counts from 1, scenes too', () => {
    expect(selectionWords({ S: 0, T: 2, Z: 0 })).toEqual(['S 1', 'T 3', 'Z 1']);
  });
});

describe('the label of a projection', () => {
  it('is on the picture, not in the margin beside it', () => {
    const boxes: number[][] = [];
    const canvas = {
      measureText: () => ({ width: 100 }),
      save() {},
      restore() {},
      beginPath() {},
      fill() {},
      fillText() {},
      roundRect: (...box: number[]) => boxes.push(box),
    };
    const info = { header: { sizes: { Z: 5 } }, projection: { Z: 'max' } };
    const card = (left: number, top: number) => ({
      document: { info: { value: info } },
      pane: { kind: 'source', shape: [10, 20] },
      size: { width: 400, height: 300 },
      toScreen: ({ row, column }: { row: number; column: number }) => ({ x: left + 9 * column, y: top + 9 * row }),
    });
    for (const [left, top] of [
      [150, 40],
      [-80, -30],
    ] as const) {
      const context = canvas as unknown as CanvasRenderingContext2D;
      PROJECTION_LABEL.paint(context, card(left, top) as unknown as CardContext);
    }
    expect(boxes.map(([x, y]) => [x, y])).toEqual([
      [158, 48],
      [8, 8],
    ]);
  });
});
