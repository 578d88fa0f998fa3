import type { ChannelDisplay, PixelMarks } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { colorBarOf, toValue, toX } from './plot.ts';
import { createShade } from './shade.ts';
import type { Bars, ValueSpan } from './value-axis.ts';

interface BarsRequest {
  readonly bars: Bars & { readonly heights: Float64Array };
  readonly span: ValueSpan;
  readonly size: Size;
  readonly display: ChannelDisplay;
  readonly marks: PixelMarks;
  readonly ratio: number;
}

/** Paints the bars within the range in the colors of their values, and the color bar below them, in device pixels. */
export function paintBars(canvas: HTMLCanvasElement, request: BarsRequest): void {
  const { bars, span, size, display, marks, ratio } = request;
  const width = Math.round(size.width * ratio);
  const height = Math.round(size.height * ratio);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.clearRect(0, 0, width, height);
  const shade = createShade(display, marks);
  const device = { width, height };
  const bottom = height - Math.round(colorBarOf(size) * ratio);
  bars.heights.forEach((share, bar) => {
    const value = bars.from + (bar + 0.5) * bars.width;
    if (share === 0 || value + bars.width / 2 < display.min || value - bars.width / 2 > display.max) return;
    const left = Math.round(toX(bars.from + bar * bars.width, span, device));
    const right = Math.max(left + 1, Math.round(toX(bars.from + (bar + 1) * bars.width, span, device)));
    const top = Math.round(bottom - share * (bottom - 2 * ratio));
    context.fillStyle = shade(value);
    context.fillRect(left, top, right - left, bottom - top);
  });
  for (let x = 0; x < width; x++) {
    context.fillStyle = shade(toValue(x + 0.5, span, device));
    context.fillRect(x, bottom, 1, height - bottom);
  }
}
