import { expect, it } from 'vitest';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { copyGrid } from '../../../packages/readers/src/model/samples/rectangle.js';
import { RegionTarget } from '../../../packages/viewer/src/engine/region-target.ts';

it('keeps the part of a plane that a window names, however the plane is put together', () => {
  const [rows, columns] = [11, 13];
  const samples = Uint16Array.from({ length: rows * columns }, (_, i) => i + 1);
  for (const tile of [1, 4, 5, 13]) {
    for (const [firstRow, endRow, firstColumn, endColumn] of [
      [0, 11, 0, 13],
      [3, 8, 2, 9],
      [10, 11, 12, 13],
      [4, 5, 0, 13],
    ] as const) {
      const window = { firstRow, endRow, firstColumn, endColumn };
      const region = new RegionTarget('uint16', { rows, columns }, window);
      const whole = new NativeTarget('uint16', rows, columns);
      for (let row = 0; row < rows; row += tile) {
        for (let column = 0; column < columns; column += tile) {
          const [height, width] = [Math.min(tile, rows - row), Math.min(tile, columns - column)];
          const block = { samples, offset: row * columns + column, rowStride: columns, columnStride: 1 };
          whole.put(block, row, column, height, width);
          if (region.wants(row, height)) region.put(block, row, column, height, width);
        }
      }
      const data = {
        sampleType: 'uint16',
        rows,
        columns,
        segments: [{ firstRow: 0, rowCount: rows, samples: whole.data }],
      } as const;
      const grid = {
        firstRow,
        rows: endRow - firstRow,
        rowStep: 1,
        firstColumn,
        columns: endColumn - firstColumn,
        columnStep: 1,
      };
      expect(region.data).toEqual(copyGrid(data, grid));
    }
  }
});
