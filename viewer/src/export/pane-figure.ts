/** Draws the cards of a pane as one figure, with calibrated axes and color bars. */

import { cardView, paneState } from '../image/pane-state.ts';
import { axisTitle, type DisplayAxis, displayAxes, toDisplayCoordinate, visibleExtent } from '../image/plane-axes.ts';
import { smoothingNote } from '../image/smoothed.ts';
import { sampleTicks } from '../image/ticks.ts';
import { lutTable } from '../luts/luts.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import type { Rect } from '../model/geometry.ts';
import { formatSample } from '../model/number-text.ts';
import { tableIndex } from '../render/colors.ts';
import { figureShapes, imageCanvas, type PictureSource, shownCards } from './card-picture.ts';
import { type FigureAxis, type FigurePanel, figureSvg } from './figure.ts';
import { shapesSvg } from './figure-shapes.ts';

/** Image pixels per unit of the figure, enough for print. */
const DENSITY = 3;
const BAR_COLORS = 64;

/** @throws Error when no image is on screen */
export async function paneFigure(source: PictureSource, title: string) {
  const { pane } = source;
  const measure = textMeasure();
  const panels: FigurePanel[] = [];
  for (const card of shownCards(pane)) {
    const area = paneState(pane).areas.peek().get(card.key);
    const view = cardView(pane, card.key);
    if (area === undefined || view === null) continue;
    const [width, height] = [Math.round(area.width), Math.round(area.height)];
    const size = { width: width * DENSITY, height: height * DENSITY };
    // The title says which steps were entered by hand.
    const image = await imageCanvas(source, card, view, size, () => smoothingNote(pane, card.channels));
    const [only] = card.channels;
    panels.push({
      heading: card.name,
      image: image.toDataURL('image/png'),
      width,
      height,
      over: shapesSvg(figureShapes(source, card, view, { width, height }), { width, height }, measure),
      ...axesOf(pane, view, { width, height }),
      bar: card.channels.length === 1 && only !== undefined ? barOf(only) : null,
    });
  }
  if (panels.length === 0) throw new Error('No image is on screen.');
  return figureSvg({ title, panels });
}

/** Measures texts in the font of the labels of a figure. */
function textMeasure(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context !== null) context.font = '600 12px Helvetica, Arial, sans-serif';
  return (text) => context?.measureText(text).width ?? text.length * 7;
}

function axesOf(pane: Pane, view: Rect, size: { width: number; height: number }): { x: FigureAxis; y: FigureAxis } {
  const axes = displayAxes(pane);
  const axis = (shown: DisplayAxis, along: 'x' | 'y', pixels: number, room: (label: string) => number): FigureAxis => {
    const extent = visibleExtent(shown, view, along);
    const [start, length] = along === 'x' ? [view.x, view.width] : [view.y, view.height];
    const { major } = sampleTicks(shown.measured, { ...extent, unit: shown.unit, pixels, room });
    return {
      title: axisTitle(shown, Math.max(Math.abs(extent.from), Math.abs(extent.to))),
      ticks: major.map(({ value, label }) => ({
        place: (toDisplayCoordinate(shown, value) - start) / length,
        text: label,
      })),
    };
  };
  return {
    x: axis(axes.x, 'x', size.width, (label) => Math.max(48, label.length * 7 + 14)),
    y: axis(axes.y, 'y', size.height, () => 24),
  };
}

function barOf({ display }: ChannelView): FigurePanel['bar'] {
  const shown = display.peek();
  const { lut, invert, min, max } = shown;
  const table = lutTable(lut, invert);
  const colors = Array.from({ length: BAR_COLORS }, (_, i) => {
    // The values along the bar are linear, so the colors follow scale and gamma.
    const at = 3 * tableIndex(min + (i / (BAR_COLORS - 1)) * (max - min), shown);
    return `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
  });
  return { colors, low: formatSample(Math.fround(min)), high: formatSample(Math.fround(max)) };
}
