/** What the orthogonal views change on each of their three pictures. */
import type { Pane } from '../model/document.ts';
import type { Overlay } from '../model/extension.ts';
import type { Rect } from '../model/geometry.ts';
import type { CursorSample } from './cursor-sample.ts';

/** One of the three pictures, as it is on screen. */
export interface OrthogonalPicture {
  readonly pane: Pane;
  /** What it shows, in words: `x z at y 26.0 µm`. */
  readonly title: string;
  readonly overlays: readonly Overlay[];
  /** Its box with axes and caption, in CSS pixels of the whole. */
  readonly box: Rect;
}

export interface OrthogonalPart {
  /** The pane of the plane, on which the keys of tools and switches act. */
  readonly plane: Pane;
  /** The axes that have labels here; those of the others are on the next picture. */
  readonly labels: { readonly left: boolean; readonly bottom: boolean };
  /** Returns the sample under the pointer in any of the pictures, otherwise the one under the cross. Reads signals. */
  read(): CursorSample;
  /** Returns `x y at z 10.0 µm`. Reads signals. */
  planeTitle(): string;
  pictures(): readonly OrthogonalPicture[];
}
