import { signal } from '@preact/signals';
import { isLabelLut } from '../luts/luts.ts';
import type { Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { CanvasPlane, type ShownCells } from './canvas-plane.ts';
import { colorCells } from './cell-colors.ts';
import { type Cells, lengthOf } from './cells.ts';
import { palette, word } from './colors.ts';
import { Pace } from './pace.ts';
import type { DrawRequest, Renderer, Target2d, TextureArea } from './types.ts';
import { type Picture, pixelMaps, planView, splitPicture, type ViewPlan } from './view-plan.ts';

/** Max pixels on each side of a part of a picture. */
const MAX_PART = 4096;

/** Creates a renderer for machines without WebGL2. It draws the same bytes as the graphics card. */
export function createCanvasRenderer(): Renderer {
  return new CanvasRenderer();
}

class CanvasRenderer implements Renderer {
  readonly kind = 'canvas';
  readonly lost = signal(false);
  readonly #planes = new Set<CanvasPlane>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #pace = new Pace();
  #last = 0;
  readonly #small = document.createElement('canvas');
  #image: ImageData | null = null;

  addPlane(data: Samples | Cells, shape: Shape, part?: TextureArea): CanvasPlane {
    if (lengthOf(data) !== shape[0] * shape[1])
      throw new RangeError(`expected ${shape[0]} × ${shape[1]} samples, got ${lengthOf(data)}`);
    const plane = new CanvasPlane(data, shape, part, (released) => this.#planes.delete(released));
    this.#planes.add(plane);
    return plane;
  }

  draw(target: Target2d, request: DrawRequest): void {
    for (const { texture } of request.layers) texture.progress.value;
    if (request.live) this.#drawLive(target, request);
    else this.#drawFull(target, request);
  }

  #drawLive(target: Target2d, request: DrawRequest): void {
    const start = performance.now();
    const { width, height, view, orientation, marks } = request;
    const { transposed, upward, rows } = orientation;
    const displays = request.layers.map(({ display }) => display);
    // Playing a stack is a movement as well.
    const planes = request.layers.map(({ texture }) => this.#numberOf(texture));
    const key = JSON.stringify([width, height, view, transposed, upward, rows?.id, marks, displays, planes]);
    const coarseness = this.#pace.begin(target, key);
    if (coarseness === 1) this.#drawFull(target, request);
    else this.#drawCoarsely(target, request, coarseness);
    this.#pace.end(target, performance.now() - start);
  }

  #numberOf(texture: object): number {
    let number = this.#numbers.get(texture);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      this.#numbers.set(texture, number);
    }
    return number;
  }

  #drawFull(target: Target2d, request: DrawRequest): void {
    for (const part of splitPicture(request, MAX_PART)) {
      const image = this.#imageOf(part.width, part.height);
      paint(image, request, part);
      target.putImageData(image, (request.x ?? 0) + part.x, (request.y ?? 0) + part.y);
    }
  }

  /** Returns pixels of this size to paint all of, the same ones as long as pictures have one size. */
  #imageOf(width: number, height: number): ImageData {
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = new ImageData(width, height);
    return this.#image;
  }

  #drawCoarsely(target: Target2d, request: DrawRequest, coarseness: number): void {
    const { x = 0, y = 0, view, orientation } = request;
    const [width, height] = [Math.ceil(request.width / coarseness), Math.ceil(request.height / coarseness)];
    const image = this.#imageOf(width, height);
    const wider = (width * coarseness) / request.width;
    const higher = (height * coarseness) / request.height;
    const part = { ...view, width: view.width * wider, height: view.height * higher };
    paint(image, request, { width, height, view: part, orientation, rough: true });
    // Setting the size clears a canvas, even when it stays the same.
    if (this.#small.width !== width) this.#small.width = width;
    if (this.#small.height !== height) this.#small.height = height;
    this.#small.getContext('2d')?.putImageData(image, 0, 0);
    target.save();
    target.setTransform(1, 0, 0, 1, 0, 0);
    target.beginPath();
    target.rect(x, y, request.width, request.height);
    target.clip();
    target.imageSmoothingEnabled = false;
    target.drawImage(this.#small, x, y, width * coarseness, height * coarseness);
    target.restore();
  }

  onLost(): () => void {
    return () => undefined;
  }

  onRestored(): () => void {
    return () => undefined;
  }

  dispose(): void {
    for (const plane of this.#planes) plane.release();
  }
}

function paint(image: ImageData, request: DrawRequest, picture: Picture): void {
  const words = new Uint32Array(image.data.buffer).fill(word(request.ground));
  const several = request.layers.length > 1;
  const marked: (() => void)[] = [];
  request.layers.forEach(({ texture, display }, position) => {
    const plane = texture as CanvasPlane;
    const plan = planView(plane, picture);
    const shown = plane.shown(plan, isLabelLut(display.lut));
    const { words: colors, marks } = colorCells(shown.values, palette(display, request.marks));
    if (marks !== null && !several) putMarks(marks, colors);
    const put = (kind: Put, from: Uint32Array) => putCells(words, kind, from, plan, shown, picture);
    put(position === 0 ? 'replace' : 'add', colors);
    // Marks of several layers are drawn last, over the sum of their colors.
    if (marks !== null && several) marked.push(() => put('mark', marks));
  });
  for (const draw of marked) draw();
}

/** Puts the colors of marks into those of the cells. */
function putMarks(marks: Uint32Array, colors: Uint32Array): void {
  for (let i = 0; i < marks.length; i++) if (marks[i] !== 0) colors[i] = marks[i]!;
}

/** How colors of cells are put into a picture; `mark` leaves out cells without a color. */
type Put = 'replace' | 'add' | 'mark';

/** Puts the colors of cells into the pixels that show them. */
function putCells(
  words: Uint32Array,
  kind: Put,
  colors: Uint32Array,
  plan: ViewPlan,
  { columns, absentFrom }: ShownCells,
  { width, height }: Picture,
): void {
  const [mapX, mapY] = pixelMaps(plan);
  const [stepX, stepY] = plan.transposed ? [columns, 1] : [1, columns];
  const [endX, endY] = plan.transposed ? [absentFrom, columns] : [columns, absentFrom];
  for (let y = 0; y < height; y++) {
    const down = mapY[y]!;
    if (down < 0 || down >= endY) continue;
    for (let x = 0, pixel = y * width; x < width; x++, pixel++) {
      const across = mapX[x]!;
      if (across < 0 || across >= endX) continue;
      const color = colors[across * stepX + down * stepY]!;
      if (kind === 'add') words[pixel] = sum(words[pixel]!, color);
      else if (kind === 'replace' || color !== 0) words[pixel] = color;
    }
  }
}

/** Adds the bytes of two colors, each up to 255. */
function sum(a: number, b: number): number {
  let total = 0;
  for (let shift = 0; shift < 32; shift += 8)
    total |= Math.min(255, ((a >>> shift) & 255) + ((b >>> shift) & 255)) << shift;
  return total >>> 0;
}
