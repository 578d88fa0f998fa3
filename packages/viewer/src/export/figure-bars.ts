/** Scale bars of a picture of a figure: one, or one for each direction when their scales differ. */
import { type DisplayAxis, displayAxes, displayStep } from '../image/plane-axes.ts';
import { barLabel, scaleBar } from '../image/ticks.ts';
import type { Pane } from '../model/document.ts';
import type { Rect, Size } from '../model/geometry.ts';
import { isPhysical } from '../model/units.ts';

interface PlacedBar {
  readonly box: Rect;
  /** Right end and baseline of the label. */
  readonly label: { readonly text: string; readonly x: number; readonly y: number };
}

/** In points from the corner of the picture. */
export interface FigureBars {
  readonly color: string;
  /** What the bars and their labels cover. */
  readonly area: Rect;
  /** True when the picture there is neither dark nor light, and needs a ground under the bars. */
  readonly ground: boolean;
  readonly across: PlacedBar | null;
  readonly up: PlacedBar | null;
}

const NOTHING: Rect = { x: 0, y: 0, width: 0, height: 0 };
export const NO_BARS: FigureBars = { color: '', area: NOTHING, ground: false, across: null, up: null };

interface BarRequest {
  readonly pane: Pane;
  /** Shown part of the display, and the size of its picture in points. */
  readonly part: Rect;
  readonly size: Size;
  readonly font: number;
  /** Length of the horizontal bar in the unit of its axis; null for the longest round one that fits. */
  readonly length: number | null;
  /** Returns the width of a label. */
  measure(text: string): number;
}

/** Places bars in the lower right corner. Their lengths follow the steps of the file. */
export function placeBars({ pane, part, size, font, length, measure }: BarRequest): FigureBars {
  const { x, y } = displayAxes(pane);
  const [stepX, stepY] = [displayStep(x), displayStep(y)];
  const per = {
    x: stepX === null ? null : (stepX * part.width) / size.width,
    y: stepY === null ? null : (stepY * part.height) / size.height,
  };
  const alike = x.unit === y.unit && Math.abs((per.x ?? 0) / (per.y ?? 0) - 1) < 0.005;
  const margin = 0.8 * font;
  const thick = Math.max(1, 0.25 * font);
  const room = size.width - 2 * margin;
  const across = barOf(
    x,
    per.x,
    0.3 * size.width,
    length !== null && per.x !== null && length / per.x <= room ? length : null,
  );
  const up = alike ? null : barOf(y, per.y, 0.4 * size.height, null);
  const right = size.width - margin;
  const bottom = size.height - margin;
  const end = right - (up ? thick + 0.4 * font : 0);
  const bars = {
    across: across && {
      box: { x: end - across.length, y: bottom - thick, width: across.length, height: thick },
      label: { text: across.label, x: end, y: bottom - thick - 0.35 * font },
    },
    up: up && {
      box: { x: right - thick, y: bottom - up.length, width: thick, height: up.length },
      label: {
        text: up.label,
        x: end,
        y: bottom - Math.max(up.length - 0.75 * font, across ? thick + 1.6 * font : 0),
      },
    },
  };
  const shown = [bars.across, bars.up].flatMap((bar) => (bar === null ? [] : [bar]));
  if (shown.length === 0) return NO_BARS;
  const pad = 0.4 * font;
  const left = Math.min(...shown.map(({ box, label }) => Math.min(box.x, label.x - measure(label.text)))) - pad;
  const top = Math.min(...shown.map(({ box, label }) => Math.min(box.y, label.y - 0.75 * font))) - pad;
  const area = { x: left, y: top, width: right + pad - left, height: bottom + pad - top };
  return { ...bars, area, color: '#fff', ground: false };
}

function barOf(axis: DisplayAxis, perPoint: number | null, longest: number, length: number | null) {
  if (perPoint === null) return null;
  const noun = axis.sample === 'line' ? 'lines' : 'px';
  if (length === null) return scaleBar(axis.unit, perPoint, longest, noun);
  return { length: length / perPoint, value: length, label: barLabel(axis.unit, length, noun) };
}

/** Returns round lengths between a fiftieth and nine tenths of what a picture shows across, the longest first. */
export function barLengths(unit: string, span: number): number[] {
  const lengths: number[] = [];
  if (!(span > 0) || !Number.isFinite(span)) return lengths;
  for (let exponent = Math.floor(Math.log10(span)); exponent > Math.log10(span) - 3; exponent--) {
    for (const digit of [5, 2, 1]) {
      const length = Number(`${digit}e${exponent}`);
      const whole = isPhysical(unit) || length >= 1;
      if (whole && length <= 0.9 * span && length >= span / 50) lengths.push(length);
    }
  }
  return lengths;
}

/** Luminance between black and white bars, and how far that of a picture has to be from its bars. */
const MIDDLE = 140;
const DISTANCE = 70;
/** Share of a picture that may be close to its bars. */
const CLOSE = 0.05;

/** Makes bars black or white, whichever differs more from the picture, on a ground where parts of it are like them. */
export function contrastBars(bars: FigureBars, picture: HTMLCanvasElement, size: Size): FigureBars {
  const context = picture.getContext('2d');
  const scale = picture.width / size.width;
  const x = Math.max(0, Math.floor(bars.area.x * scale));
  const y = Math.max(0, Math.floor(bars.area.y * scale));
  const width = Math.min(picture.width - x, Math.ceil(bars.area.width * scale));
  const height = Math.min(picture.height - y, Math.ceil(bars.area.height * scale));
  if (context === null || width < 1 || height < 1) return bars;
  const { data } = context.getImageData(x, y, width, height);
  const luminance = Float32Array.from(
    { length: data.length / 4 },
    (_, i) => 0.2126 * data[4 * i]! + 0.7152 * data[4 * i + 1]! + 0.0722 * data[4 * i + 2]!,
  );
  const mean = luminance.reduce((sum, value) => sum + value, 0) / luminance.length;
  const own = mean > MIDDLE ? 0 : 255;
  const close = luminance.reduce((count, value) => count + (Math.abs(value - own) < DISTANCE ? 1 : 0), 0);
  return { ...bars, color: own === 0 ? '#000' : '#fff', ground: close / luminance.length > CLOSE };
}
