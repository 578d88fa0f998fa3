/** Arranges frames by time, depth, wavelength and channel, and counts their lines. Pure. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted, asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../base/wording.js';
import { lastPart } from '../../io/paths.js';
import type { SampleType } from '../../model/samples/types.js';
import { orderChannels } from './channels.js';
import type { RawGeometry, RawOirAxis, RawProperties } from './properties.js';
import type { Frame, Recording } from './recording.js';
import { type FrameKey, keyText } from './scan.js';

/** Longest line period, in ms; what takes longer is the period of a frame. */
export const MAX_LINE_PERIOD = 30;
/** Warnings on single channels, and numbers in a warning, that are listed. */
const MAX_LISTED = 8;

export type SampleBytes = 1 | 2 | 4;
export const SAMPLE_TYPES: Record<SampleBytes, SampleType> = { 1: 'uint8', 2: 'uint16', 4: 'float32' };

export interface Arranged extends OirArrangement {
  warnings: readonly string[];
}

interface OirArrangement {
  geometry: RawGeometry;
  bytesPerSample: SampleBytes;
  /** Lines of every plane. */
  rows: number;
  /** Lines are samples of time along a line in space. */
  lineScan: boolean;
  /** Axis numbers in the names of the bands, by index. */
  t: number[];
  z: number[];
  lambda: number[];
  /** Channel ids in the order of the scene. */
  channels: string[];
  /** By id; those of the reference image too. */
  channelNames: ReadonlyMap<string, string>;
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function arrange(recording: Recording): Arranged {
  if (recording.frames.size === 0) throw noPixels(recording);
  const { ids: channels, names: channelNames, warnings } = orderChannels(recording);
  const geometry = mainGeometry(recording);
  const bytesPerSample = sampleBytes(recording, geometry);
  const rowBytes = geometry.width * bytesPerSample;
  const lines = countLines(recording, geometry, rowBytes);
  const rows = lines.max > geometry.height && lines.anyRegular ? geometry.height : lines.max;
  if (rows === 0) throw decodeFailed('contains no complete line of any plane; the recording ends early');
  const complete = [...recording.frames.values()].filter((frame) => isComplete(frame, channels, rows * rowBytes));
  const shown =
    complete.length > 0 ? complete : [...recording.frames.values()].filter((frame) => hasRows(frame, rows * rowBytes));
  const lineScan = isLineScan(recording, geometry, rows, shown);
  const arranged: OirArrangement = {
    geometry,
    bytesPerSample,
    rows,
    lineScan,
    t: axisValues(shown, 't', plannedSize(recording.properties, 'TIMELAPSE')),
    z: axisValues(shown, 'z', plannedSize(recording.properties, 'ZSTACK')),
    lambda: axisValues(shown, 'lambda', 0),
    channels,
    channelNames,
  };
  if (channels.length * arranged.lambda.length > LIMITS.channels) {
    throw unsupported(
      `has ${grouped(channels.length)} channels at ${grouped(arranged.lambda.length)} wavelengths; ` +
        `the limit is ${grouped(LIMITS.channels)} in all`,
    );
  }
  return {
    ...arranged,
    warnings: [
      ...warnings,
      ...describeLines(recording, arranged, rowBytes),
      ...describeFrames(recording, arranged, complete.length),
    ],
  };
}

function noPixels(recording: Recording): Error {
  const file = recording.files[0];
  if (file && file.header.length > file.source.size) {
    return decodeFailed('is truncated before the first image data');
  }
  return unsupported(
    'contains no image data. It is an overview map, or its continuations (…_00001) are missing. ' +
      'Copy them to the same folder.',
  );
}

/** @throws AcqError `decode_failed` when the width of a line is missing */
function mainGeometry(recording: Recording): RawGeometry {
  const stated = recording.first?.geometry;
  const { imageWidth, imageHeight } = recording.properties ?? {};
  const geometry = stated ?? {
    width: imageWidth ?? 0,
    height: imageHeight ?? 0,
    depth: 0,
    bitCounts: 0,
    colorType: '',
  };
  if (geometry.width >= 1 && geometry.height >= 1 && geometry.width <= LIMITS.planeSide) {
    if (geometry.height <= LIMITS.planeSide) return geometry;
  }
  throw decodeFailed('the frame properties do not contain the width and height of the planes; the file is corrupted');
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
function sampleBytes(recording: Recording, geometry: RawGeometry): SampleBytes {
  const described = recording.properties?.channels.find(({ depth }) => depth > 0);
  const depth = geometry.depth || (described?.depth ?? 0);
  if (depth === 1 || depth === 2 || depth === 4) return depth;
  if (depth !== 0) throw unsupported(`has ${grouped(depth)} bytes per sample; only 1, 2 and 4 are supported`);
  // Some products do not write it: use the size of a plane, then the number of bits.
  let span = 0;
  const [frame] = recording.frames.values();
  for (const extent of frame?.extents.values() ?? []) span = Math.max(span, extent.span);
  const exact = ([1, 2, 4] as const).find((bytes) => geometry.width * geometry.height * bytes === span);
  if (exact) return exact;
  const bits =
    geometry.bitCounts || (recording.properties?.channels.find(({ bitCounts }) => bitCounts > 0)?.bitCounts ?? 0);
  if (bits < 1 || bits > 32) throw decodeFailed('the number of bytes per sample is missing; the file is corrupted');
  return bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

/** Counts the lines that all channels of a frame have. */
function frameLines(frame: Frame, rowBytes: number): number {
  let min = Number.POSITIVE_INFINITY;
  for (const { bytes } of frame.extents.values()) min = Math.min(min, Math.floor(bytes / rowBytes));
  return Number.isFinite(min) ? min : 0;
}

function countLines(
  recording: Recording,
  geometry: RawGeometry,
  rowBytes: number,
): { max: number; anyRegular: boolean } {
  let max = 0;
  let anyRegular = false;
  for (const frame of recording.frames.values()) {
    const lines = frameLines(frame, rowBytes);
    max = Math.max(max, lines);
    anyRegular ||= lines === geometry.height;
  }
  return { max, anyRegular };
}

function isComplete(frame: Frame, channels: readonly string[], planeBytes: number): boolean {
  return channels.every((id) => (frame.extents.get(id)?.bytes ?? 0) >= planeBytes);
}

function hasRows(frame: Frame, planeBytes: number): boolean {
  return [...frame.extents.values()].some(({ bytes }) => bytes >= planeBytes);
}

/** Returns the size that the file states for an axis, planned or recorded, whichever is larger; 0 when it has none. */
export function plannedSize(properties: RawProperties | undefined, type: string): number {
  return axesOf(properties, type).reduce((max, { maxSize }) => Math.max(max, maxSize ?? 0), 0);
}

export function axesOf(properties: RawProperties | undefined, type: string): RawOirAxis[] {
  if (!properties) return [];
  return [...properties.acquiredAxes, ...properties.plannedAxes].filter((axis) => axis.type === type);
}

/**
 * True for a line scan, which keeps all its lines under one time. In order of trust: as many lines as planned time
 * points; more lines than a frame has; a drawn line, a reference image, and time points as fast as lines.
 */
function isLineScan(recording: Recording, geometry: RawGeometry, rows: number, shown: readonly Frame[]): boolean {
  if (rows > geometry.height) return true;
  const single = new Set(shown.map(({ t }) => t)).size === 1;
  const planned = plannedSize(recording.properties, 'TIMELAPSE');
  if (!single || planned <= 1) return false;
  // A complete frame with as many lines as planned time points may be either; the speed of the scanner decides.
  if (planned === rows && rows !== geometry.height) return true;
  const drawn = (recording.properties?.paths.length ?? 0) > 0 && recording.references.length > 0;
  return drawn && samplesAreLines(recording.properties);
}

/** True when successive samples of the series take about as long as a line, not as long as a frame. */
function samplesAreLines(properties: RawProperties | undefined): boolean {
  const scanner = usedScanner(properties);
  const longest = scanner?.lineSpeed ? 2 * scanner.lineSpeed : MAX_LINE_PERIOD;
  return scanner?.seriesInterval !== undefined && scanner.seriesInterval > 0 && scanner.seriesInterval <= longest;
}

/** Returns the scanner that the recording was made with; files describe both. */
export function usedScanner(properties: RawProperties | undefined): RawProperties['scanners'][number] | undefined {
  const { scanners = [], scannerType } = properties ?? {};
  return scanners.find(({ type }) => type === scannerType) ?? (scanners.length === 1 ? scanners[0] : undefined);
}

/** Returns the values in use, ascending. A gap stays if the file says that the axis is that long: its planes are lost. */
function axisValues(frames: readonly Frame[], axis: keyof FrameKey, planned: number): number[] {
  const values = [...new Set(frames.map((frame) => frame[axis]))].sort((a, b) => a - b);
  const last = values.at(-1) ?? 0;
  const first = values[0] ?? 0;
  if (last === values.length || first < 1 || last > Math.min(planned, LIMITS.planes)) return values;
  return Array.from({ length: last }, (_, i) => i + 1);
}

function describeLines(recording: Recording, arranged: OirArrangement, rowBytes: number): string[] {
  const { geometry, rows, lineScan } = arranged;
  const warnings: string[] = [];
  if (lineScan) {
    const planned = plannedSize(recording.properties, 'TIMELAPSE');
    if (planned > rows)
      warnings.push(asIncomplete(`Only ${grouped(rows)} of ${grouped(planned)} planned lines were recorded.`));
    else if (planned > 1 && planned < rows)
      warnings.push(
        asInconsistent(`The file says ${plural(planned, 'line')}, but has ${grouped(rows)}. Showing ${grouped(rows)}.`),
      );
  } else if (rows < geometry.height) {
    warnings.push(asIncomplete(`Only ${grouped(rows)} of ${grouped(geometry.height)} lines were recorded.`));
  }
  if (recording.frames.size > 1 && !lineScan) return warnings;
  const skipped: string[] = [];
  for (const frame of recording.frames.values()) {
    skipped.push(...describeSkippedLines(frame, arranged, rowBytes));
    if (skipped.length > MAX_LISTED) break;
  }
  warnings.push(...skipped.slice(0, MAX_LISTED));
  if (skipped.length > MAX_LISTED) warnings.push('More channels and times have lines that were skipped.');
  return warnings;
}

/** Describes the bytes of a frame after the last line that all channels have. */
function describeSkippedLines(frame: Frame, arranged: OirArrangement, rowBytes: number): string[] {
  const { rows, channels } = arranged;
  return channels.flatMap((id, i) => {
    const extent = frame.extents.get(id);
    if (!extent) return [];
    const channel = `Channel ${i + 1}`;
    const lines = Math.floor(extent.bytes / rowBytes);
    const rest = extent.bytes - lines * rowBytes;
    if (extent.span > extent.bytes) {
      const lost = Math.ceil((extent.span - extent.bytes) / rowBytes);
      return [
        asCorrupted(
          `${channel}: data are missing after line ${grouped(lines)}; ` +
            `${plural(lost, 'line')} from there on ${lost === 1 ? 'was' : 'were'} skipped.`,
        ),
      ];
    }
    if (lines > rows) {
      return [
        asCorrupted(
          `${channel} has ${plural(lines, 'line')}, another channel ${grouped(rows)}. Showing the lines that all channels have.`,
        ),
      ];
    }
    if (rest === 0) return [];
    return [
      asCorrupted(
        `${channel}: the last line is incomplete (${grouped(rest)} of ${grouped(rowBytes)} bytes) and was skipped.`,
      ),
    ];
  });
}

/** @param complete number of frames with all lines of all channels */
function describeFrames(recording: Recording, arranged: OirArrangement, complete: number): string[] {
  const { t, z, lambda, lineScan } = arranged;
  const warnings: string[] = [];
  const grid = t.length * z.length * lambda.length;
  if (complete > 0 && grid > complete) {
    warnings.push(
      asCorrupted(
        `${grouped(grid - complete)} of ${plural(grid, 'frame')} are missing or incomplete; their planes cannot be read.`,
      ),
    );
  }
  const outside = complete > 0 ? countFramesOutside(recording, arranged) : 0;
  if (outside > 0) {
    warnings.push(asIncomplete(`${countAre(outside, 'incomplete frame')} not shown; the recording was stopped there.`));
  }
  const axes = [
    { what: 'time points', size: lineScan ? 0 : t.length, planned: plannedSize(recording.properties, 'TIMELAPSE') },
    { what: 'depths', size: z.length, planned: plannedSize(recording.properties, 'ZSTACK') },
    { what: 'wavelengths', size: lambda.length, planned: plannedSize(recording.properties, 'LAMBDA') },
  ];
  for (const { what, size, planned } of axes) {
    if (size > 0 && planned > size)
      warnings.push(asIncomplete(`Only ${grouped(size)} of ${grouped(planned)} planned ${what} were recorded.`));
  }
  return [
    ...warnings,
    ...describeMissingNumbers('time points (T)', t),
    ...describeMissingNumbers('depths (Z)', z),
    ...describeMissingNumbers('wavelengths', lambda),
  ];
}

/** Numbers along an axis count from 1. Where some are missing, indices do not match these numbers. */
function describeMissingNumbers(what: string, numbers: readonly number[]): string[] {
  const first = numbers[0] ?? 0;
  if (first < 1 || numbers.every((number, i) => number === i + 1)) return [];
  const shown = [...numbers.slice(0, MAX_LISTED), ...(numbers.length > MAX_LISTED ? ['…'] : [])].join(', ');
  return [
    asCorrupted(`Some ${what} are missing from the files. Those shown have the numbers ${shown} in the recording.`),
  ];
}

function countFramesOutside(recording: Recording, arranged: OirArrangement): number {
  const [t, z, lambda] = [new Set(arranged.t), new Set(arranged.z), new Set(arranged.lambda)];
  let outside = 0;
  for (const frame of recording.frames.values()) {
    if (!t.has(frame.t) || !z.has(frame.z) || !lambda.has(frame.lambda)) outside++;
  }
  return outside;
}

/** Returns the frame at some indices; `undefined` when there is no such index, or no file contains anything of it. */
export function frameAt(
  recording: Recording,
  arranged: Arranged,
  index: { t: number; lambda: number; z: number },
): Frame | undefined {
  const [t, lambda, z] = [arranged.t[index.t], arranged.lambda[index.lambda], arranged.z[index.z]];
  if (t === undefined || lambda === undefined || z === undefined) return undefined;
  return recording.frames.get(keyText({ t, lambda, z }));
}

/** Finds the first plane that starts in a file of the set, else the first that continues in it. */
export function firstPlaneIn(
  recording: Recording,
  arranged: Arranged,
  fileName: string,
): { t: number; z: number } | undefined {
  let continued: { t: number; z: number } | undefined;
  for (const t of arranged.t.keys()) {
    for (const z of arranged.z.keys()) {
      for (const lambda of arranged.lambda.keys()) {
        const pieces = frameAt(recording, arranged, { t, lambda, z })?.pieces ?? [];
        const piece = pieces.find(({ file }) => lastPart(file.source.name) === fileName);
        if (!piece) continue;
        if ([...piece.frame.extents.values()].some(({ bytes }) => bytes > 0)) return { t, z };
        continued ??= { t, z };
      }
    }
  }
  return continued;
}
