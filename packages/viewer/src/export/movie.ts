/** A movie before it is a file. */
import type { Size } from '../model/geometry.ts';

/** A frame, on a canvas that the next frame will be drawn on. */
export interface MovieFrame {
  readonly canvas: HTMLCanvasElement;
  readonly seconds: number;
  /** `time point 3 of 14 · 1.0 s` */
  readonly words: string;
  /** Name of a file with this frame alone. */
  readonly name: string;
}

export interface MovieFilm extends Size {
  readonly count: number;
  /** Name of the acquisition. */
  readonly title: string;
  frames(signal: AbortSignal, onProgress: (fraction: number) => void): AsyncIterable<MovieFrame>;
}
