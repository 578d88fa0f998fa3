/** Locates every sample of an image by the increments of its channels and dimensions. Pure. */

import { LIMITS } from '../../base/limits.js';
import { planeTooLarge } from '../../base/plane-size.js';
import { asCorrupted, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { toDigits } from '../../model/metadata/mixed-radix.js';
import { type SampleType, storedBytes } from '../../model/samples/types.js';
import type { RawLifChannel, RawLifDimension, RawLifImage } from './parse.js';

/** Values of `DimID`. */
const DIM = {
  X: 1,
  Y: 2,
  Z: 3,
  T: 4,
  emission: 5,
  rotation: 6,
  slices: 7,
  timeSlices: 8,
  excitation: 9,
  tile: 10,
  loop: 11,
};

/** One axis of the data: entry `i` starts `i × increment` bytes after entry 0. */
export interface DataAxis {
  /** `DimID`; 0 for an axis that the image does not have. */
  id: number;
  /** Entries that are shown. */
  count: number;
  increment: number;
  /** The description in the file; `undefined` for an axis that the image does not have. */
  raw: RawLifDimension | undefined;
}

export interface ChannelPlace {
  /** Index in the file's list. */
  index: number;
  offset: number;
  type: SampleType;
}

export interface ImageLayout {
  /** Dimension along which the rows of a plane are recorded: T or Z when the scan has no Y. */
  rowAxis: 'Y' | 'T' | 'Z';
  rows: DataAxis;
  columns: DataAxis;
  t: DataAxis;
  z: DataAxis;
  /** Wavelengths, which become channels; the last axis counts fastest. */
  wavelengthAxes: DataAxis[];
  /** Tiles, rotations and loops, which become scenes; the last axis counts fastest. */
  sceneAxes: DataAxis[];
  channels: ChannelPlace[];
  /** The widest type of the channels. */
  sampleType: SampleType;
  /** What is missing or inconsistent. */
  warnings: readonly string[];
}

/** Why one image cannot be shown; the others can. */
export class ImageProblem extends Error {}

/**
 * Lays out an image, shortened to the bytes that are available.
 * @param available bytes of the image in the file
 * @throws ImageProblem
 */
export function layoutImage(image: RawLifImage, available: number): ImageLayout {
  const axes = image.dimensions.map(toAxis);
  const { channels, sampleType } = placeChannels(image.channels);
  const columns = findAxis(axes, DIM.X) ?? noAxis();
  const y = findAxis(axes, DIM.Y);
  const [t, z] = [findAxis(axes, DIM.T), findAxis(axes, DIM.Z)];
  const rowAxis = chooseRowAxis(y, t, z);
  const known = new Set<DataAxis | undefined>([columns, y, t, z]);
  const rest = axes.filter((axis) => !known.has(axis) && axis.count > 1);
  const isWavelength = ({ id }: DataAxis) => id === DIM.emission || id === DIM.excitation;
  const planned: ImageLayout = {
    rowAxis,
    rows: (rowAxis === 'T' ? t : rowAxis === 'Z' ? z : y) ?? noAxis(),
    columns,
    t: (rowAxis === 'T' ? undefined : t) ?? noAxis(),
    z: (rowAxis === 'Z' ? undefined : z) ?? noAxis(),
    wavelengthAxes: rest.filter(isWavelength).sort(slowestFirst),
    sceneAxes: rest.filter((axis) => !isWavelength(axis)).sort(slowestFirst),
    channels,
    sampleType,
    warnings: [],
  };
  checkLimits(planned);
  checkOverlap(planned);
  const { layout, warning } = fitToBytes(planned, available);
  const problem = warning ?? describeExcess(layout, available);
  return problem === undefined ? layout : { ...layout, warnings: [problem] };
}

function axesOf(layout: ImageLayout): DataAxis[] {
  return [layout.columns, layout.rows, layout.z, layout.t, ...layout.wavelengthAxes, ...layout.sceneAxes];
}

function slowestFirst(a: DataAxis, b: DataAxis): number {
  return b.increment - a.increment;
}

function noAxis(): DataAxis {
  return { id: 0, count: 1, increment: 0, raw: undefined };
}

function toAxis(raw: RawLifDimension): DataAxis {
  const { id, count, bytesInc } = raw;
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(id)) {
    throw new ImageProblem(`dimension ${id} has ${grouped(count)} entries`);
  }
  const increment = count === 1 && !Number.isSafeInteger(bytesInc) ? 0 : bytesInc;
  if (!Number.isSafeInteger(increment) || increment < 0 || (count > 1 && increment === 0)) {
    throw new ImageProblem(`the entries of dimension ${id} are ${grouped(bytesInc)} bytes apart`);
  }
  return { id, count, increment, raw };
}

/** Finds the axis of a dimension, preferably one with more than one entry. */
function findAxis(axes: readonly DataAxis[], id: number): DataAxis | undefined {
  const matches = axes.filter((axis) => axis.id === id && axis.count > 1);
  if (matches.length > 1) throw new ImageProblem(`it has dimension ${id} more than once`);
  return matches[0] ?? axes.find((axis) => axis.id === id);
}

/** Without Y, the rows run along the faster one of time and depth. */
function chooseRowAxis(y: DataAxis | undefined, t: DataAxis | undefined, z: DataAxis | undefined): 'Y' | 'T' | 'Z' {
  if (y && y.count > 1) return 'Y';
  const times = t && t.count > 1 ? t : undefined;
  const depths = z && z.count > 1 ? z : undefined;
  if (times && depths) return times.increment < depths.increment ? 'T' : 'Z';
  if (times) return 'T';
  if (depths) return 'Z';
  return !y && t ? 'T' : 'Y';
}

function placeChannels(raw: readonly RawLifChannel[]): { channels: ChannelPlace[]; sampleType: SampleType } {
  if (raw.length === 0) throw new ImageProblem('it has no channels');
  if (raw.length > LIMITS.channels) {
    throw new ImageProblem(`it has ${grouped(raw.length)} channels; the limit is ${grouped(LIMITS.channels)}`);
  }
  const channels = raw.map((channel, index) => {
    if (!Number.isSafeInteger(channel.bytesInc) || channel.bytesInc < 0) {
      throw new ImageProblem(`the offset of channel ${index + 1} is ${grouped(channel.bytesInc)} bytes`);
    }
    return { index, offset: channel.bytesInc, type: toSampleType(channel) };
  });
  // Color cameras store B, G, R; the tags say which is which.
  const tag = ({ index }: ChannelPlace) => raw[index]?.tag ?? 0;
  const tags = channels.map(tag).sort().join();
  if (tags === '1,2,3') channels.sort((a, b) => tag(a) - tag(b));
  return { channels, sampleType: widestType(channels.map(({ type }) => type)) };
}

function toSampleType({ dataType, resolution }: RawLifChannel): SampleType {
  const bits = resolution;
  if (dataType === 1) {
    if (bits === 16) return 'float16';
    if (bits === 32) return 'float32';
    if (bits === 64) return 'float64';
  } else if (dataType === 0 && bits >= 1 && bits <= 64) {
    if (bits <= 8) return 'uint8';
    if (bits <= 16) return 'uint16';
    return bits <= 32 ? 'uint32' : 'uint64';
  }
  throw new ImageProblem(`samples of data type ${dataType} with ${plural(resolution, 'bit')} are not supported`);
}

function widestType(types: readonly SampleType[]): SampleType {
  const distinct = [...new Set(types)];
  if (distinct.length === 1) return distinct[0]!;
  if (distinct.includes('uint64')) {
    throw new ImageProblem(`channels of ${distinct.join(' and ')} in one image are not supported`);
  }
  if (distinct.includes('float64')) return 'float64';
  const hasFloats = distinct.some((type) => type.startsWith('float'));
  if (hasFloats) return distinct.includes('uint32') ? 'float64' : 'float32';
  return distinct.includes('uint32') ? 'uint32' : 'uint16';
}

function checkLimits(layout: ImageLayout): void {
  const { rows, columns, t, z, wavelengthAxes, sceneAxes, channels } = layout;
  const size = storedBytes(layout.sampleType);
  const tooLarge = planeTooLarge({ Y: rows.count, X: columns.count });
  if (tooLarge) throw new ImageProblem(tooLarge.statement);
  checkCount('time points', t.count, LIMITS.planes);
  checkCount('depths', z.count, LIMITS.planes);
  checkCount('channels and wavelengths', countEntries(wavelengthAxes) * channels.length, LIMITS.channels);
  checkCount('tiles or rotations', countEntries(sceneAxes), LIMITS.scenes);
  if (columns.count > 1 && columns.increment % size !== 0 && channels.every(({ type }) => type === layout.sampleType)) {
    throw new ImageProblem(
      `its pixels are ${plural(columns.increment, 'byte')} apart, which is not a multiple of their size, ${plural(size, 'byte')}`,
    );
  }
}

function checkCount(what: string, count: number, limit: number): void {
  if (count > limit) throw new ImageProblem(`it has ${grouped(count)} ${what}; the limit is ${grouped(limit)}`);
}

/** Refuses increments with which a byte would be shown at two places: they are corrupted. */
function checkOverlap(layout: ImageLayout): void {
  const steps = axesOf(layout)
    .filter(({ count }) => count > 1)
    .map(({ count, increment }) => ({ count, increment }));
  const offsets = layout.channels.map(({ offset }) => offset).sort((a, b) => a - b);
  const gaps = offsets.slice(1).map((offset, i) => offset - offsets[i]!);
  const even = gaps.every((gap) => gap === gaps[0]);
  if (gaps.some((gap) => gap === 0)) throw new ImageProblem('two of its channels have the same offset');
  if (gaps.length > 0 && even) steps.push({ count: offsets.length, increment: gaps[0]! });
  steps.sort((a, b) => a.increment - b.increment);
  let extent = Math.min(...layout.channels.map(({ type }) => storedBytes(type)));
  for (const { count, increment } of steps) {
    if (increment < extent) throw new ImageProblem('its dimensions overlap in the data');
    extent += (count - 1) * increment;
  }
  if (!Number.isSafeInteger(extent + Math.max(...offsets))) {
    throw new ImageProblem('the increments of its dimensions are out of range');
  }
}

/** Bytes from the start of the block to the end of the last sample. */
function countBytes(layout: ImageLayout): number {
  const ends = layout.channels.map(({ offset, type }) => offset + storedBytes(type));
  return axesOf(layout).reduce((sum, { count, increment }) => sum + (count - 1) * increment, Math.max(...ends));
}

/**
 * Shortens a layout that needs more bytes than are available, because the recording was stopped or the file is
 * truncated. The slowest axis keeps the entries that are complete for all channels; when it has none, it keeps one, and
 * the next axis is shortened. When only whole channels are missing, the layout stays as it is, and reading these fails.
 * @throws ImageProblem when not even one plane is complete
 */
function fitToBytes(layout: ImageLayout, available: number): { layout: ImageLayout; warning: string | undefined } {
  const required = countBytes(layout);
  if (required <= available) return { layout, warning: undefined };
  const bytes = `${grouped(available)} of ${plural(required, 'byte')} are in the file`;
  const order = axesOf(layout)
    .filter(({ count }) => count > 1)
    .sort(slowestFirst);
  const { rows, columns } = layout;
  const fastest = columns.increment <= rows.increment ? columns : rows;
  const counts = new Map<DataAxis, number>();
  let inside = required;
  for (const axis of order) {
    // A part of one line is not an image.
    if (axis === fastest) break;
    inside -= (axis.count - 1) * axis.increment;
    counts.set(axis, inside > available ? 1 : Math.floor((available - inside) / axis.increment) + 1);
    if (inside > available) continue;
    const parts = [...counts].map(([shortened, count]) => {
      return `${grouped(count)} of ${grouped(shortened.count)} ${nounOf(layout, shortened)}`;
    });
    return {
      layout: withCounts(layout, counts),
      warning: asCorrupted(
        `The recording was stopped or the file is truncated: ${bytes}. Showing ${parts.join(', ')}.`,
      ),
    };
  }
  if (firstPlaneEnd(layout) > available) throw new ImageProblem(`only ${bytes}, which is less than one plane`);
  return {
    layout,
    warning: asCorrupted(
      `The recording was stopped or the file is truncated: ${bytes}. Incomplete planes cannot be read.`,
    ),
  };
}

function withCounts(layout: ImageLayout, counts: ReadonlyMap<DataAxis, number>): ImageLayout {
  const shorten = (axis: DataAxis): DataAxis => ({ ...axis, count: counts.get(axis) ?? axis.count });
  return {
    ...layout,
    rows: shorten(layout.rows),
    columns: shorten(layout.columns),
    t: shorten(layout.t),
    z: shorten(layout.z),
    wavelengthAxes: layout.wavelengthAxes.map(shorten),
    sceneAxes: layout.sceneAxes.map(shorten),
  };
}

/**
 * Returns a warning when the image has at least a row more than its description covers, because a number in the
 * description is wrong. A smaller excess is the padding of the last row.
 */
function describeExcess(layout: ImageLayout, available: number): string | undefined {
  const required = countBytes(layout);
  const row = Math.max(layout.rows.increment, layout.columns.increment, 1);
  if (available - required < row || !Number.isFinite(available)) return undefined;
  return asInconsistent(
    `The image has ${plural(available, 'byte')} of data, but its description covers only ${grouped(required)}. ` +
      'Channels, times, depths or pixels may be missing or in the wrong place.',
  );
}

/** Bytes from the start of the block to the end of the plane that is stored first. */
function firstPlaneEnd({ channels, rows, columns }: ImageLayout): number {
  const first = Math.min(...channels.map(({ offset, type }) => offset + storedBytes(type)));
  return first + (rows.count - 1) * rows.increment + (columns.count - 1) * columns.increment;
}

/** What an axis counts, in the plural. */
function nounOf(layout: ImageLayout, axis: DataAxis): string {
  if (axis === layout.columns) return 'columns';
  if (axis === layout.rows) return layout.rowAxis === 'T' ? 'lines' : 'rows';
  if (axis === layout.t) return 'time points';
  if (axis === layout.z) return 'depths';
  return layout.wavelengthAxes.includes(axis) ? 'wavelengths' : `${SCENE_AXIS_NAMES[axis.id] ?? 'part'}s`;
}

/** What the axes that become scenes count, for the names of scenes. */
export const SCENE_AXIS_NAMES: Readonly<Record<number, string>> = {
  [DIM.rotation]: 'rotation',
  [DIM.slices]: 'slice',
  [DIM.timeSlices]: 'time slice',
  [DIM.tile]: 'tile',
  [DIM.loop]: 'loop',
};

/** Returns the index along each of `axes` for entry `index` of their product, the last axis counting fastest. */
export function indicesAt(axes: readonly DataAxis[], index: number): number[] {
  return toDigits(
    axes.map(({ count }) => count),
    index,
  );
}

/** Product of the counts of `axes`. */
export function countEntries(axes: readonly DataAxis[]): number {
  return axes.reduce((product, { count }) => product * count, 1);
}

/** Bytes from the start of an image to entry `index` of the product of `axes`. */
export function offsetAt(axes: readonly DataAxis[], index: number): number {
  return indicesAt(axes, index).reduce((sum, at, i) => sum + at * axes[i]!.increment, 0);
}
