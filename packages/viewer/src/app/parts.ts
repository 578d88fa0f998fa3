/** Tools and overlays of the images, from all features of the page. */
import { SMOOTHING_NOTE } from '../image/smoothing-note.ts';
import { OVERLAYS as MARKS } from '../measure/overlays.ts';
import type { Overlay } from '../model/extension.ts';
import { PROJECTION_LABEL } from '../stack/projection-label.ts';

export { TOOLS } from '../measure/tools.ts';
export const OVERLAYS: readonly Overlay[] = [...MARKS, PROJECTION_LABEL, SMOOTHING_NOTE];
