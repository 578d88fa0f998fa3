/**
 * Converts the SVG of a figure to a PDF of the same size: shapes stay shapes, and text stays text. It knows what
 * figure.ts and figure-shapes.ts write, and nothing else of SVG.
 */
import { PER_MM } from './figure-layout.ts';
import { deflate, PdfFile } from './pdf-file.ts';
import { pdfRuns, pdfWidth } from './pdf-text.ts';

/** What an element has from the groups around it. */
interface Style {
  readonly fill: string;
  readonly fillOpacity: number;
  readonly stroke: string;
  readonly strokeWidth: number;
  readonly strokeOpacity: number;
  readonly join: string;
  readonly dash: string;
  readonly font: number;
  readonly bold: boolean;
  readonly anchor: string;
}

const START: Style = {
  fill: '#000',
  fillOpacity: 1,
  stroke: 'none',
  strokeWidth: 1,
  strokeOpacity: 1,
  join: 'miter',
  dash: '',
  font: 12,
  bold: false,
  anchor: 'start',
};

/** @throws Error for letters that the fonts of a PDF do not have */
export async function figurePdf(svg: string): Promise<Blob> {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const [, , across = 1, down = 1] = (root.getAttribute('viewBox') ?? '').split(' ').map(Number);
  const [width, height] = ['width', 'height'].map((name) => Number.parseFloat(root.getAttribute(name) ?? '') * PER_MM);
  const file = new PdfFile();
  const images: number[] = [];
  for (const image of root.querySelectorAll('image'))
    images.push(await addImage(file, image.getAttribute('href') ?? ''));
  const page = new PdfPage(root, { width: across, height: down });
  const content = `${num(width! / across)} 0 0 ${num(-height! / down)} 0 ${num(height!)} cm\n${page.draw(root, START)}`;
  const stream = await deflate(Uint8Array.from(content, (letter) => letter.charCodeAt(0)));
  const contentId = file.add('<</Filter/FlateDecode>>', stream);
  const [regular, bold] = page.serif ? ['Times-Roman', 'Times-Bold'] : ['Helvetica', 'Helvetica-Bold'];
  const fonts = [
    ['R', `${regular}/Encoding/WinAnsiEncoding`],
    ['B', `${bold}/Encoding/WinAnsiEncoding`],
    ['S', 'Symbol'],
  ].map(([name, font]) => `/${name}<</Type/Font/Subtype/Type1/BaseFont/${font}>>`);
  const states = [...page.opacities].map((opacity, i) => `/G${i}<<${opacity}>>`);
  const resources =
    `<</Font<<${fonts.join('')}>>/ExtGState<<${states.join('')}>>` +
    `/XObject<<${images.map((id, i) => `/I${i} ${id} 0 R`).join('')}>>>>`;
  // The pages object follows the page, so its number is known.
  const pageId = contentId + 1;
  file.add(
    `<</Type/Page/Parent ${pageId + 1} 0 R/MediaBox[0 0 ${num(width!)} ${num(height!)}]/Contents ${contentId} 0 R/Resources ${resources}>>`,
  );
  file.add(`<</Type/Pages/Kids[${pageId} 0 R]/Count 1>>`);
  return file.end(file.add(`<</Type/Catalog/Pages ${pageId + 1} 0 R>>`));
}

async function addImage(file: PdfFile, url: string): Promise<number> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no memory left for a canvas. Close other tabs and try again.');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const rgb = new Uint8Array(image.width * image.height * 3);
  for (let i = 0, to = 0; i < data.length; i += 4) {
    rgb[to++] = data[i]!;
    rgb[to++] = data[i + 1]!;
    rgb[to++] = data[i + 2]!;
  }
  const size = `/Width ${image.width}/Height ${image.height}`;
  const dictionary = `<</Type/XObject/Subtype/Image${size}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode>>`;
  return file.add(dictionary, await deflate(rgb));
}

/** Draws elements as operators of a PDF. */
class PdfPage {
  /** Opacities of strokes and fills that are used, in the order of their names. */
  readonly opacities = new Set<string>();
  private images = 0;
  private readonly root: Element;
  private readonly size: { readonly width: number; readonly height: number };
  readonly serif: boolean;

  constructor(root: Element, size: { readonly width: number; readonly height: number }) {
    this.root = root;
    this.size = size;
    this.serif = root.querySelector('g')?.getAttribute('font-family')?.startsWith('Times') === true;
  }

  draw(element: Element, outer: Style): string {
    const style = styleOf(element, outer);
    const drawn = this.shape(element, style);
    if (drawn === '') return '';
    return `q\n${this.clip(element)}${transform(element.getAttribute('transform'))}${this.pen(style)}${drawn}Q\n`;
  }

  private shape(element: Element, style: Style): string {
    const at = (name: string) => this.length(element, name);
    switch (element.tagName) {
      case 'svg':
      case 'g':
        return [...element.children].map((child) => this.draw(child, style)).join('');
      case 'text':
        return drawText(element.textContent ?? '', at('x'), at('y'), style, this.serif);
      case 'image':
        return `${num(at('width'))} 0 0 ${num(-at('height'))} ${num(at('x'))} ${num(at('y') + at('height'))} cm /I${this.images++} Do\n`;
      case 'rect':
        return rectangle(at('x'), at('y'), at('width'), at('height'), at('rx')) + paint(style);
      case 'circle': {
        const r = at('r');
        return rectangle(at('cx') - r, at('cy') - r, 2 * r, 2 * r, r) + paint(style);
      }
      case 'polyline':
        return points(element.getAttribute('points') ?? '') + paint(style);
      case 'path':
        return tick(element.getAttribute('d') ?? '') + paint(style);
      default:
        return '';
    }
  }

  private length(element: Element, name: string): number {
    const value = element.getAttribute(name) ?? '0';
    const part = Number.parseFloat(value);
    return value.endsWith('%') ? (part / 100) * this.size[name as 'width' | 'height'] : part;
  }

  private clip(element: Element): string {
    const id = /#([\w-]+)/.exec(element.getAttribute('clip-path') ?? '')?.[1];
    const box = id === undefined ? null : this.root.querySelector(`[id="${id}"] > rect`);
    return box === null ? '' : `0 0 ${num(this.length(box, 'width'))} ${num(this.length(box, 'height'))} re W n\n`;
  }

  private pen({ fill, fillOpacity, stroke, strokeWidth, strokeOpacity, join, dash }: Style): string {
    const color = (value: string, operator: string) => (value === 'none' ? '' : `${rgb(value)} ${operator}\n`);
    let opacity = '';
    if (strokeOpacity !== 1 || fillOpacity !== 1) {
      const state = `/CA ${strokeOpacity}/ca ${fillOpacity}`;
      this.opacities.add(state);
      opacity = `/G${[...this.opacities].indexOf(state)} gs\n`;
    }
    return `${color(fill, 'rg')}${color(stroke, 'RG')}${num(strokeWidth)} w ${join === 'round' ? 1 : 0} j\n${dash === '' ? '' : `[${dash}] 0 d\n`}${opacity}`;
  }
}

function styleOf(element: Element, outer: Style): Style {
  const own = (name: string) => element.getAttribute(name);
  const weight = own('font-weight');
  return {
    fill: own('fill') ?? outer.fill,
    fillOpacity: Number(own('fill-opacity') ?? outer.fillOpacity),
    stroke: own('stroke') ?? outer.stroke,
    strokeWidth: Number(own('stroke-width') ?? outer.strokeWidth),
    strokeOpacity: Number(own('stroke-opacity') ?? outer.strokeOpacity),
    join: own('stroke-linejoin') ?? outer.join,
    dash: own('stroke-dasharray') ?? outer.dash,
    font: Number(own('font-size') ?? outer.font),
    bold: weight === null ? outer.bold : weight !== 'normal',
    anchor: own('text-anchor') ?? outer.anchor,
  };
}

function transform(text: string | null): string {
  return [...(text ?? '').matchAll(/(\w+)\(([^)]*)\)/g)]
    .map(([, name, values = '']) => {
      const [a = 0, b = a] = values.split(/[ ,]+/).map(Number);
      if (name === 'translate') return `1 0 0 1 ${num(a)} ${num(values.trim().includes(' ') ? b : 0)} cm\n`;
      if (name === 'scale') return `${num(a)} 0 0 ${num(b)} 0 0 cm\n`;
      const [cos, sin] = [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)];
      return `${num(cos)} ${num(sin)} ${num(-sin)} ${num(cos)} 0 0 cm\n`;
    })
    .join('');
}

function drawText(text: string, x: number, y: number, { font, bold, anchor }: Style, serif: boolean): string {
  const width = pdfWidth(text, { bold, serif }) * font;
  const left = anchor === 'middle' ? x - width / 2 : anchor === 'end' ? x - width : x;
  const shown = pdfRuns(text).map(({ symbol, codes }) => {
    const hex = codes.map((code) => code.toString(16).padStart(2, '0')).join('');
    return `/${symbol ? 'S' : bold ? 'B' : 'R'} ${num(font)} Tf <${hex}> Tj`;
  });
  // Down is positive on the page of an SVG, and would turn letters upside down.
  return `BT 1 0 0 -1 ${num(left)} ${num(y)} Tm ${shown.join(' ')} ET\n`;
}

/** Share of the radius at which the control points of a quarter of a circle lie. */
const ROUND = 0.5523;

function rectangle(x: number, y: number, width: number, height: number, radius: number): string {
  const r = Math.min(radius, width / 2, height / 2);
  if (!(r > 0)) return `${num(x)} ${num(y)} ${num(width)} ${num(height)} re\n`;
  const k = r * (1 - ROUND);
  const [right, bottom] = [x + width, y + height];
  const at = (...values: number[]) => values.map(num).join(' ');
  return [
    `${at(x + r, y)} m ${at(right - r, y)} l ${at(right - k, y, right, y + k, right, y + r)} c`,
    `${at(right, bottom - r)} l ${at(right, bottom - k, right - k, bottom, right - r, bottom)} c`,
    `${at(x + r, bottom)} l ${at(x + k, bottom, x, bottom - k, x, bottom - r)} c`,
    `${at(x, y + r)} l ${at(x, y + k, x + k, y, x + r, y)} c h\n`,
  ].join(' ');
}

function points(list: string): string {
  return `${list
    .split(' ')
    .map((point, i) => `${point.split(',').map(Number).map(num).join(' ')} ${i === 0 ? 'm' : 'l'}`)
    .join(' ')}\n`;
}

/** A line of a tick: `M0 3h-2.5` or `M3 0v2.5`. */
function tick(path: string): string {
  const [, x, y, way, by] = /^M(\S+) (\S+?)([hv])(\S+)$/.exec(path) ?? [];
  const [left, top, length] = [Number(x), Number(y), Number(by)];
  const end = way === 'h' ? [left + length, top] : [left, top + length];
  return `${num(left)} ${num(top)} m ${end.map(num).join(' ')} l\n`;
}

function paint({ fill, stroke }: Style): string {
  return `${fill === 'none' ? (stroke === 'none' ? 'n' : 'S') : stroke === 'none' ? 'f' : 'B'}\n`;
}

/** Returns `1 0.5 0` for `#ff8000`, `#f80` and `rgb(255,128,0)`. */
function rgb(color: string): string {
  const hex = color.startsWith('#') ? color.slice(1) : null;
  const pairs = hex?.length === 3 ? [...hex].map((digit) => digit + digit) : hex?.match(/../g);
  const values = pairs?.map((pair) => Number.parseInt(pair, 16)) ?? color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return values
    .slice(0, 3)
    .map((value) => num(value / 255))
    .join(' ');
}

const num = (value: number) => String(Number(value.toFixed(5)));
