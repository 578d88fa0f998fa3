import { signal } from '@preact/signals';
import type { Shape } from '../model/document.ts';
import { CanvasPlane } from './canvas-plane.ts';
import { BLACK, markOf, palette, tableIndex, word } from './colours.ts';
import { Pace } from './pace.ts';
import type { DrawRequest, Renderer } from './renderer.ts';
import { type Picture, partsOf, pixelMaps, planView } from './view-plan.ts';

type Target2d = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** A picture is made in parts of at most this many pixels on each side. */
const LARGEST_PART = 4096;

/** Draws by the processor: the same bytes as the graphics card, for machines without WebGL2. */
export function createCanvasRenderer(): Renderer {
  return new CanvasRenderer();
}

class CanvasRenderer implements Renderer {
  readonly kind = 'canvas';
  readonly lost = signal(false);
  readonly #planes = new Set<CanvasPlane>();
  readonly #pace = new Pace();
  readonly #small = document.createElement('canvas');

  addPlane(data: Float32Array, shape: Shape): CanvasPlane {
    if (data.length !== shape[0] * shape[1])
      throw new RangeError(`${data.length} samples are not ${shape[0]} × ${shape[1]}`);
    const plane = new CanvasPlane(data, shape, (released) => this.#planes.delete(released));
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
    const coarseness = this.#pace.begin(target, JSON.stringify([width, height, view, orientation, marks, displays]));
    if (coarseness === 1) this.#drawFull(target, request);
    else this.#drawCoarsely(target, request, coarseness);
    this.#pace.end(target, performance.now() - start);
  }

  #drawFull(target: Target2d, request: DrawRequest): void {
    for (const part of partsOf(request, LARGEST_PART)) {
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

function paint(image: ImageData, request: DrawRequest, part: Picture): void {
  const words = new Uint32Array(image.data.buffer).fill(word(request.ground));
  const several = request.layers.length > 1;
  const marked: [pixel: number, colour: number][] = [];
  request.layers.forEach(({ texture, display }, position) => {
    const plane = texture as CanvasPlane;
    const plan = planView(plane.shape, plane.levels, part);
    const shown = plane.shown(plan);
    const colours = palette(display, request.marks);
    const [mapX, mapY] = pixelMaps(plan);
    for (let y = 0, pixel = 0; y < part.height; y++) {
      const down = mapY[y] as number;
      for (let x = 0; x < part.width; x++, pixel++) {
        const across = mapX[x] as number;
        if (across < 0 || down < 0) continue;
        const [row, column] = plan.transposed ? [across, down] : [down, across];
        if (row >= shown.absentFrom) continue;
        const value = shown.values[row * shown.columns + column] as number;
        const mark = markOf(value, colours);
        if (mark && several) marked.push([pixel, word(mark)]);
        const finite = Number.isFinite(value);
        const lit =
          mark && !several ? word(mark) : finite ? (colours.words[tableIndex(value, display)] as number) : BLACK;
        words[pixel] = position === 0 ? lit : sum(words[pixel] as number, lit);
      }
    }
  });
  for (const [pixel, colour] of marked) words[pixel] = colour;
}

/** Each byte added, up to 255. */
function sum(a: number, b: number): number {
  let total = 0;
  for (let shift = 0; shift < 32; shift += 8)
    total |= Math.min(255, ((a >>> shift) & 255) + ((b >>> shift) & 255)) << shift;
  return total >>> 0;
}
