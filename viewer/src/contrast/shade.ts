import { lutTable } from '../luts/luts.ts';
import { type ChannelDisplay, HIGH_COLOUR, LOW_COLOUR, type PixelMarks } from '../model/display.ts';
import { tableIndex } from '../render/colours.ts';

/** Colour of each value as the image shows it, as CSS. */
export function shadeOf(display: ChannelDisplay, { clipping }: PixelMarks): (value: number) => string {
  const table = lutTable(display.lut, display.invert);
  return (value) => {
    if (clipping && value < display.min) return cssColour(LOW_COLOUR);
    if (clipping && value > display.max) return cssColour(HIGH_COLOUR);
    const at = 3 * tableIndex(value, display);
    return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
  };
}

export function cssColour([red, green, blue]: readonly [number, number, number]): string {
  return `rgb(${red} ${green} ${blue})`;
}
