import type { Size } from '../model/geometry.ts';
import type { DrawnShape } from '../model/shapes.ts';

/** Dark edge that keeps light shapes visible on any image. */
export const SHAPE_BORDER = 'rgb(0 0 0 / 0.75)';
export const LABEL_FONT = '600 12px system-ui, sans-serif';
/** Ground and text of the pill, and the text on the disc. */
export const PILL = '#1b1f23';
export const PILL_TEXT = '#fff';
export const DISC_TEXT = '#101214';
export const LABEL_HEIGHT = 18;

const PADDING = 6;
const GAP = 6;

export type LabelShape = Extract<DrawnShape, { kind: 'label' }>;

/** Where the parts of a label are, in pixels of the image area. */
export interface LabelLayout {
  readonly left: number;
  readonly top: number;
  readonly discWidth: number;
  /** 0 without a text. */
  readonly pillWidth: number;
}

/** Places a label to the upper right of its point, inside the image area. `measure` returns the width of a text. */
export function layoutLabel(
  { at, number, text }: LabelShape,
  area: Size,
  measure: (text: string) => number,
): LabelLayout {
  const discWidth = Math.max(LABEL_HEIGHT, measure(number) + 2 * PADDING);
  const pillWidth = text === '' ? 0 : measure(text) + 2 * PADDING;
  const width = discWidth + pillWidth;
  const left = Math.max(2, Math.min(at.x + GAP, area.width - width - 2));
  const top = Math.max(2, Math.min(at.y - GAP - LABEL_HEIGHT, area.height - LABEL_HEIGHT - 2));
  return { left, top, discWidth, pillWidth };
}

/** Paints shapes with a context whose unit is a CSS pixel and whose origin is the corner of the image area. */
export function paintShapes(context: CanvasRenderingContext2D, shapes: readonly DrawnShape[], area: Size): void {
  for (const shape of shapes) {
    if (shape.kind === 'path') paintPath(context, shape);
    else if (shape.kind === 'dot') paintDot(context, shape);
    else paintLabel(context, shape, area);
  }
}

function paintPath(
  context: CanvasRenderingContext2D,
  { points, color, width }: Extract<DrawnShape, { kind: 'path' }>,
): void {
  context.lineJoin = 'round';
  context.beginPath();
  points.forEach(({ x, y }, i) => {
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
  context.strokeStyle = SHAPE_BORDER;
  context.lineWidth = width + 2;
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

function paintDot(
  context: CanvasRenderingContext2D,
  { at, radius, color }: Extract<DrawnShape, { kind: 'dot' }>,
): void {
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = SHAPE_BORDER;
  context.stroke();
}

function paintLabel(context: CanvasRenderingContext2D, shape: LabelShape, area: Size): void {
  context.font = LABEL_FONT;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  const { left, top, discWidth, pillWidth } = layoutLabel(shape, area, (text) => context.measureText(text).width);
  const radius = LABEL_HEIGHT / 2;
  const middle = top + radius + 0.5;
  context.fillStyle = PILL;
  context.beginPath();
  context.roundRect(left, top, discWidth + pillWidth, LABEL_HEIGHT, radius);
  context.fill();
  context.fillStyle = shape.color;
  context.beginPath();
  context.roundRect(left + 1, top + 1, discWidth - 2, LABEL_HEIGHT - 2, radius - 1);
  context.fill();
  context.fillStyle = DISC_TEXT;
  context.fillText(shape.number, left + discWidth / 2, middle);
  if (pillWidth === 0) return;
  context.fillStyle = PILL_TEXT;
  context.fillText(shape.text, left + discWidth + pillWidth / 2 - 2, middle);
}
