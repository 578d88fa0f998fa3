/** From the raw description to a scene. Pure. */
import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { channelsShown, fractionColor } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../metadata/dates.js';
import { intervalsOf } from '../../metadata/intervals.js';
import { channelsNamed, cleanName } from '../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import type { SampleType } from '../../samples/types.js';
import { countAre } from '../../wording.js';
import type { Extent, RawIms } from './parse.js';

/** What Imaris writes for a channel without a name. */
const UNNAMED = /^\(name not specified\)$/i;

/**
 * @param announced pixels that the extents span, which a damaged file may hold fewer of
 * @param lines the time points are the rows of a line scan
 */
export function toScene(
  raw: RawIms,
  announced: RawIms['size'],
  sampleType: SampleType,
  lines: boolean,
  warnings: string[],
): SceneInfo {
  const { size, extents } = raw;
  const time = timeStep(raw, warnings);
  const clock = parseDateTime(raw.recordingDate ?? '') ?? parseDateTime(raw.times[0] ?? '') ?? NO_CLOCK;
  const length = (axis: 'X' | 'Y' | 'Z') => lengthStep(extents[axis], announced[axis], raw.unit, axis, warnings);
  return {
    name: cleanName(raw.name),
    sampleType,
    channels: channelsOf(raw),
    sizes: {
      T: lines ? 1 : raw.timePoints.length,
      Z: size.Z,
      Y: lines ? raw.timePoints.length : size.Y,
      X: size.X,
    },
    steps: {
      T: lines ? defaultStep('Frames') : (time ?? defaultStep('Frames')),
      Z: size.Z > 1 ? length('Z') : defaultStep('Planes'),
      Y: lines ? (time ?? defaultStep('Pixels')) : length('Y'),
      X: length('X'),
    },
    ...clock,
    reference: null,
    warnings,
  };
}

function channelsOf({ channelNames, channelColors, channelRanges }: RawIms): ChannelInfo[] {
  const named = channelsNamed(channelNames.map((name) => (UNNAMED.test(name?.trim() ?? '') ? undefined : name)));
  return channelsShown(
    named,
    named.map((_, i) => ({ color: colorOf(channelColors[i]), window: windowOf(channelRanges[i]) })),
  );
}

/** `0.000 1.000 0.000`. */
function colorOf(text: string | undefined): string | undefined {
  const [red, green, blue] = numbersOf(text, 3);
  return red === undefined || green === undefined || blue === undefined ? undefined : fractionColor(red, green, blue);
}

/** `0.000 255.000`: the values shown as black and as full. */
function windowOf(text: string | undefined): ChannelInfo['window'] {
  const [start, end] = numbersOf(text, 2);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** As many numbers as expected, or none. */
function numbersOf(text: string | undefined, count: number): number[] {
  const parts = text?.trim().split(/\s+/, count + 1) ?? [];
  return parts.length === count && parts[0] !== '' ? parts.map(Number) : [];
}

/** The extents are the edges of the volume: N pixels lie between them. Either may be the larger one. */
function lengthStep(
  { min, max }: Extent,
  size: number,
  unit: string | undefined,
  axis: string,
  warnings: string[],
): Step {
  const fallback = axis === 'Z' ? 'Planes' : 'Pixels';
  if (min === undefined || max === undefined || min === max) return defaultStep(fallback);
  const step = Math.abs(max - min) / size;
  return fileStep(step, unit || 'um', { what: `${axis} step`, warnings, fallback, expect: 'micrometer' });
}

/** Median distance of the time points; `undefined` when the file does not tell. */
function timeStep({ timePoints, times }: RawIms, warnings: string[]): Step | undefined {
  if (timePoints.length < 2) return undefined;
  const { median, irregular } = intervalsOf(times.map(millisecondsOf));
  const step = median === undefined ? undefined : makeStep(median / 1000, 'seconds', 'derived');
  if (!step) warnings.push('T step: the file states no usable times for its time points.');
  else if (irregular > 0) {
    warnings.push(`T step: ${countAre(irregular, 'interval')} more than a tenth off the median, which is shown.`);
  }
  return step;
}

/** `YYYY-MM-DD HH:MM:SS.SSS` in milliseconds; NaN for anything else. */
function millisecondsOf(text: string | undefined): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?/.exec(text?.trim() ?? '');
  if (!match) return Number.NaN;
  const [, year, month, day, clock, fraction = '0'] = match;
  return Date.parse(`${year}-${month}-${day}T${clock}Z`) + Number(`0.${fraction}`) * 1000;
}
