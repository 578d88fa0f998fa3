/** Draws the pictures of a pane as one figure, with calibrated axes, names and scale bars. */

import { COMPOSITE, cardKeys, cardView, paneState, visibleChannels } from '../image/pane-state.ts';
import { axisTitle, displayAxes, displayStep, toDisplayCoordinate, visibleExtent } from '../image/plane-axes.ts';
import { displayTicks } from '../image/row-ticks.ts';
import { smoothingNote, whenSmoothed } from '../image/smoothed.ts';
import { lutTable } from '../luts/luts.ts';
import { type ChannelView, isLoaded, type Pane } from '../model/document.ts';
import type { Rect, Size } from '../model/geometry.ts';
import { formatEnds } from '../model/number-text.ts';
import { tableIndex } from '../render/colors.ts';
import { type CardChoice, figureShapes, imageCanvas, type PictureSource } from './card-picture.ts';
import { type FigureContent, FONTS, figureSvg } from './figure.ts';
import { contrastBars, NO_BARS, placeBars } from './figure-bars.ts';
import { columnsOf, type FigureChoices, pixelsOf } from './figure-choices.ts';
import { type FigureAxis, type FigureName, layoutFigure, PER_MM, type PlacedFigure } from './figure-layout.ts';
import { type MontagePlane, montagePlanes } from './figure-montage.ts';
import { figurePlot } from './figure-plot.ts';
import { shapesSvg } from './figure-shapes.ts';
import { isFarCard, planeReader, type ReadPlane, readPlanes, withPlanes } from './other-planes.ts';
import { canvasPng } from './raster.ts';

export interface FigureRequest {
  readonly source: PictureSource;
  readonly choices: FigureChoices;
  /** Line above the pictures; empty without. */
  readonly title: string;
  /** What has to be said in any case, below the pictures. */
  readonly note: string;
  readonly signal: AbortSignal;
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
export interface ChosenPicture {
  readonly card: CardChoice;
  readonly part: Rect;
  /** Height divided by width. */
  readonly ratio: number;
}

/** @throws Error when no image is on screen, or the figure would be too large */
export async function paneFigure(request: FigureRequest): Promise<PaneFigure> {
  const { source, choices, title, signal } = request;
  const { pane, document } = source;
  const { width, dpi, font, family } = choices;
  const planes = montagePlanes(document, pane, choices);
  const { pictures, columns } = arranged(figurePictures(pane, choices), planes, choices.layout);
  if (pictures.length === 0) throw new Error('No image is on screen.');
  await Promise.all(pictures.flatMap(({ card }) => card.channels.map((channel) => whenSmoothed(pane, channel))));
  const pixels = pixelsOf(width, dpi);
  const pixel = (width * PER_MM) / pixels;
  const measure = textMeasure(font, family);
  const plot = await figurePlot(source, choices, { font, measure }, signal);
  const placed = layoutFigure(
    pictures.map((picture) => ({
      ratio: picture.ratio,
      names: namesOf(picture, choices),
      axis: (along, length) => axisOf(pane, picture.part, along, { length, font, measure }),
    })),
    {
      ...choices,
      width: pixels * pixel,
      pixel,
      names: choices.names || planes !== null,
      title,
      measure,
      columns,
      shared: pane.linked.value,
      note: [smoothingNote(pane, visibleChannels(pane), planes === null), request.note, plot?.note]
        .filter(Boolean)
        .join(' · '),
      plot,
    },
  );
  const height = Math.round(placed.height / pixel);
  if (pixels * height > MAX_PIXELS) {
    throw new Error('The figure would have more than 100 million pixels. Choose a smaller width or resolution.');
  }
  const contents: FigureContent[] = [];
  const read = planeReader(source);
  for (const [i, picture] of pictures.entries()) {
    signal.throwIfAborted();
    // The bar of the last picture of a montage is for all of them.
    const scaleBar = choices.scaleBar && (planes === null || i === pictures.length - 1);
    const shown = await shownPicture(source, picture, read, signal);
    contents.push(await contentOf(shown, placed.pictures[i]!.box, { pixel, choices: { ...choices, scaleBar } }));
  }
  if (plot) contents.push({ image: '', over: plot.draw(placed.pictures.at(-1)!.box), bars: NO_BARS });
  const { x } = displayAxes(pane);
  const span = (displayStep(x) ?? x.step) * pictures[0]!.part.width;
  return { svg: figureSvg({ placed, pixel, contents, font, family, measure }), placed, width: pixels, height, span };
}

/** A picture with its place in the figure. */
interface Arranged extends ChosenPicture {
  /** Null for the shown plane. */
  readonly plane: MontagePlane | null;
  /** True where the names of the channels, and the label of the plane, stand. */
  readonly named: boolean;
  readonly labeled: boolean;
}

/** Returns the pictures row by row. In a montage of several cards, planes run along rows, or along columns. */
function arranged(
  pictures: readonly ChosenPicture[],
  planes: readonly MontagePlane[] | null,
  layout: FigureChoices['layout'],
): { pictures: Arranged[]; columns: number } {
  if (planes === null) {
    const all = pictures.map((picture) => ({ ...picture, plane: null, named: true, labeled: false }));
    return { pictures: all, columns: columnsOf(layout, all.length) };
  }
  if (pictures.length < 2) {
    const all = pictures.flatMap((picture) =>
      planes.map((plane, i) => ({ ...picture, plane, named: i === 0, labeled: true })),
    );
    return { pictures: all, columns: columnsOf(layout, all.length) };
  }
  const down = layout === 'column';
  const at = (card: number, i: number) => ({
    ...pictures[card]!,
    plane: planes[i]!,
    named: i === 0,
    labeled: card === 0,
  });
  const [rows, columns] = down ? [planes.length, pictures.length] : [pictures.length, planes.length];
  const all = Array.from({ length: rows * columns }, (_, k) => {
    const [row, column] = [Math.floor(k / columns), k % columns];
    return down ? at(column, row) : at(row, column);
  });
  return { pictures: all, columns };
}

/** Returns a picture with the samples of its plane. */
async function shownPicture(source: PictureSource, picture: Arranged, read: ReadPlane, signal: AbortSignal) {
  const { card, part, plane } = picture;
  if (plane === null) return { source, card, part };
  if (isFarCard(card)) throw new Error('These planes are too large for a montage: the page has only parts of them.');
  const planes = await readPlanes(card.channels, plane.place, read, signal);
  return { ...withPlanes(source, card, planes), part };
}

async function contentOf(
  { source, card, part }: { readonly source: PictureSource } & Pick<ChosenPicture, 'card' | 'part'>,
  { width, height }: Rect,
  { pixel, choices }: { readonly pixel: number; readonly choices: FigureChoices },
): Promise<FigureContent> {
  const { font, family, scaleBar, barLength } = choices;
  const size = { width: Math.round(width / pixel), height: Math.round(height / pixel) };
  const canvas = await imageCanvas(source, card, part, size, () => '');
  const bars = scaleBar
    ? placeBars({
        pane: source.pane,
        part,
        size: { width, height },
        font,
        length: barLength,
        measure: textMeasure(font, family, 'bold '),
      })
    : NO_BARS;
  // Labels of marks are 12 units high, and as large as all text of the figure.
  const scale = font / 12;
  const area = { width: width / scale, height: height / scale };
  const shapes = shapesSvg(figureShapes(source, card, part, area), area, textMeasure(12, family, '600 '));
  return {
    image: await dataUrl(canvas),
    over: shapes === '' ? '' : `<g transform="scale(${scale})" font-size="12">${shapes}</g>`,
    bars: contrastBars(bars, canvas, { width, height }),
  };
}

/** Returns the pictures that were chosen, each with the part of the plane that the view shows. */
export function figurePictures(pane: Pane, { pictures }: Pick<FigureChoices, 'pictures'>): ChosenPicture[] {
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
  const width = Math.min(axes.x.length, view.x + view.width) - x;
  return { x, y, width, height: Math.min(axes.y.length, view.y + view.height) - y };
}

/** Measures texts in the font of the figure. */
function textMeasure(
  font: number,
  family: FigureChoices['family'],
  weight = '',
): (text: string, bold?: boolean) => number {
  const context = document.createElement('canvas').getContext('2d');
  // Widths are proportional to the size, and a browser may round those of small text.
  const unit = font / 100;
  return (text, bold = false) => {
    if (context === null) return text.length * 0.6 * font;
    context.font = `${bold ? 'bold ' : weight}100px ${FONTS[family]}`;
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
  const { major } = displayTicks(axis, [start, start + samples], { ...extent, pixels: length, room });
  return {
    title: axisTitle(axis, Math.max(Math.abs(extent.from), Math.abs(extent.to))),
    ticks: major.map(({ value, label }) => ({
      place: (toDisplayCoordinate(axis, value) - start) / samples,
      text: label,
    })),
  };
}

/** Returns what stands above a picture. A composite beside its channels needs only one name. */
function namesOf({ card, plane, named, labeled }: Arranged, { pictures, names }: FigureChoices): FigureName[] {
  const plain = (text: string) => ({ text, colors: [], low: '', high: '' });
  const label = plane !== null && labeled ? [plain(plane.label)] : [];
  if (!names || !named) return label;
  if (card.key === COMPOSITE && pictures === 'both') return [plain(card.name), ...label];
  return [...card.channels.map((channel) => ({ text: channel.name, ...colorsOf(channel) })), ...label];
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
  const [low, high] = formatEnds(min, max);
  return { colors, low, high };
}

async function dataUrl(canvas: HTMLCanvasElement): Promise<string> {
  const png = await canvasPng(canvas);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(png);
  });
}
