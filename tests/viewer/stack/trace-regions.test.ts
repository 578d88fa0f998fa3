import { describe, expect, it } from 'vitest';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { traceRequests } from '../../../packages/viewer/src/stack/trace-regions.ts';

const box = (kind: Mark['kind'], id: number, rows: number, columns: number): Mark => ({
  ...{ id: String(id), kind },
  ...{ from: { row: 0, column: 0 }, to: { row: rows, column: columns } },
});

describe('regions of traces', () => {
  it('are rows and columns, runs of other shapes, and columns along lines', () => {
    const marks = [box('region', 1, 2, 3), box('ellipse', 2, 3, 3)];
    expect(traceRequests(marks, [10, 10], false)).toEqual([
      [
        { rows: [0, 2], columns: [0, 3] },
        {
          runs: [
            [0, 0, 3],
            [1, 0, 3],
            [2, 0, 3],
          ],
        },
      ],
    ]);
    expect(traceRequests(marks, [10, 10], true)).toEqual([[{ columns: [0, 3] }, { columns: [0, 3] }]]);
  });

  it('are in several requests when they are many or long, each short enough for the server', () => {
    const many = Array.from({ length: 150 }, (_, i) => box('region', i, 5, 5));
    expect(traceRequests(many, [10, 10], false).map(({ length }) => length)).toEqual([64, 64, 22]);
    const long = Array.from({ length: 9 }, (_, i) => box('ellipse', i, 1000, 1000));
    const parts = traceRequests(long, [1000, 1000], false);
    expect(parts.flat()).toHaveLength(9);
    for (const part of parts) expect(JSON.stringify({ along: 'T', regions: part }).length).toBeLessThan(64 * 1024);
  });

  it('cannot have more rows than fit into a request', () => {
    expect(() => traceRequests([box('ellipse', 7, 5000, 10)], [5000, 10], false)).toThrow(
      'Ellipse 7 has too many rows for a trace. Draw a rectangle instead.',
    );
  });
});
