/** Colors of the cells of a picture that is drawn without WebGL. */
import { isLabelLut } from '../luts/luts.ts';
import { HIGH_COLOR, LOW_COLOR, NAN_COLOR } from '../model/display.ts';
import { BLACK, type ChannelPalette, labelIndex, tone, word } from './colors.ts';

export interface CellColors {
  /** Colors of the values in the table; black for those that are not finite. */
  readonly words: Uint32Array;
  /** Colors of the marks that replace them; 0 for a cell without. Null when no cell has one. */
  readonly marks: Uint32Array | null;
}

const NAN_WORD = word(NAN_COLOR);
const LOW_WORD = word(LOW_COLOR);
const HIGH_WORD = word(HIGH_COLOR);

/** Returns the colors of values, those of `tableIndex`, and the marks of samples that are not finite or are clipped. */
export function colorCells(values: Float32Array, palette: ChannelPalette): CellColors {
  const words = isLabelLut(palette.display.lut) ? colorLabels(values, palette) : colorTones(values, palette);
  return { words, marks: markCells(values, palette) };
}

function colorLabels(values: Float32Array, { words }: ChannelPalette): Uint32Array {
  const colors = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    colors[i] = value - value === 0 ? words[labelIndex(value)]! : BLACK;
  }
  return colors;
}

function colorTones(values: Float32Array, { words, display }: ChannelPalette): Uint32Array {
  const colors = new Uint32Array(values.length);
  const low = Math.fround(display.min);
  const range = Math.fround(display.max) - low;
  const linear = display.scale === 'linear' && display.gamma === 1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value - value !== 0) {
      colors[i] = BLACK;
      continue;
    }
    const share = Math.min(1, Math.max(0, (value - low) / range));
    colors[i] = words[Math.floor(255 * (linear ? share : tone(share, display)) + 0.5)]!;
  }
  return colors;
}

function markCells(values: Float32Array, { display, clipping }: ChannelPalette): Uint32Array | null {
  const low = clipping ? Math.fround(display.min) : -Infinity;
  const high = clipping ? Math.fround(display.max) : Infinity;
  let marks: Uint32Array | null = null;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value - value === 0 && value >= low && value <= high) continue;
    marks ??= new Uint32Array(values.length);
    marks[i] = value - value !== 0 ? NAN_WORD : value < low ? LOW_WORD : HIGH_WORD;
  }
  return marks;
}
