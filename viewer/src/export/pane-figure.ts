/** Draws the pictures of a pane as one figure, with calibrated axes, names and scale bars. */

import { COMPOSITE, cardKeys, cardView, paneState, visibleChannels } from '../image/pane-state.ts';
import { axisTitle, displayAxes, toDisplayCoordinate, visibleExtent } from '../image/plane-axes.ts';
import { smoothingNote, whenSmoothed } from '../image/smoothed.ts';
import { sampleTicks } from '../image/ticks.ts';
import { lutTable } from '../luts/luts.ts';
import { type ChannelView, isLoaded, type Pane } from '../model/document.ts';
import type { Rect, Size } from '../model/geometry.ts';
import { formatNumber } from '../model/number-text.ts';
import { tableIndex } from '../render/colors.ts';
import { type CardChoice, figureShapes, imageCanvas, type PictureSource } from './card-picture.ts';
import { FIGURE_FONT, type FigureContent, figureSvg } from './figure.ts';
import { contrastBars, NO_BARS, placeBars } from './figure-bars.ts';
import { type FigureChoices, pixelsOf } from './figure-choices.ts';
import { type FigureAxis, type FigureName, layoutFigure, PER_MM, type PlacedFigure } from './figure-layout.ts';
import { shapesSvg } from './figure-shapes.ts';
import { canvasPng } from './raster.ts';

export interface FigureRequest {
  readonly source: PictureSource;
  readonly choices: FigureChoices;
  /** Line above the pictures; empty without. */
  readonly title: string;
  /** What has to be said in any case, below the pictures. */
  readonly note: string;
}

/** A figure; its size is in pixels of the saved file. */
export interface PaneFigure extends Size {
  readonly svg: string;
  readonly placed: PlacedFigure;
  /** What the first picture shows across, in the unit of its axis. */
  readonly span: number;
}

const MAX_PIXELS = 1e8;
const BAR_COLORS = 48;

/** A picture of a figure or movie: what it shows, and which part of the display. */
export interface Picture {
  readonly card: CardChoice;
  readonly part: Rect;
  /** Height divided by width. */
  readonly ratio: number;
}

/** @throws Error when no image is on screen, or the figure would be too large */
export async function paneFigure({ source, choices, title, note }: FigureRequest): Promise<PaneFigure> {
  const { pane } = source;
  const { width, dpi, font, layout, names, colorBars, axes } = choices;
  const pictures = figurePictures(pane, choices);
  if (pictures.length === 0) throw new Error('No image is on screen.');
  await Promise.all(pictures.flatMap(({ card }) => card.channels.map((channel) => whenSmoothed(pane, channel))));
  const smoothed = smoothingNote(pane, visibleChannels(pane));
  const pixels = pixelsOf(width, dpi);
  const pixel = (width * PER_MM) / pixels;
  const measure = textMeasure(font);
  const count = pictures.length;
  const placed = layoutFigure(
    pictures.map(({ card, part, ratio }) => ({
      ratio,
      names: namesOf(card, choices),
      axis: (along, length) => axisOf(pane, part, along, { length, font, measure }),
    })),
    {
      width: pixels * pixel,
      pixel,
      font,
      axes,
      names,
      colorBars,
      title,
      measure,
      columns: layout === 'row' ? count : layout === 'column' ? 1 : Math.ceil(Math.sqrt(count)),
      shared: pane.linked.value,
      note: [smoothed, note].filter(Boolean).join(' · '),
    },
  );
  const height = Math.round(placed.height / pixel);
  if (pixels * height > MAX_PIXELS) {
    throw new Error('The figure would have more than 100 million pixels. Choose a smaller width or resolution.');
  }
  const contents: FigureContent[] = [];
  for (const [i, picture] of pictures.entries()) {
    contents.push(await contentOf(source, picture, placed.pictures[i]!.box, { pixel, choices }));
  }
  const span = displayAxes(pane).x.step * pictures[0]!.part.width;
  return { svg: figureSvg({ placed, pixel, contents, font, measure }), placed, width: pixels, height, span };
}

async function contentOf(
  source: PictureSource,
  { card, part }: Picture,
  { width, height }: Rect,
  { pixel, choices }: { readonly pixel: number; readonly choices: FigureChoices },
): Promise<FigureContent> {
  const { font, scaleBar, barLength } = choices;
  const size = { width: Math.round(width / pixel), height: Math.round(height / pixel) };
  const canvas = await imageCanvas(source, card, part, size, () => '');
  const bars = scaleBar
    ? placeBars({
        pane: source.pane,
        part,
        size: { width, height },
        font,
        length: barLength,
        measure: textMeasure(font, 'bold '),
      })
    : NO_BARS;
  // Labels of marks are 12 units high, and as large as all text of the figure.
  const scale = font / 12;
  const area = { width: width / scale, height: height / scale };
  const shapes = shapesSvg(figureShapes(source, card, part, area), area, textMeasure(12, '600 '));
  return {
    image: await dataUrl(canvas),
    over: shapes === '' ? '' : `<g transform="scale(${scale})" font-size="12">${shapes}</g>`,
    bars: contrastBars(bars, canvas, { width, height }),
  };
}

/** Returns the pictures that were chosen, each with the part of the plane that the view shows. */
export function figurePictures(pane: Pane, { pictures }: Pick<FigureChoices, 'pictures'>): Picture[] {
  const areas = paneState(pane).areas.value;
  const first = cardKeys(pane).find((key) => areas.has(key));
  if (first === undefined) return [];
  return figureCards(pane, pictures).map((card) => {
    const key = !pane.linked.value && areas.has(card.key) ? card.key : first;
    const area = areas.get(key)!;
    const view = cardView(pane, key)!;
    const part = shownPart(pane, view);
    const scale = { x: area.width / view.width, y: area.height / view.height };
    return { card, part, ratio: (part.height * scale.y) / (part.width * scale.x) };
  });
}

function figureCards(pane: Pane, pictures: FigureChoices['pictures']): CardChoice[] {
  const channels = visibleChannels(pane).filter(isLoaded);
  const single = channels.map((channel) => ({ key: String(channel.index), name: channel.name, channels: [channel] }));
  if (pictures === 'channels' || channels.length < 2) return single;
  const composite = { key: COMPOSITE, name: 'Composite', channels };
  return pictures === 'composite' ? [composite] : [composite, ...single];
}

/** Returns the part of a view that the plane covers. */
function shownPart(pane: Pane, view: Rect): Rect {
  const axes = displayAxes(pane);
  const x = Math.max(0, view.x);
  const y = Math.max(0, view.y);
  const width = Math.min(axes.x.size, view.x + view.width) - x;
  return { x, y, width, height: Math.min(axes.y.size, view.y + view.height) - y };
}

/** Measures texts in the font of the figure. */
function textMeasure(font: number, weight = ''): (text: string, bold?: boolean) => number {
  const context = document.createElement('canvas').getContext('2d');
  // Widths are proportional to the size, and a browser may round those of small text.
  const unit = font / 100;
  return (text, bold = false) => {
    if (context === null) return text.length * 0.6 * font;
    context.font = `${bold ? 'bold ' : weight}100px ${FIGURE_FONT}`;
    return context.measureText(text).width * unit;
  };
}

interface AxisText {
  /** In points. */
  readonly length: number;
  readonly font: number;
  measure(text: string): number;
}

function axisOf(pane: Pane, part: Rect, along: 'x' | 'y', { length, font, measure }: AxisText): FigureAxis {
  const axis = displayAxes(pane)[along];
  const extent = visibleExtent(axis, part, along);
  const [start, samples] = along === 'x' ? [part.x, part.width] : [part.y, part.height];
  const least = along === 'x' ? Math.max(4 * font, length / 10) : Math.max(2.2 * font, length / 8);
  const room = (label: string) => Math.max(least, along === 'x' ? measure(label) + font : 0);
  const { major } = sampleTicks(axis.measured, { ...extent, unit: axis.unit, pixels: length, room });
  return {
    title: axisTitle(axis, Math.max(Math.abs(extent.from), Math.abs(extent.to))),
    ticks: major.map(({ value, label }) => ({
      place: (toDisplayCoordinate(axis, value) - start) / samples,
      text: label,
    })),
  };
}

/** Returns the names above a picture. A composite beside its channels needs only one. */
function namesOf(card: CardChoice, { pictures }: FigureChoices): FigureName[] {
  if (card.key === COMPOSITE && pictures === 'both') return [{ text: card.name, colors: [], low: '', high: '' }];
  return card.channels.map((channel) => ({ text: channel.name, ...colorsOf(channel) }));
}

function colorsOf({ display }: ChannelView): Omit<FigureName, 'text'> {
  const shown = display.peek();
  const { lut, invert, min, max } = shown;
  const table = lutTable(lut, invert);
  const colors = Array.from({ length: BAR_COLORS }, (_, i) => {
    // The values along the bar are linear, so the colors follow scale and gamma.
    const at = 3 * tableIndex(min + (i / (BAR_COLORS - 1)) * (max - min), shown);
    return `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
  });
  return { colors, low: formatNumber(min, 5), high: formatNumber(max, 5) };
}

async function dataUrl(canvas: HTMLCanvasElement): Promise<string> {
  const png = await canvasPng(canvas, 'Choose a smaller width or resolution.');
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(png);
  });
}
