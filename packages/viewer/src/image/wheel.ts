import type { Factors } from './viewport.ts';

/** The part of a WheelEvent that is used here. */
export interface WheelTurn {
  readonly deltaX: number;
  readonly deltaY: number;
  /** 0 pixels, 1 lines, 2 pages. */
  readonly deltaMode: number;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

interface WheelAction {
  readonly zoom: Factors;
  /** Horizontal movement in CSS pixels. */
  readonly pan: number;
}

const LINE_PIXELS = 33;
const PAGE_PIXELS = 400;
/** One notch of a mouse wheel: 100 to 120 pixels, or three lines. */
const NOTCH = 100;
const PER_NOTCH = 1.2;
/** A pinch on a touchpad arrives as a wheel event with Ctrl, in steps of a few pixels. */
const PINCH_GAIN = 8;
/** Max pixels of one event; some drivers send a whole flick at once. */
const MAX_PIXELS = 4 * NOTCH;

/**
 * Converts a turn of the wheel. Vertical turns zoom (with Shift only horizontally, with Alt only vertically);
 * horizontal turns move the image. Browsers make turns horizontal while Shift is held; those zoom as well.
 */
export function wheelAction(turn: WheelTurn): WheelAction {
  const unit = turn.deltaMode === 1 ? LINE_PIXELS : turn.deltaMode === 2 ? PAGE_PIXELS : 1;
  const turned = turn.deltaY !== 0 || !turn.shiftKey ? turn.deltaY : turn.deltaX;
  const sideways = turn.shiftKey ? 0 : turn.deltaX * unit;
  const pinch = turn.ctrlKey && turn.deltaMode === 0 && Math.abs(turned) < NOTCH / 2;
  const pixels = Math.min(MAX_PIXELS, Math.max(-MAX_PIXELS, turned * unit * (pinch ? PINCH_GAIN : 1)));
  const factor = PER_NOTCH ** (-pixels / NOTCH);
  return {
    zoom: { x: turn.altKey ? 1 : factor, y: turn.shiftKey && !turn.altKey ? 1 : factor },
    // Two fingers never move exactly vertically.
    pan: Math.abs(sideways) > Math.abs(turn.deltaY * unit) ? sideways : 0,
  };
}
