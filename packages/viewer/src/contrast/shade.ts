import { lutTable } from '../luts/luts.ts';
import { type ChannelDisplay, HIGH_COLOR, LOW_COLOR, type PixelMarks } from '../model/display.ts';
import { tableIndex } from '../render/colors.ts';

/** Returns a function from a value to its color in the image, as CSS. */
export function createShade(display: ChannelDisplay, { clipping }: PixelMarks): (value: number) => string {
  const table = lutTable(display.lut, display.invert);
  return (value) => {
    if (clipping && value < display.min) return cssColor(LOW_COLOR);
    if (clipping && value > display.max) return cssColor(HIGH_COLOR);
    const at = 3 * tableIndex(value, display);
    return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
  };
}

export function cssColor([red, green, blue]: readonly [number, number, number]): string {
  return `rgb(${red} ${green} ${blue})`;
}
