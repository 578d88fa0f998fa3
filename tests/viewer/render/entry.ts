/** What the browser tests and the benchmark run in the page. */
import type { ChannelDisplay } from '../../../packages/viewer/src/model/display.ts';
import type { Orientation, Rect } from '../../../packages/viewer/src/model/geometry.ts';
import type { Samples } from '../../../packages/viewer/src/model/samples.ts';
import { createCanvasRenderer } from '../../../packages/viewer/src/render/canvas-renderer.ts';
import { createGlRenderer } from '../../../packages/viewer/src/render/gl/gl-renderer.ts';
import type { TextureLimits } from '../../../packages/viewer/src/render/layout.ts';
import { createRenderer } from '../../../packages/viewer/src/render/renderer.ts';
import type { PlaneTexture, Renderer } from '../../../packages/viewer/src/render/types.ts';

export { createRenderer };

export interface PlaneSpec {
  readonly shape: readonly [number, number];
  /** Row-major samples; or noise of photons with this mean, of the same seed always. */
  readonly samples?: readonly (number | 'nan' | 'inf' | '-inf')[];
  readonly fill?: number;
  readonly photons?: number;
  /** Samples that are set afterwards: [row, column, value]. */
  readonly spots?: readonly (readonly [number, number, number])[];
  /** Type of the samples; float32 when absent. */
  readonly type?: keyof typeof INTEGERS;
}

/** Makes integers of a plane, which must have them. */
export const INTEGERS = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array } as const;

export interface PictureSpec {
  readonly width: number;
  readonly height: number;
  /** The whole plane when absent. */
  readonly view?: Rect;
  readonly orientation?: Partial<Orientation>;
  readonly displays: readonly Partial<ChannelDisplay>[];
  readonly clipping?: boolean;
}

const GREY: ChannelDisplay = {
  lut: 'grey',
  invert: false,
  min: 0,
  max: 255,
  scale: 'linear' as const,
  gamma: 1,
  visible: true,
  opacity: 1,
};
const GROUND = [9, 8, 7] as const;

export function makePlane({ shape, samples, fill = 0, photons, spots = [] }: PlaneSpec): Float32Array {
  const words = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };
  const data = new Float32Array(shape[0] * shape[1]);
  if (samples) data.set(samples.map((value) => (typeof value === 'string' ? words[value] : value)));
  else if (photons !== undefined) addPhotons(data, photons);
  else if (fill !== 0) data.fill(fill);
  for (const [row, column, value] of spots) data[row * shape[1] + column] = value;
  return data;
}

export function makeSamples(plane: PlaneSpec): Samples {
  const data = makePlane(plane);
  return plane.type ? INTEGERS[plane.type].from(data) : data;
}

/** Poisson numbers from a table of the inverse distribution. */
function addPhotons(data: Float32Array, mean: number): void {
  const table = new Uint8Array(4096);
  for (let i = 0, count = 0, term = Math.exp(-mean), sum = term; i < table.length; i++) {
    while ((i + 0.5) / table.length > sum && count < 255) {
      term *= mean / ++count;
      sum += term;
    }
    table[i] = count;
  }
  let state = 12_345;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    data[i] = table[state >>> 20] as number;
  }
}

export function makeRenderer(
  kind: Renderer['kind'],
  limits: Partial<TextureLimits> = {},
  canvas = document.createElement('canvas'),
): Renderer {
  const renderer = kind === 'canvas' ? createCanvasRenderer() : createGlRenderer({ limits, canvas });
  if (!renderer) throw new Error('this browser has no WebGL2');
  return renderer;
}

/** Draws one picture; red, green, blue of each pixel from the top left. */
export function drawn(renderer: Renderer, textures: readonly PlaneTexture[], picture: PictureSpec): number[] {
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  paint(context, renderer, textures, picture);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  return [...data.filter((_, i) => i % 4 !== 3)];
}

export function paint(
  context: CanvasRenderingContext2D,
  renderer: Renderer,
  textures: readonly PlaneTexture[],
  { width, height, view, orientation, displays, clipping = false }: PictureSpec,
): void {
  const [rows, columns] = (textures[0] as PlaneTexture).shape;
  const lying = { transposed: false, upward: false, ...orientation };
  const [across, down] = lying.transposed ? [rows, columns] : [columns, rows];
  renderer.draw(context, {
    width,
    height,
    view: view ?? { x: 0, y: 0, width: across, height: down },
    orientation: lying,
    layers: displays.map((display, i) => ({ texture: textures[i] as PlaneTexture, display: { ...GREY, ...display } })),
    marks: { clipping },
    ground: GROUND,
  });
}

/** One renderer, some planes of one shape, several pictures of them. */
export async function pictures(
  kind: Renderer['kind'],
  planes: readonly PlaneSpec[],
  wanted: readonly PictureSpec[],
  limits?: Partial<TextureLimits>,
): Promise<number[][]> {
  const renderer = makeRenderer(kind, limits);
  const textures = planes.map((plane) => renderer.addPlane(makeSamples(plane), plane.shape));
  await Promise.all(textures.map(({ ready }) => ready));
  const result = wanted.map((picture) => drawn(renderer, textures, picture));
  renderer.dispose();
  return result;
}

/** Loses the context of a renderer that draws on `hidden`, as when a driver is reset; the answer brings it back. */
export function loseContext(hidden: HTMLCanvasElement): () => void {
  const extension = hidden.getContext('webgl2')?.getExtension('WEBGL_lose_context');
  extension?.loseContext();
  return () => extension?.restoreContext();
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
