/**
 * Places the parts of a figure on paper, in points (1/72 inch). Every box of a picture starts and ends between two
 * pixels of the saved file, so that no sample is blurred, and has the proportions of its picture.
 */
import type { Rect, Size } from '../model/geometry.ts';

/** Points per millimeter. */
export const PER_MM = 72 / 25.4;
/** Width of all lines, in points. */
export const LINE = 0.5;
export const TICK = 2.5;

export interface FigureAxis {
  /** `time (s)` */
  readonly title: string;
  /** `place` is the fraction from the left or the top, 0 to 1. */
  readonly ticks: readonly { readonly place: number; readonly text: string }[];
}

/** What stands above a picture for each of its channels. */
export interface FigureName {
  readonly text: string;
  /** Colors from low to high as `rgb(…)`, with the values of the ends; empty where a name has no color. */
  readonly colors: readonly string[];
  readonly low: string;
  readonly high: string;
  /** Set for a curve, whose color is shown as a line with these dashes. */
  readonly dash?: readonly number[];
}

/** Returns the attribute of a dashed line; empty for a solid one. A figure is half as large as the plot on screen. */
export function dashAttribute(dash: readonly number[]): string {
  return dash.length === 0 ? '' : ` stroke-dasharray="${dash.map((one) => one / 2).join(' ')}"`;
}

export interface FigurePicture {
  /** Height divided by width. */
  readonly ratio: number;
  readonly names: readonly FigureName[];
  /** Returns an axis of a picture that is `length` points long. */
  axis(along: 'x' | 'y', length: number): FigureAxis;
}

/** Curves that are placed like a picture, after the pictures. */
interface PlotRequest extends Omit<FigurePicture, 'ratio'> {
  /** Charts below each other. */
  readonly lanes: number;
  readonly side: 'beside' | 'below';
}

export interface FigureStyle {
  /** Width of the figure. */
  readonly width: number;
  /** Size of a pixel of the saved file. */
  readonly pixel: number;
  /** Size of all text. */
  readonly font: number;
  readonly columns: number;
  readonly axes: boolean;
  /** True when all pictures show the same part, so that axes are labeled once per row and column. */
  readonly shared: boolean;
  readonly names: boolean;
  readonly colorBars: boolean;
  /** Lines above and below the pictures; empty without. */
  readonly title: string;
  readonly note: string;
  /** Curves beside or below the pictures; null without. */
  readonly plot: PlotRequest | null;
  /** Returns the width of a text. */
  measure(text: string, bold?: boolean): number;
}

/** A part of a name; `at` is its left end and the baseline, relative to the picture. */
interface PlacedName {
  readonly name: FigureName;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Where the color bar starts; null for a square of the color before the name. */
  readonly bar: { readonly x: number; readonly y: number } | null;
}

export interface PlacedPicture {
  readonly box: Rect;
  readonly names: readonly PlacedName[];
  /** True when axes are shown, labeled or not. */
  readonly framed: boolean;
  /** Null where there are no labels. */
  readonly x: FigureAxis | null;
  readonly y: FigureAxis | null;
  /** How far labels of the axis x may reach over the ends of the picture. */
  readonly over: number;
}

export interface PlacedLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedFigure extends Size {
  readonly pictures: readonly PlacedPicture[];
  readonly title: readonly PlacedLine[];
  readonly note: readonly PlacedLine[];
}

/** Length of a color bar in widths of an m. */
export const BAR_EMS = 5;
/** Room of the square of color before a name without a color bar. */
export const SQUARE_EMS = 1.1;

export function layoutFigure(pictures: readonly FigurePicture[], style: FigureStyle): PlacedFigure {
  const { columns, font, pixel } = style;
  const rows = Math.ceil(pictures.length / columns);
  const lead = 1.25 * font;
  // A picture and curves beside it have half of the width each.
  const across = placeColumns(pictures, style.plot?.side === 'beside' ? { ...style, width: style.width / 2 } : style);
  const title = wrap(style.title, style, true).map((text, i) => ({ text, x: LINE, y: font + i * lead }));
  const start = title.length * lead + (title.length > 0 ? 0.4 * font : 0);
  let y = start;
  const placed: PlacedPicture[] = [];
  for (let row = 0; row < rows; row++) {
    const inRow = pictures.slice(row * columns, (row + 1) * columns);
    const names = inRow.map((picture) => placeNames(picture.names, across.width, style));
    const above = Math.max(0, ...names.map((one) => one.height));
    // Half of a label at the end of the vertical axis reaches over the picture.
    const top = snap(y + Math.max(above, LINE, style.axes ? font / 2 : 0), pixel, Math.ceil);
    const heights = inRow.map(({ ratio }) => Math.max(1, Math.round((across.width * ratio) / pixel)) * pixel);
    inRow.forEach((picture, column) => {
      const index = row * columns + column;
      const height = heights[column]!;
      const labeledX = style.axes && (!style.shared || index + columns >= pictures.length);
      const labeledY = style.axes && (!style.shared || column === 0);
      placed.push({
        box: { x: across.lefts[column]!, y: top, width: across.width, height },
        names: names[column]!.placed,
        framed: style.axes,
        x: labeledX ? picture.axis('x', across.width) : null,
        y: labeledY ? picture.axis('y', height) : null,
        over: across.over,
      });
    });
    const labeled = placed.slice(row * columns).some(({ x }) => x !== null);
    y = top + Math.max(...heights) + (labeled ? TICK + 2.9 * font : LINE) + (row < rows - 1 ? gapOf(style) : 0);
  }
  if (style.plot) {
    const plot = placePlot(style.plot, { style, across, placed, top: style.plot.side === 'beside' ? start : y + font });
    placed.push(plot);
    y = Math.max(y, plot.box.y + plot.box.height + TICK + 2.9 * font);
  }
  const note = wrap(style.note, style).map((text, i) => ({ text, x: LINE, y: y + font + i * lead }));
  const bottom = y + (note.length > 0 ? note.length * lead + 0.3 * font : 0);
  return { width: style.width, height: snap(bottom, pixel, Math.ceil), pictures: placed, title, note };
}

/** Least height of curves, in millimeters, and height of those below the pictures as a part of their width. */
const MIN_PLOT = 18;
const PLOT_RATIO = 0.3;
/** Least height of a lane: two labels of its axis. */
const LANE_EMS = 3.5;

interface PlotRoom {
  readonly style: FigureStyle;
  readonly across: { readonly lefts: readonly number[]; readonly width: number };
  readonly placed: readonly PlacedPicture[];
  readonly top: number;
}

/** Places curves beside the pictures, as high as they are, or below them, over their width. */
function placePlot({ side, names, axis, lanes }: PlotRequest, { style, across, placed, top }: PlotRoom): PlacedPicture {
  const { width, font, pixel } = style;
  const end = across.lefts.at(-1)! + across.width;
  const beside = side === 'beside';
  const right = beside ? width - font : end;
  const least = beside ? end + 1.5 * font : LINE;
  const lowest = Math.max(MIN_PLOT * PER_MM, lanes > 1 ? lanes * LANE_EMS * font : 0);
  const guess = Math.max(lowest, PLOT_RATIO * (right - least));
  const first = placed[0]!.box;
  const bottom = Math.max(...placed.map(({ box }) => box.y + box.height));
  const room = TICK + labelRoom(axis('y', beside ? bottom - first.y : guess), style);
  const left = snap(beside ? least + room : Math.max(across.lefts[0]!, least + room), pixel, Math.ceil);
  const legend = placeNames(names, right - left, { ...style, names: true, colorBars: false });
  const y = snap(Math.max(top + legend.height, beside ? first.y : 0), pixel, Math.ceil);
  const height = Math.max(lowest, beside ? bottom - y : guess);
  const box = { x: left, y, width: right - left, height };
  const over = font;
  return { box, names: legend.placed, framed: true, x: axis('x', box.width), y: axis('y', height), over };
}

function gapOf({ font, names }: FigureStyle): number {
  return names ? 0.5 * font : 0.7 * font;
}

/** Returns the left ends of the columns and their common width. */
function placeColumns(pictures: readonly FigurePicture[], style: FigureStyle) {
  const { width, columns, font, pixel, axes, shared } = style;
  const gap = 1.1 * font;
  const right = axes ? font : LINE;
  let across = width / columns;
  let lefts: number[] = [];
  // The labels of the vertical axis depend on the height of the pictures, and that on the room of the labels.
  for (let pass = 0; pass < 3; pass++) {
    const rooms = Array.from({ length: columns }, (_, column) => {
      if (!axes || (shared && column > 0)) return column === 0 ? LINE : 0;
      const own = pictures.filter((_picture, i) => i % columns === column);
      return TICK + Math.max(...own.map((picture) => labelRoom(picture.axis('y', across * picture.ratio), style)));
    });
    const around = rooms.reduce((sum, room) => sum + room, 0) + (columns - 1) * gap + right;
    across = Math.max(pixel, snap((width - around) / columns - pixel, pixel, Math.floor));
    let x = 0;
    lefts = rooms.map((room) => {
      const left = snap(x + room, pixel, Math.ceil);
      x = left + across + gap;
      return left;
    });
  }
  // Labels of neighbors keep a distance.
  return { lefts, width: across, over: columns > 1 ? (gap - 0.4 * font) / 2 : right - LINE };
}

/** Returns the room of the labels of a vertical axis and of its title, which is turned. */
function labelRoom({ ticks }: FigureAxis, { measure, font }: FigureStyle): number {
  return Math.max(0, ...ticks.map(({ text }) => measure(text))) + 0.4 * font + 1.3 * font;
}

/** Places the names above a picture side by side, and in further lines where they do not fit. */
function placeNames(names: readonly FigureName[], width: number, style: FigureStyle) {
  const { font, measure } = style;
  if (!style.names || names.length === 0) return { placed: [], height: 0 };
  const lead = 1.35 * font;
  const parts: { name: FigureName; text: string; x: number; line: number; bar: number | null }[] = [];
  let x = 0;
  let line = 0;
  const take = (room: number): number => {
    if (x > 0 && x + room > width) {
      x = 0;
      line += 1;
    }
    const at = x;
    x += room + 0.9 * font;
    return at;
  };
  for (const name of names) {
    const bar = measure(name.low) + measure(name.high) + (BAR_EMS + 0.8) * font;
    if (name.colors.length === 0 || !style.colorBars || bar > width) {
      const square = name.colors.length === 0 ? 0 : SQUARE_EMS * font;
      const text = shortened(name.text, width - square, measure);
      parts.push({ name, text, x: take(square + measure(text)), line, bar: null });
      continue;
    }
    const text = shortened(name.text, width, measure);
    const together = measure(text) + 0.6 * font + bar <= width;
    const at = take(measure(text) + (together ? 0.6 * font + bar : 0));
    const part = { name, text, x: at, line };
    parts.push({ ...part, bar: together ? at + measure(text) + 0.6 * font : take(bar) });
  }
  const height = (line + 1) * lead;
  const placed = parts.map(({ name, text, x: at, line: own, bar }): PlacedName => {
    const baseline = (n: number) => n * lead - height + font;
    const below = bar !== null && bar <= at;
    return {
      name,
      text,
      x: at,
      y: baseline(own),
      bar: bar === null ? null : { x: bar, y: baseline(own + (below ? 1 : 0)) },
    };
  });
  return { placed, height };
}

function shortened(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) return text;
  let letters = [...text];
  while (letters.length > 1 && measure(`${letters.join('')}…`) > room) letters = letters.slice(0, -1);
  return `${letters.join('')}…`;
}

/** Breaks a text into lines between words. */
function wrap(text: string, { width, measure }: FigureStyle, bold = false): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && measure(`${last} ${word}`, bold) <= width - 2 * LINE)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Rounds a place to an edge of a pixel. */
function snap(value: number, pixel: number, round: (value: number) => number): number {
  return round(Number((value / pixel).toFixed(6))) * pixel;
}
