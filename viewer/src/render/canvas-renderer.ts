import { signal } from '@preact/signals';
import { isLabelLut } from '../luts/luts.ts';
import type { Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { CanvasPlane, type ShownCells } from './canvas-plane.ts';
import { type Cells, lengthOf } from './cells.ts';
import { BLACK, markColor, type Palette, palette, tableIndex, word } from './colors.ts';
import { Pace } from './pace.ts';
import type { DrawRequest, PlanePart, Renderer } from './types.ts';
import { type Picture, pixelMaps, planView, splitPicture, type ViewPlan } from './view-plan.ts';

type Target2d = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

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

  addPlane(data: Samples | Cells, shape: Shape, part?: PlanePart): CanvasPlane {
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
    const displays = request.layers.map(({ display }) => display);
    // Playing a stack is a movement as well.
    const planes = request.layers.map(({ texture }) => this.#numberOf(texture));
    const key = JSON.stringify([width, height, view, orientation, marks, displays, planes]);
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
      const image = new ImageData(part.width, part.height);
      paint(image, request, part);
      target.putImageData(image, (request.x ?? 0) + part.x, (request.y ?? 0) + part.y);
    }
  }

  #drawCoarsely(target: Target2d, request: DrawRequest, coarseness: number): void {
    const { x = 0, y = 0, view, orientation } = request;
    const [width, height] = [Math.ceil(request.width / coarseness), Math.ceil(request.height / coarseness)];
    const image = new ImageData(width, height);
    const wider = (width * coarseness) / request.width;
    const higher = (height * coarseness) / request.height;
    const part = { ...view, width: view.width * wider, height: view.height * higher };
    paint(image, request, { width, height, view: part, orientation, rough: true });
    this.#small.width = width;
    this.#small.height = height;
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
  const marked: [pixel: number, color: number][] = [];
  request.layers.forEach(({ texture, display }, position) => {
    const plane = texture as CanvasPlane;
    const plan = planView(plane, picture);
    const shown = plane.shown(plan, isLabelLut(display.lut));
    const colors = palette(display, request.marks);
    // Marks of several layers are drawn last, over the sum of their colors.
    const mark = several ? (pixel: number, color: number) => marked.push([pixel, color]) : null;
    forEachCell(plan, shown, picture, (pixel, cell) => {
      const color = colorOf(shown.values[cell]!, colors, pixel, mark);
      words[pixel] = position === 0 ? color : sum(words[pixel]!, color);
    });
  });
  for (const [pixel, color] of marked) words[pixel] = color;
}

/**
 * Calls `draw` with each pixel of the picture that shows a cell, and with the position of that cell in `shown.values`.
 */
function forEachCell(
  plan: ViewPlan,
  shown: ShownCells,
  { width, height }: Picture,
  draw: (pixel: number, cell: number) => void,
): void {
  const [mapX, mapY] = pixelMaps(plan);
  for (let y = 0; y < height; y++) {
    const down = mapY[y]!;
    if (down < 0) continue;
    for (let x = 0; x < width; x++) {
      const across = mapX[x]!;
      if (across < 0) continue;
      const [row, column] = plan.transposed ? [across, down] : [down, across];
      if (row < shown.absentFrom) draw(y * width + x, row * shown.columns + column);
    }
  }
}

/**
 * Returns the color of a value. A marked value is handed to `mark`, or, when that is null, returned in the color of its
 * mark.
 */
function colorOf(
  value: number,
  colors: Palette,
  pixel: number,
  mark: ((pixel: number, color: number) => void) | null,
): number {
  const special = markColor(value, colors);
  if (special && mark === null) return word(special);
  if (special) mark?.(pixel, word(special));
  return Number.isFinite(value) ? colors.words[tableIndex(value, colors.display)]! : BLACK;
}

/** Adds the bytes of two colors, each up to 255. */
function sum(a: number, b: number): number {
  let total = 0;
  for (let shift = 0; shift < 32; shift += 8)
    total |= Math.min(255, ((a >>> shift) & 255) + ((b >>> shift) & 255)) << shift;
  return total >>> 0;
}
