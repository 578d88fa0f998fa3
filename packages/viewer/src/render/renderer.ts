import { createCanvasRenderer } from './canvas-renderer.ts';
import { createGlRenderer } from './gl/gl-renderer.ts';
import type { Renderer } from './types.ts';

/**
 * Creates the renderer that all cards of a page share. Uses WebGL2, or a 2D canvas when WebGL2 is missing or emulated
 * in software, which would be slower.
 */
export function createRenderer(): Renderer {
  return createGlRenderer({ refuseSoftware: true }) ?? createCanvasRenderer();
}
