/** The hatching of what was not recorded, on pictures, strips, sliders and figures, and of what has not been read. */
import type { Layout, Point, Rect, Size } from '../model/geometry.ts';
import { formatQuantity } from '../model/number-text.ts';
import { type Gap, gapsBetween } from '../model/row-layout.ts';

export interface GapColors {
  readonly ground: string;
  readonly line: string;
  readonly text: string;
  /** Family of the labels. */
  readonly font: string;
}

/** On white paper. */
export const PRINT_GAP: GapColors = { ground: '#e1e4e7', line: '#787f89', text: '#16191d', font: 'sans-serif' };

/** Distance of the lines, CSS pixels. */
const PITCH = 6;

/** Returns the colors of the theme, which an element inherits. */
export function gapColorsOf(element: Element): GapColors {
  const style = getComputedStyle(element);
  const [ground, line] = ['--gap-a', '--gap-b'].map((name) => style.getPropertyValue(name).trim());
  // Browsers that do not compute them give the text of the style sheet.
  const known = ground?.startsWith('rgb') && line ? { ground, line } : PRINT_GAP;
  return { ...known, text: style.color, font: style.fontFamily };
}

/** Returns the lines of the hatching of a rectangle that lie within `area`; they move with the rectangle. */
export function hatchLines(gap: Rect, area: Rect, pitch = PITCH): (readonly [Point, Point])[] {
  const { x, y, width, height } = clipped(gap, area);
  const lines: (readonly [Point, Point])[] = [];
  if (width <= 0 || height <= 0) return lines;
  // A line goes up to the right from `foot` at the lower edge.
  const first = gap.x + Math.ceil((x - height - gap.x) / pitch) * pitch;
  for (let foot = first; foot < x + width; foot += pitch) {
    const from = Math.max(foot, x);
    const to = Math.min(foot + height, x + width);
    if (to > from) lines.push([pointOn(foot, from, y + height), pointOn(foot, to, y + height)]);
  }
  return lines;
}

const pointOn = (foot: number, x: number, bottom: number): Point => ({ x, y: bottom - (x - foot) });

/** Paints the part of a hatched rectangle that lies within `area`. */
export function paintHatch(
  context: CanvasRenderingContext2D,
  gap: Rect,
  area: Rect,
  colors: Pick<GapColors, 'ground' | 'line'>,
): void {
  const { x, y, width, height } = clipped(gap, area);
  if (width <= 0 || height <= 0) return;
  context.save();
  context.fillStyle = colors.ground;
  context.fillRect(x, y, width, height);
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const [from, to] of hatchLines(gap, area)) {
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  }
  context.stroke();
  context.restore();
}

interface GapsRequest {
  readonly layout: Layout;
  readonly view: Rect;
  /** Size of the picture, whose corner is the origin of the context. */
  readonly area: Size;
  /** Device pixels per unit of the context. */
  readonly scale: number;
  readonly colors: GapColors;
}

/** Paints the gaps between the rows of a picture. Those that are shortened have their length as a label. */
export function paintRowGaps(context: CanvasRenderingContext2D, request: GapsRequest): void {
  const { layout, view, area, scale, colors } = request;
  const { transposed, upward, rows } = layout;
  if (!rows) return;
  const whole = { x: 0, y: 0, ...area };
  const crisp = (value: number) => Math.round(value * scale) / scale;
  const [start, shown, pixels] = transposed
    ? [view.x, view.width, area.width]
    : [upward ? rows.length - view.y - view.height : view.y, view.height, area.height];
  const at = (place: number) => crisp(((place - start) / shown) * pixels);
  for (const gap of gapsBetween(rows, start, start + shown)) {
    const [from, to] = [at(gap.start), at(gap.end)];
    if (from === to) continue;
    const rect = transposed
      ? { x: from, y: 0, width: to - from, height: area.height }
      : { x: 0, y: upward ? area.height - to : from, width: area.width, height: to - from };
    paintHatch(context, rect, whole, colors);
    if (gap.isShortened) paintLength(context, gap, clipped(rect, whole), colors);
  }
}

const LABEL = 11;
const PADDING = 3;

/** Writes the length of a pause into its gap, upright where it is too narrow; nothing where it is too small. */
export function paintLength(context: CanvasRenderingContext2D, { from, to }: Gap, area: Rect, colors: GapColors): void {
  const length = formatQuantity(to - from, 'seconds', 3);
  context.save();
  context.font = `${LABEL}px ${colors.font}`;
  const height = LABEL + 2 * PADDING;
  const widthOf = (text: string) => context.measureText(text).width + 2 * PADDING;
  const long = `${length} not recorded, shortened`;
  const text = area.width >= widthOf(long) ? long : length;
  const width = widthOf(text);
  const lies = area.width >= width;
  if (lies ? area.height >= height : area.width >= height && area.height >= width) {
    context.translate(area.x + area.width / 2, area.y + area.height / 2);
    if (!lies) context.rotate(-Math.PI / 2);
    context.fillStyle = colors.ground;
    context.fillRect(-width / 2, -height / 2, width, height);
    context.fillStyle = colors.text;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(text, 0, 0);
  }
  context.restore();
}

function clipped(gap: Rect, area: Rect): Rect {
  const x = Math.max(gap.x, area.x);
  const y = Math.max(gap.y, area.y);
  return {
    x,
    y,
    width: Math.min(gap.x + gap.width, area.x + area.width) - x,
    height: Math.min(gap.y + gap.height, area.y + area.height) - y,
  };
}
