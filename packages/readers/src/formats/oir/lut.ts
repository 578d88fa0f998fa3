import { hexColor } from '../../model/metadata/colors.js';
import type { RawOirDocument } from './documents.js';

/**
 * Returns the color of a channel's look-up table, one XML document per channel: the last entry of a linear table that
 * starts at black. `lut:data` has `RRGGBBAA` in hexadecimal digits for each of 256 or 65,536 values; the XML is not
 * parsed for it.
 */
export function lutColor({ text }: RawOirDocument): string | undefined {
  const isLinear = /<(?:\w+:)?linear>\s*(true|1)\s*</i.test(text);
  const [, data = ''] = /<(?:\w+:)?data>\s*([\da-f]*)\s*</i.exec(text) ?? [];
  if (!isLinear || data.length < 16 || data.length % 8 !== 0 || !/^0{6}/.test(data)) return undefined;
  return hexColor(data.slice(-8, -2));
}
