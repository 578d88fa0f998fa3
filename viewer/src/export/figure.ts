/** A figure for a paper or a slide as SVG: pictures with axes, titles and color bars. Text stays editable. */
import { escapeXml } from './xml.ts';

export interface FigureAxis {
  /** `time (s)` */
  readonly title: string;
  /** `place` is the fraction from the left or the top, 0 to 1. */
  readonly ticks: readonly { readonly place: number; readonly text: string }[];
}

export interface FigurePanel {
  readonly heading: string;
  /** `data:image/png;…` of the picture, drawn at `width` × `height`. */
  readonly image: string;
  readonly width: number;
  readonly height: number;
  /** SVG over the picture, in its pixels; clipped to it. */
  readonly over: string;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  /** Colors from low to high as `rgb(…)`, with the values of the ends. */
  readonly bar: { readonly colors: readonly string[]; readonly low: string; readonly high: string } | null;
}

interface Figure {
  readonly title: string;
  readonly panels: readonly FigurePanel[];
}

const LEFT = 64;
const RIGHT = 84;
const TOP = 26;
const BOTTOM = 46;
const TITLE = 28;
const BAR = 12;

/** Returns the figure, black on white in every theme. */
export function figureSvg({ title, panels }: Figure): { svg: string; width: number; height: number } {
  const width = LEFT + RIGHT + Math.max(1, ...panels.map((panel) => panel.width));
  let y = TITLE;
  const drawn = panels.map((panel, i) => {
    const text = `<g transform="translate(${LEFT} ${y + TOP})">${drawPanel(panel, `picture-${i + 1}`)}</g>`;
    y += TOP + panel.height + BOTTOM;
    return text;
  });
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" ` +
    'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#000">' +
    `<rect width="${width}" height="${y}" fill="#fff"/>` +
    `<text x="${LEFT}" y="20" font-size="13" font-weight="bold">${escapeXml(title)}</text>${drawn.join('')}</svg>`;
  return { svg, width, height: y };
}

function drawPanel({ heading, image, width, height, over, x, y, bar }: FigurePanel, clip: string): string {
  return [
    `<text x="0" y="-8">${escapeXml(heading)}</text>`,
    `<image href="${image}" width="${width}" height="${height}" preserveAspectRatio="none" style="image-rendering:pixelated"/>`,
    over === ''
      ? ''
      : `<clipPath id="${clip}"><rect width="${width}" height="${height}"/></clipPath><g clip-path="url(#${clip})">${over}</g>`,
    `<rect width="${width}" height="${height}" fill="none" stroke="#000"/>`,
    ...x.ticks.map(({ place, text }) => {
      const at = round(place * width);
      return (
        `<path d="M${at} ${height}v5" stroke="#000"/>` +
        `<text x="${at}" y="${height + 18}" text-anchor="middle">${escapeXml(text)}</text>`
      );
    }),
    `<text x="${round(width / 2)}" y="${height + 36}" text-anchor="middle">${escapeXml(x.title)}</text>`,
    ...y.ticks.map(({ place, text }) => {
      const at = round(place * height);
      return (
        `<path d="M0 ${at}h-5" stroke="#000"/>` +
        `<text x="-8" y="${round(at + 4)}" text-anchor="end">${escapeXml(text)}</text>`
      );
    }),
    `<text transform="translate(-48 ${round(height / 2)}) rotate(-90)" text-anchor="middle">${escapeXml(y.title)}</text>`,
    bar === null ? '' : drawBar(bar, width + 12, height),
  ].join('');
}

/** Draws one rectangle per color, because programs draw gradients with hundreds of stops differently. */
function drawBar({ colors, low, high }: NonNullable<FigurePanel['bar']>, x: number, height: number): string {
  const step = height / colors.length;
  const cells = colors.map((color, i) => {
    const top = round(height - (i + 1) * step);
    return `<rect x="${x}" y="${top}" width="${BAR}" height="${round(step + 0.5)}" fill="${color}"/>`;
  });
  return (
    `${cells.join('')}<rect x="${x}" y="0" width="${BAR}" height="${height}" fill="none" stroke="#000"/>` +
    `<text x="${x + BAR + 5}" y="10">${escapeXml(high)}</text><text x="${x + BAR + 5}" y="${height}">${escapeXml(low)}</text>`
  );
}

const round = (value: number) => Math.round(value * 100) / 100;
