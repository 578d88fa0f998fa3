/** Short texts on pictures, legible on any ground. */
import type { Point } from '../model/geometry.ts';

interface PillStyle {
  readonly font: string;
  readonly height: number;
  /** Before and after the text. */
  readonly padding: number;
  readonly ground: string;
  readonly text: string;
}

/** Paints a text on a ground with round ends, from its upper left corner, or its upper right one. */
export function paintPill(
  context: CanvasRenderingContext2D,
  words: string,
  { x, y, align = 'left' }: Point & { readonly align?: 'left' | 'right' },
  { font, height, padding, ground, text }: PillStyle,
): void {
  context.save();
  context.font = font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const width = context.measureText(words).width + 2 * padding;
  const left = align === 'left' ? x : Math.max(0, x - width);
  context.fillStyle = ground;
  context.beginPath();
  context.roundRect(left, y, width, height, height / 2);
  context.fill();
  context.fillStyle = text;
  context.fillText(words, left + padding, y + height / 2 + 0.5);
  context.restore();
}
