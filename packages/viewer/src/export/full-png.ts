/** The whole plane as a PNG of any size, with one pixel per sample. */
import type { Pane } from '../model/document.ts';
import { displaySize } from '../model/geometry.ts';
import { pngParts } from './png.ts';
import { type DrawPart, drawnStrips, type StripOptions } from './strips.ts';

interface FullPicture extends StripOptions {
  readonly pane: Pane;
  /** Title and description in the file. */
  readonly texts: Readonly<Record<string, string>>;
  readonly draw: DrawPart;
}

export async function fullPng({ pane, texts, draw, signal, onProgress }: FullPicture): Promise<Blob> {
  const size = displaySize(pane.shape, pane.orientation.peek());
  const pixelsPerMeter = resolution(pane);
  const parts = await pngParts(
    {
      ...size,
      texts,
      ...(pixelsPerMeter === null ? {} : { pixelsPerMeter }),
      ...(signal === undefined ? {} : { signal }),
    },
    drawnStrips(size, draw, { signal, onProgress }),
  );
  return new Blob(parts, { type: 'image/png' });
}

/** Returns pixels per meter in x and y; null unless both axes are lengths. */
function resolution({ plane, orientation }: Pane): [number, number] | null {
  const [y, x] = plane.axes;
  if (y?.unit !== 'micrometer' || x?.unit !== 'micrometer') return null;
  const [across, down] = orientation.peek().transposed ? [y, x] : [x, y];
  return [1e6 / across.step, 1e6 / down.step];
}
