/** Shapes over an image as SVG, so that marks stay sharp and their labels stay text. */
import {
  DISC_TEXT,
  LABEL_HEIGHT,
  type LabelShape,
  layoutLabel,
  PILL,
  PILL_TEXT,
  SHAPE_BORDER,
} from '../image/paint-shapes.ts';
import type { Size } from '../model/geometry.ts';
import type { DrawnShape } from '../model/shapes.ts';
import { escapeXml } from './xml.ts';

/** `measure` returns the width of a text of a label. */
export function shapesSvg(shapes: readonly DrawnShape[], area: Size, measure: (text: string) => number): string {
  return shapes.map((shape) => shapeSvg(shape, area, measure)).join('');
}

function shapeSvg(shape: DrawnShape, area: Size, measure: (text: string) => number): string {
  if (shape.kind === 'path') {
    const points = shape.points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ');
    const line = (color: string, width: number) =>
      `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linejoin="round"/>`;
    return (
      line(BORDER.color, shape.width + 2).replace('/>', ` stroke-opacity="${BORDER.opacity}"/>`) +
      line(shape.color, shape.width)
    );
  }
  if (shape.kind === 'label') return labelSvg(shape, area, measure);
  const { at, radius, color } = shape;
  return (
    `<circle cx="${round(at.x)}" cy="${round(at.y)}" r="${radius}" fill="${color}" ` +
    `stroke="${BORDER.color}" stroke-opacity="${BORDER.opacity}" stroke-width="1.5"/>`
  );
}

/** `SHAPE_BORDER` in the words of SVG 1.1, which has no alpha in colors. */
const BORDER = { color: '#000', opacity: Number(/([\d.]+)\)$/.exec(SHAPE_BORDER)?.[1] ?? 1) };

function labelSvg(shape: LabelShape, area: Size, measure: (text: string) => number): string {
  const { left, top, discWidth, pillWidth } = layoutLabel(shape, area, measure);
  const radius = LABEL_HEIGHT / 2;
  const bar = (x: number, y: number, width: number, height: number, color: string) =>
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="${height / 2}" fill="${color}"/>`;
  const text = (x: number, words: string, color: string) =>
    `<text x="${round(x)}" y="${round(top + radius + 4)}" text-anchor="middle" font-weight="600" fill="${color}">` +
    `${escapeXml(words)}</text>`;
  return [
    bar(left, top, discWidth + pillWidth, LABEL_HEIGHT, PILL),
    bar(left + 1, top + 1, discWidth - 2, LABEL_HEIGHT - 2, shape.color),
    text(left + discWidth / 2, shape.number, DISC_TEXT),
    shape.text === '' ? '' : text(left + discWidth + pillWidth / 2 - 2, shape.text, PILL_TEXT),
  ].join('');
}

const round = (value: number) => Math.round(value * 100) / 100;
