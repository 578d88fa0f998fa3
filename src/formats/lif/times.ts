/** The time from line to line and from frame to frame. */
import type { Step } from '../../acquisition.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import type { Notes } from '../../notes.js';
import { type Axis, countEntries, type ImageLayout } from './layout.js';
import type { RawImage } from './parse.js';

/** 1970-01-01 in 100 ns since 1601-01-01. */
const UNIX_EPOCH = 116_444_736_000_000_000n;
/** Relative difference above which two values for one interval are reported. */
const DIFFERENT = 0.01;

/** The largest relative error of rounding to seven digits. */
const SEVEN_DIGITS = 1e-6;

/** Converts a stamp to milliseconds since 1970; `undefined` when it is invalid. */
export function stampToMilliseconds(hex: string): number | undefined {
  if (!/^[0-9a-f]{1,16}$/i.test(hex)) return undefined;
  const milliseconds = Number((BigInt(`0x${hex}`) - UNIX_EPOCH) / 10_000n);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Returns the seconds between two stamps. */
function secondsBetween(first: string, last: string): number | undefined {
  if (!/^[0-9a-f]{1,16}$/i.test(first) || !/^[0-9a-f]{1,16}$/i.test(last)) return undefined;
  return Number(BigInt(`0x${last}`) - BigInt(`0x${first}`)) / 1e7;
}

/** Returns Length / (N − 1) of the time axis. N is the planned count even when fewer were recorded, as Length covers it. */
function axisInterval({ raw }: Axis): number | undefined {
  if (!raw || raw.count < 2 || !Number.isFinite(raw.length)) return undefined;
  const meaning = unitMeaning(raw.unit);
  if (meaning?.unit !== 'seconds') return undefined;
  const step = (Math.abs(raw.length) * meaning.factor) / (raw.count - 1);
  return step > 0 ? step : undefined;
}

/** Returns the T step of a series of frames. */
export function frameStep(image: RawImage, layout: ImageLayout, notes: Notes): Step {
  const { t } = layout;
  if (t.count < 2) return defaultStep('Frames');
  const described = axisInterval(t);
  const stamped = stampInterval(image, layout);
  if (described !== undefined && stamped !== undefined && Math.abs(described / stamped - 1) > DIFFERENT) {
    notes.add(
      `The time axis says ${round(described)} s per frame, but the time stamps of the frames are ${round(stamped)} s apart. ` +
        `Showing ${round(described)} s.`,
    );
  }
  const step = described === undefined ? undefined : makeStep(described, 'seconds');
  const derived = stamped === undefined ? undefined : makeStep(stamped, 'seconds', 'derived');
  if (!step && !derived) notes.add('The file does not contain the frame interval; T is in frames.');
  return step ?? derived ?? defaultStep('Frames');
}

/** Returns the mean interval between stamps along T, when T is the slowest axis and every frame or channel has a stamp. */
function stampInterval({ stamps, channels }: RawImage, layout: ImageLayout): number | undefined {
  const { t, z } = layout;
  const slower = [z, ...layout.wavelengthAxes, ...layout.sceneAxes].some(
    ({ count, increment }) => count > 1 && increment > t.increment,
  );
  const frames = (t.raw?.count ?? 0) * z.count * countEntries(layout.wavelengthAxes) * countEntries(layout.sceneAxes);
  const perFrame = stamps.length / frames;
  if (slower || (perFrame !== 1 && perFrame !== channels.length)) return undefined;
  const perTime = stamps.length / (t.raw?.count ?? 1);
  const last = stamps[(t.count - 1) * perTime];
  const seconds = last === undefined ? undefined : secondsBetween(stamps[0]!, last);
  return seconds === undefined || seconds <= 0 ? undefined : seconds / (t.count - 1);
}

/**
 * Returns the line period of a line scan from the time axis, or from the scanner's line time when the axis has none.
 * `Length` is written with seven digits and the line time with fifteen, so the line time is preferred where both agree.
 */
export function linePeriod(image: RawImage, layout: ImageLayout, notes: Notes): Step {
  const described = axisInterval(layout.rows);
  const scanned = scannerPeriod(image);
  if (described !== undefined && scanned !== undefined && Math.abs(described / scanned - 1) > DIFFERENT) {
    notes.add(
      `The time axis says ${round(described)} s per line, but the scanner's line time is ${round(scanned)} s. ` +
        `Showing ${round(described)} s.`,
    );
  }
  const agrees = described !== undefined && scanned !== undefined && Math.abs(described / scanned - 1) < SEVEN_DIGITS;
  const exact = agrees ? scanned : described;
  const step = exact === undefined ? undefined : makeStep(exact, 'seconds');
  const derived = scanned === undefined ? undefined : makeStep(scanned, 'seconds', 'derived');
  if (!step && !derived) {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    );
  }
  return step ?? derived ?? defaultStep('Pixels');
}

/** Returns the line time multiplied by the lines that are averaged or accumulated. */
function scannerPeriod({ settings }: RawImage): number | undefined {
  if (!settings || !(settings.lineTime > 0)) return undefined;
  const times = (value: number) => (Number.isFinite(value) && value > 1 ? value : 1);
  return settings.lineTime * times(settings.lineAverage) * times(settings.lineAccumulation);
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
