/** What is drawn over the images, and what can be done on them, of all parts of the page. */
import type { Overlay, Tool } from '../model/extension.ts';

export const TOOLS: readonly Tool[] = [];
export const OVERLAYS: readonly Overlay[] = [];
