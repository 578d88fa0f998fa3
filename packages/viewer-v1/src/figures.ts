/** The images of the page, with their captions and axes. */
import type { Channel, Reference, ReferenceChannel } from './api.ts';
import { type Contrast, drawLines, drawRows, findContrast } from './image.ts';
import { type Axis, positionAxis, type Scale, ticks, timeAxis, toText } from './scale.ts';

const PATH_COLOR = '#fb7185';
/** Small reference images are enlarged to about this many pixels, so that the line over them is thin. */
const REFERENCE_PIXELS = 600;

export interface LinesFigure {
  element: HTMLElement;
  /** Writes the axes again. */
  setScale(scale: Scale): void;
}

/** Creates the image of a channel: time to the right, the first pixel of a line at the bottom. */
export function linesFigure(channel: Channel, samples: Float32Array): LinesFigure {
  const contrast = findContrast(samples);
  const canvas = create('canvas');
  drawLines(canvas, samples, channel, contrast);
  canvas.classList.toggle('few', canvas.width < 500);
  const role = channel.role === 'calcium' ? 'Calcium' : 'Vessels';
  const title = `${role}: channel ${channel.index} (${channel.name})`;
  canvas.role = 'img';
  canvas.ariaLabel = `${title}. Time runs to the right, position upward.`;
  const [xAxis, yAxis, xName, yName] = [create('div'), create('div'), create('div'), create('div')];
  xAxis.className = 'axis x';
  yAxis.className = 'axis y';
  xName.className = 'x-name';
  yName.className = 'y-name';
  const plot = create('div', yName, yAxis, canvas, xAxis, xName);
  plot.className = 'plot';
  const more = shownPart(canvas.width, channel.height, 'lines') + shownPart(canvas.height, channel.width, 'pixels');
  return {
    element: create('figure', caption(title, contrast, more), plot),
    setScale(scale) {
      const [time, position] = [timeAxis(channel.height, scale), positionAxis(channel.width, scale)];
      xName.textContent = time.name;
      yName.textContent = position.name;
      xAxis.replaceChildren(...tickLabels(time, 8, 'left'));
      yAxis.replaceChildren(...tickLabels(position, 4, 'bottom'));
    },
  };
}

/** Creates the image of a channel of the reference, as it is stored, with the line that was scanned. */
export function referenceFigure(channel: ReferenceChannel, samples: Float32Array, reference: Reference): HTMLElement {
  const contrast = findContrast(samples);
  const rows = create('canvas');
  drawRows(rows, samples, channel, contrast);
  const factor = Math.max(1, Math.floor(REFERENCE_PIXELS / Math.max(rows.width, rows.height)));
  const canvas = create('canvas');
  canvas.width = rows.width * factor;
  canvas.height = rows.height * factor;
  const context = canvas.getContext('2d')!;
  context.imageSmoothingEnabled = false;
  context.drawImage(rows, 0, 0, canvas.width, canvas.height);
  context.scale(canvas.width / channel.width, canvas.height / channel.height);
  drawPath(context, toPath(reference), canvas.width / channel.width);
  const { dx, dy, xUnit, yUnit } = channel;
  if (xUnit === yUnit) canvas.style.aspectRatio = String((channel.width * dy) / (channel.height * dx));
  canvas.role = 'img';
  canvas.ariaLabel = `Reference channel ${channel.index}, rows from the top, columns from the left`;
  const more = shownPart(rows.height, channel.height, 'rows') + shownPart(rows.width, channel.width, 'columns');
  return create('figure', caption(`Reference channel ${channel.index}`, contrast, more), canvas);
}

/** Says how many of the samples along an axis are drawn; nothing when all are. */
function shownPart(shown: number, total: number, unit: string): string {
  return shown === total ? '' : `${toText(shown)} of ${toText(total)} ${unit} shown. `;
}

/** Returns the vertices of the scan path or, without one, of the line. */
function toPath({ lineRoi, scanPath }: Reference): (readonly [x: number, y: number])[] {
  if (scanPath) return scanPath.x.map((x, i) => [x, scanPath.y[i]!]);
  if (!lineRoi) return [];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = lineRoi;
  return [
    [x0, y0],
    [x1, y1],
  ];
}

/** `pixelSize`: canvas pixels per pixel of the image. */
function drawPath(context: CanvasRenderingContext2D, path: (readonly [number, number])[], pixelSize: number): void {
  context.strokeStyle = PATH_COLOR;
  context.lineWidth = Math.max(2, context.canvas.width / 200) / pixelSize;
  context.beginPath();
  for (const [x, y] of path) context.lineTo(x, y);
  context.stroke();
}

/** The values are exact in the attribute of `data`. */
function caption(title: string, { min, max }: Contrast, more = ''): HTMLElement {
  const value = (number: number) => {
    const element = create('data', toText(number));
    element.value = String(number);
    return element;
  };
  return create('figcaption', title, create('p', `${more}Contrast `, value(min), ' to ', value(max)));
}

function tickLabels({ length }: Axis, count: number, side: 'left' | 'bottom'): HTMLElement[] {
  return ticks(length, count).map((value) => {
    const label = create('span', toText(value));
    label.style[side] = `${(100 * value) / length}%`;
    return label;
  });
}

export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}
