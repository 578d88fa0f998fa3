/** When the frames of a series were recorded, from the properties of their planes. */
import type { Step } from '../../acquisition.js';
import { AcqError } from '../../errors.js';
import type { Settings } from '../../io/olympus-settings.js';
import { makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import { type FluoViewSet, propertiesName } from './fluoview-set.js';
import type { RawMain } from './parse.js';
import type { PlanePlan } from './plan.js';

/** Each frame costs reading a file. Of longer series, this many pairs of neighboring frames are read. */
const PAIRS = 32;
/** Share of the median by which an interval may differ before the series counts as irregular. */
const IRREGULAR = 0.1;

export interface FrameTime {
  frame: number;
  /** The unit of the files: whole numbers, so that their differences are exact. */
  milliseconds: number;
}

/** Reads the times in ascending order of frames, without those that have no usable properties. Empty for one frame. */
export function readFrameTimes(set: FluoViewSet, raw: RawMain, plan: PlanePlan): FrameTime[] {
  const section = `Axis ${raw.axes.get('T')?.index} Parameters`;
  const times: FrameTime[] = [];
  for (const frame of framesToRead(plan.T)) {
    const file = firstFile(plan, frame);
    const properties = file === undefined ? undefined : readProperties(set, file);
    const value = properties?.number(section, 'AbsPositionValue');
    const unit = unitMeaning(properties?.text(section, 'AbsPositionUnitName') ?? 'ms');
    if (value !== undefined && unit?.unit === 'seconds')
      times.push({ frame, milliseconds: toMilliseconds(value, unit.factor) });
  }
  return times;
}

/** Divides by whole numbers, where multiplying would round: 2262 ms are not 2262.0000000000005. */
function toMilliseconds(value: number, seconds: number): number {
  return seconds >= 1 ? value * seconds * 1000 : value / Math.round(0.001 / seconds);
}

/** Returns all frames of a short series, else pairs of neighbors spread from the first frame to the last. */
export function framesToRead(count: number): number[] {
  if (count < 2) return [];
  if (count <= 2 * PAIRS) return Array.from({ length: count }, (_, frame) => frame);
  const starts = Array.from({ length: PAIRS }, (_, pair) => Math.round(((count - 2) * pair) / (PAIRS - 1)));
  return starts.flatMap((frame) => [frame, frame + 1]);
}

/**
 * Returns the T step: the one of the axis when the frame times agree with it, else their median interval with a warning.
 * @param stated by the main file; without a time unit when the file has none
 */
export function frameStep(stated: Step, times: readonly FrameTime[]): { step: Step; warning?: string } {
  const gaps = times.slice(1).map((time, i) => {
    const previous = times[i]!;
    return (time.milliseconds - previous.milliseconds) / (time.frame - previous.frame) / 1000;
  });
  // Files without times contain zeros.
  if (gaps.every((gap) => gap === 0)) return { step: stated };
  if (!gaps.every((gap) => gap > 0)) {
    return { step: stated, warning: 'The frame times are not in ascending order; they were ignored.' };
  }
  gaps.sort((a, b) => a - b);
  const [shortest, median, longest] = [gaps[0]!, gaps[gaps.length >> 1]!, gaps.at(-1)!];
  const measured = makeStep(median, 'seconds', 'derived');
  if (!measured) return { step: stated };
  const differs = (value: number) => Math.abs(value - median) > IRREGULAR * median;
  if (differs(shortest) || differs(longest)) {
    const intervals = `Frames are between ${short(shortest)} and ${short(longest)} s apart.`;
    return { step: measured, warning: `${intervals} The T step is the median, ${short(median)} s.` };
  }
  if (stated.unit !== 'seconds') return { step: measured };
  if (!differs(stated.step)) return { step: stated };
  return {
    step: measured,
    warning: `The settings say ${short(stated.step)} s per frame, but the frames are ${short(median)} s apart. Showing ${short(median)} s.`,
  };
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}

function firstFile(plan: PlanePlan, t: number): string | undefined {
  for (let c = 0; c < plan.channels; c++) {
    const [file] = plan.files(c, 0, t, 0);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Reads the properties of a plane. Corrupted ones must not prevent reading the pixels. */
function readProperties(set: FluoViewSet, tiff: string): Settings | undefined {
  try {
    return set.settings(propertiesName(tiff));
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
