/** What can be done on the images, and what is drawn over them, of all parts of the page. */
export { OVERLAYS } from '../measure/overlays.ts';
export { TOOLS } from '../measure/tools.ts';
