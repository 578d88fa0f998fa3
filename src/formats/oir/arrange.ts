/** Frames to dimensions: which times, depths, wavelengths and channels there are, and how many lines. Pure. */
import { basename } from 'node:path';
import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { grouped, plural } from '../../wording.js';
import { orderChannels } from './channels.js';
import type { RawAxis, RawGeometry, RawProperties } from './properties.js';
import type { Frame, Recording } from './recording.js';
import { type FrameKey, keyText } from './scan.js';

/** A line that takes longer belongs to a frame scan; ms. */
export const LONGEST_LINE = 30;
/** Warnings on single channels that are worth reading. */
const MOST_NOTES = 8;

export interface Arranged {
  geometry: RawGeometry;
  bytesPerSample: 1 | 2 | 4;
  /** Lines of every plane. */
  rows: number;
  /** Lines are samples of time along a line in space. */
  lineScan: boolean;
  /** Axis numbers of the names by our index. */
  t: number[];
  z: number[];
  lambda: number[];
  /** Channel ids in the order in which they are served. */
  channels: string[];
  /** By id; those of the reference image too. */
  channelNames: ReadonlyMap<string, string>;
  warnings: string[];
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function arrange(recording: Recording): Arranged {
  const warnings: string[] = [];
  if (recording.frames.size === 0) throw noPixels(recording);
  const { ids: channels, names: channelNames } = orderChannels(recording, warnings);
  const geometry = mainGeometry(recording);
  const bytesPerSample = sampleBytes(recording, geometry);
  const rowBytes = geometry.width * bytesPerSample;
  const lines = countLines(recording, geometry, rowBytes);
  const rows = lines.most > geometry.height && lines.anyRegular ? geometry.height : lines.most;
  if (rows === 0)
    throw decodeFailed(`${recording.name}: holds no complete line of any plane; the recording was cut off`);
  if (rows > LIMITS.planeSide || rows * geometry.width > LIMITS.planePixels) {
    throw unsupported(`${recording.name}: planes of ${rows} × ${geometry.width} pixels are larger than can be served`);
  }
  const complete = [...recording.frames.values()].filter((frame) => isComplete(frame, channels, rows * rowBytes));
  const kept =
    complete.length > 0 ? complete : [...recording.frames.values()].filter((frame) => hasRows(frame, rows * rowBytes));
  const lineScan = isLineScan(recording, geometry, rows, kept);
  const arranged: Arranged = {
    geometry,
    bytesPerSample,
    rows,
    lineScan,
    t: axisValues(kept, 't', plannedSize(recording.properties, 'TIMELAPSE')),
    z: axisValues(kept, 'z', plannedSize(recording.properties, 'ZSTACK')),
    lambda: axisValues(kept, 'lambda', 0),
    channels,
    channelNames,
    warnings,
  };
  if (channels.length * arranged.lambda.length > LIMITS.channels) {
    throw unsupported(
      `${recording.name}: ${channels.length} channels at ${arranged.lambda.length} wavelengths are too many`,
    );
  }
  noteLines(recording, arranged, rowBytes);
  noteFrames(recording, arranged, complete.length);
  return arranged;
}

function noPixels(recording: Recording): Error {
  const file = recording.files[0];
  if (file && file.header.length > file.source.size) {
    return decodeFailed(`${recording.name}: is cut off before its first image data`);
  }
  return unsupported(
    `${recording.name}: holds no image data of its own; overview maps and files whose ` +
      'continuations (…_00001) are elsewhere look like this',
  );
}

/** @throws AcqError `decode_failed` when nothing says how wide a line is */
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
  throw decodeFailed(`${recording.name}: no frame properties say how wide and high its planes are; it is damaged`);
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
function sampleBytes(recording: Recording, geometry: RawGeometry): 1 | 2 | 4 {
  const described = recording.properties?.channels.find(({ depth }) => depth > 0);
  const depth = geometry.depth || (described?.depth ?? 0);
  if (depth === 1 || depth === 2 || depth === 4) return depth;
  if (depth !== 0) throw unsupported(`${recording.name}: stores ${depth} bytes per sample; 1, 2 and 4 can be read`);
  // Some products leave it open: a plane of the right size tells, then the number of bits.
  let span = 0;
  const [frame] = recording.frames.values();
  for (const extent of frame?.extents.values() ?? []) span = Math.max(span, extent.span);
  const exact = ([1, 2, 4] as const).find((bytes) => geometry.width * geometry.height * bytes === span);
  if (exact) return exact;
  const bits =
    geometry.bitCounts || (recording.properties?.channels.find(({ bitCounts }) => bitCounts > 0)?.bitCounts ?? 0);
  if (bits < 1 || bits > 32)
    throw decodeFailed(`${recording.name}: nothing says how many bytes a sample has; it is damaged`);
  return bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

/** Lines that all channels of a frame have. */
function frameLines(frame: Frame, rowBytes: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { bytes } of frame.extents.values()) least = Math.min(least, Math.floor(bytes / rowBytes));
  return Number.isFinite(least) ? least : 0;
}

function countLines(
  recording: Recording,
  geometry: RawGeometry,
  rowBytes: number,
): { most: number; anyRegular: boolean } {
  let most = 0;
  let anyRegular = false;
  for (const frame of recording.frames.values()) {
    const lines = frameLines(frame, rowBytes);
    most = Math.max(most, lines);
    anyRegular ||= lines === geometry.height;
  }
  return { most, anyRegular };
}

function isComplete(frame: Frame, channels: readonly string[], planeBytes: number): boolean {
  return channels.every((id) => (frame.extents.get(id)?.bytes ?? 0) >= planeBytes);
}

function hasRows(frame: Frame, planeBytes: number): boolean {
  return [...frame.extents.values()].some(({ bytes }) => bytes >= planeBytes);
}

/** Size that the file states for an axis: what was planned or recorded, whichever is more; 0 when it says nothing. */
export function plannedSize(properties: RawProperties | undefined, type: string): number {
  return axesOf(properties, type).reduce((most, { maxSize }) => Math.max(most, maxSize ?? 0), 0);
}

export function axesOf(properties: RawProperties | undefined, type: string): RawAxis[] {
  if (!properties) return [];
  return [...properties.acquiredAxes, ...properties.plannedAxes].filter((axis) => axis.type === type);
}

/**
 * A line scan keeps all its lines under one time. In order of trust: as many lines as there are time points planned;
 * more lines than a frame has; a drawn line, an overview image, and time points that come as fast as lines.
 */
function isLineScan(recording: Recording, geometry: RawGeometry, rows: number, kept: readonly Frame[]): boolean {
  if (rows > geometry.height) return true;
  const single = new Set(kept.map(({ t }) => t)).size === 1;
  const planned = plannedSize(recording.properties, 'TIMELAPSE');
  if (!single || planned <= 1) return false;
  // One complete frame of as many lines as time points were planned is either; the speed of the scanner tells.
  if (planned === rows && rows !== geometry.height) return true;
  const drawn = (recording.properties?.paths.length ?? 0) > 0 && recording.references.length > 0;
  return drawn && samplesAreLines(recording.properties);
}

/** Successive samples of the series take about the time of a line, not that of a frame. */
function samplesAreLines(properties: RawProperties | undefined): boolean {
  const scanner = usedScanner(properties);
  const longest = scanner?.lineSpeed ? 2 * scanner.lineSpeed : LONGEST_LINE;
  return scanner?.seriesInterval !== undefined && scanner.seriesInterval > 0 && scanner.seriesInterval <= longest;
}

export function usedScanner(properties: RawProperties | undefined): RawProperties['scanners'][number] | undefined {
  const { scanners = [], scannerType } = properties ?? {};
  return scanners.find(({ type }) => type === scannerType) ?? (scanners.length === 1 ? scanners[0] : undefined);
}

/** Values in use, ascending. A hole stays when the file says that the axis is that long: those planes are lost. */
function axisValues(frames: readonly Frame[], axis: keyof FrameKey, planned: number): number[] {
  const values = [...new Set(frames.map((frame) => frame[axis]))].sort((a, b) => a - b);
  const last = values.at(-1) ?? 0;
  const first = values[0] ?? 0;
  if (last === values.length || first < 1 || last > Math.min(planned, LIMITS.planes)) return values;
  return Array.from({ length: last }, (_, i) => i + 1);
}

function noteLines(recording: Recording, arranged: Arranged, rowBytes: number): void {
  const { geometry, rows, lineScan, warnings } = arranged;
  if (lineScan) {
    const planned = plannedSize(recording.properties, 'TIMELAPSE');
    if (planned > rows) warnings.push(`recorded ${rows} of ${planned} planned lines`);
    else if (planned > 1 && planned < rows)
      warnings.push(`the file says ${plural(planned, 'line')} but has ${grouped(rows)}; all are shown`);
  } else if (rows < geometry.height) {
    warnings.push(`recorded ${rows} of ${geometry.height} lines; the others are not in the file`);
  }
  if (recording.frames.size > 1 && !lineScan) return;
  const notes: string[] = [];
  for (const frame of recording.frames.values()) {
    noteRest(frame, arranged, rowBytes, notes);
    if (notes.length > MOST_NOTES) break;
  }
  warnings.push(...notes.slice(0, MOST_NOTES));
  if (notes.length > MOST_NOTES) warnings.push('further channels and times have lines that are left out');
}

/** Bytes of a frame behind its last line that all channels have. */
function noteRest(frame: Frame, arranged: Arranged, rowBytes: number, notes: string[]): void {
  const { rows, channels } = arranged;
  for (const [i, id] of channels.entries()) {
    const extent = frame.extents.get(id);
    if (!extent) continue;
    const lines = Math.floor(extent.bytes / rowBytes);
    const rest = extent.bytes - lines * rowBytes;
    if (extent.span > extent.bytes) {
      const lost = Math.ceil((extent.span - extent.bytes) / rowBytes);
      notes.push(
        `channel ${i + 1}: data are missing after line ${lines}; the lines from there on are left out: ${lost}`,
      );
    } else if (lines > rows) {
      notes.push(`channel ${i + 1} has ${lines} lines, another one ${rows}; the lines that all have are shown`);
    } else if (rest > 0)
      notes.push(`channel ${i + 1}: the last line is incomplete (${rest} of ${rowBytes} bytes) and left out`);
  }
}

function noteFrames(recording: Recording, arranged: Arranged, complete: number): void {
  const { t, z, lambda, lineScan, warnings } = arranged;
  const grid = t.length * z.length * lambda.length;
  if (complete > 0 && grid > complete) {
    warnings.push(`frames not complete in the files: ${grid - complete} of ${grid}; their planes cannot be read`);
  }
  const leftOut = complete > 0 ? framesOutside(recording, arranged) : 0;
  if (leftOut > 0) warnings.push(`incomplete frames left out, where the recording was stopped: ${leftOut}`);
  const notes = [
    { what: 'time points', size: lineScan ? 0 : t.length, planned: plannedSize(recording.properties, 'TIMELAPSE') },
    { what: 'depths', size: z.length, planned: plannedSize(recording.properties, 'ZSTACK') },
    { what: 'wavelengths', size: lambda.length, planned: plannedSize(recording.properties, 'LAMBDA') },
  ];
  for (const { what, size, planned } of notes) {
    if (size > 0 && planned > size) warnings.push(`recorded ${size} of ${planned} planned ${what}`);
  }
  warnings.push(...skipped('time points (T)', t), ...skipped('depths (Z)', z), ...skipped('wavelengths', lambda));
}

/** Numbers along an axis count from 1. Where some are missing, our indices are not these numbers. */
function skipped(what: string, numbers: readonly number[]): string[] {
  const first = numbers[0] ?? 0;
  if (first < 1 || numbers.every((number, i) => number === i + 1)) return [];
  const shown = [...numbers.slice(0, MOST_NOTES), ...(numbers.length > MOST_NOTES ? ['…'] : [])].join(', ');
  return [`the files lack ${what} of the recording: those that are shown are its numbers ${shown}`];
}

function framesOutside(recording: Recording, arranged: Arranged): number {
  const [t, z, lambda] = [new Set(arranged.t), new Set(arranged.z), new Set(arranged.lambda)];
  let outside = 0;
  for (const frame of recording.frames.values()) {
    if (!t.has(frame.t) || !z.has(frame.z) || !lambda.has(frame.lambda)) outside++;
  }
  return outside;
}

/** The frame at our indices; `undefined` when there is no such index, or no file holds anything of it. */
export function frameAt(
  recording: Recording,
  arranged: Arranged,
  at: { t: number; lambda: number; z: number },
): Frame | undefined {
  const [t, lambda, z] = [arranged.t[at.t], arranged.lambda[at.lambda], arranged.z[at.z]];
  if (t === undefined || lambda === undefined || z === undefined) return undefined;
  return recording.frames.get(keyText({ t, lambda, z }));
}

/** The first plane that begins in a file of the set, by T and Z; one that only goes on in it when none begins. */
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
        const own = pieces.find(({ file }) => basename(file.source.name) === fileName);
        if (!own) continue;
        if ([...own.frame.extents.values()].some(({ bytes }) => bytes > 0)) return { t, z };
        continued ??= { t, z };
      }
    }
  }
  return continued;
}
