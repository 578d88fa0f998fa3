/** Converts a figure to a PNG that says how large it is on paper. */
import type { Size } from '../model/geometry.ts';
import { pngParts } from './png.ts';
import { drawnStrips } from './strips.ts';

interface FigureFile extends Size {
  readonly svg: string;
  readonly dpi: number;
}

/** `width` and `height` are those of the file, in pixels. */
export async function figurePng({ svg, width, height, dpi }: FigureFile, signal: AbortSignal): Promise<Blob> {
  // In millimeters the browser would scale it twice, and round.
  const inPixels = svg.replace(/width="[\d.]+mm" height="[\d.]+mm"/, `width="${width}" height="${height}"`);
  const url = URL.createObjectURL(new Blob([inPixels], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const perMeter = dpi / 0.0254;
    const strips = drawnStrips(
      { width, height },
      (target, { x, y }) => target.drawImage(image, -x, -y, width, height),
      { signal },
    );
    const parts = await pngParts({ width, height, signal, pixelsPerMeter: [perMeter, perMeter] }, strips);
    return new Blob(parts, { type: 'image/png' });
  } finally {
    URL.revokeObjectURL(url);
  }
}
