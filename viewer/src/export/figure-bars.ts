/** Scale bars of a picture of a figure: one, or one for each direction when their scales differ. */
import { type DisplayAxis, displayAxes } from '../image/plane-axes.ts';
import { scaleBar } from '../image/ticks.ts';
import type { Pane } from '../model/document.ts';
import type { Rect, Size } from '../model/geometry.ts';
import { formatNumber } from '../model/number-text.ts';
import { isPhysical, wholeScale } from '../model/units.ts';

interface PlacedBar {
  readonly box: Rect;
  /** Right end and baseline of the label. */
  readonly label: { readonly text: string; readonly x: number; readonly y: number };
}

/** In points from the corner of the picture. */
export interface FigureBars {
  readonly color: string;
  readonly across: PlacedBar | null;
  readonly up: PlacedBar | null;
}

export const NO_BARS: FigureBars = { color: '', across: null, up: null };

interface BarRequest {
  readonly pane: Pane;
  /** Shown part of the display, and the size of its picture in points. */
  readonly part: Rect;
  readonly size: Size;
  readonly font: number;
  /** Length of the horizontal bar in the unit of its axis; null for the longest round one that fits. */
  readonly length: number | null;
}

/** Places bars in the lower right corner. Their lengths follow the steps of the file. */
export function placeBars({ pane, part, size, font, length }: BarRequest): FigureBars {
  const { x, y } = displayAxes(pane);
  const per = { x: (x.step * part.width) / size.width, y: (y.step * part.height) / size.height };
  const alike = x.unit === y.unit && Math.abs(per.x / per.y - 1) < 0.005;
  const margin = 0.8 * font;
  const thick = Math.max(1, 0.25 * font);
  const room = size.width - 2 * margin;
  const across = barOf(x, per.x, 0.3 * size.width, length !== null && length / per.x <= room ? length : null);
  const up = alike ? null : barOf(y, per.y, 0.4 * size.height, null);
  const right = size.width - margin;
  const bottom = size.height - margin;
  const end = right - (up ? thick + 0.4 * font : 0);
  return {
    color: '#fff',
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
}

function barOf(axis: DisplayAxis, perPoint: number, longest: number, length: number | null) {
  // Unevenly spaced lines have no scale.
  if (axis.measured?.uneven) return null;
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

export function barLabel(unit: string, length: number, noun: string): string {
  const scale = isPhysical(unit) ? wholeScale(unit, length) : undefined;
  return `${formatNumber(length * (scale?.factor ?? 1), 6)} ${scale?.unit ?? noun}`;
}

/** Returns black or white, whichever differs more from the picture under the bars. */
export function barColor(picture: HTMLCanvasElement, { across, up }: FigureBars, size: Size): string {
  const context = picture.getContext('2d');
  const boxes = [across, up].flatMap((bar) => (bar === null ? [] : [bar]));
  if (context === null || boxes.length === 0) return '#fff';
  const scale = picture.width / size.width;
  const left = Math.min(...boxes.map(({ box }) => box.x)) * scale;
  const top = Math.min(...boxes.map(({ box, label }) => Math.min(box.y, label.y - 8))) * scale;
  const x = Math.max(0, Math.floor(left));
  const y = Math.max(0, Math.floor(top));
  const { data } = context.getImageData(x, y, Math.max(1, picture.width - x), Math.max(1, picture.height - y));
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += 0.2126 * data[i]! + 0.7152 * data[i + 1]! + 0.0722 * data[i + 2]!;
  return sum / (data.length / 4) > 140 ? '#000' : '#fff';
}
