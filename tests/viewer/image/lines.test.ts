/** Line scans that get more lines. */
import { describe, expect, it } from 'vitest';
import { goToLastLine, setPlane, showsLastLine } from '../../../packages/viewer/src/image/lines.ts';
import { paneState, setView } from '../../../packages/viewer/src/image/pane-state.ts';
import type { Pane } from '../../../packages/viewer/src/model/document.ts';
import { displayToPlane, type Rect } from '../../../packages/viewer/src/model/geometry.ts';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { testPane } from './test-pane.ts';

const ORIENTATIONS = [
  { transposed: true, upward: true },
  { transposed: true, upward: false },
  { transposed: false, upward: true },
  { transposed: false, upward: false },
];

const scan = (lines: number) => testPane({ shape: [lines, 8], y: [0.002, 'seconds'], x: [0.5, 'micrometer'] });

/** Returns the lines and pixels of a view. */
function partOf(pane: Pane, { x, y, width, height }: Rect) {
  const a = displayToPlane({ x, y }, pane.shape, pane.orientation.value);
  const b = displayToPlane({ x: x + width, y: y + height }, pane.shape, pane.orientation.value);
  const ordered = (one: number, other: number) => [Math.min(one, other), Math.max(one, other)];
  return [ordered(a.row, b.row), ordered(a.column, b.column)];
}

const shown = (pane: Pane) => partOf(pane, pane.views.value.get('shared')!);

describe.each(ORIENTATIONS)('a line scan, transposed $transposed, upward $upward', (orientation) => {
  /** Zoomed to lines and to pixels 2 to 6. */
  function zoomed(from: number, to: number): Pane {
    const pane = scan(100);
    pane.orientation.value = orientation;
    const first = orientation.upward && !orientation.transposed ? 100 - to : from;
    const [along, across] = [
      { start: first, length: to - from },
      { start: 2, length: 4 },
    ];
    const [x, y] = orientation.transposed ? [along, across] : [across, along];
    const view = { x: x.start, y: y.start, width: x.length, height: y.length };
    setView(pane, '0', view, { kind: 'zoom', at: 0 });
    expect(shown(pane)).toEqual([
      [from, to],
      [2, 6],
    ]);
    return pane;
  }

  it('keeps the lines that are shown, also those of earlier steps', () => {
    const pane = zoomed(30, 50);
    setView(pane, '0', { ...pane.views.value.get('shared')!, width: 3, height: 3 }, { kind: 'other', at: 1 });
    const before = shown(pane);
    expect(showsLastLine(pane)).toBe(false);
    setPlane(pane, scan(140).plane, false);
    expect(pane.shape).toEqual([140, 8]);
    expect(shown(pane)).toEqual(before);
    const [, step] = paneState(pane).history.value.past;
    expect(partOf(pane, step!.views.get('shared')!)).toEqual([
      [30, 50],
      [2, 6],
    ]);
  });

  it('moves on with the last line, and back to it', () => {
    const pane = zoomed(80, 100);
    expect(showsLastLine(pane)).toBe(true);
    setPlane(pane, scan(140).plane, true);
    expect(shown(pane)).toEqual([
      [120, 140],
      [2, 6],
    ]);
    const left = zoomed(10, 30);
    goToLastLine(left);
    expect(shown(left)).toEqual([
      [80, 100],
      [2, 6],
    ]);
    expect(showsLastLine(left)).toBe(true);
  });

  it('shows all of it where all of it was shown', () => {
    const pane = scan(100);
    pane.orientation.value = orientation;
    expect(showsLastLine(pane)).toBe(true);
    setPlane(pane, scan(140).plane, true);
    goToLastLine(pane);
    expect(pane.views.value.size).toBe(0);
  });

  it('has its last line where the display ends, beyond a pause', () => {
    const pane = scan(10);
    pane.orientation.value = orientation;
    // 5 lines of 2 ms, a pause of 8 ms, and 5 lines: 14 lines long.
    pane.rowTimes.value = toMeasuredAxis(Float64Array.from({ length: 10 }, (_, i) => 2 * i + (i < 5 ? 0 : 8)));
    const at = (start: number) => {
      const [x, y] = orientation.transposed ? [start, 2] : [2, orientation.upward ? 14 - start - 4 : start];
      return { x, y, width: 4, height: 4 };
    };
    setView(pane, '0', at(6), { kind: 'zoom', at: 0 });
    expect(showsLastLine(pane)).toBe(false);
    goToLastLine(pane);
    expect(pane.views.value.get('shared')).toEqual(at(10));
    expect(showsLastLine(pane)).toBe(true);
  });
});
