import { expect, it } from 'vitest';
import type { SourceData } from '../../../packages/readers/src/model/samples/plane-data.js';
import { copyGrid } from '../../../packages/readers/src/model/samples/rectangle.js';

const plane: SourceData = {
  ...{ sampleType: 'uint16', rows: 5, columns: 3 },
  segments: [
    { firstRow: 0, rowCount: 2, samples: Uint16Array.from({ length: 6 }, (_, i) => i) },
    { firstRow: 2, rowCount: 3, samples: Uint16Array.from({ length: 9 }, (_, i) => 6 + i) },
  ],
};

it('copies every grid of a plane as a plain loop does, across its segments', () => {
  for (const firstRow of [0, 1, 2, 4]) {
    for (const rowStep of [1, 2, 3]) {
      for (const [firstColumn, columns, columnStep] of [
        [0, 3, 1],
        [1, 2, 1],
        [0, 2, 2],
        [2, 1, 5],
      ] as const) {
        const rows = Math.ceil((plane.rows - firstRow) / rowStep);
        const expected = Array.from({ length: rows * columns }, (_, i) => {
          const [row, column] = [
            firstRow + Math.floor(i / columns) * rowStep,
            firstColumn + (i % columns) * columnStep,
          ];
          return row * plane.columns + column;
        });
        const grid = { firstRow, rows, rowStep, firstColumn, columns, columnStep };
        expect([...copyGrid(plane, grid)]).toEqual(expected);
        expect(copyGrid(plane, grid, 'float32')).toEqual(Float32Array.from(expected));
      }
    }
  }
});
