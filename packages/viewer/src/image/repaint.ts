import { effect } from '@preact/signals';

/**
 * Paints in the next animation frame, and again in the frame after a change of any signal that `paint` has read.
 * Returns a function that stops it.
 */
export function repaint(paint: () => void): () => void {
  let frame = 0;
  let forget: (() => void) | undefined;
  const request = () => {
    if (frame === 0) frame = requestAnimationFrame(run);
  };
  const run = () => {
    frame = 0;
    forget?.();
    let painting = true;
    forget = effect(() => {
      if (painting) paint();
      else request();
      painting = false;
    });
  };
  request();
  return () => {
    cancelAnimationFrame(frame);
    forget?.();
  };
}
