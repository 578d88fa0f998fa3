/** What a movie shows, and how fast. The last choices are kept in this browser. */
import { readStored, validOf, writeStored } from '../app/stored.ts';
import { isComposite } from '../image/pane-state.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { documentAxis, type StackAxis, type StackDim, stackDims } from '../stack/place.ts';
import { RATES, type Rate } from '../stack/player.ts';
import { recordedWait } from '../stack/real-time.ts';
import { type FigureChoices, LAYOUTS, PICTURES } from './figure-choices.ts';

export interface MovieChoices {
  readonly dim: StackDim;
  /** First and last index, counted from 0. */
  readonly from: number;
  readonly to: number;
  readonly rate: Rate;
  /** Pixels of the movie per sample. */
  readonly zoom: number;
  readonly pictures: FigureChoices['pictures'];
  readonly layout: FigureChoices['layout'];
  readonly stamp: boolean;
  readonly scaleBar: boolean;
  readonly marks: boolean;
}

type MoviePane = { readonly document: AcquisitionDocument; readonly pane: Pane };

/** Pixels per sample that are offered. */
export const ZOOMS = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16] as const;

/** Returns the choices: those that were made last, else those of the view; null where there is nothing to play. */
export function firstMovie({ document, pane }: MoviePane): MovieChoices | null {
  const info = document.info.value;
  const dims = pane.kind === 'source' ? stackDims(info) : [];
  const dim = dims[0];
  if (dim === undefined) return null;
  const kept = toKept(readStored('movie'));
  const axis = documentAxis(document, dim);
  return {
    dim,
    from: 0,
    to: axis.size - 1,
    zoom: 1,
    pictures: isComposite(pane) ? 'composite' : 'channels',
    layout: 'row',
    stamp: true,
    scaleBar: pane.scaleBar.value,
    marks: true,
    ...kept,
    rate: kept.rate === 'real' && recordedWait(axis, 0) === null ? 10 : (kept.rate ?? 10),
  };
}

/** Keeps what does not depend on the file. */
export function keepMovie(changed: Partial<MovieChoices>): void {
  writeStored('movie', { ...toKept(readStored('movie')), ...toKept(changed) });
}

type Kept = Partial<Pick<MovieChoices, 'rate' | 'pictures' | 'layout' | 'stamp' | 'scaleBar' | 'marks'>>;

/** Returns what is valid of stored choices, which may be anything. */
function toKept(stored: unknown): Kept {
  const isSwitch = (value: unknown) => typeof value === 'boolean';
  const valid: Record<keyof Kept, (value: unknown) => boolean> = {
    rate: (value) => value === 'real' || RATES.some((rate) => rate === value),
    pictures: (value) => PICTURES.some((one) => one === value),
    layout: (value) => LAYOUTS.some((one) => one === value),
    stamp: isSwitch,
    scaleBar: isSwitch,
    marks: isSwitch,
  };
  return validOf<Kept>(stored, valid);
}

/** Returns how long a frame stays, in seconds. */
export function frameSeconds(axis: StackAxis, index: number, rate: Rate): number {
  const recorded = rate === 'real' ? recordedWait(axis, index) : null;
  // Frames of no length would not be frames.
  return Math.max(0.001, recorded === null ? 1 / (typeof rate === 'number' ? rate : 10) : recorded / 1000);
}
