/** Geometry of a histogram in CSS pixels. */
import type { ChannelDisplay, ValueRange } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { tone } from '../render/colors.ts';
import type { Bars, ValueSpan } from './value-axis.ts';

/** Returns the height of the color bar under the counts. A low histogram has a narrow one. */
export function colorBarOf({ height }: Size): number {
  return height < 40 ? 4 : 7;
}

export function toX(value: number, { from, to }: ValueSpan, { width }: Size): number {
  return ((value - from) / (to - from)) * width;
}

export function toValue(x: number, { from, to }: ValueSpan, { width }: Size): number {
  return from + (x / width) * (to - from);
}

/** Returns the outline of the bars as path data. */
export function outline(bars: Bars, heights: Float64Array, span: ValueSpan, size: Size): string {
  const bottom = size.height - colorBarOf(size);
  const parts: string[] = [];
  heights.forEach((height, bar) => {
    const left = toX(bars.from + bar * bars.width, span, size);
    const right = toX(bars.from + (bar + 1) * bars.width, span, size);
    const top = bottom - height * (bottom - 2);
    parts.push(`${bar === 0 ? `M${round(left)} ${bottom}` : ''}V${round(top)}H${round(right)}`);
  });
  return parts.length === 0 ? '' : `${parts.join('')}V${bottom}`;
}

/** Returns the curve of brightness over value as path data: from the bottom at min to the top at max. */
export function toneCurve(display: ChannelDisplay, span: ValueSpan, size: Size): string {
  const { min, max, gamma, scale } = display;
  const bottom = size.height - colorBarOf(size);
  const straight = gamma === 1 && scale === 'linear';
  const steps = straight ? 1 : 40;
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    // A gamma below 1 and the logarithm are steepest at the start.
    const share = (step / steps) ** (scale === 'log' ? 4 : gamma < 1 ? 2 : 1);
    const x = toX(min + share * (max - min), span, size);
    return `${round(x)} ${round(bottom - tone(share, display) * (bottom - 2))}`;
  });
  const far = (x: number) => round(Math.min(10 * size.width, Math.max(-9 * size.width, x)));
  const ends = [
    `M${far(Math.min(0, toX(min, span, size)))} ${bottom}`,
    `H${far(Math.max(size.width, toX(max, span, size)))}`,
  ];
  return `${ends[0]}L${points.join('L')}${ends[1]}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export type RangeGrip = 'min' | 'max' | 'both';

/** Max distance from a handle, in CSS pixels, at which a press grabs it. */
const REACH = 8;

/** Returns what a press at x drags: a handle within reach, both when x is between them, otherwise the nearer one. */
export function gripAt(x: number, { min, max }: ValueRange, span: ValueSpan, size: Size): RangeGrip {
  const inPlot = (value: number) => Math.min(size.width, Math.max(0, toX(value, span, size)));
  const toMin = x - inPlot(min);
  const toMax = x - inPlot(max);
  const near = Math.min(Math.abs(toMin), Math.abs(toMax)) <= REACH;
  if (!near && toMin > 0 && toMax < 0) return 'both';
  if (Math.abs(toMin) === Math.abs(toMax)) return toMin < 0 ? 'min' : 'max';
  return Math.abs(toMin) < Math.abs(toMax) ? 'min' : 'max';
}
