import type { ReadonlySignal } from '@preact/signals';
import type { ChannelDisplay, PixelMarks } from '../model/display.ts';
import type { Shape } from '../model/document.ts';
import type { Orientation, Rect } from '../model/geometry.ts';
import { createCanvasRenderer } from './canvas-renderer.ts';
import { createGlRenderer } from './gl/gl-renderer.ts';

export type Color = readonly [red: number, green: number, blue: number];

/** Samples of one plane, prepared for drawing. Refers to the array it was made of; never copies it on the heap. */
export interface PlaneTexture {
  readonly shape: Shape;
  /** Share of the rows that can be drawn, 0 to 1. Those that cannot yet show the ground. */
  readonly progress: ReadonlySignal<number>;
  /** When all rows can be drawn, or the texture was released. */
  readonly ready: Promise<void>;
  release(): void;
}

export interface Layer {
  readonly texture: PlaneTexture;
  /** `visible` is not looked at: what is in the list is drawn. A card of one channel passes `opacity: 1`. */
  readonly display: ChannelDisplay;
}

export interface DrawRequest {
  /** Where the picture goes on the target, in device pixels; 0, 0 when absent. */
  readonly x?: number;
  readonly y?: number;
  /** Size of the picture in device pixels; may be larger than the screen. */
  readonly width: number;
  readonly height: number;
  /** Part of the display that fills the picture; may reach beyond the plane. */
  readonly view: Rect;
  readonly orientation: Orientation;
  /** One: its colors. Several: their colors times opacity are added, each byte up to 255. */
  readonly layers: readonly Layer[];
  readonly marks: PixelMarks;
  /** Around the plane; bytes. */
  readonly ground: Color;
  /** On screen, and drawn anew as it changes: while it moves it may be coarse where drawing is slow. Else always full. */
  readonly live?: boolean;
}

export interface Renderer {
  readonly kind: 'webgl2' | 'canvas';
  /** True while the graphics context is gone: `draw` then leaves the target as it is. */
  readonly lost: ReadonlySignal<boolean>;
  /** `data` row-major, rows × columns; it must not change afterwards. Throws a RangeError when the sizes disagree. */
  addPlane(data: Float32Array, shape: Shape): PlaneTexture;
  /**
   * Draws at once. Reads signals (the `progress` of its textures, `lost`): an effect that calls it is run again when more
   * rows can be drawn, or when a picture that was coarse during a movement can be drawn in full (by the processor only).
   */
  draw(target: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, request: DrawRequest): void;
  /** The listener is called when the context is lost; the answer ends the subscription. */
  onLost(listener: () => void): () => void;
  onRestored(listener: () => void): () => void;
  dispose(): void;
}

/**
 * By WebGL2; by the processor where that is missing, or imitated by the processor, which is slower than to draw directly.
 * One renderer serves all cards of a page.
 */
export function createRenderer(): Renderer {
  return createGlRenderer({ refuseSoftware: true }) ?? createCanvasRenderer();
}
