/** Which dimension of an array is which axis. Pure. */

import { grouped, shorten } from '../../base/wording.js';
import type { RawArray } from './parse.js';

/** `1`: a dimension of one entry, which is not an axis. */
export type Axis = 'T' | 'Z' | 'C' | 'Y' | 'X' | '1';

export interface Dimensions {
  /** One for each dimension. Several may be of one axis, except Y and X. */
  axes: Axis[];
  /** The channels are red, green, blue and opacity. */
  areColors: boolean;
  /** What was assumed. */
  notes: string[];
  /** Of these, what `interpret` answers. */
  aboutPages: string[];
}

/** Sides of the smallest picture in an array that does not say that it is one: tables have a few columns. */
export const MIN_SIDE = 16;
/** Channels of an array that has them last, without saying so. */
const MAX_SAMPLES = 4;

const NAMES: Readonly<Record<string, Axis>> = {
  ...{ t: 'T', time: 'T', times: 'T', frame: 'T', frames: 'T' },
  ...{ z: 'Z', depth: 'Z', slice: 'Z', slices: 'Z', plane: 'Z', planes: 'Z' },
  ...{ c: 'C', channel: 'C', channels: 'C', color: 'C', colour: 'C', rgb: 'C' },
  ...{ y: 'Y', height: 'Y', row: 'Y', rows: 'Y', line: 'Y', lines: 'Y' },
  ...{ x: 'X', width: 'X', column: 'X', columns: 'X', col: 'X', cols: 'X' },
};

type DescribedArray = Pick<RawArray, 'path' | 'labels' | 'kind' | 'interlace'> & {
  dataset: Pick<RawArray['dataset'], 'shape'> & { type: { sampleType?: string | undefined } };
};

/** Returns nothing for an array that is not an image. */
export function dimensionsOf(array: DescribedArray): Dimensions | undefined {
  const { kind, labels, dataset } = array;
  if (kind === 'PALETTE' || kind === 'DIMENSION_SCALE') return undefined;
  const { shape } = dataset;
  const named = byLabels(labels, shape);
  if (named) return found(named);
  const isPicture = kind === 'IMAGE';
  if (isPicture && shape.length === 2) return found(['Y', 'X']);
  if (isPicture && shape.length === 3) {
    const axes = INTERLACED[array.interlace ?? ''] ?? INTERLACED['INTERLACE_PIXEL']!;
    return { ...found(axes), areColors: shape[axes.indexOf('C')]! >= 3 };
  }
  return guess(array);
}

/** Where the components of an image are, by `INTERLACE_MODE` (HDF5 Image and Palette Specification). */
const INTERLACED: Readonly<Record<string, Axis[]>> = {
  INTERLACE_PIXEL: ['Y', 'X', 'C'],
  INTERLACE_LINE: ['Y', 'C', 'X'],
  INTERLACE_PLANE: ['C', 'Y', 'X'],
};

const found = (axes: Axis[]): Dimensions => ({ axes, areColors: false, notes: [], aboutPages: [] });

/** Returns the axes that all dimensions are named after; those of one entry may have any name. */
function byLabels(labels: readonly string[], shape: readonly number[]): Axis[] | undefined {
  if (labels.length !== shape.length) return undefined;
  const axes = labels.map((label, i): Axis | undefined => {
    const axis = NAMES[label.trim().toLowerCase()];
    return axis ?? (shape[i] === 1 ? '1' : undefined);
  });
  const count = (axis: Axis) => axes.filter((one) => one === axis).length;
  const isUsable = count('Y') === 1 && count('X') === 1 && (['T', 'Z', 'C'] as const).every((axis) => count(axis) <= 1);
  return isUsable && axes.every((axis) => axis !== undefined) ? (axes as Axis[]) : undefined;
}

/** Rows and columns come last, or before a few samples of each pixel; what comes before them are pages. */
function guess({ path, labels, dataset }: DescribedArray): Dimensions | undefined {
  const { shape, type } = dataset;
  const rank = shape.length;
  const isSide = (dimension: number) => dimension >= 0 && shape[dimension]! >= MIN_SIDE;
  const hasSamples = rank > 2 && shape[rank - 1]! <= MAX_SAMPLES && isSide(rank - 2) && isSide(rank - 3);
  const columns = hasSamples ? rank - 2 : rank - 1;
  if (!isSide(columns) || !isSide(columns - 1)) return undefined;
  const samples = hasSamples ? shape[rank - 1]! : 1;
  const axes = shape.map((size, i): Axis => {
    if (i >= columns - 1) return i === columns - 1 ? 'Y' : i === columns ? 'X' : size === 1 ? '1' : 'C';
    return size === 1 ? '1' : 'Z';
  });
  const name = `${shorten(path, 100)} (${shape.map(grouped).join(' × ')})`;
  const pages = shape.slice(0, columns - 1).reduce((product, size) => product * size, 1);
  const aboutPages = pages > 1 ? [describePages(name, pages)] : [];
  const notes = [...aboutPages];
  if (samples > 1) notes.push(`The last dimension of ${name} was assumed to be channels.`);
  if (labels.length > 0) {
    notes.push(
      `The names of the dimensions of ${name}, ${shorten(labels.join(', '), 100)}, are not those of an image. They were ignored.`,
    );
  }
  return { axes, areColors: samples >= 3 && type.sampleType === 'uint8', notes, aboutPages };
}

function describePages(name: string, pages: number): string {
  const meanings = 'channels, time points (T) or sections (Z)';
  return `The file does not say what the ${grouped(pages)} pages of ${name} are: ${meanings}. They are shown as Z sections.`;
}
