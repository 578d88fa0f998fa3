/** Colors of marks by their number, the same on the image, in lists, plots, tables and files. Eight, then again. */
import type { Mark } from '../model/document.ts';
import { luminance, type Rgb } from './color.ts';

/** On images, light with a dark border. */
const ON_IMAGES = ['#5cc8ff', '#ffb000', '#3ddc97', '#ff7ab8', '#b9a2ff', '#f7e04b', '#ff8a65', '#eeeeee'];
/** The same hues where the ground is that of the page. */
const ON_LIGHT = ['#0a66a2', '#8f5400', '#08704a', '#b3206f', '#6a45c9', '#736300', '#b0400f', '#4a5058'];
const ON_DARK = ['#5cc8ff', '#ffb84d', '#3ddc97', '#ff7ab8', '#b9a2ff', '#f7e04b', '#ff8a65', '#e4e6e8'];

type Numbered = Pick<Mark, 'id'>;

/** A number stays with its mark, so that the color does, when another mark is deleted. */
function position({ id }: Numbered): number {
  const number = Number(id);
  return Number.isInteger(number) && number > 0 ? (number - 1) % ON_IMAGES.length : 0;
}

export function markColor(mark: Numbered): string {
  return ON_IMAGES[position(mark)]!;
}

export function markPlotColor(mark: Numbered, ground: Rgb): string {
  return (luminance(ground) > 0.18 ? ON_LIGHT : ON_DARK)[position(mark)]!;
}

/** Returns the color in lists as CSS that follows the theme. */
export function markListColor(mark: Numbered): string {
  return `light-dark(${ON_LIGHT[position(mark)]}, ${ON_DARK[position(mark)]})`;
}
