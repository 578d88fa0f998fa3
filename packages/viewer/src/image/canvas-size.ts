import type { Size } from '../model/geometry.ts';

/** Size of a canvas in CSS pixels and in the device pixels that it covers exactly. */
export interface CanvasSize extends Size {
  readonly deviceWidth: number;
  readonly deviceHeight: number;
}

/**
 * Calls `changed` with the size of a canvas now and whenever it changes, also when the page is zoomed or moved to
 * another screen.
 */
export function observeCanvas(canvas: HTMLCanvasElement, changed: (size: CanvasSize) => void): () => void {
  const observer = new ResizeObserver((entries) => {
    const entry = entries[entries.length - 1];
    if (entry === undefined) return;
    const { width, height } = entry.contentRect;
    const box = entry.devicePixelContentBoxSize?.[0];
    changed({
      width,
      height,
      deviceWidth: devicePixels(box?.inlineSize, width),
      deviceHeight: devicePixels(box?.blockSize, height),
    });
  });
  try {
    observer.observe(canvas, { box: 'device-pixel-content-box' });
  } catch {
    // Safari before 17.4 does not support this box.
    observer.observe(canvas);
  }
  return () => observer.disconnect();
}

/**
 * Returns the measured device pixels, or computes them from the pixel ratio when they differ by more than rounding
 * (emulated screens).
 */
function devicePixels(measured: number | undefined, length: number): number {
  const ideal = length * devicePixelRatio;
  return measured !== undefined && Math.abs(measured - ideal) <= 1 ? measured : Math.round(ideal);
}

/** Resizes the canvas to its device pixels, which clears it, but only when they have changed. */
export function fitCanvas(canvas: HTMLCanvasElement, { deviceWidth, deviceHeight }: CanvasSize): void {
  if (canvas.width !== deviceWidth) canvas.width = deviceWidth;
  if (canvas.height !== deviceHeight) canvas.height = deviceHeight;
}
