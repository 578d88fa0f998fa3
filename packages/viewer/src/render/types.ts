import type { ReadonlySignal } from '@preact/signals';
import type { ChannelDisplay, PixelMarks } from '../model/display.ts';
import type { Layout, Rect, Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import type { Cells } from './cells.ts';

/** What pictures are drawn on. */
export type Target2d = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export type Color = readonly [red: number, green: number, blue: number];

/** The area of a plane over which samples or cells of a texture are spread evenly. */
export interface TextureArea {
  /** Size of the whole plane. */
  readonly plane: Shape;
  readonly rows: readonly [first: number, end: number];
  readonly columns: readonly [first: number, end: number];
}

/** Samples of one plane, prepared for drawing. Keeps a reference to the array and does not copy it on the heap. */
export interface PlaneTexture {
  readonly shape: Shape;
  /** Fraction of the rows that can be drawn, 0 to 1. The other rows show the background. */
  readonly progress: ReadonlySignal<number>;
  /** Resolves when all rows can be drawn or the texture was released. */
  readonly ready: Promise<void>;
  release(): void;
}

export interface Layer {
  readonly texture: PlaneTexture;
  /** `visible` is ignored: all layers are drawn. A card with one channel passes `opacity: 1`. */
  readonly display: ChannelDisplay;
}

export interface DrawRequest {
  /** Position of the picture on the target in device pixels; 0, 0 by default. */
  readonly x?: number;
  readonly y?: number;
  /** Size of the picture in device pixels, which may be larger than the screen. */
  readonly width: number;
  readonly height: number;
  /** Part of the display that fills the picture. It may extend beyond the plane. */
  readonly view: Rect;
  readonly orientation: Layout;
  /**
   * One layer is drawn in its colors. Colors of several layers are multiplied by opacity and added, each byte up to
   * 255.
   */
  readonly layers: readonly Layer[];
  readonly marks: PixelMarks;
  /** Color around the plane, in bytes. */
  readonly ground: Color;
  /** True on screen: while the view moves, slow pictures may be coarse. Otherwise pictures are always full. */
  readonly live?: boolean;
}

export interface Renderer {
  readonly kind: 'webgl2' | 'canvas';
  /** True while the graphics context is lost. `draw` then does not change the target. */
  readonly lost: ReadonlySignal<boolean>;
  /**
   * Adds row-major samples, or cells of an overview, rows × columns, which must not change afterwards. They are those of
   * a whole plane unless a part is given. Throws a RangeError when the length is wrong.
   */
  addPlane(data: Samples | Cells, shape: Shape, part?: TextureArea): PlaneTexture;
  /**
   * Draws immediately. Reads signals (`lost` and the `progress` of the textures), so that an effect runs again when
   * more rows can be drawn, or when a coarse picture must be replaced by a full one (without WebGL only).
   */
  draw(target: Target2d, request: DrawRequest): void;
  /** Calls the listener when the context is lost. Returns a function that removes the listener. */
  onLost(listener: () => void): () => void;
  onRestored(listener: () => void): () => void;
  dispose(): void;
}
