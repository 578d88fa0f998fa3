import { beforeEach, describe, expect, it } from 'vitest';
import { layoutLabel } from '../../../packages/viewer/src/image/paint-shapes.ts';
import { redoChange, undoChange } from '../../../packages/viewer/src/image/pane-state.ts';
import { addMark, removeMark, replaceMark } from '../../../packages/viewer/src/measure/marks.ts';
import { TOOLS } from '../../../packages/viewer/src/measure/tools.ts';
import type { Pane } from '../../../packages/viewer/src/model/document.ts';
import { testPane } from '../image/test-pane.ts';

const at = (row: number, column: number) => ({ row, column });

describe('marks drawn with the keyboard', () => {
  let pane: Pane;
  const place = (id: string, row: number, column: number) => {
    pane.tool.value = id as Pane['tool']['value'];
    TOOLS.find((tool) => tool.id === id)?.place?.(pane, at(row, column));
  };
  const finish = () => TOOLS[0]!.finish?.(pane);
  beforeEach(() => {
    pane = testPane({ shape: [100, 20], y: [0.002, 'seconds'], x: [0.5, 'micrometer'] });
  });

  it('a region or line ends with its second point', () => {
    place('line', 1, 2);
    place('line', 9, 8);
    place('line', 20, 3);
    expect(pane.marks.value).toMatchObject([
      { id: '1', kind: 'line', from: at(1, 2), to: at(9, 8) },
      { id: '2', kind: 'line', from: at(20, 3), to: at(20, 3) },
    ]);
    expect(finish()).toBe(true);
    expect(pane.marks.value.map(({ id }) => id)).toEqual(['1']);
  });

  it('a polyline ends where a point is placed twice, and gives back its points one by one', () => {
    for (const [row, column] of [
      [1, 2],
      [9, 8],
      [20, 3],
      [20, 3],
    ] as const)
      place('polyline', row, column);
    expect(finish()).toBe(false);
    expect(pane.marks.value).toEqual([{ id: '1', kind: 'polyline', from: at(1, 2), via: [at(9, 8)], to: at(20, 3) }]);
    undoChange(pane);
    expect(pane.marks.value).toEqual([{ id: '1', kind: 'polyline', from: at(1, 2), to: at(9, 8) }]);
    undoChange(pane);
    undoChange(pane);
    expect(pane.marks.value).toEqual([]);
  });

  it('a region of two points is one step for undo', () => {
    place('region', 1, 2);
    place('region', 9, 8);
    expect(pane.marks.value).toMatchObject([{ id: '1', kind: 'region' }]);
    undoChange(pane);
    expect(pane.marks.value).toEqual([]);
    redoChange(pane);
    expect(pane.marks.value).toMatchObject([{ id: '1', kind: 'region' }]);
  });

  it('a point is a mark at once', () => {
    place('point', 4, 5);
    place('point', 6, 7);
    expect(pane.marks.value.map(({ kind, from }) => [kind, from])).toEqual([
      ['point', at(4, 5)],
      ['point', at(6, 7)],
    ]);
  });

  it('undoes a removed mark and a moved one, each as one step', () => {
    const mark = addMark(pane, { kind: 'region', from: at(0, 0), to: at(5, 5) });
    replaceMark(pane, { ...mark, to: at(7, 7) });
    replaceMark(pane, { ...mark, to: at(7, 7) });
    removeMark(pane, mark.id);
    undoChange(pane);
    expect(pane.marks.value).toEqual([{ ...mark, to: at(7, 7) }]);
    undoChange(pane);
    expect(pane.marks.value).toEqual([mark]);
    redoChange(pane);
    redoChange(pane);
    expect(pane.marks.value).toEqual([]);
  });
});

describe('the label of a mark', () => {
  const label = (x: number, y: number) =>
    layoutLabel(
      { kind: 'label', at: { x, y }, number: '1', text: '245 µm/s', color: '#fff' },
      AREA,
      (text) => text.length * 6,
    );
  const AREA = { width: 300, height: 100 };

  it('has the number in a part of its own, and stays inside the image', () => {
    expect(label(100, 50)).toEqual({ left: 106, top: 26, discWidth: 18, pillWidth: 60 });
    expect(label(290, 5)).toMatchObject({ left: 300 - 78 - 2, top: 2 });
  });
});
