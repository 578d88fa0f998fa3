import type { Factors } from './viewport.ts';

/** Of a WheelEvent. */
export interface WheelTurn {
  readonly deltaX: number;
  readonly deltaY: number;
  /** 0 pixels, 1 lines, 2 pages. */
  readonly deltaMode: number;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export interface WheelAction {
  readonly zoom: Factors;
  /** Sideways, in CSS pixels. */
  readonly pan: number;
}

const LINE_PIXELS = 33;
const PAGE_PIXELS = 400;
/** One notch of a mouse wheel: 100 to 120 pixels, or three lines. */
const NOTCH = 100;
const PER_NOTCH = 1.2;
/** A pinch on a touch pad arrives as a wheel with ctrl, in steps of a few pixels. */
const PINCH_GAIN = 8;
/** Some drivers send a whole flick in one event. */
const MOST = 4 * NOTCH;

/**
 * Vertical turns zoom, with shift horizontally only, with alt vertically only; sideways turns move the image. Browsers
 * turn the wheel sideways while shift is held: that is a zoom too.
 */
export function wheelAction(turn: WheelTurn): WheelAction {
  const unit = turn.deltaMode === 1 ? LINE_PIXELS : turn.deltaMode === 2 ? PAGE_PIXELS : 1;
  const turned = turn.deltaY !== 0 || !turn.shiftKey ? turn.deltaY : turn.deltaX;
  const sideways = turn.shiftKey ? 0 : turn.deltaX * unit;
  const pinch = turn.ctrlKey && turn.deltaMode === 0 && Math.abs(turned) < NOTCH / 2;
  const pixels = Math.min(MOST, Math.max(-MOST, turned * unit * (pinch ? PINCH_GAIN : 1)));
  const factor = PER_NOTCH ** (-pixels / NOTCH);
  return {
    zoom: { x: turn.altKey ? 1 : factor, y: turn.shiftKey && !turn.altKey ? 1 : factor },
    // A vertical turn of the fingers is never quite straight.
    pan: Math.abs(sideways) > Math.abs(turn.deltaY * unit) ? sideways : 0,
  };
}
