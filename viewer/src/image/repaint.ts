import { effect } from '@preact/signals';

/**
 * Paints at the next animation frame, and again at the one after any signal that `paint` read has changed.
 * Returns how to stop it.
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
