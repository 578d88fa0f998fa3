/** Raw records to the domain: names, steps, date. Pure but for the frame properties that it asks for. */
import type { ChannelInfo, ReferenceInfo, SceneInfo, Step } from '../../acquisition.js';
import { channelsShown } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../metadata/dates.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import type { SampleType } from '../../samples/types.js';
import { type Arranged, axesOf, frameAt, LONGEST_LINE, plannedSize, usedScanner } from './arrange.js';
import { channelDisplays } from './display.js';
import type { RawChannel, RawFrameProperties, RawProperties } from './properties.js';
import type { Frame, Recording } from './recording.js';

/** Written when nobody set the clock of the recording. */
const UNSET_DATE = '20031224';
/** Wavelengths whose frame properties are read for their names. */
const MAX_LAMBDA_NAMES = 1024;
const DEFAULT_UNIT = 'MICRO_METER';

export const SAMPLE_TYPES: Record<1 | 2 | 4, SampleType> = { 1: 'uint8', 2: 'uint16', 4: 'float32' };

export type FrameProperties = (frame: Frame) => RawFrameProperties | undefined;

export function toScene(
  recording: Recording,
  arranged: Arranged,
  reference: ReferenceInfo | null,
  propertiesOf: FrameProperties,
): SceneInfo {
  const warnings = [...recording.warnings, ...arranged.warnings];
  if (!recording.properties) {
    warnings.push(
      'the file does not describe the recording: names and order of the channels, calibration and date are unknown',
    );
  }
  const clock = clockOf(recording);
  return {
    name: recording.name.replace(/\.oir$/i, ''),
    sampleType: SAMPLE_TYPES[arranged.bytesPerSample],
    channels: channelsOf(recording, arranged, propertiesOf, warnings),
    sizes: { T: arranged.t.length, Z: arranged.z.length, Y: arranged.rows, X: arranged.geometry.width },
    steps: {
      T: timeStep(recording, arranged, propertiesOf, warnings),
      Z: depthStep(recording, arranged, propertiesOf),
      Y: arranged.lineScan ? linePeriod(recording, arranged, warnings) : pixelStep(recording, arranged, 'Y', warnings),
      X: pixelStep(recording, arranged, 'X', warnings),
    },
    ...clock,
    reference,
    warnings,
  };
}

function channelsOf(
  recording: Recording,
  arranged: Arranged,
  propertiesOf: FrameProperties,
  warnings: string[],
): ChannelInfo[] {
  const names = arranged.channels.map((id) => arranged.channelNames.get(id) ?? id);
  const wavelengths = arranged.lambda.length;
  const displays = channelDisplays(recording, arranged.channels, names);
  // One wavelength of several that were planned keeps its name: the others are missing, not the axis.
  if (wavelengths === 1 && plannedSize(recording.properties, 'LAMBDA') <= 1) {
    return channelsShown(channelsNamed(names), displays);
  }
  warnings.push(
    `a wavelength scan: ${arranged.channels.length} channels at ${wavelengths} wavelengths are shown as ` +
      `${arranged.channels.length * wavelengths} channels`,
  );
  const labels = arranged.lambda.map((_, i) => {
    const frame = i < MAX_LAMBDA_NAMES ? frameAt(recording, arranged, { t: 0, lambda: i, z: 0 }) : undefined;
    const position = frame && propertiesOf(frame)?.positions.get('LAMBDA');
    return position === undefined ? `λ${i + 1}` : `${Number(position.toFixed(3))} nm`;
  });
  return channelsShown(
    channelsNamed(names.flatMap((name) => labels.map((label) => `${name} ${label}`))),
    displays.flatMap((display) => labels.map(() => display)),
  );
}

function clockOf(recording: Recording): WallClock {
  for (const text of [recording.properties?.created, recording.first?.created]) {
    const clock = text ? parseDateTime(text) : undefined;
    if (clock && clock.date !== UNSET_DATE) return clock;
  }
  return NO_CLOCK;
}

/** Micrometer per pixel of the first described channel, else the resolution of the acquisition. */
function pixelStep(recording: Recording, arranged: Arranged, axis: 'X' | 'Y', warnings: string[]): Step {
  const { properties } = recording;
  if (!properties) return defaultStep();
  const { value, unit } = pixelLength(properties, arranged.channels[0], axis);
  return fileStep(value, unit, { what: `${axis} step`, warnings, expect: 'micrometer' });
}

export function pixelLength(
  properties: RawProperties,
  channel: string | undefined,
  axis: 'X' | 'Y',
): { value: number | undefined; unit: string } {
  const own = properties.channels.find(({ id, lengthX }) => id === channel && lengthX !== undefined);
  const described = own ?? properties.channels.find(({ lengthX }) => lengthX !== undefined);
  const { length, unit } = lengthOf(described, axis);
  if (length !== undefined && length !== 0) return { value: length, unit: unitText(unit) };
  const resolution = axis === 'X' ? properties.resolutionX : properties.resolutionY;
  return { value: resolution ?? length, unit: unitText(DEFAULT_UNIT) };
}

function lengthOf(channel: RawChannel | undefined, axis: 'X' | 'Y'): { length: number | undefined; unit: string } {
  if (axis === 'X') return { length: channel?.lengthX, unit: channel?.unitX ?? '' };
  return { length: channel?.lengthY, unit: channel?.unitY || (channel?.unitX ?? '') };
}

/** `NANO_METER` → `nanometer`. */
function unitText(unit: string): string {
  return (unit || DEFAULT_UNIT).replaceAll('_', '').toLowerCase();
}

/** Seconds from one line to the next. The series interval of the scanner in use is the line's own period. */
function linePeriod(recording: Recording, arranged: Arranged, warnings: string[]): Step {
  const { properties } = recording;
  const used = usedScanner(properties);
  const stated = [used?.seriesInterval, shortestInterval(properties), used?.lineSpeed];
  for (const milliseconds of stated) {
    const step = milliseconds === undefined ? undefined : makeStep(milliseconds / 1000, 'seconds');
    if (step) return step;
  }
  const spread = axisSpread(properties, 'TIMELAPSE');
  const derived = spread === undefined ? undefined : makeStep(spread / 1000, 'seconds', 'derived');
  if (derived) return derived;
  if (properties) warnings.push(`no line period is stated; the ${arranged.rows} lines have no time scale`);
  return defaultStep();
}

/** The shortest interval of any scanner that a single line can have. */
function shortestInterval(properties: RawProperties | undefined): number | undefined {
  let least: number | undefined;
  for (const { seriesInterval } of properties?.scanners ?? []) {
    if (seriesInterval === undefined || seriesInterval <= 0 || seriesInterval >= LONGEST_LINE) continue;
    if (least === undefined || seriesInterval < least) least = seriesInterval;
  }
  return least;
}

/** Distance of neighbours by the ends of an axis. */
function axisSpread(properties: RawProperties | undefined, type: string): number | undefined {
  for (const { start, end, maxSize } of axesOf(properties, type)) {
    if (start === undefined || end === undefined || maxSize === undefined || maxSize < 2) continue;
    const spread = Math.abs(end - start) / (maxSize - 1);
    if (spread > 0) return spread;
  }
  return undefined;
}

/** Relative difference from which intervals are called uneven. */
const UNEVEN = 0.05;

/** Seconds from one frame to the next, by the positions of the frames themselves. */
function timeStep(recording: Recording, arranged: Arranged, propertiesOf: FrameProperties, warnings: string[]): Step {
  const count = arranged.t.length;
  if (count === 1) return defaultStep('Frames');
  const position = (t: number) => positionAt(recording, arranged, propertiesOf, 'TIMELAPSE', { t, z: 0 });
  const [first, second, last] = [position(0), position(1), position(count - 1)];
  if (first !== undefined && (last !== undefined || second !== undefined)) {
    const early = second === undefined ? undefined : second - first;
    const mean = last === undefined ? (early as number) : (last - first) / (count - 1);
    const step = makeStep(mean / 1000, 'seconds');
    if (step && early !== undefined && Math.abs(early - mean) > UNEVEN * mean) {
      warnings.push(`the time points are not evenly spaced; the T step is their mean interval`);
    }
    if (step) return step;
  }
  const interval = usedScanner(recording.properties)?.seriesInterval;
  const axis = axesOf(recording.properties, 'TIMELAPSE').find(({ step }) => (step ?? 0) > 0)?.step;
  for (const milliseconds of [axis, interval]) {
    const step = milliseconds === undefined ? undefined : makeStep(milliseconds / 1000, 'seconds');
    if (step) return step;
  }
  return defaultStep('Frames');
}

function depthStep(recording: Recording, arranged: Arranged, propertiesOf: FrameProperties): Step {
  const count = arranged.z.length;
  if (count === 1) return defaultStep('Planes');
  const stated = axesOf(recording.properties, 'ZSTACK').find(({ step }) => step !== undefined && step !== 0)?.step;
  const fromAxis = stated === undefined ? undefined : makeStep(Math.abs(stated), 'micrometer');
  if (fromAxis) return fromAxis;
  const position = (z: number) => positionAt(recording, arranged, propertiesOf, 'ZSTACK', { t: 0, z });
  const [first, second] = [position(0), position(1)];
  if (first === undefined || second === undefined) return defaultStep('Planes');
  return makeStep(Math.abs(second - first), 'micrometer') ?? defaultStep('Planes');
}

function positionAt(
  recording: Recording,
  arranged: Arranged,
  propertiesOf: FrameProperties,
  type: string,
  at: { t: number; z: number },
): number | undefined {
  const frame = frameAt(recording, arranged, { t: at.t, lambda: 0, z: at.z });
  return frame && propertiesOf(frame)?.positions.get(type);
}
