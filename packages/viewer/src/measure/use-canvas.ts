import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { repaint } from '../image/repaint.ts';

/**
 * Returns a canvas that fills its element at the resolution of the screen. It is painted in the next frame, and again
 * when its size, the theme or a signal that `paint` reads has changed: once for all changes of a frame, because a paint that
 * asks for colors has the page computed anew.
 */
export function useCanvas(
  paint: (context: CanvasRenderingContext2D, size: { width: number; height: number }, element: HTMLElement) => void,
  again: readonly unknown[],
) {
  const ref = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const canvas = ref.current as HTMLCanvasElement;
    const size = signal({ width: canvas.clientWidth, height: canvas.clientHeight });
    const observer = new ResizeObserver(() => {
      size.value = { width: canvas.clientWidth, height: canvas.clientHeight };
    });
    observer.observe(canvas);
    const theme = signal(0);
    const themes = new MutationObserver(() => {
      theme.value += 1;
    });
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const stop = repaint(() => {
      void theme.value;
      const { width, height } = size.value;
      const scale = window.devicePixelRatio;
      const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
      if (canvas.width !== across) canvas.width = across;
      if (canvas.height !== down) canvas.height = down;
      const context = canvas.getContext('2d');
      if (context === null || across === 0 || down === 0) return;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      paint(context, { width, height }, canvas);
    });
    return () => {
      stop();
      observer.disconnect();
      themes.disconnect();
    };
  }, again);
  return ref;
}
