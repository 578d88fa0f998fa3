/** What a figure looks like. The last choices are kept in this browser, for each kind of file. */
import { readStored, validOf, writeStored } from '../app/stored.ts';
import { isComposite, sharesColumn } from '../image/pane-state.ts';
import type { Pane } from '../model/document.ts';
import { formatFixed } from '../model/number-text.ts';

export const LAYOUTS = ['row', 'column', 'grid'] as const;
export const PLANES = ['one', 'T', 'Z'] as const;
export const TRACES = ['none', 'beside', 'below'] as const;
export const PICTURES = ['channels', 'composite', 'both'] as const;
export const FAMILIES = ['sans', 'serif'] as const;
export const RESOLUTIONS = [150, 300, 600, 1200] as const;
/** Widths of one column, one and a half, and two of most journals, in mm. */
export const WIDTHS = [85, 114, 174] as const;
export const WIDTH_RANGE = { min: 20, max: 500 } as const;
export const FONT_RANGE = { min: 4, max: 24 } as const;
export const COUNT_RANGE = { min: 2, max: 64 } as const;

/** Returns how many of `count` pictures stand in a row. */
export function columnsOf(layout: (typeof LAYOUTS)[number], count: number): number {
  return layout === 'row' ? count : layout === 'column' ? 1 : Math.ceil(Math.sqrt(count));
}

export interface FigureChoices {
  readonly layout: (typeof LAYOUTS)[number];
  readonly pictures: (typeof PICTURES)[number];
  /** Width on paper, in mm. */
  readonly width: number;
  /** Pixels per inch. */
  readonly dpi: number;
  /** Size of all text, in points. */
  readonly font: number;
  readonly family: (typeof FAMILIES)[number];
  readonly axes: boolean;
  readonly scaleBar: boolean;
  /** Length of the scale bar in the unit of the horizontal axis; null for a round one. Only presets keep it. */
  readonly barLength: number | null;
  readonly names: boolean;
  readonly colorBars: boolean;
  readonly title: boolean;
  readonly marks: boolean;
  /** The shown plane, or several time points or sections. Only presets keep it. */
  readonly planes: (typeof PLANES)[number];
  /** How many of them, from `first` to `last`, counted from 0; null for the ends of the file. */
  readonly count: number;
  readonly first: number | null;
  readonly last: number | null;
  /** Where the curves of the regions are. Only presets keep it. */
  readonly traces: (typeof TRACES)[number];
  /** True for ΔF/F₀. */
  readonly relative: boolean;
  /** True for a lane of each region, as on screen. */
  readonly lanes: boolean;
}

/** Returns the choices for a pane: those that were made last, else those of the view. */
export function firstChoices(pane: Pane): FigureChoices {
  return {
    layout: sharesColumn(pane) ? 'column' : 'row',
    pictures: isComposite(pane) ? 'composite' : 'channels',
    width: 174,
    dpi: 300,
    font: 7,
    family: 'sans',
    axes: pane.axes.value,
    scaleBar: pane.scaleBar.value,
    // Red, green and blue of a color image are not dyes.
    names: !pane.colorImage,
    colorBars: true,
    title: false,
    marks: true,
    count: 6,
    relative: false,
    ...toChoices(readStored(storeKey(pane))),
    barLength: null,
    planes: 'one',
    first: null,
    last: null,
    traces: 'none',
    lanes: true,
  };
}

/** Keeps what was changed; what was never changed follows the view. */
export function keepChoices(pane: Pane, changed: Partial<FigureChoices>): void {
  const key = storeKey(pane);
  writeStored(key, toChoices({ ...toChoices(readStored(key)), ...changed }));
}

function storeKey({ lineScan, colorImage }: Pane): string {
  return `figure.${lineScan ? 'scan' : colorImage ? 'color' : 'image'}`;
}

/** Returns what is valid of stored choices, which may be anything. */
export function toChoices(stored: unknown): Partial<FigureChoices> {
  const valid: Partial<Record<keyof FigureChoices, (value: unknown) => boolean>> = {
    layout: (value) => LAYOUTS.some((one) => one === value),
    pictures: (value) => PICTURES.some((one) => one === value),
    planes: (value) => PLANES.some((one) => one === value),
    traces: (value) => TRACES.some((one) => one === value),
    count: (value) => isWithin(value, COUNT_RANGE) && Number.isInteger(value),
    family: (value) => FAMILIES.some((one) => one === value),
    dpi: (value) => RESOLUTIONS.some((one) => one === value),
    width: (value) => isWithin(value, WIDTH_RANGE),
    font: (value) => isWithin(value, FONT_RANGE),
    barLength: (value) => value === null || (typeof value === 'number' && value > 0),
  };
  for (const key of ['axes', 'scaleBar', 'names', 'colorBars', 'title', 'marks', 'relative'] as const) {
    valid[key] = (value) => typeof value === 'boolean';
  }
  return validOf<FigureChoices>(stored, valid);
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/** Returns the pixels of a figure in one direction. */
export function pixelsOf(mm: number, dpi: number): number {
  return Math.round((mm / 25.4) * dpi);
}

const MIN_FONT = 6;
/** Height of the text of a page of most journals, in mm. */
const MAX_HEIGHT = 247;
const MIN_PICTURE = 10;

/** Returns what would be hard to print or to read; sizes are in mm. */
export function figureWarnings({ font, height, picture }: { font: number; height: number; picture: number }): string[] {
  const warnings: string[] = [];
  if (font < MIN_FONT) warnings.push(`The text is ${font} pt high. Most journals ask for at least ${MIN_FONT} pt.`);
  if (height > MAX_HEIGHT) {
    warnings.push(
      `The figure is ${Math.round(height)} mm high, more than a page. Choose another layout or a smaller width.`,
    );
  }
  if (picture < MIN_PICTURE) {
    warnings.push(`Each picture is only ${formatFixed(picture, 1)} mm wide. Choose another layout or a larger width.`);
  }
  return warnings;
}
