/** Seconds from line to line and from frame to frame. */
import type { Step } from '../../acquisition.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import type { RawImage } from './document.js';
import { type Axis, entriesOf, type ImageLayout } from './layout.js';

/** 1970-01-01 in 100 ns since 1601-01-01. */
const UNIX_EPOCH = 116_444_736_000_000_000n;
/** Relative difference from which two statements about one time disagree. */
const DIFFERENT = 0.01;

/** What rounding to seven digits can change, relatively. */
const SEVEN_DIGITS = 1e-6;

/** Milliseconds since 1970 of a stamp; `undefined` when it is no time. */
export function stampMilliseconds(hex: string): number | undefined {
  if (!/^[0-9a-f]{1,16}$/i.test(hex)) return undefined;
  const milliseconds = Number((BigInt(`0x${hex}`) - UNIX_EPOCH) / 10_000n);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Seconds between two stamps. */
function secondsBetween(first: string, last: string): number | undefined {
  if (!/^[0-9a-f]{1,16}$/i.test(first) || !/^[0-9a-f]{1,16}$/i.test(last)) return undefined;
  return Number(BigInt(`0x${last}`) - BigInt(`0x${first}`)) / 1e7;
}

/** Length / (N − 1) of the time axis; the announced N, since that is what Length belongs to. */
function statedStep({ raw }: Axis): number | undefined {
  if (!raw || raw.count < 2 || !Number.isFinite(raw.length)) return undefined;
  const meaning = unitMeaning(raw.unit);
  if (meaning?.unit !== 'seconds') return undefined;
  const step = (Math.abs(raw.length) * meaning.factor) / (raw.count - 1);
  return step > 0 ? step : undefined;
}

/** T step of a series of frames. */
export function frameInterval(image: RawImage, layout: ImageLayout, warnings: string[]): Step {
  const { t } = layout;
  if (t.count < 2) return defaultStep('Frames');
  const stated = statedStep(t);
  const stamped = stampedStep(image, layout);
  if (stated !== undefined && stamped !== undefined && Math.abs(stated / stamped - 1) > DIFFERENT) {
    warnings.push(
      `T step: the time axis says ${short(stated)} s, the time stamps of the frames are ${short(stamped)} s apart; ` +
        'the time axis is served.',
    );
  }
  const step = stated === undefined ? undefined : makeStep(stated, 'seconds');
  const derived = stamped === undefined ? undefined : makeStep(stamped, 'seconds', 'derived');
  if (!step && !derived) warnings.push('T step: the file states no usable time; the axis is in Frames.');
  return step ?? derived ?? defaultStep('Frames');
}

/** Mean interval of the stamps along T, when there is one for each channel or frame and T is the slowest axis. */
function stampedStep({ stamps, channels }: RawImage, layout: ImageLayout): number | undefined {
  const { t, z } = layout;
  const slower = [z, ...layout.lambdas, ...layout.folded].some(
    ({ count, increment }) => count > 1 && increment > t.increment,
  );
  const frames = (t.raw?.count ?? 0) * z.count * entriesOf(layout.lambdas) * entriesOf(layout.folded);
  const perFrame = stamps.length / frames;
  if (slower || (perFrame !== 1 && perFrame !== channels.length)) return undefined;
  const perTime = stamps.length / (t.raw?.count ?? 1);
  const last = stamps[(t.count - 1) * perTime];
  const seconds = last === undefined ? undefined : secondsBetween(stamps[0] as string, last);
  return seconds === undefined || seconds <= 0 ? undefined : seconds / (t.count - 1);
}

/**
 * Seconds from one line of a line scan to the next: the time axis, else the scanner's line time. `Length` is written with
 * seven digits, the line time with fifteen: where they agree, the line time is the same number more exactly.
 */
export function linePeriod(image: RawImage, layout: ImageLayout, warnings: string[]): Step {
  const stated = statedStep(layout.rows);
  const scanned = scannedPeriod(image);
  if (stated !== undefined && scanned !== undefined && Math.abs(stated / scanned - 1) > DIFFERENT) {
    warnings.push(
      `Line period: the time axis says ${short(stated)} s, the scanner's line time is ${short(scanned)} s; ` +
        'the time axis is served.',
    );
  }
  const rounded = stated !== undefined && scanned !== undefined && Math.abs(stated / scanned - 1) < SEVEN_DIGITS;
  const exact = rounded ? scanned : stated;
  const step = exact === undefined ? undefined : makeStep(exact, 'seconds');
  const derived = scanned === undefined ? undefined : makeStep(scanned, 'seconds', 'derived');
  if (!step && !derived) warnings.push('Line period: the file states no usable time; Y is in Pixels.');
  return step ?? derived ?? defaultStep('Pixels');
}

/** Line time with the lines that are averaged or added up. */
function scannedPeriod({ settings }: RawImage): number | undefined {
  if (!settings || !(settings.lineTime > 0)) return undefined;
  const times = (value: number) => (Number.isFinite(value) && value > 1 ? value : 1);
  return settings.lineTime * times(settings.lineAverage) * times(settings.lineAccumulation);
}

function short(value: number): number {
  return Number(value.toPrecision(6));
}
