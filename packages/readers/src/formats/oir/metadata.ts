/** Describes a recording as a scene: names, steps, date. Pure except for reading frame properties. */

import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { ChannelInfo, FoundReference, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../model/metadata/dates.js';
import { toInstrument } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../model/metadata/steps.js';
import { type Arranged, axesOf, frameAt, MAX_LINE_PERIOD, plannedSize, SAMPLE_TYPES, usedScanner } from './arrange.js';
import { channelDisplays } from './display.js';
import { channelOptics, instrumentOf } from './instrument.js';
import { pixelLength } from './pixel-length.js';
import type { RawFrameProperties, RawProperties } from './properties.js';
import type { Frame, Recording } from './recording.js';
import type { OirReference } from './reference.js';

/** The date that the software writes when the clock of the recording was not set. */
const UNSET_DATE = '20031224';
/** Wavelengths whose frame properties are read for their names. */
const MAX_LAMBDA_NAMES = 1024;
/** Times are in milliseconds with three digits, positions in micrometers with three. */
const TIME_QUANTUM = 1e-6;
const DEPTH_QUANTUM = 0.001;

type FrameProperties = (frame: Frame) => RawFrameProperties | undefined;

export function toScene(
  recording: Recording,
  arranged: Arranged,
  reference: FoundReference<OirReference>,
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
  const time = resolveTime(recording, arranged, propertiesOf, notes);
  const depth = resolveDepth(recording, arranged, propertiesOf, notes);
  const Y = arranged.lineScan ? linePeriod(recording, notes) : pixelStep(recording, arranged, 'Y', notes);
  const X = pixelStep(recording, arranged, 'X', notes);
  return {
    name: recording.name.replace(/\.oir$/i, ''),
    sampleType: SAMPLE_TYPES[arranged.bytesPerSample],
    channels,
    sizes: { T: arranged.t.length, Z: arranged.z.length, Y: arranged.rows, X: arranged.geometry.width },
    steps: { T: time.step, Z: depth.step, Y, X },
    ...measuredAxes({ T: time, Z: depth }),
    ...toInstrument(instrumentOf(recording)),
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
    const shown = channelsShown(channelsNamed(names), displays);
    return shown.map((channel, i) => ({ ...channel, ...channelOptics(recording, arranged.channels[i]) }));
  }
  notes.add(
    `This is a wavelength scan: ${grouped(arranged.channels.length)} channels at ${grouped(wavelengths)} wavelengths are shown as ` +
      `${grouped(arranged.channels.length * wavelengths)} channels.`,
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

/**
 * Returns the T axis: the times of the frames, the interval of the axis and that of the scanner. Of long series, only some
 * frames are looked at, because each is a read.
 */
function resolveTime(
  recording: Recording,
  arranged: Arranged,
  propertiesOf: FrameProperties,
  notes: Notes,
): ResolvedAxis {
  const count = arranged.t.length;
  const milliseconds = (t: number) => positionAt(recording, arranged, propertiesOf, 'TIMELAPSE', { t, z: 0 });
  const at = samplePositions(count, [0, 1, count - 1], milliseconds);
  const { properties } = recording;
  const axis = axesOf(properties, 'TIMELAPSE').find(({ step }) => (step ?? 0) > 0);
  // Of a series with sections or pauses, the interval of the scanner is that of single frames: no evidence beside others.
  const interval = at.filter(Number.isFinite).length > 1 ? undefined : usedScanner(properties)?.seriesInterval;
  // The axis of a line scan is that of its lines.
  const step = count > 1 ? (axis?.step ?? interval) : undefined;
  const what = axis ? 'the `TIMELAPSE` axis' : '`seriesInterval`';
  const nominal: NominalStep[] = step === undefined ? [] : [{ step: step / 1000, what }];
  const measured = {
    at: at.map((value) => value / 1000),
    what: 'frame times',
    quantum: TIME_QUANTUM,
    isSample: count > 3,
    planes: planesOf(arranged),
  };
  return resolveAxis('T', count, { unit: 'seconds', nominal, measured }, notes);
}

/** Returns the Z axis: the step that was set, and the positions of the first and the last section. */
function resolveDepth(
  recording: Recording,
  arranged: Arranged,
  propertiesOf: FrameProperties,
  notes: Notes,
): ResolvedAxis {
  const count = arranged.z.length;
  const stated = axesOf(recording.properties, 'ZSTACK').find(({ step }) => step !== undefined && step !== 0)?.step;
  const nominal = stated === undefined ? [] : [{ step: Math.abs(stated), what: 'the `ZSTACK` axis' }];
  const position = (z: number) => positionAt(recording, arranged, propertiesOf, 'ZSTACK', { t: 0, z });
  const at = samplePositions(count, [0, count - 1], position);
  const measured = {
    at,
    what: 'section positions',
    quantum: DEPTH_QUANTUM,
    isSample: count > 2,
    planes: planesOf(arranged),
  };
  return resolveAxis('Z', count, { unit: 'micrometer', nominal, measured }, notes);
}

function planesOf({ t, z, lambda, channels }: Arranged): number {
  return t.length * z.length * lambda.length * channels.length;
}

/** Positions at some indices of an axis; NaN at the others, and where the file has none. */
function samplePositions(
  count: number,
  indices: readonly number[],
  positionOf: (index: number) => number | undefined,
): Float64Array {
  const at = new Float64Array(count).fill(Number.NaN);
  if (count > 1) for (const index of new Set(indices)) at[index] = positionOf(index) ?? Number.NaN;
  return at;
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
