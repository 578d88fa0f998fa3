/** Where every sample of an image lies, by the increments of its channels and dimensions. Pure. */

import { LIMITS } from '../../io/limits.js';
import type { SampleType } from '../../samples/types.js';
import type { RawChannel, RawDimension, RawImage } from './document.js';

export const DIM = {
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

/** One axis of the data: its entry `i` lies `i × increment` bytes behind its entry 0. */
export interface Axis {
  /** DimID of the file; 0 for an axis that the image lacks. */
  id: number;
  /** Entries that are served. */
  count: number;
  increment: number;
  /** What the file says; undefined for an axis that the image lacks. */
  raw: RawDimension | undefined;
}

export interface ChannelPlace {
  /** Index in the file's list. */
  index: number;
  offset: number;
  type: SampleType;
}

export interface ImageLayout {
  /** Dimension that the rows of a plane run along: T or Z when the scan had no Y. */
  rowAxis: 'Y' | 'T' | 'Z';
  rows: Axis;
  columns: Axis;
  t: Axis;
  z: Axis;
  /** Wavelengths: served as channels, the last one the fastest. */
  lambdas: Axis[];
  /** Tiles, rotations, loops: served as scenes, the last one the fastest. */
  folded: Axis[];
  channels: ChannelPlace[];
  /** The widest of the channels. */
  sampleType: SampleType;
  /** What had to be left out. */
  warnings: string[];
}

export const SAMPLE_BYTES: Record<SampleType, number> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  float16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  uint64: 8,
  int64: 8,
  float64: 8,
};

/** What is wrong with the description of one image; the others are served. */
export class ImageProblem extends Error {}

/**
 * @param available bytes of the image that the file holds
 * @throws ImageProblem
 */
export function layoutImage(image: RawImage, available: number): ImageLayout {
  const axes = image.dimensions.map(toAxis);
  const channels = placeChannels(image.channels);
  const { sampleType } = channels;
  const columns = only(axes, DIM.X) ?? noAxis();
  const y = only(axes, DIM.Y);
  const [t, z] = [only(axes, DIM.T), only(axes, DIM.Z)];
  const rowAxis = rowAxisOf(y, t, z);
  const known = new Set<Axis | undefined>([columns, y, t, z]);
  const rest = axes.filter((axis) => !known.has(axis) && axis.count > 1);
  const isLambda = ({ id }: Axis) => id === DIM.emission || id === DIM.excitation;
  const layout: ImageLayout = {
    rowAxis,
    rows: (rowAxis === 'T' ? t : rowAxis === 'Z' ? z : y) ?? noAxis(),
    columns,
    t: (rowAxis === 'T' ? undefined : t) ?? noAxis(),
    z: (rowAxis === 'Z' ? undefined : z) ?? noAxis(),
    lambdas: rest.filter(isLambda).sort(slowestFirst),
    folded: rest.filter((axis) => !isLambda(axis)).sort(slowestFirst),
    channels: channels.places,
    sampleType,
    warnings: [],
  };
  checkLimits(layout);
  checkOverlap(layout);
  fitToBytes(layout, available);
  noteExcess(layout, available);
  return layout;
}

/** All axes with their own names, for counting and for messages. */
function axesOf(layout: ImageLayout): Axis[] {
  return [layout.columns, layout.rows, layout.z, layout.t, ...layout.lambdas, ...layout.folded];
}

function slowestFirst(a: Axis, b: Axis): number {
  return b.increment - a.increment;
}

function noAxis(): Axis {
  return { id: 0, count: 1, increment: 0, raw: undefined };
}

function toAxis(raw: RawDimension): Axis {
  const { id, count, bytesInc } = raw;
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(id)) {
    throw new ImageProblem(`its dimension ${id} has ${count} entries`);
  }
  const increment = count === 1 && !Number.isSafeInteger(bytesInc) ? 0 : bytesInc;
  if (!Number.isSafeInteger(increment) || increment < 0 || (count > 1 && increment === 0)) {
    throw new ImageProblem(`the entries of its dimension ${id} lie ${bytesInc} bytes apart`);
  }
  return { id, count, increment, raw };
}

function only(axes: readonly Axis[], id: number): Axis | undefined {
  const found = axes.filter((axis) => axis.id === id && axis.count > 1);
  if (found.length > 1) throw new ImageProblem(`it has the dimension ${id} more than once`);
  return found[0] ?? axes.find((axis) => axis.id === id);
}

/** Without Y the rows are lines: the faster one of time and depth; a frame of depth in an xzt scan. */
function rowAxisOf(y: Axis | undefined, t: Axis | undefined, z: Axis | undefined): 'Y' | 'T' | 'Z' {
  if (y && y.count > 1) return 'Y';
  const [long, deep] = [t !== undefined && t.count > 1, z !== undefined && z.count > 1];
  if (long && deep) return (t?.increment ?? 0) < (z?.increment ?? 0) ? 'T' : 'Z';
  if (long) return 'T';
  if (deep) return 'Z';
  return !y && t ? 'T' : 'Y';
}

function placeChannels(raw: readonly RawChannel[]): { places: ChannelPlace[]; sampleType: SampleType } {
  if (raw.length === 0) throw new ImageProblem('it has no channels');
  if (raw.length > LIMITS.channels) throw new ImageProblem(`it has ${raw.length} channels`);
  const places = raw.map((channel, index) => {
    if (!Number.isSafeInteger(channel.bytesInc) || channel.bytesInc < 0) {
      throw new ImageProblem(`its channel ${index + 1} lies at ${channel.bytesInc} bytes`);
    }
    return { index, offset: channel.bytesInc, type: sampleTypeOf(channel) };
  });
  // Colour cameras store B, G, R; the tags say which is which.
  const tag = ({ index }: ChannelPlace) => raw[index]?.tag ?? 0;
  const colours = places.map(tag).sort().join();
  if (colours === '1,2,3') places.sort((a, b) => tag(a) - tag(b));
  return { places, sampleType: widest(places.map(({ type }) => type)) };
}

function sampleTypeOf({ dataType, resolution }: RawChannel): SampleType {
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
  throw new ImageProblem(`its samples are of kind ${dataType} with ${resolution} bits`);
}

function widest(types: readonly SampleType[]): SampleType {
  const distinct = [...new Set(types)];
  const first = distinct[0] as SampleType;
  if (distinct.length === 1) return first;
  if (distinct.includes('uint64')) throw new ImageProblem(`its channels are of ${distinct.join(' and ')}`);
  if (distinct.includes('float64')) return 'float64';
  const float = distinct.some((type) => type.startsWith('float'));
  if (float) return distinct.includes('uint32') ? 'float64' : 'float32';
  return distinct.includes('uint32') ? 'uint32' : 'uint16';
}

function checkLimits(layout: ImageLayout): void {
  const { rows, columns, t, z, lambdas, folded, channels } = layout;
  const product = (axes: readonly Axis[]) => axes.reduce((all, { count }) => all * count, 1);
  const size = SAMPLE_BYTES[layout.sampleType];
  if (
    rows.count > LIMITS.planeSide ||
    columns.count > LIMITS.planeSide ||
    rows.count * columns.count > LIMITS.planePixels
  ) {
    throw new ImageProblem(`its planes have ${rows.count} × ${columns.count} pixels`);
  }
  if (t.count > LIMITS.planes || z.count > LIMITS.planes)
    throw new ImageProblem(`it has ${t.count} times, ${z.count} depths`);
  if (product(lambdas) * channels.length > LIMITS.channels) throw new ImageProblem('it has too many wavelengths');
  if (product(folded) > LIMITS.scenes) throw new ImageProblem('it has too many tiles');
  if (columns.count > 1 && columns.increment % size !== 0 && channels.every(({ type }) => type === layout.sampleType)) {
    throw new ImageProblem(
      `its pixels lie ${columns.increment} bytes apart, which is no multiple of their ${size} bytes`,
    );
  }
}

/** Two addresses of one byte would show the same pixels twice: such increments are damaged. */
function checkOverlap(layout: ImageLayout): void {
  const steps = axesOf(layout)
    .filter(({ count }) => count > 1)
    .map(({ count, increment }) => ({ count, increment }));
  const offsets = layout.channels.map(({ offset }) => offset).sort((a, b) => a - b);
  const gaps = offsets.slice(1).map((offset, i) => offset - (offsets[i] as number));
  const even = gaps.every((gap) => gap === gaps[0]);
  if (gaps.some((gap) => gap === 0)) throw new ImageProblem('two of its channels lie at the same place');
  if (gaps.length > 0 && even) steps.push({ count: offsets.length, increment: gaps[0] as number });
  steps.sort((a, b) => a.increment - b.increment);
  let extent = Math.min(...layout.channels.map(({ type }) => SAMPLE_BYTES[type]));
  for (const { count, increment } of steps) {
    if (increment < extent) throw new ImageProblem('its dimensions overlap in the data');
    extent += (count - 1) * increment;
  }
  if (!Number.isSafeInteger(extent + Math.max(...offsets)))
    throw new ImageProblem('its dimensions are beyond all reason');
}

/** Bytes from the start of the block to the end of the last sample. */
export function bytesNeeded(layout: ImageLayout): number {
  const ends = layout.channels.map(({ offset, type }) => offset + SAMPLE_BYTES[type]);
  return axesOf(layout).reduce((sum, { count, increment }) => sum + (count - 1) * increment, Math.max(...ends));
}

/**
 * A recording that was stopped, or a file that was cut, holds less than was announced: what is there whole, for all
 * channels, along the slowest axis is served; along the next one where not even one entry of the slowest is. When a
 * channel is missing altogether, planes without their bytes stay errors.
 */
function fitToBytes(layout: ImageLayout, available: number): void {
  const needed = bytesNeeded(layout);
  if (needed <= available) return;
  const found = `${available} of ${needed} bytes are in the file`;
  const order = axesOf(layout)
    .filter(({ count }) => count > 1)
    .sort(slowestFirst);
  const announced = order.map(({ count }) => count);
  const { rows, columns } = layout;
  const along = columns.increment <= rows.increment ? columns : rows;
  let inside = needed;
  for (const [i, axis] of order.entries()) {
    // A part of one line is not an image.
    if (axis === along) break;
    inside -= (axis.count - 1) * axis.increment;
    axis.count = inside > available ? 1 : Math.floor((available - inside) / axis.increment) + 1;
    if (inside > available) continue;
    const parts = order.slice(0, i + 1).map((one, k) => `${one.count} of ${announced[k]} ${nounOf(layout, one)}`);
    layout.warnings.push(`The recording was stopped or cut off: ${found}; ${parts.join(', ')} are served.`);
    return;
  }
  for (const [i, axis] of order.entries()) axis.count = announced[i] as number;
  if (firstPlaneEnd(layout) > available) throw new ImageProblem(`${found}, which is not one plane`);
  layout.warnings.push(`The recording was stopped or cut off: ${found}; planes without all of theirs cannot be read.`);
}

/** A row more than the description covers: a number in it is wrong. Less is the padding of the last row. */
function noteExcess(layout: ImageLayout, available: number): void {
  const needed = bytesNeeded(layout);
  const row = Math.max(layout.rows.increment, layout.columns.increment, 1);
  if (available - needed < row || !Number.isFinite(available) || layout.warnings.length > 0) return;
  layout.warnings.push(
    `The image has ${available} bytes of data, but its description covers ${needed}: channels, times, depths or pixels may be missing or misplaced.`,
  );
}

/** Bytes up to the end of the plane that comes first. */
function firstPlaneEnd({ channels, rows, columns }: ImageLayout): number {
  const first = Math.min(...channels.map(({ offset, type }) => offset + SAMPLE_BYTES[type]));
  return first + (rows.count - 1) * rows.increment + (columns.count - 1) * columns.increment;
}

function nounOf(layout: ImageLayout, axis: Axis): string {
  if (axis === layout.columns) return 'columns';
  if (axis === layout.rows) return layout.rowAxis === 'T' ? 'lines' : 'rows';
  if (axis === layout.t) return 'time points';
  if (axis === layout.z) return 'depths';
  return layout.lambdas.includes(axis) ? 'wavelengths' : `${FOLDED_NAMES[axis.id] ?? 'part'}s`;
}

/** What a folded axis counts, for names of scenes. */
export const FOLDED_NAMES: Readonly<Record<number, string>> = {
  [DIM.rotation]: 'rotation',
  [DIM.slices]: 'slice',
  [DIM.timeSlices]: 'time slice',
  [DIM.tile]: 'tile',
  [DIM.loop]: 'loop',
};

/** Index along each of `axes` for entry `index` of their product, the last one the fastest. */
export function indicesAt(axes: readonly Axis[], index: number): number[] {
  const indices: number[] = new Array(axes.length);
  let rest = index;
  for (let i = axes.length - 1; i >= 0; i--) {
    const { count } = axes[i] as Axis;
    indices[i] = rest % count;
    rest = Math.floor(rest / count);
  }
  return indices;
}

export function entriesOf(axes: readonly Axis[]): number {
  return axes.reduce((all, { count }) => all * count, 1);
}

/** Bytes from the start of an image to entry `index` of the product of `axes`. */
export function offsetAt(axes: readonly Axis[], index: number): number {
  return indicesAt(axes, index).reduce((sum, at, i) => sum + at * (axes[i] as Axis).increment, 0);
}
