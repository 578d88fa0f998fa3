/** Says what was drawn with the keyboard, for those who do not see it. */
import type { Pane } from '../model/document.ts';
import { hasVertices } from '../model/mark-kind.ts';
import { draftMark } from './draft.ts';
import { markWords } from './mark-table.ts';
import { markName, markPoints, selectedMark } from './marks.ts';

/** Returns `Line 1: −245 µm/s`, or what to do next; empty when nothing is selected. */
export function spokenMark(pane: Pane): string {
  const mark = selectedMark(pane);
  if (mark === null) return '';
  const name = markName(mark);
  const [first, ...rest] = markPoints(mark);
  const isStarted = draftMark(pane) !== null;
  const hasOnePoint = rest.every(({ row, column }) => row === first!.row && column === first!.column);
  if (isStarted && hasOnePoint) return `${name} started. Move to its next point and press Enter.`;
  const words = markWords(mark, pane);
  const next = isStarted && hasVertices(mark.kind) ? '. Press Enter twice at its last point to end it.' : '';
  return `${name}${words === '' ? '' : `: ${words}`}${next}`;
}
