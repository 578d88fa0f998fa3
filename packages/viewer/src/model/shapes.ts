/** What is drawn over an image, on a canvas or in a figure. Points are in CSS pixels of the image area. */
import type { Point } from './geometry.ts';

export type DrawnShape =
  | { readonly kind: 'path'; readonly points: readonly Point[]; readonly color: string; readonly width: number }
  | { readonly kind: 'dot'; readonly at: Point; readonly radius: number; readonly color: string }
  | {
      readonly kind: 'label';
      /** Place next to which the label stands. */
      readonly at: Point;
      /** Shown in a disc of `color`, so that it is not read as part of the text. */
      readonly number: string;
      /** Shown in a dark pill after the number; none when empty. */
      readonly text: string;
      readonly color: string;
    };
