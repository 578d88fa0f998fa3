import { rampColor } from '../../metadata/colors.js';
import type { TiffPage } from '../../tiff/types.js';
import { softly } from './soft-tags.js';

const COLOR_MAP = 320;
const PALETTE = 3;

/**
 * The color of a page whose color table (tag 320) runs from black to one color: programs export a channel like that.
 * Tables are all red values, all green ones, all blue ones, of 16 bits each.
 */
export function paletteColor(page: TiffPage): string | undefined {
  const { photometric, bits, samplesPerPixel } = page.layout;
  if (photometric !== PALETTE || samplesPerPixel !== 1 || (bits !== 8 && bits !== 16)) return undefined;
  const entries = 2 ** bits;
  const values = softly(() => page.numbers(COLOR_MAP));
  if (values?.length !== 3 * entries) return undefined;
  // Some programs scale bytes by 257, some by 256: the high byte is the same.
  const part = (index: number) => (values[index] as number) >> 8;
  return rampColor(entries, (i) => [part(i), part(entries + i), part(2 * entries + i)]);
}
