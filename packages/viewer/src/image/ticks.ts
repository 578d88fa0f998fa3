/** Ticks and scale bars of an axis, chosen for the visible range. Labels never touch. */
import { indexAtValue, type MeasuredAxis, measuredText } from '../model/measured-axis.ts';
import { formatFixed, formatNumber } from '../model/number-text.ts';
import { isPhysical, type Scale, scaleFor, wholeScale } from '../model/units.ts';

interface Tick {
  /** In the unit of the axis, not of the scale. */
  readonly value: number;
  /** Empty for a minor tick. */
  readonly label: string;
}

export interface TickRequest {
  /** Visible range in the unit of the axis; `from` < `to`. */
  readonly from: number;
  readonly to: number;
  /** Parts of the range that have ticks; all of it when absent. */
  readonly parts?: readonly { readonly from: number; readonly to: number }[];
  readonly unit: string;
  /** Length of the axis, or of its parts, on screen, CSS pixels. */
  readonly pixels: number;
  /** Returns the space of a label along the axis in CSS pixels, with its gap. */
  room(label: string): number;
}

export interface TickSet {
  readonly scale: Scale;
  readonly major: readonly Tick[];
  readonly minor: readonly number[];
}

const MINOR_PIXELS = 5;
const ROUND = [1, 2, 5] as const;

/**
 * Returns ticks at multiples of 1, 2 or 5 × 10ⁿ of the displayed unit; at whole numbers when the axis is not
 * calibrated.
 */
export function axisTicks({ from, to, parts = [{ from, to }], unit, pixels, room }: TickRequest): TickSet {
  const scale = scaleFor(unit, Math.max(Math.abs(from), Math.abs(to)));
  const range = { from: from * scale.factor, to: to * scale.factor };
  const ranges = parts.map((part) => ({ from: part.from * scale.factor, to: part.to * scale.factor }));
  const perUnit = pixels / ranges.reduce((sum, part) => sum + part.to - part.from, 0);
  const least = isPhysical(unit) ? Number.NEGATIVE_INFINITY : 0;
  // No label is narrower than one digit, so finer spacings need not be tried.
  let exponent = Math.max(least, Math.floor(Math.log10(room('0') / perUnit)) - 1);
  let spacing: RoundNumber = { mantissa: 1, exponent };
  search: for (; ; exponent++) {
    for (const mantissa of ROUND) {
      spacing = { mantissa, exponent };
      const width = Math.max(room(formatLabel(range.to, spacing)), room(formatLabel(range.from, spacing)));
      if (toNumber(spacing) * perUnit >= width) break search;
    }
  }
  const major = ranges
    .flatMap((part) => multiples(part, spacing))
    .map((times) => ({
      value: (times * toNumber(spacing)) / scale.factor,
      label: formatLabel(times * toNumber(spacing), spacing),
    }));
  const minor = ranges.flatMap((part) => minorTicks(part, spacing, perUnit, least));
  return { scale, major, minor: minor.map((value) => value / scale.factor) };
}

/**
 * Returns the ticks of an axis of samples. Where they are unevenly spaced, ticks are at samples and have their times:
 * round times would crowd in one part of the axis and be missing in another.
 */
export function sampleTicks(measured: MeasuredAxis | null, request: TickRequest): TickSet {
  if (!measured?.uneven) return axisTicks(request);
  const { from, to, unit, pixels, room } = request;
  const scale = scaleFor(unit, Math.max(Math.abs(from), Math.abs(to)));
  const [first, last] = [indexAtValue(measured, from), indexAtValue(measured, to)];
  const text = (value: number) => measuredText(measured, value, { ...scale, unit: '' }).trim();
  const least = (Math.max(room(text(from)), room(text(to))) * (last - first)) / pixels;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const stride = [1, 2, 5, 10].map((factor) => factor * power).find((rows) => rows >= least)!;
  const major: Tick[] = [];
  const end = Math.min(last, measured.filled.length - 1);
  for (let row = Math.max(0, Math.ceil(first / stride)) * stride; row <= end; row += stride) {
    major.push({ value: measured.filled[row]!, label: text(measured.filled[row]!) });
  }
  return { scale, major, minor: [] };
}

interface RoundNumber {
  readonly mantissa: 1 | 2 | 5;
  readonly exponent: number;
}

function toNumber({ mantissa, exponent }: RoundNumber): number {
  // 10 ** -7 is not the double nearest to 1e-7; parsing gives that one.
  return Number(`${mantissa}e${exponent}`);
}

function formatLabel(value: number, { exponent }: RoundNumber): string {
  return formatFixed(value, -exponent);
}

function multiples({ from, to }: { from: number; to: number }, spacing: RoundNumber): number[] {
  const step = toNumber(spacing);
  const slack = 1e-9;
  const first = Math.ceil(from / step - slack);
  const last = Math.floor(to / step + slack);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

function minorTicks(
  range: { from: number; to: number },
  { mantissa, exponent }: RoundNumber,
  perUnit: number,
  least: number,
): number[] {
  const finer: RoundNumber[] =
    mantissa === 5
      ? [{ mantissa: 1, exponent }]
      : mantissa === 2
        ? [
            { mantissa: 5, exponent: exponent - 1 },
            { mantissa: 1, exponent },
          ]
        : [
            { mantissa: 2, exponent: exponent - 1 },
            { mantissa: 5, exponent: exponent - 1 },
          ];
  const chosen = finer.find((spacing) => spacing.exponent >= least && toNumber(spacing) * perUnit >= MINOR_PIXELS);
  if (chosen === undefined) return [];
  const perMajor = Math.round(toNumber({ mantissa, exponent }) / toNumber(chosen));
  return multiples(range, chosen)
    .filter((times) => times % perMajor !== 0)
    .map((times) => times * toNumber(chosen));
}

interface ScaleBar {
  /** CSS pixels. */
  readonly length: number;
  /** In the unit of the axis. */
  readonly value: number;
  readonly label: string;
}

/**
 * Returns the longest bar of 1, 2 or 5 × 10ⁿ that fits, or null. `noun` is the unit of an axis that is not calibrated.
 */
export function scaleBar(unit: string, unitsPerPixel: number, longest: number, noun: string): ScaleBar | null {
  const maxValue = unitsPerPixel * longest;
  if (!(maxValue > 0) || !Number.isFinite(maxValue)) return null;
  let exponent = Math.floor(Math.log10(maxValue));
  if (Number(`1e${exponent}`) > maxValue) exponent -= 1;
  const mantissa = [5, 2, 1].find((digit) => Number(`${digit}e${exponent}`) <= maxValue * (1 + 1e-12)) ?? 1;
  const value = Number(`${mantissa}e${exponent}`);
  if (!isPhysical(unit) && value < 1) return null;
  return { length: value / unitsPerPixel, value, label: barLabel(unit, value, noun) };
}

/** Returns the label of a bar that is `length` long in `unit`: `50 ms`; `noun` stands for the unit of samples that have none. */
export function barLabel(unit: string, length: number, noun: string): string {
  const { factor, unit: name } = wholeScale(unit, length) ?? { factor: 1, unit: noun };
  return `${formatNumber(length * factor, 12)} ${name}`;
}
