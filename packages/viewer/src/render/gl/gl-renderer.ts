import { signal } from '@preact/signals';
import { isLabelLut } from '../../luts/luts.ts';
import { HIGH_COLOR, LOW_COLOR, NAN_COLOR } from '../../model/display.ts';
import type { Shape } from '../../model/geometry.ts';
import { JobQueue } from '../../model/job-queue.ts';
import type { Samples } from '../../model/samples.ts';
import { createCanvasRenderer } from '../canvas-renderer.ts';
import { type Cells, lengthOf } from '../cells.ts';
import type { TextureLimits } from '../layout.ts';
import type { Color, DrawRequest, Layer, PlaneTexture, Renderer, Target2d, TextureArea } from '../types.ts';
import { pixelMaps, planView, splitPicture, type ViewPlan } from '../view-plan.ts';
import { Device, type DrawTarget, type Gl } from './device.ts';
import { GlPlane } from './gl-plane.ts';
import { ViewCache } from './view-cache.ts';

type PicturePart = ReturnType<typeof splitPicture> extends Generator<infer P> ? P : never;

/**
 * Max pixels on each side of a part of a picture. Also keeps the rows of integers within the texture limits of every
 * card.
 */
const MAX_PART = 2040;
const PAGE_BYTES = 64 << 20;

interface GlOptions {
  /** Returns null when WebGL2 is emulated in software. */
  readonly refuseSoftware?: boolean;
  /** Limits below those of the card, for tests. */
  readonly limits?: Partial<TextureLimits>;
  /** The hidden canvas, for tests. */
  readonly canvas?: HTMLCanvasElement;
}

/** Returns null when WebGL2 is not available. */
export function createGlRenderer(options: GlOptions = {}): Renderer | null {
  const { refuseSoftware = false, limits = {}, canvas = document.createElement('canvas') } = options;
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false });
  if (!gl) return null;
  if (refuseSoftware && isSoftware(gl)) {
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return null;
  }
  return new GlRenderer(canvas, gl, limits);
}

/** Recognizes software rendering by its name, because not every browser reports SwiftShader as a performance caveat. */
function isSoftware(gl: Gl): boolean {
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** A context that is lost twice within this many milliseconds is given up; usually memory is short. */
const MIN_LIFETIME = 60_000;

class GlRenderer implements Renderer {
  readonly lost = signal(false);
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: Gl;
  readonly #limits: Partial<TextureLimits>;
  readonly #planes = new Set<GlPlane>();
  /** One plane after another, so that the first can be drawn as soon as possible instead of all at the end. */
  readonly #queue = new JobQueue();
  readonly #listeners = { lost: new Set<() => void>(), restored: new Set<() => void>() };
  readonly #substitute = signal<Renderer | null>(null);
  readonly #substitutes = new Map<GlPlane, PlaneTexture>();
  #device: Device;
  #views: ViewCache;
  #lostAt = -Infinity;

  constructor(canvas: HTMLCanvasElement, gl: Gl, limits: Partial<TextureLimits>) {
    this.#canvas = canvas;
    this.#gl = gl;
    this.#limits = limits;
    this.#device = new Device(gl);
    this.#views = new ViewCache(gl);
    canvas.addEventListener('webglcontextlost', this.#lose);
    canvas.addEventListener('webglcontextrestored', this.#restore);
  }

  get kind(): Renderer['kind'] {
    return this.#substitute.peek() ? 'canvas' : 'webgl2';
  }

  addPlane(data: Samples | Cells, shape: Shape, part?: TextureArea): GlPlane {
    if (lengthOf(data) !== shape[0] * shape[1])
      throw new RangeError(`${lengthOf(data)} samples are not ${shape[0]} × ${shape[1]}`);
    const plane = new GlPlane(data, shape, part, (released) => {
      this.#planes.delete(released);
      this.#substitutes.get(released)?.release();
      this.#substitutes.delete(released);
      this.#views.forget(released);
    });
    this.#planes.add(plane);
    const substitute = this.#substitute.peek();
    if (substitute) this.#replace(plane, substitute);
    else this.#upload(plane);
    return plane;
  }

  draw(target: Target2d, request: DrawRequest): void {
    const substitute = this.#substitute.value;
    if (substitute) {
      const texture = (layer: Layer) => this.#substitutes.get(layer.texture as GlPlane);
      const layers = request.layers.flatMap((layer) => {
        const other = texture(layer);
        return other ? [{ ...layer, texture: other }] : [];
      });
      substitute.draw(target, { ...request, layers });
      return;
    }
    for (const { texture } of request.layers) texture.progress.value;
    if (this.lost.value || this.#gl.isContextLost()) return;
    target.save();
    target.setTransform(1, 0, 0, 1, 0, 0);
    target.globalAlpha = 1;
    target.globalCompositeOperation = 'source-over';
    target.imageSmoothingEnabled = false;
    for (const part of splitPicture(request, MAX_PART)) {
      this.#drawPart(part, request);
      const { width, height } = part;
      const place = [(request.x ?? 0) + part.x, (request.y ?? 0) + part.y, width, height] as const;
      target.drawImage(this.#canvas, 0, this.#canvas.height - height, width, height, ...place);
    }
    target.restore();
  }

  #drawPart(part: PicturePart, request: DrawRequest): void {
    const gl = this.#gl;
    const { layers } = request;
    this.#views.beginPicture();
    const shown = layers.map((layer) => this.#shown(layer, part));
    this.#fit(part.width, part.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, part.width, part.height);
    const [red, green, blue] = request.ground;
    gl.clearColor(red / 255, green / 255, blue / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const several = layers.length > 1;
    for (const sweep of several ? [1, 2] : [0]) {
      layers.forEach((layer, i) => {
        const { plan, values } = shown[i]!;
        if (!values) return;
        const adds = sweep === 1 && i > 0;
        if (adds) {
          gl.enable(gl.BLEND);
          gl.blendFunc(gl.ONE, gl.ONE);
        }
        this.#color(layer, request, plan, values, {
          sweep: sweep === 1 && i === 0 ? 0 : sweep,
          marked: sweep !== 1,
          height: part.height,
        });
        this.#device.fill(0, 0, part.width, part.height);
        gl.disable(gl.BLEND);
      });
    }
  }

  #color(
    { display }: Layer,
    request: DrawRequest,
    plan: ViewPlan,
    values: DrawTarget,
    how: { sweep: number; marked: boolean; height: number },
  ) {
    const gl = this.#gl;
    const { color: program, rows, columns, luts } = this.#device;
    const [mapX, mapY] = pixelMaps(plan);
    const lut = luts.row(display.lut, display.invert);
    program.use();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, values.texture);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, luts.texture);
    rows.fill(2, mapX);
    columns.fill(3, mapY);
    const { min, max, gamma, opacity } = display;
    const scale = isLabelLut(display.lut) ? 2 : display.scale === 'log' ? 1 : 0;
    gl.uniform1i(program.place('lut'), lut);
    gl.uniform1i(program.place('transposed'), plan.transposed ? 1 : 0);
    gl.uniform1i(program.place('height'), how.height);
    gl.uniform1i(program.place('sweep'), how.sweep);
    gl.uniform1i(program.place('marked'), how.marked ? 1 : 0);
    gl.uniform1i(program.place('clipping'), request.marks.clipping ? 1 : 0);
    gl.uniform4f(program.place('range'), min, max, gamma, opacity);
    gl.uniform1i(program.place('scale'), scale);
    const bytes = (name: string, [red, green, blue]: Color) =>
      gl.uniform3f(program.place(name), red / 255, green / 255, blue / 255);
    bytes('ground', request.ground);
    bytes('nanColor', NAN_COLOR);
    bytes('lowColor', LOW_COLOR);
    bytes('highColor', HIGH_COLOR);
  }

  /** Returns the values of all cells of a picture, which are drawn unless they are cached. */
  #shown({ texture, display }: Layer, part: PicturePart): ShownPlan {
    const plane = texture as GlPlane;
    const plan = planView(plane, part);
    const source = plane.texture(plan.level);
    const [width, height] = [plan.columns.cells, plan.rows.cells];
    if (!source || width === 0 || height === 0) return { plan, values: null };
    const labels = isLabelLut(display.lut);
    const { values, fresh } = this.#views.get(plane, `${plan.key} ${plane.version}${labels ? ' labels' : ''}`);
    if (fresh) return { plan, values };
    const gl = this.#gl;
    const { cells, rows, columns, resolve } = this.#device;
    cells.begin(width, height);
    rows.fill(2, plan.rows.bounds);
    columns.fill(3, plan.columns.bounds);
    const rowOf = (cell: number) => plan.rows.bounds[cell]!;
    source.reduceInto({ factor: [0, 0], cells: [0, height], width, origin: [0, 0], rowOf });
    values.begin(width, height);
    resolve.use();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, cells.texture);
    gl.uniform2i(resolve.place('size'), width, height);
    gl.uniform1i(resolve.place('minified'), plan.minified ? 1 : 0);
    gl.uniform1i(resolve.place('labels'), labels ? 1 : 0);
    this.#device.fill(0, 0, width, height);
    return { plan, values };
  }

  /** Enlarges the hidden canvas to the largest picture. Smaller pictures use its lower left corner. */
  #fit(width: number, height: number): void {
    if (this.#canvas.width < width) this.#canvas.width = width;
    if (this.#canvas.height < height) this.#canvas.height = height;
  }

  #upload(plane: GlPlane): void {
    const device = this.#device;
    const limits = { ...device.limits, maxPageBytes: PAGE_BYTES, ...this.#limits };
    const current = () => !this.#gl.isContextLost() && device === this.#device && !this.#substitute.peek();
    void this.#queue.add(() => plane.upload(device, limits, current)).catch(() => this.#switchToCanvas());
  }

  /** Switches to the canvas renderer, which is slower but always works. */
  #switchToCanvas(): void {
    if (this.#substitute.peek()) return;
    const substitute = createCanvasRenderer();
    for (const plane of this.#planes) this.#replace(plane, substitute);
    this.#substitute.value = substitute;
  }

  #replace(plane: GlPlane, substitute: Renderer): void {
    plane.detach();
    this.#substitutes.set(plane, substitute.addPlane(plane.data, plane.shape, plane.part));
  }

  #lose = (event: Event) => {
    if (performance.now() - this.#lostAt < MIN_LIFETIME) {
      this.#switchToCanvas();
      return;
    }
    event.preventDefault();
    this.#lostAt = performance.now();
    this.lost.value = true;
    for (const listener of this.#listeners.lost) listener();
  };

  #restore = () => {
    this.#device = new Device(this.#gl);
    this.#views = new ViewCache(this.#gl);
    for (const plane of this.#planes) {
      plane.forget();
      this.#upload(plane);
    }
    this.lost.value = false;
    for (const listener of this.#listeners.restored) listener();
  };

  onLost(listener: () => void): () => void {
    this.#listeners.lost.add(listener);
    return () => this.#listeners.lost.delete(listener);
  }

  onRestored(listener: () => void): () => void {
    this.#listeners.restored.add(listener);
    return () => this.#listeners.restored.delete(listener);
  }

  dispose(): void {
    this.#canvas.removeEventListener('webglcontextlost', this.#lose);
    this.#canvas.removeEventListener('webglcontextrestored', this.#restore);
    for (const plane of [...this.#planes]) plane.release();
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

interface ShownPlan {
  readonly plan: ViewPlan;
  /** Null when no part of the plane is visible or uploaded. */
  readonly values: DrawTarget | null;
}
