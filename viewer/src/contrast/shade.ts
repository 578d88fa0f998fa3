import { lutTable } from '../luts/luts.ts';
import type { ChannelDisplay } from '../model/display.ts';

/** Colour of each value as the image shows it, as CSS. */
export function shadeOf({ lut, invert, min, max, gamma }: ChannelDisplay): (value: number) => string {
  const table = lutTable(lut, invert);
  return (value) => {
    const share = Math.min(1, Math.max(0, (value - min) / (max - min)));
    const at = 3 * Math.round(255 * share ** gamma);
    return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
  };
}

export function cssColour([red, green, blue]: readonly [number, number, number]): string {
  return `rgb(${red} ${green} ${blue})`;
}
