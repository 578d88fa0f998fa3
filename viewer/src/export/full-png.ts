/** The whole plane as a picture, a pixel for each sample, whatever its size. */
import type { Pane } from '../model/document.ts';
import { displaySize } from '../model/geometry.ts';
import { pngParts } from './png.ts';
import { type DrawPart, drawnStrips, type StripOptions } from './strips.ts';

export interface FullPicture extends StripOptions {
  readonly pane: Pane;
  /** Title and description for the file. */
  readonly texts: Readonly<Record<string, string>>;
  readonly draw: DrawPart;
}

export async function fullPng({ pane, texts, draw, signal, told }: FullPicture): Promise<Blob> {
  const size = displaySize(pane.shape, pane.orientation.peek());
  const pixelsPerMeter = resolution(pane);
  const parts = await pngParts(
    {
      ...size,
      texts,
      ...(pixelsPerMeter === null ? {} : { pixelsPerMeter }),
      ...(signal === undefined ? {} : { signal }),
    },
    drawnStrips(size, draw, { signal, told }),
  );
  return new Blob(parts, { type: 'image/png' });
}

/** Of the display's x and y; null unless both are lengths. */
function resolution({ plane, orientation }: Pane): [number, number] | null {
  const [y, x] = plane.axes;
  if (y?.unit !== 'micrometer' || x?.unit !== 'micrometer') return null;
  const [across, down] = orientation.peek().transposed ? [y, x] : [x, y];
  return [1e6 / across.step, 1e6 / down.step];
}
