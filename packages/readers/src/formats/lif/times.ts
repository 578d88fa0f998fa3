/** What a file says about the time from line to line and from frame to frame. */

import type { Notes } from '../../base/notes.js';
import { shorten } from '../../base/wording.js';
import type { Step } from '../../model/acquisition.js';
import {
  type AxisEvidence,
  type MeasuredValues,
  type NominalStep,
  type ResolvedAxis,
  resolveAxis,
  warnOfAxis,
} from '../../model/metadata/axes.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { inUnit, isUncalibrated, unitMeaning } from '../../model/metadata/units.js';
import { countEntries, type DataAxis, type ImageLayout } from './layout.js';
import type { RawLifImage } from './parse.js';

/** 1970-01-01 in 100 ns since 1601-01-01. */
const UNIX_EPOCH = 116_444_736_000_000_000n;
/** The largest relative error of rounding to seven digits. */
const SEVEN_DIGITS = 1e-6;
/** Stamps are written in units of 100 ns, but the clock of the recording computer counts milliseconds. */
const CLOCK_SECONDS = 0.001;

/** Converts a stamp to milliseconds since 1970; `undefined` when it is invalid. */
export function stampToMilliseconds(hex: string): number | undefined {
  const ticks = toTicks(hex);
  const milliseconds = ticks === undefined ? 0 : Number((ticks - UNIX_EPOCH) / 10_000n);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Returns a stamp in units of 100 ns; `undefined` when it is invalid. */
export function toTicks(hex: string | undefined): bigint | undefined {
  return hex !== undefined && /^[0-9a-f]{1,16}$/i.test(hex) ? BigInt(`0x${hex}`) : undefined;
}

/** Returns Length / (N − 1) of the time axis. N is the planned count even when fewer were recorded, as Length covers it. */
function axisInterval({ raw }: DataAxis, axis: 'T' | 'Y', notes: Notes): number | undefined {
  if (!raw || raw.count < 2 || !Number.isFinite(raw.length)) return undefined;
  const meaning = unitMeaning(raw.unit);
  const step = Math.abs(raw.length) / (raw.count - 1);
  if (step === 0) return undefined;
  if (meaning?.unit === 'seconds') return inUnit(step, meaning);
  if (!isUncalibrated(raw.unit)) {
    notes.add(
      `${axis} step: the unit "${shorten(raw.unit)}" of the time axis is not a known unit of time; it was ignored.`,
    );
  }
  return undefined;
}

/** Returns the T axis of a series of frames: its `Length`, and the time stamps of the frames. */
export function resolveFrames(image: RawLifImage, layout: ImageLayout, notes: Notes): ResolvedAxis {
  const { t } = layout;
  if (t.count < 2) return { step: defaultStep('Frames') };
  const interval = axisInterval(t, 'T', notes);
  const evidence: AxisEvidence = {
    unit: 'seconds',
    nominal: interval === undefined ? [] : [{ step: interval, what: 'the time axis' }],
    measured: findStamps(image, layout),
  };
  const resolved = resolveAxis('T', t.count, evidence, notes);
  if (resolved.step.unit === 'seconds') return resolved;
  return warnOfAxis(resolved, 'The file does not contain the frame interval; T is in frames.', notes);
}

/** Finds the place of the stamps along T, when T is the slowest axis and every frame or channel has a stamp. */
function stampsPerTime({ stamps, channels }: RawLifImage, layout: ImageLayout): number | undefined {
  const { t, z } = layout;
  const slower = [z, ...layout.wavelengthAxes, ...layout.sceneAxes].some(
    ({ count, increment }) => count > 1 && increment > t.increment,
  );
  const times = t.raw?.count ?? 1;
  const frames = times * z.count * countEntries(layout.wavelengthAxes) * countEntries(layout.sceneAxes);
  const perFrame = stamps.length / frames;
  return slower || (perFrame !== 1 && perFrame !== channels.length) ? undefined : stamps.length / times;
}

function findStamps(image: RawLifImage, layout: ImageLayout): MeasuredValues | undefined {
  const perTime = stampsPerTime(image, layout);
  const first = toTicks(image.stamps[0]);
  if (perTime === undefined || first === undefined) return undefined;
  const at = Float64Array.from({ length: layout.t.count }, (_, t) => {
    const ticks = toTicks(image.stamps[t * perTime]);
    return ticks === undefined ? Number.NaN : Number(ticks - first) / 1e7;
  });
  return { at, what: 'time stamps', quantum: CLOCK_SECONDS, origin: 'derived' };
}

/**
 * Returns the line period of a line scan from the time axis, or from the scanner's line time when the axis has none.
 * `Length` is written with seven digits and the line time with fifteen, so the line time is preferred where both agree.
 */
export function linePeriod(image: RawLifImage, layout: ImageLayout, notes: Notes): Step {
  const described = axisInterval(layout.rows, 'Y', notes);
  const scanned = scannerPeriod(image);
  const nominal: NominalStep[] = [];
  const agrees = described !== undefined && scanned !== undefined && Math.abs(described / scanned - 1) < SEVEN_DIGITS;
  if (agrees) nominal.push({ step: scanned, what: "the scanner's line time" });
  else {
    if (described !== undefined) nominal.push({ step: described, what: 'the time axis' });
    if (scanned !== undefined) nominal.push({ step: scanned, what: "the scanner's line time", origin: 'derived' });
  }
  const { step } = resolveAxis('Y', layout.rows.count, { unit: 'seconds', nominal }, notes);
  if (step.unit !== 'seconds') {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    );
  }
  return step;
}

/** Returns the line time multiplied by the lines that are averaged or accumulated. */
function scannerPeriod({ settings }: RawLifImage): number | undefined {
  if (!settings || !(settings.lineTime > 0)) return undefined;
  const times = (value: number) => (Number.isFinite(value) && value > 1 ? value : 1);
  return settings.lineTime * times(settings.lineAverage) * times(settings.lineAccumulation);
}
