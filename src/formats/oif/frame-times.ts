/** When the frames of a series were taken, by the properties of their planes. */
import type { Step } from '../../acquisition.js';
import { AcqError } from '../../errors.js';
import { makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import { type FileSet, readIni } from './file-set.js';
import type { RawMain } from './parse.js';
import type { PlanePlan } from './plan.js';

/** Each costs a file; of longer series, frames and their neighbors at so many places are looked at. */
const PLACES = 32;
/** Share of the median by which an interval may differ before the series counts as irregular. */
const IRREGULAR = 0.1;

export interface FrameTime {
  frame: number;
  /** The unit of the files: whole numbers, whose differences are exact. */
  milliseconds: number;
}

/** Ascending frames; those without usable properties are left out. Empty for anything but a series. */
export function readFrameTimes(set: FileSet, raw: RawMain, plan: PlanePlan): FrameTime[] {
  const section = `Axis ${raw.axes.get('T')?.index} Parameters`;
  const times: FrameTime[] = [];
  for (const frame of framesToRead(plan.T)) {
    const file = firstFile(plan, frame);
    const pty = file === undefined ? undefined : softIni(set, file.replace(/\.tif$/i, '.pty'));
    const value = pty?.number(section, 'AbsPositionValue');
    const unit = unitMeaning(pty?.text(section, 'AbsPositionUnitName') ?? 'ms');
    if (value !== undefined && unit?.unit === 'seconds')
      times.push({ frame, milliseconds: toMilliseconds(value, unit.factor) });
  }
  return times;
}

/** Divides by whole numbers, where a product would round: 2262 ms are not 2262.0000000000005. */
function toMilliseconds(value: number, seconds: number): number {
  return seconds >= 1 ? value * seconds * 1000 : value / Math.round(0.001 / seconds);
}

/** All frames of a short series, else pairs of neighbors from the first to the last. */
export function framesToRead(count: number): number[] {
  if (count < 2) return [];
  if (count <= 2 * PLACES) return Array.from({ length: count }, (_, frame) => frame);
  const starts = Array.from({ length: PLACES }, (_, place) => Math.round(((count - 2) * place) / (PLACES - 1)));
  return starts.flatMap((frame) => [frame, frame + 1]);
}

/**
 * The step of T: what the axis states where the frames agree with it, else their median distance, with a warning.
 * @param stated by the main file; without a unit when it does not say
 */
export function frameStep(stated: Step, times: readonly FrameTime[], warnings: string[]): Step {
  const gaps = times.slice(1).map((time, i) => {
    const before = times[i] as FrameTime;
    return (time.milliseconds - before.milliseconds) / (time.frame - before.frame) / 1000;
  });
  // Files without times hold zeros.
  if (gaps.every((gap) => gap === 0)) return stated;
  if (!gaps.every((gap) => gap > 0)) {
    warnings.push('The times of the frames do not ascend; they were ignored.');
    return stated;
  }
  gaps.sort((a, b) => a - b);
  const [shortest, median, longest] = [gaps[0], gaps[gaps.length >> 1], gaps.at(-1)] as [number, number, number];
  const measured = makeStep(median, 'seconds', 'derived');
  if (!measured) return stated;
  const differs = (value: number) => Math.abs(value - median) > IRREGULAR * median;
  if (differs(shortest) || differs(longest)) {
    const [from, to] = [shortest, longest].map((value) => Number(value.toPrecision(4)));
    warnings.push(
      `The frame times are not regular: from ${from} to ${to} s apart; their median is served as the step.`,
    );
    return measured;
  }
  if (stated.unit !== 'seconds') return measured;
  if (!differs(stated.step)) return stated;
  warnings.push(
    `The settings say ${Number(stated.step.toPrecision(4))} s per frame, but the frames are ` +
      `${Number(median.toPrecision(4))} s apart, which is served.`,
  );
  return measured;
}

function firstFile(plan: PlanePlan, t: number): string | undefined {
  for (let c = 0; c < plan.channels; c++) {
    const [file] = plan.files(c, 0, t, 0);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Corrupted properties must not prevent reading the pixels. */
function softIni(set: FileSet, name: string) {
  try {
    return readIni(set, name);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
