/** A figure for a paper or a slide as SVG: pictures with axes, names, scale bars and color bars. Text stays editable. */
import type { FigureBars } from './figure-bars.ts';
import {
  BAR_EMS,
  dashAttribute,
  type FigureAxis,
  LINE,
  PER_MM,
  type PlacedFigure,
  type PlacedPicture,
  SQUARE_EMS,
  TICK,
} from './figure-layout.ts';
import { escapeXml } from './xml.ts';

/** What is drawn into a placed picture. */
export interface FigureContent {
  /** `data:image/png;…` of the picture; empty for curves, which `over` has. */
  readonly image: string;
  /** SVG over the picture, in points from its corner; clipped to it. */
  readonly over: string;
  readonly bars: FigureBars;
}

interface Figure {
  readonly placed: PlacedFigure;
  /** Size of a pixel, in points. */
  readonly pixel: number;
  readonly contents: readonly FigureContent[];
  readonly font: number;
  readonly family: keyof typeof FONTS;
  measure(text: string): number;
}

/** Fonts that every program has, or replaces by one of the same widths. */
export const FONTS = { sans: 'Arial, Helvetica, sans-serif', serif: 'Times New Roman, Times, serif' } as const;

/**
 * Returns the figure, black on white in every theme. Its size is given in millimeters. The unit of the pictures is a
 * pixel, so that their edges are exactly on edges of pixels; everything else is in points.
 */
export function figureSvg({ placed, pixel, contents, font, family, measure }: Figure): string {
  const { width, height, pictures, title, note } = placed;
  const mm = (points: number) => `${Number((points / PER_MM).toFixed(3))}mm`;
  const pixels = (points: number) => Math.round(points / pixel);
  const box = ({ x, y, width: across, height: down }: Box) =>
    `x="${pixels(x)}" y="${pixels(y)}" width="${pixels(across)}" height="${pixels(down)}"`;
  const lines = (all: typeof title, more = '') =>
    all.map(({ text, x, y }) => `<text x="${round(x)}" y="${round(y)}"${more}>${escapeXml(text)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${mm(width)}" height="${mm(height)}" `,
    `viewBox="0 0 ${pixels(width)} ${pixels(height)}"><rect width="100%" height="100%" fill="#fff"/>`,
    ...pictures.map((picture, i) => {
      const href = contents[i]!.image;
      if (href === '') return '';
      return `<image href="${href}" ${box(picture.box)} preserveAspectRatio="none" image-rendering="pixelated"/>`;
    }),
    `<g transform="scale(${1 / pixel})" font-family="${FONTS[family]}" font-size="${font}" fill="#000" `,
    `stroke-width="${LINE}">`,
    ...lines(title, ' font-weight="bold"'),
    ...pictures.map((picture, i) => drawPicture(picture, contents[i]!, `picture-${i + 1}`, { font, measure })),
    ...lines(note),
    '</g></svg>',
  ].join('');
}

type FigureText = Pick<Figure, 'font' | 'measure'>;

/** Distance of a frame from its picture, so that rounding does not darken the outer samples. */
const HAIR = 0.01;

/** Draws what belongs to a picture, around and over it. */
function drawPicture(placed: PlacedPicture, { over, bars }: FigureContent, clip: string, text: FigureText): string {
  const { x, y, width, height } = placed.box;
  const size = `width="${round(width)}" height="${round(height)}"`;
  const out = LINE / 2 + HAIR;
  const frame = `x="${-out}" y="${-out}" width="${round(width + 2 * out)}" height="${round(height + 2 * out)}"`;
  return [
    `<g transform="translate(${round(x)} ${round(y)})">`,
    ...placed.names.map((name) => drawName(name, text)),
    over === '' ? '' : `<clipPath id="${clip}"><rect ${size}/></clipPath><g clip-path="url(#${clip})">${over}</g>`,
    drawBars(bars, text.font),
    placed.framed ? `<rect ${frame} fill="none" stroke="#000"/>` : '',
    placed.x ? drawAxisX(placed.x, placed, text) : '',
    placed.y ? drawAxisY(placed.y, height, text) : '',
    '</g>',
  ].join('');
}

function drawAxisX({ ticks, title }: FigureAxis, { box, over }: PlacedPicture, { font, measure }: FigureText): string {
  const { width, height } = box;
  const labels = height + TICK + 0.2 * font + 0.8 * font;
  return [
    ...ticks.map(({ place, text }) => {
      const at = place * width;
      const half = measure(text) / 2;
      // A label at an end may reach over the picture, but not into the next one.
      const middle = Math.min(Math.max(at, half - over), Math.max(width / 2, width + over - half));
      return (
        `<path d="M${round(at)} ${round(height)}v${TICK}" stroke="#000"/>` +
        `<text x="${round(middle)}" y="${round(labels)}" text-anchor="middle">${escapeXml(text)}</text>`
      );
    }),
    `<text x="${round(width / 2)}" y="${round(labels + 1.3 * font)}" text-anchor="middle">`,
    `${escapeXml(fitting(title, width, measure))}</text>`,
  ].join('');
}

function drawAxisY({ ticks, title }: FigureAxis, height: number, { font, measure }: FigureText): string {
  const labels = -TICK - 0.3 * font;
  const left = labels - Math.max(0, ...ticks.map(({ text }) => measure(text))) - 0.5 * font;
  return [
    ...ticks.map(({ place, text }) => {
      const at = place * height;
      return (
        `<path d="M0 ${round(at)}h${-TICK}" stroke="#000"/>` +
        `<text x="${round(labels)}" y="${round(at + 0.36 * font)}" text-anchor="end">${escapeXml(text)}</text>`
      );
    }),
    `<text transform="translate(${round(left)} ${round(height / 2)}) rotate(-90)" text-anchor="middle">`,
    `${escapeXml(fitting(title, height, measure))}</text>`,
  ].join('');
}

/** Returns the title, or only its unit when the title does not fit. */
function fitting(title: string, room: number, measure: FigureText['measure']): string {
  return measure(title) <= room ? title : (title.match(/\((.*)\)/)?.[1] ?? title);
}

function drawName({ name, text, x, y, bar }: PlacedPicture['names'][number], { font, measure }: FigureText): string {
  const size = round(0.7 * font);
  const words = (at: number, baseline: number, value: string) =>
    `<text x="${round(at)}" y="${round(baseline)}">${escapeXml(value)}</text>`;
  if (bar === null) {
    const color = name.colors.at(-1);
    if (color === undefined) return words(x, y, text);
    if (name.dash !== undefined) {
      const line = `<path d="M${round(x)} ${round(y - size / 2)}h${round(size)}" stroke="${color}" stroke-width="${2 * LINE}"${dashAttribute(name.dash)}/>`;
      return line + words(x + SQUARE_EMS * font, y, text);
    }
    return (
      `<rect x="${round(x)}" y="${round(y - size)}" width="${size}" height="${size}" fill="${color}" stroke="#000"/>` +
      words(x + SQUARE_EMS * font, y, text)
    );
  }
  const left = bar.x + measure(name.low) + 0.4 * font;
  const length = BAR_EMS * font;
  return (
    words(x, y, text) +
    words(bar.x, bar.y, name.low) +
    drawColors(name.colors, { x: left, y: bar.y - size, width: length, height: size }) +
    words(left + length + 0.4 * font, bar.y, name.high)
  );
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Draws one rectangle per color, because programs draw gradients with hundreds of stops differently. */
function drawColors(colors: readonly string[], { x, y, width, height }: Box): string {
  const step = width / colors.length;
  const cells = colors.map((color, i) => {
    // Each reaches under the next one, which leaves no white line between them.
    const long = i === colors.length - 1 ? step : 1.5 * step;
    return `<rect x="${round(x + i * step)}" y="${round(y)}" width="${round(long)}" height="${round(height)}" fill="${color}"/>`;
  });
  return (
    `${cells.join('')}<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" ` +
    'fill="none" stroke="#000"/>'
  );
}

function drawBars({ color, area, ground, across, up }: FigureBars, font: number): string {
  const bar = ({ x, y, width, height }: Box) =>
    `<rect class="scale-bar" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${color}"/>`;
  const under = color === '#000' ? '#fff' : '#000';
  const plate = ({ x, y, width, height }: Box) =>
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${under}" fill-opacity="0.6"/>`;
  const drawn = [across, up]
    .flatMap((one) =>
      one === null
        ? []
        : [
            bar(one.box),
            `<text x="${round(one.label.x)}" y="${round(one.label.y)}" text-anchor="end" font-size="${font}" `,
            `font-weight="bold" fill="${color}">${escapeXml(one.label.text)}</text>`,
          ],
    )
    .join('');
  return (ground ? plate(area) : '') + drawn;
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
