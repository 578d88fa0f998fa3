import { beforeEach, describe, expect, it } from 'vitest';
import type { Plane } from '../../../packages/client/src/contract/open.js';
import { undoChange } from '../../../packages/viewer/src/image/pane-state.ts';
import { gripAt, markAt, outlinePoints } from '../../../packages/viewer/src/measure/grips.ts';
import { markShapes } from '../../../packages/viewer/src/measure/mark-shapes.ts';
import { moveGrip } from '../../../packages/viewer/src/measure/marks.ts';
import { TOOLS } from '../../../packages/viewer/src/measure/tools.ts';
import {
  type AcquisitionDocument,
  createPane,
  MAX_POINTS,
  type Pane,
} from '../../../packages/viewer/src/model/document.ts';
import type { CardContext, Tool } from '../../../packages/viewer/src/model/extension.ts';
import type { PlanePoint } from '../../../packages/viewer/src/model/geometry.ts';

const axis = (arrayDimension: number, size: number, step: number, unit: 'seconds' | 'micrometer') => ({
  arrayDimension,
  name: 'XY'[1 - arrayDimension] ?? '',
  size,
  step,
  unit,
});
const plane = {
  shape: [100, 20],
  axes: [axis(0, 100, 0.002, 'seconds'), axis(1, 20, 0.5, 'micrometer')],
} as unknown as Plane;

/** A card of 1000 × 200 CSS pixels: ten a sample, transposed, the first pixel of a line at the bottom. */
function cardOf(pane: Pane): CardContext {
  return {
    document: {} as AcquisitionDocument,
    pane,
    channel: null,
    size: { width: 1000, height: 200 },
    toScreen: ({ row, column }) => ({ x: row * 10, y: 200 - column * 10 }),
    toPlane: ({ x, y }) => ({ row: x / 10, column: (200 - y) / 10 }),
  };
}

const tool = (id: string) => TOOLS.find((one) => one.id === id) as Tool;
const plain = { shiftKey: false } as PointerEvent;
const shift = { shiftKey: true } as PointerEvent;

describe('drawing marks', () => {
  let pane: Pane;
  let card: CardContext;
  beforeEach(() => {
    pane = createPane('source', { plane, channels: [] });
    card = cardOf(pane);
  });

  it('draws a region as it is dragged, and keeps it in the plane', () => {
    const drag = tool('region').begin({ row: 10, column: 5 }, plain, card);
    expect(pane.marks.value).toEqual([]);
    drag?.move({ row: 20, column: 8 }, plain);
    drag?.end({ row: 300, column: -4 }, plain);
    expect(pane.marks.value).toEqual([
      { id: '1', kind: 'region', from: { row: 10, column: 5 }, to: { row: 100, column: 0 } },
    ]);
    expect(pane.selectedMark.value).toBe('1');
  });

  it('draws and selects nothing after a click', () => {
    const drag = tool('line').begin({ row: 10, column: 5 }, plain, card);
    drag?.end({ row: 10.1, column: 5.1 }, plain);
    expect(pane.marks.value).toEqual([]);
    expect(pane.selectedMark.value).toBeNull();
  });

  it('draws lines along a screen axis with Shift', () => {
    const drag = tool('line').begin({ row: 10, column: 5 }, plain, card);
    drag?.end({ row: 40, column: 9 }, shift);
    // The screen's horizontal is time: the column stays.
    expect(pane.marks.value[0]?.to).toEqual({ row: 40, column: 5 });
  });

  it('undoes a canceled drag', () => {
    const drag = tool('line').begin({ row: 10, column: 5 }, plain, card);
    drag?.move({ row: 40, column: 9 }, plain);
    drag?.cancel();
    expect(pane.marks.value).toEqual([]);
  });

  it('moves an end, the body or a corner', () => {
    const draw = (from: [number, number], to: [number, number], id: string) => {
      const drag = tool(id).begin({ row: from[0], column: from[1] }, plain, card);
      drag?.end({ row: to[0], column: to[1] }, plain);
    };
    draw([10, 5], [40, 15], 'line');
    draw([40, 15], [50, 10], 'line');
    expect(pane.marks.value).toEqual([
      { id: '1', kind: 'line', from: { row: 10, column: 5 }, to: { row: 50, column: 10 } },
    ]);
    // The middle of the line, 60 lines on: as far as the plane goes.
    draw([30, 7.5], [90, 7.5], 'line');
    expect(pane.marks.value[0]).toMatchObject({ from: { row: 60, column: 5 }, to: { row: 100, column: 10 } });
    const region = { id: '2', kind: 'region' as const, from: { row: 10, column: 5 }, to: { row: 20, column: 8 } };
    const corner = moveGrip(region, 'from-to', region.from, { row: 1, column: 30 }, pane);
    expect(corner).toMatchObject({ from: { row: 1, column: 5 }, to: { row: 20, column: 20 } });
    const other = moveGrip(region, 'to-from', region.from, { row: 30, column: 2 }, pane);
    expect(other).toMatchObject({ from: { row: 10, column: 2 }, to: { row: 30, column: 8 } });
  });

  it('draws an ellipse from corner to corner, and moves it by its outline', () => {
    const drag = tool('ellipse').begin({ row: 10, column: 4 }, plain, card);
    drag?.end({ row: 30, column: 12 }, plain);
    const [ellipse] = pane.marks.value;
    expect(ellipse).toEqual({ id: '1', kind: 'ellipse', from: { row: 10, column: 4 }, to: { row: 30, column: 12 } });
    // The middle of the lower side of its box, which the ellipse touches.
    tool('region').begin({ row: 20, column: 4 }, plain, card)?.end({ row: 25, column: 6 }, plain);
    expect(pane.marks.value).toMatchObject([{ from: { row: 15, column: 6 }, to: { row: 35, column: 14 } }]);
    // A corner of the box is far from the outline, and yet a grip.
    tool('region').begin({ row: 35, column: 14 }, plain, card)?.end({ row: 40, column: 15 }, plain);
    expect(pane.marks.value).toMatchObject([{ from: { row: 15, column: 6 }, to: { row: 40, column: 15 } }]);
  });

  it('draws by hand with the points that the path needs, as one step that can be undone', () => {
    const drag = tool('freehand').begin({ row: 10, column: 2 }, plain, card);
    for (let row = 10.5; row <= 30; row += 0.5) drag?.move({ row, column: 2 }, plain);
    for (let column = 2.5; column <= 12; column += 0.5) drag?.move({ row: 30, column }, plain);
    drag?.end({ row: 10.123456, column: 12 }, plain);
    expect(pane.marks.value).toEqual([
      {
        id: '1',
        kind: 'freehand',
        from: { row: 10, column: 2 },
        via: [
          { row: 30, column: 2 },
          { row: 30, column: 12 },
        ],
        to: { row: 10.123456, column: 12 },
      },
    ]);
    expect(gripAt(card.toScreen({ row: 10.06, column: 7 }), card)?.grip).toBe('body');
    undoChange(pane);
    expect(pane.marks.value).toEqual([]);
    tool('freeline').begin({ row: 10, column: 2 }, plain, card)?.end({ row: 10.1, column: 2 }, plain);
    expect(pane.marks.value).toEqual([]);
  });

  it('keeps the points of a long path below the limit of links', () => {
    const drag = tool('freeline').begin({ row: 0, column: 0 }, plain, card);
    for (let i = 0; i < 5000; i++)
      drag?.move({ row: 100 * Math.abs(Math.sin(i * 0.37)), column: 20 * Math.abs(Math.cos(i * 0.73)) }, plain);
    drag?.end({ row: 50, column: 10 }, plain);
    expect(pane.marks.value[0]!.via!.length).toBeLessThan(MAX_POINTS);
  });

  it('ends a polygon where its last point is clicked again, and joins it to the first', () => {
    pane.tool.value = 'polygon';
    for (const [row, column] of [
      [10, 2],
      [30, 2],
      [30, 12],
      [30, 12],
    ] as const)
      tool('polygon').begin({ row, column }, plain, card)?.end({ row, column }, plain);
    expect(pane.marks.value).toMatchObject([{ kind: 'polygon', from: { row: 10 }, via: [{ row: 30, column: 2 }] }]);
    expect(outlinePoints(pane.marks.value[0]!, card)).toHaveLength(4);
    expect(gripAt(card.toScreen({ row: 20, column: 7 }), card)?.grip).toBe('body');
    expect(markAt(card.toScreen({ row: 28, column: 3 }), card)?.id).toBe('1');
  });

  it('draws nothing of marks beside the view, so that their labels do not gather at its edges', () => {
    const shapes = (shift: number) => {
      const moved = {
        ...card,
        toScreen: (point: PlanePoint) => ({ ...card.toScreen(point), x: card.toScreen(point).x + shift }),
      };
      return markShapes(moved, null).map(({ kind }) => kind);
    };
    tool('ellipse').begin({ row: 10, column: 4 }, plain, card)?.end({ row: 30, column: 12 }, plain);
    // From x 100 to 300.
    expect(shapes(0)).toEqual(['path', 'label']);
    expect(shapes(-290)).toEqual(['path', 'label']);
    expect(shapes(-310)).toEqual([]);
    expect(shapes(890)).toEqual(['path', 'label']);
    expect(shapes(910)).toEqual([]);
  });
});
