/** Ticks of an axis of the display, also of one on which long pauses are shortened. */
import { measuredText } from '../model/measured-axis.ts';
import { gapsBetween, placeAtTime, type RowLayout, rowAtPlace, timeAtPlace, timeAtRow } from '../model/row-layout.ts';
import { scaleFor } from '../model/units.ts';
import type { DisplayAxis } from './plane-axes.ts';
import { axisTicks, sampleTicks, type TickRequest, type TickSet } from './ticks.ts';

/** Of more stretches, only some rows have ticks. */
const MAX_STRETCHES = 64;

/** @param places visible part of the display, which may extend beyond the plane */
export function displayTicks(
  axis: DisplayAxis,
  places: readonly [number, number],
  request: Omit<TickRequest, 'unit'>,
): TickSet {
  const { rows, measured, unit, length, reversed } = axis;
  if (rows === null) return sampleTicks(measured, { ...request, unit });
  const [low, high] = [Math.max(0, places[0]), Math.min(length, places[1])];
  const ends = reversed ? ([length - high, length - low] as const) : ([low, high] as const);
  return rowTicks(rows, ends, { ...request, unit });
}

/** Returns the ticks between two places: at round times, and at the start of stretches that are too short to have one. */
export function rowTicks(
  rows: RowLayout,
  [low, high]: readonly [number, number],
  { unit, pixels, room }: Pick<TickRequest, 'unit' | 'pixels' | 'room'>,
): TickSet {
  const stretches = stretchesOf(rows, low, high);
  if (stretches.length > MAX_STRETCHES) return someRows(rows, [low, high], { unit, pixels, room });
  const parts = stretches.map(([start, end]) => ({ from: timeAtPlace(rows, start), to: timeAtPlace(rows, end) }));
  const [from, to] = [timeAtPlace(rows, low), timeAtPlace(rows, high)];
  if (parts.length === 1) return axisTicks({ ...parts[0]!, unit, pixels, room });
  const pixel = (high - low) / pixels;
  const shown = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
  const ticks = axisTicks({ from, to, parts, unit, pixels: shown / pixel, room });
  const starts = parts.flatMap((part) => {
    if (ticks.major.some(({ value }) => value >= part.from && value <= part.to)) return [];
    return [{ value: part.from, label: measuredText(rows.axis, part.from, { ...ticks.scale, unit: '' }).trim() }];
  });
  // Stretches lie nearer to each other than their times.
  let free = Number.NEGATIVE_INFINITY;
  const major = [...ticks.major, ...starts]
    .sort((a, b) => a.value - b.value)
    .filter(({ value, label }) => {
      const at = placeAtTime(rows, value) / pixel;
      if (at - room(label) / 2 < free) return false;
      free = at + room(label) / 2;
      return true;
    });
  return { scale: scaleFor(unit, Math.max(Math.abs(from), Math.abs(to))), major, minor: ticks.minor };
}

/** Returns ticks at rows that are evenly spaced on the axis. */
function someRows(
  rows: RowLayout,
  [low, high]: readonly [number, number],
  { unit, pixels, room }: Pick<TickRequest, 'unit' | 'pixels' | 'room'>,
): TickSet {
  const scale = scaleFor(unit, Math.abs(timeAtPlace(rows, high)));
  const text = (value: number) => measuredText(rows.axis, value, { ...scale, unit: '' }).trim();
  const count = Math.max(1, Math.floor(pixels / room(text(timeAtPlace(rows, high)))));
  const values = Array.from({ length: count }, (_, i) =>
    timeAtRow(rows, Math.floor(rowAtPlace(rows, low + (i / count) * (high - low)))),
  );
  const major = [...new Set(values)]
    .filter((value) => placeAtTime(rows, value) >= low)
    .map((value) => ({ value, label: text(value) }));
  return { scale, major, minor: [] };
}

/** Returns the visible stretches without shortened gaps, as places; all of it when there is none. */
function stretchesOf(rows: RowLayout, low: number, high: number): [number, number][] {
  const stretches: [number, number][] = [];
  let start = low;
  for (const gap of gapsBetween(rows, low, high)) {
    if (!gap.isShortened) continue;
    if (gap.start > start) stretches.push([start, gap.start]);
    start = gap.end;
  }
  if (start < high) stretches.push([start, high]);
  return stretches.length > 0 ? stretches : [[low, high]];
}
