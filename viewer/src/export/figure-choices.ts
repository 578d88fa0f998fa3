/** What a figure looks like. The last choices are kept in this browser. */
import { isComposite, sharesColumn } from '../image/pane-state.ts';
import type { Pane } from '../model/document.ts';

export const LAYOUTS = ['row', 'column', 'grid'] as const;
export const PICTURES = ['channels', 'composite', 'both'] as const;

export interface FigureChoices {
  readonly layout: (typeof LAYOUTS)[number];
  readonly pictures: (typeof PICTURES)[number];
  /** Width on paper, in mm. */
  readonly width: number;
  /** Pixels per inch. */
  readonly dpi: number;
  /** Size of all text, in points. */
  readonly font: number;
  readonly axes: boolean;
  readonly scaleBar: boolean;
  /** Length of the scale bar in the unit of the horizontal axis; null for a round one. */
  readonly barLength: number | null;
  readonly names: boolean;
  readonly colorBars: boolean;
  readonly title: boolean;
  readonly marks: boolean;
}

/** Returns the choices for a pane that nobody has made yet: those of the view. */
export function firstChoices(pane: Pane): FigureChoices {
  return {
    layout: sharesColumn(pane) ? 'column' : 'row',
    pictures: isComposite(pane) ? 'composite' : 'channels',
    width: 174,
    dpi: 300,
    font: 7,
    axes: pane.axes.value,
    scaleBar: pane.scaleBar.value,
    barLength: null,
    names: true,
    colorBars: true,
    title: false,
    marks: true,
  };
}

/** Returns the pixels of a figure in one direction. */
export function pixelsOf(mm: number, dpi: number): number {
  return Math.round((mm / 25.4) * dpi);
}
