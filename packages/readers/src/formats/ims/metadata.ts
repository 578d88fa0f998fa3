/** From the metadata of an Imaris file to a scene. Pure. */

import type { Notes } from '../../base/notes.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown, fractionColor } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { toInstrument } from '../../model/metadata/instrument.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import type { SampleType } from '../../model/samples/types.js';
import { channelOptics, toFoundInstrument } from './instrument.js';
import type { RawIms } from './parse.js';

/** Imaris writes this for a channel without a name. */
const UNNAMED = /^\(name not specified\)$/i;

/** What the arrays contain, which may be less than the file describes. */
export interface ImsContents {
  size: RawIms['size'];
  sampleType: SampleType;
  /** The time points are the rows of a line scan. */
  isLineScan: boolean;
}

/** Builds the scene from the metadata and what the arrays contain. */
export function toScene(raw: RawIms, { size, sampleType, isLineScan }: ImsContents, notes: Notes): SceneInfo {
  const time = resolveTime(raw, isLineScan ? 'Y' : 'T', notes);
  const clock = parseDateTime(raw.recordingDate ?? '') ?? parseDateTime(raw.times[0] ?? '') ?? NO_CLOCK;
  const length = (axis: 'X' | 'Y' | 'Z') => lengthStep(raw, axis, notes);
  const steps = {
    T: isLineScan ? defaultStep('Frames') : time.step,
    Z: size.Z > 1 ? length('Z') : defaultStep('Planes'),
    Y: isLineScan ? time.step : length('Y'),
    X: length('X'),
  };
  return {
    name: cleanName(raw.name),
    sampleType,
    channels: toChannels(raw),
    sizes: {
      T: isLineScan ? 1 : raw.timePoints.length,
      Z: size.Z,
      Y: isLineScan ? raw.timePoints.length : size.Y,
      X: size.X,
    },
    steps,
    ...measuredAxes({ [isLineScan ? 'Y' : 'T']: time }),
    ...toInstrument(toFoundInstrument(raw.instrument, { recordingDate: raw.recordingDate, firstTime: raw.times[0] })),
    ...clock,
    reference: null,
    warnings: notes.list(),
  };
}

function toChannels({ channelNames, channelColors, channelRanges, instrument }: RawIms): ChannelInfo[] {
  const named = channelsNamed(channelNames.map((name) => (UNNAMED.test(name?.trim() ?? '') ? undefined : name)));
  const shown = channelsShown(
    named,
    named.map((_, i) => ({ color: parseColor(channelColors[i]), window: parseWindow(channelRanges[i]) })),
  );
  return shown.map((channel, i) => ({ ...channel, ...channelOptics(instrument, i) }));
}

/** Parses `0.000 1.000 0.000`, red to blue. */
function parseColor(text: string | undefined): string | undefined {
  const [red, green, blue] = parseNumbers(text, 3);
  return red === undefined || green === undefined || blue === undefined ? undefined : fractionColor(red, green, blue);
}

/** Parses `0.000 255.000`: the values shown as black and as full intensity. */
function parseWindow(text: string | undefined): ChannelInfo['window'] {
  const [start, end] = parseNumbers(text, 2);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** Returns exactly `count` numbers, or an empty list. */
function parseNumbers(text: string | undefined, count: number): number[] {
  const parts = text?.trim().split(/\s+/, count + 1) ?? [];
  return parts.length === count && parts[0] !== '' ? parts.map(Number) : [];
}

/** The extents are the outer edges of the described volume, in either order: N pixels lie between them. */
function lengthStep({ extents, size, unit }: RawIms, axis: 'X' | 'Y' | 'Z', notes: Notes): Step {
  const { min, max } = extents[axis];
  const fallback = axis === 'Z' ? 'Planes' : 'Pixels';
  if (min === undefined || max === undefined || min === max) return defaultStep(fallback);
  const step = Math.abs(max - min) / size[axis];
  return fileStep(step, unit || 'um', { what: `${axis} step`, warnings: notes, fallback, expect: 'micrometer' });
}

/** Returns the axis of the time points. The file has their clock times, and no interval that was set. */
function resolveTime({ timePoints, times }: RawIms, axis: 'T' | 'Y', notes: Notes): ResolvedAxis {
  const milliseconds = times.map(parseMilliseconds);
  const first = milliseconds.find(Number.isFinite) ?? 0;
  const at = milliseconds.map((value) => (value - first) / 1000);
  const measured = { at, what: 'clock times', quantum: 0.001, origin: 'derived' } as const;
  const resolved = resolveAxis(axis, timePoints.length, { unit: 'seconds', measured }, notes);
  if (timePoints.length > 1 && resolved.step.unit !== 'seconds') {
    notes.add(`${axis} step: the file does not contain valid times for its time points.`);
  }
  return resolved;
}

/** Converts `YYYY-MM-DD HH:MM:SS.SSS` to milliseconds; NaN for anything else. */
function parseMilliseconds(text: string | undefined): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?/.exec(text?.trim() ?? '');
  if (!match) return Number.NaN;
  const [, year, month, day, clock, fraction = '0'] = match;
  return Date.parse(`${year}-${month}-${day}T${clock}Z`) + Number(`0.${fraction}`) * 1000;
}
