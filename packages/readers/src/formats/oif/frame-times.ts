/** When the frames of a series were recorded, from the properties of their planes. */

import { ignoreCorrupted } from '../../base/errors.js';
import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { Step } from '../../model/acquisition.js';
import type { AxisEvidence } from '../../model/metadata/axes.js';
import { unitMeaning } from '../../model/metadata/units.js';
import { type FluoViewSet, propertiesName } from './fluoview-set.js';
import type { RawMain } from './parse.js';
import type { FilePlan } from './plan.js';

/** Each frame costs reading a file. Of longer series, this many pairs of neighboring frames are read. */
const PAIRS = 32;

export interface FrameTime {
  frame: number;
  /** The unit of the files: whole numbers, so that their differences are exact. */
  milliseconds: number;
}

/** Reads the times in ascending order of frames, without those that have no usable properties. Empty for one frame. */
export function readFrameTimes(set: FluoViewSet, raw: RawMain, plan: FilePlan): FrameTime[] {
  const times: FrameTime[] = [];
  for (const frame of framesToRead(plan.T)) {
    const properties = readProperties(set, plan, { t: frame, z: 0, lambda: 0 });
    const milliseconds = properties && findTime(properties, raw);
    if (milliseconds !== undefined) times.push({ frame, milliseconds });
  }
  return times;
}

/** Returns when a plane was taken, in ms, by its properties. */
export function findTime(properties: OlympusSettings, raw: RawMain): number | undefined {
  const section = axisSection(raw, 'T');
  const value = properties.number(section, 'AbsPositionValue');
  const unit = unitMeaning(properties.text(section, 'AbsPositionUnitName') ?? 'ms');
  return value !== undefined && unit?.unit === 'seconds' ? toMilliseconds(value, unit.factor) : undefined;
}

/** Returns the name of the section of an axis in the properties of a plane. */
export function axisSection(raw: RawMain, code: string): string {
  return `Axis ${raw.axes.get(code)?.index} Parameters`;
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
 * Returns what the file says about the time axis of `count` frames: its own axis, and the times of the frames.
 * @param planes that have columns: all times of a long series can be read when asked for
 */
export function timeEvidence(stated: Step, times: readonly FrameTime[], count: number, planes?: number): AxisEvidence {
  const at = new Float64Array(times.length > 0 ? count : 0).fill(Number.NaN);
  const isSample = framesToRead(count).length < count;
  for (const { frame, milliseconds } of times) at[frame] = milliseconds / 1000;
  return {
    unit: 'seconds',
    nominal: stated.unit === 'seconds' ? [{ step: stated.step, what: 'the T axis of the settings' }] : [],
    measured: { at, what: 'frame times', quantum: 0.001, isSample, planes },
  };
}

/** Reads the properties of a plane, which its channels share. Corrupted ones must not prevent reading the pixels. */
export function readProperties(
  set: FluoViewSet,
  plan: FilePlan,
  { t, z, lambda }: { t: number; z: number; lambda: number },
): OlympusSettings | undefined {
  for (let c = 0; c < plan.channels; c++) {
    const [file] = plan.files(c, lambda, t, z);
    if (file !== undefined) return ignoreCorrupted(() => set.settings(propertiesName(file)));
  }
  return undefined;
}
