/** Tools and overlays of the images, from all features of the page. */
export { OVERLAYS } from '../measure/overlays.ts';
export { TOOLS } from '../measure/tools.ts';
