/** Describes a recording as a scene: names, steps, date. Pure except for reading frame properties. */
import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { channelsShown } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../metadata/dates.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import { Notes } from '../../notes.js';
import { type Arranged, axesOf, frameAt, MAX_LINE_PERIOD, plannedSize, SAMPLE_TYPES, usedScanner } from './arrange.js';
import { channelDisplays } from './display.js';
import { pixelLength } from './pixel-length.js';
import type { RawFrameProperties, RawProperties } from './properties.js';
import type { Frame, Recording } from './recording.js';
import type { FoundReference } from './reference.js';

/** The date that the software writes when the clock of the recording was not set. */
const UNSET_DATE = '20031224';
/** Wavelengths whose frame properties are read for their names. */
const MAX_LAMBDA_NAMES = 1024;
/** Relative difference of intervals that is worth a warning. */
const UNEVEN = 0.05;

type FrameProperties = (frame: Frame) => RawFrameProperties | undefined;

export function toScene(
  recording: Recording,
  arranged: Arranged,
  reference: FoundReference,
  propertiesOf: FrameProperties,
): SceneInfo {
  const notes = new Notes();
  for (const texts of [recording.notes, arranged.warnings, reference.warnings]) notes.addAll(texts);
  if (!recording.properties) {
    notes.add(
      'The file does not describe the recording: names and order of the channels, calibration and date are unknown.',
    );
  }
  const channels = toChannels(recording, arranged, propertiesOf, notes);
  const T = timeStep(recording, arranged, propertiesOf, notes);
  const Y = arranged.lineScan ? linePeriod(recording, notes) : pixelStep(recording, arranged, 'Y', notes);
  const X = pixelStep(recording, arranged, 'X', notes);
  return {
    name: recording.name.replace(/\.oir$/i, ''),
    sampleType: SAMPLE_TYPES[arranged.bytesPerSample],
    channels,
    sizes: { T: arranged.t.length, Z: arranged.z.length, Y: arranged.rows, X: arranged.geometry.width },
    steps: { T, Z: depthStep(recording, arranged, propertiesOf), Y, X },
    ...findClock(recording),
    reference: reference.image?.info ?? null,
    warnings: notes.list(),
  };
}

function toChannels(
  recording: Recording,
  arranged: Arranged,
  propertiesOf: FrameProperties,
  notes: Notes,
): ChannelInfo[] {
  const names = arranged.channels.map((id) => arranged.channelNames.get(id) ?? id);
  const wavelengths = arranged.lambda.length;
  const displays = channelDisplays(recording, arranged.channels, names);
  // A single wavelength of several planned ones keeps its name: the others are missing, not the axis.
  if (wavelengths === 1 && plannedSize(recording.properties, 'LAMBDA') <= 1) {
    return channelsShown(channelsNamed(names), displays);
  }
  notes.add(
    `This is a wavelength scan: ${arranged.channels.length} channels at ${wavelengths} wavelengths are shown as ` +
      `${arranged.channels.length * wavelengths} channels.`,
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

function findClock(recording: Recording): WallClock {
  for (const text of [recording.properties?.created, recording.first?.created]) {
    const clock = text ? parseDateTime(text) : undefined;
    if (clock && clock.date !== UNSET_DATE) return clock;
  }
  return NO_CLOCK;
}

/** Returns the pixel size of the first described channel, else the resolution of the acquisition. */
function pixelStep(recording: Recording, arranged: Arranged, axis: 'X' | 'Y', notes: Notes): Step {
  const { properties } = recording;
  if (!properties) return defaultStep();
  const { value, unit } = pixelLength(properties, arranged.channels[0], axis);
  return fileStep(value, unit, { what: `${axis} step`, warnings: notes, expect: 'micrometer' });
}

/** Returns the seconds from one line to the next. The series interval of the scanner in use is the line period. */
function linePeriod(recording: Recording, notes: Notes): Step {
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
  if (properties) {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    );
  }
  return defaultStep();
}

/** Returns the shortest interval of any scanner that can be a line period. */
function shortestInterval(properties: RawProperties | undefined): number | undefined {
  let min: number | undefined;
  for (const { seriesInterval } of properties?.scanners ?? []) {
    if (seriesInterval === undefined || seriesInterval <= 0 || seriesInterval >= MAX_LINE_PERIOD) continue;
    if (min === undefined || seriesInterval < min) min = seriesInterval;
  }
  return min;
}

/** Returns the distance between neighbors along an axis, from its ends. */
function axisSpread(properties: RawProperties | undefined, type: string): number | undefined {
  for (const { start, end, maxSize } of axesOf(properties, type)) {
    if (start === undefined || end === undefined || maxSize === undefined || maxSize < 2) continue;
    const spread = Math.abs(end - start) / (maxSize - 1);
    if (spread > 0) return spread;
  }
  return undefined;
}

/** Returns the seconds from one frame to the next, by the times of the frames, else by the axis or the scanner. */
function timeStep(recording: Recording, arranged: Arranged, propertiesOf: FrameProperties, notes: Notes): Step {
  const count = arranged.t.length;
  if (count === 1) return defaultStep('Frames');
  const position = (t: number) => positionAt(recording, arranged, propertiesOf, 'TIMELAPSE', { t, z: 0 });
  const [first, second, last] = [position(0), position(1), position(count - 1)];
  if (first !== undefined && (last !== undefined || second !== undefined)) {
    const early = second === undefined ? undefined : second - first;
    const mean = last === undefined ? early! : (last - first) / (count - 1);
    const step = makeStep(mean / 1000, 'seconds');
    if (step && early !== undefined && Math.abs(early - mean) > UNEVEN * mean) {
      notes.add('The time points are not evenly spaced. The T step is their mean interval.');
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
  index: { t: number; z: number },
): number | undefined {
  const frame = frameAt(recording, arranged, { ...index, lambda: 0 });
  return frame && propertiesOf(frame)?.positions.get(type);
}
