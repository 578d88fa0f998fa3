/** Units, and the ticks of an axis. */
import type { Calibration } from './api.ts';

/** What the user may have changed. Null: not known, so the axis counts lines or pixels. */
export interface Scale {
  msPerLine: number | null;
  umPerPixel: number | null;
}

/** One axis: its name with the unit, its length in that unit. */
export interface Axis {
  name: string;
  unit: string;
  length: number;
}

/**
 * Returns the steps that are times and distances in the file. v1 computes both fields without looking at the units: an
 * image without a line period has 1000 ms/line.
 */
export function toScale({ msPerLine, umPerPixel, dim_0_units, dim_1_units }: Calibration): Scale {
  return {
    msPerLine: /^s(ec(ond)?s?)?$/i.test(dim_0_units) ? msPerLine : null,
    umPerPixel: /^([uµμ]m|micro(n|met).*)$/i.test(dim_1_units) ? umPerPixel : null,
  };
}

export function timeAxis(lines: number, { msPerLine }: Scale): Axis {
  if (msPerLine === null) return { name: 'time (lines)', unit: 'lines', length: lines };
  const milliseconds = lines * msPerLine;
  if (milliseconds < 1_000) return { name: 'time (ms)', unit: 'ms', length: milliseconds };
  return { name: 'time (s)', unit: 's', length: milliseconds / 1_000 };
}

export function positionAxis(pixels: number, { umPerPixel }: Scale): Axis {
  if (umPerPixel === null) return { name: 'position (px)', unit: 'px', length: pixels };
  return { name: 'position (µm)', unit: 'µm', length: pixels * umPerPixel };
}

/** Returns round numbers from 0 to at most `length`, about `count` of them. */
export function ticks(length: number, count: number): number[] {
  const power = 10 ** Math.floor(Math.log10(length / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => length / one <= count) ?? length;
  return Array.from({ length: Math.floor(length / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** Returns a number with at most six digits, and separators between thousands. */
export function toText(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}
