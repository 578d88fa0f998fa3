import type { Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { chooseTool, moveCursor, panStep, ZOOM_STEP, zoomStep } from './actions.ts';
import { BASE_TOOLS, SWITCHES } from './commands.ts';
import { cardView, goHome, paneState, redoChange, setMarks, undoChange } from './pane-state.ts';

/** The part of a KeyboardEvent that is used here. */
interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly timeStamp: number;
}

/** Keys of the focused card, for the help dialog and for screen readers. */
export const CARD_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Arrows', does: 'Move the image' },
  { keys: 'Page Up, Page Down', does: 'Move the image by a whole view' },
  { keys: 'Shift + Arrows', does: 'Move the cursor sample by sample' },
  { keys: 'Ctrl + Shift + Arrows', does: 'Move the cursor by a twentieth of the view' },
  { keys: '+ and −', does: 'Zoom at the cursor; Ctrl + Shift: horizontally only, Alt: vertically only' },
  { keys: '0 or Home', does: 'Show the whole image' },
  { keys: 'Z or Ctrl + Z', does: 'Undo a zoom or a change of the marks; Shift + Z or Ctrl + Y: redo it' },
  { keys: 'Enter', does: 'Place a point of the mark of the tool at the cursor; twice there: end it' },
  { keys: 'V', does: 'Open the menu of the switches for the view' },
  { keys: 'Delete', does: 'Remove the selected mark' },
  { keys: 'Shift + F10 or Menu', does: 'Open the menu of the image and the selected mark' },
  { keys: 'Escape', does: 'Cancel a drag, end a polyline or polygon, or remove the cursor' },
  { keys: 'Space', does: 'Hold to move the image by dragging' },
];

const ARROWS: Record<string, readonly [right: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const PAN_SHARE = 0.1;
const VIEW_KEY = 'v';

/** Handles a key; returns false when cards do not use it. */
export function pressKey(press: KeyPress, pane: Pane, card: string, tools: readonly Tool[]): boolean {
  return (
    moveByKey(press, pane, card) ||
    zoomByKey(press, pane, card) ||
    historyByKey(press, pane, card) ||
    markByKey(press, pane, card, tools) ||
    chooseByKey(press, pane, tools)
  );
}

function moveByKey(press: KeyPress, pane: Pane, card: string): boolean {
  const change = { kind: 'move keys', at: press.timeStamp };
  const arrow = ARROWS[press.key];
  if (arrow !== undefined && !press.altKey) {
    const [right, down] = arrow;
    if (press.shiftKey) {
      const [stepRight, stepDown] = press.ctrlKey || press.metaKey ? largeSteps(pane, card) : [1, 1];
      moveCursor(pane, card, right * stepRight, down * stepDown, change);
      return true;
    }
    if (press.ctrlKey || press.metaKey) return false;
    panStep(pane, card, right * PAN_SHARE, down * PAN_SHARE, change);
    return true;
  }
  if (!press.altKey && (press.key === 'PageUp' || press.key === 'PageDown')) {
    panStep(pane, card, press.key === 'PageUp' ? -1 : 1, 0, change);
    return true;
  }
  return false;
}

function largeSteps(pane: Pane, card: string): [number, number] {
  const view = cardView(pane, card);
  const twentieth = (length: number | undefined) => Math.max(1, Math.round((length ?? 0) / 20));
  return [twentieth(view?.width), twentieth(view?.height)];
}

/** Shift is needed to type a plus on many keyboards, so it only counts together with Ctrl. */
function zoomByKey(press: KeyPress, pane: Pane, card: string): boolean {
  const inwards = press.key === '+' || press.key === '=';
  if (!inwards && press.key !== '-' && press.key !== '_' && press.key !== '−') return false;
  const control = press.ctrlKey || press.metaKey;
  // Without Shift the browser zooms the page.
  if (control && !press.shiftKey) return false;
  const factor = inwards ? ZOOM_STEP : 1 / ZOOM_STEP;
  const factors = { x: press.altKey ? 1 : factor, y: control ? 1 : factor };
  zoomStep(pane, card, factors, { kind: 'zoom keys', at: press.timeStamp });
  return true;
}

function historyByKey(press: KeyPress, pane: Pane, card: string): boolean {
  const key = press.key.toLowerCase();
  const control = press.ctrlKey || press.metaKey;
  if (press.altKey) return false;
  if (key === 'z') {
    if (press.shiftKey) redoChange(pane);
    else undoChange(pane);
    return true;
  }
  if (control && key === 'y') {
    redoChange(pane);
    return true;
  }
  if (!control && (key === '0' || key === 'home')) {
    goHome(pane, card);
    return true;
  }
  return false;
}

/** Enter places a point of a mark at the cursor, Escape ends a mark that waits for one, Delete removes the selected. */
function markByKey(press: KeyPress, pane: Pane, card: string, tools: readonly Tool[]): boolean {
  // Marks are drawn on the plane, not on cross-sections.
  if (planeOf(pane) !== pane) return false;
  if (press.ctrlKey || press.metaKey || press.altKey) return false;
  const tool = tools.find(({ id }) => id === pane.tool.value);
  if (press.key === 'Escape') return tool?.finish?.(pane) ?? false;
  if (press.key === 'Delete' || press.key === 'Backspace') {
    const selected = pane.selectedMark.value;
    const rest = pane.marks.value.filter(({ id }) => id !== selected);
    if (rest.length === pane.marks.value.length) return false;
    setMarks(pane, rest, { kind: 'remove', at: Number.NEGATIVE_INFINITY });
    pane.selectedMark.value = null;
    return true;
  }
  if (press.key !== 'Enter' || tool?.place === undefined) return false;
  // Without a cursor the first point is the middle of the view.
  const cursor = pane.cursor.value ?? moveCursor(pane, card, 0, 0, { kind: 'move keys', at: press.timeStamp });
  const state = paneState(pane);
  state.said.value = { text: tool.place(pane, cursor), at: state.anchor.value };
  return true;
}

function chooseByKey(press: KeyPress, pane: Pane, tools: readonly Tool[]): boolean {
  if (press.ctrlKey || press.metaKey || press.altKey) return false;
  if (press.key === 'Escape') {
    const state = paneState(pane);
    if (pane.cursor.value === null) return false;
    state.anchor.value = null;
    pane.cursor.value = null;
    return true;
  }
  const key = press.key.toLowerCase();
  const target = planeOf(pane);
  const tool = [...BASE_TOOLS, ...tools].find((candidate) => candidate.key.toLowerCase() === key);
  if (tool !== undefined) {
    chooseTool(target, tool.id);
    return true;
  }
  if (key === VIEW_KEY) {
    paneState(target).viewMenu.value = true;
    return true;
  }
  const match = SWITCHES.find((candidate) => candidate.key === key);
  if (match === undefined || match.available?.(target) === false) return false;
  match.act(target);
  return true;
}

/** The pane that tools and switches act on. */
function planeOf(pane: Pane): Pane {
  return paneState(pane).orthogonal.value?.plane ?? pane;
}
