import type { Notes } from '../../../base/notes.js';
import type { PlaneColumns, SceneInfo, Step } from '../../../model/acquisition.js';
import {
  type AxisEvidence,
  type MeasuredValues,
  measuredAxes,
  type ResolvedAxis,
  resolveAxis,
} from '../../../model/metadata/axes.js';
import { medianOfSorted } from '../../../model/metadata/intervals.js';
import { collectColumns } from '../../../model/metadata/plane-columns.js';
import { defaultStep, makeStep } from '../../../model/metadata/steps.js';
import type { FrameText } from './scanimage-frame-text.js';
import type { Frames } from './scanimage-frames.js';
import type { ScanSettings } from './scanimage-settings.js';

/** Time points whose stamps are all read. Of longer recordings, as few as find a pause: the others are read when asked for. */
const MAX_TIMES = 64;
/** Time stamps have at least six decimals. */
const QUANTUM = 1e-6;

/** Time stamps of the first frame of each time point. */
interface Times extends MeasuredValues {
  /** True when time passed between two neighbors that no frame shows. */
  hasPause: boolean;
}

/**
 * Returns the T axis: time stamps of the frames beat the rate that was set.
 * @param textAt returns the description of a frame
 */
export function resolveTimes(
  settings: ScanSettings,
  frames: Frames,
  textAt: (frame: number) => FrameText,
  { channels, notes }: { channels: number; notes: Notes },
): ResolvedAxis & { hasPause: boolean } {
  const set = frames.period && settings[frames.period];
  const times = readTimes(frames, textAt, frames.T * frames.Z * channels);
  const evidence: AxisEvidence = {
    unit: 'seconds',
    nominal: set ? [{ step: set.seconds, what: set.what }] : [],
    measured: times,
  };
  return { ...resolveAxis('T', frames.T, evidence, notes), hasPause: times?.hasPause === true };
}

function readTimes(frames: Frames, textAt: (frame: number) => FrameText, planes: number): Times | undefined {
  const { T } = frames;
  const secondsAt = (t: number) => {
    const frame = frames.index(t, 0);
    return (frame === undefined ? undefined : textAt(frame).seconds) ?? Number.NaN;
  };
  if (T < 2 || [...Array(Math.min(T, 2)).keys()].every((t) => Number.isNaN(secondsAt(t)))) return undefined;
  const what = 'time stamps (frameTimestamps)';
  if (T <= MAX_TIMES) {
    const at = Float64Array.from({ length: T }, (_, t) => secondsAt(t));
    const intervals = at.slice(1).map((seconds, t) => seconds - at[t]!);
    const typical = medianOfSorted(intervals.filter(Number.isFinite).sort()) ?? 0;
    return { at, what, quantum: QUANTUM, hasPause: intervals.some((interval) => interval > 1.5 * typical) };
  }
  return { ...sampleTimes(T, secondsAt), what, quantum: QUANTUM, isSample: true, planes };
}

/** Reads the stamps of a few time points, and more where time passed that they do not explain. */
function sampleTimes(T: number, secondsAt: (t: number) => number): Pick<Times, 'at' | 'hasPause'> {
  const at = new Float64Array(T).fill(Number.NaN);
  const read = (t: number) => {
    if (Number.isNaN(at[t])) at[t] = secondsAt(t);
    return at[t]!;
  };
  const quarters = [0, 1, 2, 3, 4].map((quarter) => Math.floor((quarter * (T - 1)) / 4));
  const ranges = quarters.slice(1).map((high, i): [number, number] => [quarters[i]!, high]);
  const means = ranges.map(([low, high]) => (read(high) - read(low)) / (high - low));
  const typical = medianOfSorted(Float64Array.from(means.filter(Number.isFinite)).sort()) ?? Number.NaN;
  let hasPause = false;
  for (let count = 0; ranges.length > 0 && count < MAX_TIMES; count++) {
    const [low, high] = ranges.shift()!;
    const unexplained = Math.abs(read(high) - read(low) - typical * (high - low));
    if (!(unexplained > typical / 2)) continue;
    hasPause = true;
    const middle = (low + high) >> 1;
    if (high - low > 1) ranges.push([low, middle], [middle, high]);
  }
  return { at, hasPause };
}

/**
 * Returns the Z axis: the positions of the slices beat the distance that was set, which stays in the header when the
 * positions are listed.
 */
export function resolveDepths(settings: ScanSettings, frames: Pick<Frames, 'Z'>, notes: Notes): ResolvedAxis {
  const { zStep, depths } = settings;
  const at = sliceDepths(settings)?.slice(0, frames.Z);
  const isUsable = at === undefined || at.length !== frames.Z || isMonotonic(at);
  const evidence: AxisEvidence = {
    unit: 'micrometer',
    // The distance of another stack says nothing about positions that somebody listed in any order.
    nominal: zStep && isUsable ? [{ step: zStep.micrometers, what: zStep.what }] : [],
    measured: at && { at, what: `slice positions (${depths?.what})` },
  };
  return resolveAxis('Z', frames.Z, evidence, notes);
}

/** Returns the positions of the slices of a volume; `undefined` where the header does not list them. */
export function depthsOf(settings: ScanSettings, Z: number): readonly number[] | undefined {
  const at = sliceDepths(settings);
  return at && at.length >= Z ? at.slice(0, Z) : undefined;
}

/** Returns the positions of the slices. Headers list that of every frame of a volume, before averaging. */
function sliceDepths({ depths, order: { slices } }: ScanSettings): readonly number[] | undefined {
  const at = depths?.at;
  const repeats = (at?.length ?? 0) / slices;
  if (!at || !Number.isInteger(repeats)) return at;
  const ofSlices = at.filter((_, i) => i % repeats === 0);
  return at.every((depth, i) => depth === ofSlices[Math.floor(i / repeats)]) ? ofSlices : at;
}

/** Reads the time stamp of every frame. Its channels have the same. */
export function readColumns(
  settings: ScanSettings,
  { T, Z, index }: Pick<Frames, 'T' | 'Z' | 'index'>,
  channels: number,
  secondsAt: (frame: number) => number,
): PlaneColumns {
  const listed = sliceDepths(settings);
  const depths = Z > 1 && listed && listed.length >= Z ? listed : undefined;
  return collectColumns(
    { sizes: { T, Z }, channels: { length: channels } },
    ({ t, z }) => {
      const frame = index(t, z);
      return frame === undefined ? {} : { time: secondsAt(frame), z: depths?.[z] };
    },
    channels,
  );
}

function isMonotonic(at: readonly number[]): boolean {
  const sign = Math.sign(at.at(-1)! - at[0]!);
  return at.slice(1).every((depth, i) => (depth - at[i]!) * sign >= 0);
}

/** @param extent of a row and of a column in micrometers; `undefined` where it is unknown */
export function toSteps(
  settings: Pick<ScanSettings, 'linePeriod' | 'isLineScan'>,
  axes: { T: ResolvedAxis; Z: ResolvedAxis },
  { width, height }: { width: number; height: number },
  extent: { x: number; y: number } | undefined,
): Pick<SceneInfo, 'steps' | 'coordinates'> {
  const micrometers = (length: number | undefined, pixels: number): Step =>
    makeStep((length ?? Number.NaN) / pixels, 'micrometer') ?? defaultStep();
  const line = makeStep(settings.linePeriod ?? Number.NaN, 'seconds');
  return {
    steps: {
      T: axes.T.step,
      Z: axes.Z.step,
      Y: settings.isLineScan ? (line ?? defaultStep()) : micrometers(extent?.y, height),
      X: micrometers(extent?.x, width),
    },
    ...measuredAxes(axes),
  };
}
