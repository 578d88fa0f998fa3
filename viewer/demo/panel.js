/** One picture with its axes. */
import { describeAxis, readPosition } from './axis.js';
import { autoContrast, extent, reduce, toGrey } from './pixels.js';

const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 58;
const BOTTOM = 40;

/** A line scan is tall and narrow, and its lines are time: it is shown lying. */
export function looksLikeLineScan(plane) {
  const [y, x] = plane.axes;
  return y.unit === 'seconds' || (y.unit === 'Pixels' && y.size > 4 * x.size);
}

export class Panel {
  /**
   * @param {string} title
   * @param plane the `plane` of the response
   * @param {Float32Array} data
   * @param overlay `lineRoi` and `scanPath` of a reference, or null
   */
  constructor(title, plane, data, overlay = null) {
    Object.assign(this, { title, plane, data, overlay, transposed: false });
    this.contrast = autoContrast(data);
    this.range = extent(data);
    this.element = element('figure', { class: overlay ? 'panel reference' : 'panel' });
    this.caption = element('figcaption');
    this.canvas = element('canvas', { role: 'img' });
    this.axes = document.createElementNS(SVG, 'svg');
    this.axes.setAttribute('aria-hidden', 'true');
    this.stage = element('div', { class: 'stage' });
    this.stage.append(this.axes, this.canvas);
    this.readout = element('output', { class: 'readout' });
    this.element.append(this.caption, this.stage);
    this.canvas.addEventListener('pointermove', (event) => this.read(event));
    this.canvas.addEventListener('pointerleave', () => this.readout.replaceChildren());
    this.resizes = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));
    this.resizes.observe(this.element);
  }

  /** Axes as shown: first the one to the right, then the one downwards. */
  get shownAxes() {
    const [y, x] = this.plane.axes;
    return this.transposed ? [y, x] : [x, y];
  }

  /** Size of the picture in CSS pixels. Frames keep their proportions, line scans fill the width. */
  fit() {
    const room = Math.max(80, Math.floor(this.stage.clientWidth) - LEFT - 12);
    const [right, down] = this.shownAxes;
    if (this.transposed) return [room, Math.max(180, Math.min(340, down.size * 3))];
    const sameUnit = right.unit === down.unit;
    const ratio = (down.size * (sameUnit ? down.step : 1)) / (right.size * (sameUnit ? right.step : 1));
    const width = Math.max(40, Math.min(room, (this.overlay ? 380 : 620) / ratio));
    return [Math.round(width), Math.round(Math.max(24, Math.min(900, width * ratio)))];
  }

  draw() {
    const [width, height] = this.fit();
    const key = `${width} ${height} ${devicePixelRatio} ${this.transposed}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.paint(width, height);
    this.drawAxes(width, height);
    const { low, high } = this.range;
    const { black, white } = this.contrast;
    this.caption.replaceChildren(
      element('b', {}, this.title),
      ` values ${number(low)} to ${number(high)}, shown ${number(black)} to ${number(white)} `,
      this.readout,
    );
    this.canvas.setAttribute('aria-label', `${this.title}: ${this.plane.shape.join(' by ')} samples`);
  }

  paint(width, height) {
    const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * devicePixelRatio)));
    const small = reduce(this.data, this.plane.shape, this.transposed, w, h);
    const image = new ImageData(small.width, small.height);
    for (let i = 0; i < small.values.length; i++) {
      const value = small.values[i];
      image.data.fill(toGrey(value, this.contrast), i * 4, i * 4 + 3);
      image.data[i * 4 + 3] = Number.isNaN(value) ? 0 : 255;
    }
    const whole = element('canvas', { width: small.width, height: small.height });
    whole.getContext('2d').putImageData(image, 0, 0);
    Object.assign(this.canvas, { width: w, height: h });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px`, left: `${LEFT}px` });
    const context = this.canvas.getContext('2d');
    context.imageSmoothingEnabled = false;
    context.drawImage(whole, 0, 0, w, h);
  }

  drawAxes(width, height) {
    this.axes.setAttribute('width', width + LEFT + 12);
    this.axes.setAttribute('height', height + BOTTOM);
    const [right, down] = this.shownAxes;
    const bottom = describeAxis(right, width, 90);
    const side = describeAxis(down, height, 46);
    const shapes = [shape('rect', { x: LEFT - 0.5, y: -0.5, width: width + 1, height: height + 1, class: 'frame' })];
    for (const { place, text } of bottom.marks) {
      const x = Math.round(LEFT + place * width) + 0.5;
      shapes.push(
        shape('path', { d: `M${x} ${height}v5` }),
        shape('text', { x, y: height + 17, class: 'middle' }, text),
      );
    }
    for (const { place, text } of side.marks) {
      const y = Math.round(place * height) + 0.5;
      shapes.push(shape('path', { d: `M${LEFT} ${y}h-5` }));
      shapes.push(shape('text', { x: LEFT - 8, y: Math.min(height, Math.max(9, y + 4)), class: 'end' }, text));
    }
    shapes.push(shape('text', { x: LEFT + width / 2, y: height + 34, class: 'middle title' }, bottom.title));
    const turn = `translate(12 ${height / 2}) rotate(-90)`;
    shapes.push(shape('text', { transform: turn, class: 'middle title' }, side.title));
    this.axes.replaceChildren(...shapes);
    if (this.overlay) this.stage.append(this.drawOverlay(width, height));
  }

  /** The scanned line over a reference image, in its pixels; a sample's middle is half a pixel in. */
  drawOverlay(width, height) {
    this.lines?.remove();
    const [rows, columns] = this.plane.shape;
    this.lines = document.createElementNS(SVG, 'svg');
    this.lines.setAttribute('class', 'overlay');
    this.lines.setAttribute('viewBox', `-0.5 -0.5 ${columns} ${rows}`);
    this.lines.setAttribute('preserveAspectRatio', 'none');
    Object.assign(this.lines.style, { width: `${width}px`, height: `${height}px`, left: `${LEFT}px` });
    const { lineRoi, scanPath } = this.overlay;
    const points = scanPath
      ? scanPath.x.map((x, i) => `${x},${scanPath.y[i]}`)
      : lineRoi && [`${lineRoi[0]},${lineRoi[1]}`, `${lineRoi[2]},${lineRoi[3]}`];
    if (points) this.lines.append(shape('polyline', { points: points.join(' ') }));
    return this.lines;
  }

  /** Where the pointer is and what stands there: the sample itself, not the reduced picture. */
  read(event) {
    const box = this.canvas.getBoundingClientRect();
    const [right, down] = this.shownAxes;
    const i = Math.min(right.size - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * right.size)));
    const j = Math.min(down.size - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * down.size)));
    const [row, column] = this.transposed ? [i, j] : [j, i];
    const value = this.data[row * this.plane.shape[1] + column];
    const [y, x] = this.plane.axes;
    const places = [readPosition(y, row), readPosition(x, column)].filter(Boolean).join(', ');
    this.readout.textContent = `line ${row}, pixel ${column}${places && ` (${places})`}: ${number(value)}`;
  }

  remove() {
    this.resizes.disconnect();
    this.element.remove();
  }
}

/** Up to six significant digits, no trailing zeros. */
export function number(value) {
  return String(Number(value.toPrecision(6)));
}

export function element(name, attributes = {}, text = '') {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

function shape(name, attributes, text = '') {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}
