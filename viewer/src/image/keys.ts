import type { Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { chooseTool, moveCursor, panStep, ZOOM_STEP, zoomStep } from './actions.ts';
import { OWN_TOOLS, SWITCHES } from './commands.ts';
import { cardView, goHome, paneState, redoView, undoView } from './pane-state.ts';

/** Of a KeyboardEvent. */
export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly timeStamp: number;
}

/** What keys do on a card that has the focus, for help and for its description. */
export const CARD_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Arrows', does: 'move the image' },
  { keys: 'Page Up, Page Down', does: 'move it by a whole view' },
  { keys: 'Shift + Arrows', does: 'move the cursor sample by sample' },
  { keys: 'Ctrl + Shift + Arrows', does: 'move the cursor by a twentieth of the view' },
  { keys: '+ and −', does: 'zoom at the cursor; with Ctrl + Shift horizontally only, with Alt vertically only' },
  { keys: '0 or Home', does: 'show the whole image' },
  { keys: 'Z or Ctrl + Z', does: 'undo a zoom; with Shift, or Ctrl + Y, redo it' },
  { keys: 'Escape', does: 'end a drag, or take the cursor away' },
  { keys: 'Space', does: 'while held, dragging moves the image' },
];

const ARROWS: Record<string, readonly [right: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const PAN_SHARE = 0.1;

/** Does what a key is for; false when it is not for cards. */
export function pressKey(press: KeyPress, pane: Pane, card: string, tools: readonly Tool[]): boolean {
  return (
    moveByKey(press, pane, card) ||
    zoomByKey(press, pane, card) ||
    historyByKey(press, pane, card) ||
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

/** Shift is part of typing a plus on many keyboards, so it counts only together with ctrl. */
function zoomByKey(press: KeyPress, pane: Pane, card: string): boolean {
  const inwards = press.key === '+' || press.key === '=';
  if (!inwards && press.key !== '-' && press.key !== '_' && press.key !== '−') return false;
  const control = press.ctrlKey || press.metaKey;
  // Without shift these zoom the page.
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
    if (press.shiftKey) redoView(pane);
    else undoView(pane);
    return true;
  }
  if (control && key === 'y') {
    redoView(pane);
    return true;
  }
  if (!control && (key === '0' || key === 'home')) {
    goHome(pane, card);
    return true;
  }
  return false;
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
  const tool = [...OWN_TOOLS, ...tools].find((one) => one.key.toLowerCase() === key);
  if (tool !== undefined) {
    chooseTool(pane, tool.id);
    return true;
  }
  const found = SWITCHES.find((one) => one.key === key);
  if (found === undefined || found.offered?.(pane) === false) return false;
  found.act(pane);
  return true;
}
