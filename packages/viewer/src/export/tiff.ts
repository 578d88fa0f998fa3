/**
 * One plane, or a stack of them, as TIFF in the type of its samples (TIFF 6.0, SampleFormat), calibrated for ImageJ and Fiji: pixels per unit in the
 * resolution tags, and the units, which may differ, in the description (`unit`, `yunit`).
 */

import { concat } from '@acquisition-store/readers/base/bytes.js';
import {
  bytes,
  encodeIfd,
  LONG,
  numbers,
  rational,
  SHORT,
  type TiffField,
  text,
} from '@acquisition-store/readers/derive/writers/tiff-fields.js';
import type { Shape } from '../model/document.ts';
import type { ServedAxis } from '../model/plane.ts';
import type { Samples } from '../model/samples.ts';
import { littleEndianBytes } from './bytes.ts';
import { type SampleType, sampleType } from './sample-type.ts';

const UNITS: Record<string, string> = { seconds: 'sec', micrometer: 'micron' };
const HEADER = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0);
/** Max offset of a classic TIFF, which is a 32-bit number. */
const MAX_OFFSET = 0xffff_ffff;

interface TiffImage {
  readonly shape: Shape;
  readonly axes: readonly [ServedAxis, ServedAxis];
  /** Row and column of the first sample, when this is a part of a plane. */
  readonly origin?: readonly [row: number, column: number];
  /** What the description says besides the calibration. */
  readonly note?: string | null;
  /** Display range that a program may start with. */
  readonly range: { readonly min: number; readonly max: number };
  /** What the file says of the images that follow the first one. */
  readonly stack?: TiffStack;
}

/** Images of one size that follow each other without a gap, as ImageJ stores a hyperstack: only the first one has a directory. */
export interface TiffStack {
  /** Lines of the description: sizes, distances, intervals. */
  readonly lines: readonly string[];
  /** Red, green and blue of 256 values each, one after the other, of the only channel. */
  readonly colors: Uint8Array | null;
  /** Tags 50838 and 50839: labels, ranges and tables of the channels. */
  readonly metadata: { readonly counts: readonly number[]; readonly block: Uint8Array } | undefined;
}

/** @throws RangeError when the samples do not fit into a classic TIFF (4 GiB). */
export function tiffParts({ data, ...image }: TiffImage & { readonly data: Samples }): BlobPart[] {
  const header = tiffHeader(image, sampleType(data));
  if (header.length + data.byteLength > MAX_OFFSET) {
    throw new RangeError('The plane is larger than a TIFF can hold (4 GiB). Save it as .npy.');
  }
  return [header, littleEndianBytes(data)];
}

/** Returns what is in front of the samples. */
export function tiffHeader(image: TiffImage, type: SampleType): Uint8Array<ArrayBuffer> {
  const fields = fieldsOf(image, type);
  const place = { isBig: false, start: HEADER.length, next: 0 };
  const offset = HEADER.length + encodeIfd([...fields, numbers(273, LONG, [0])], place).length;
  return concat([HEADER, encodeIfd([...fields, numbers(273, LONG, [offset])], place)]);
}

/** Returns all fields but the place of the samples. */
function fieldsOf(image: TiffImage, type: SampleType): TiffField[] {
  const [rows, columns] = image.shape;
  const [top, left] = image.origin ?? [0, 0];
  const [y, x] = image.axes;
  const { colors = null, metadata } = image.stack ?? {};
  return [
    numbers(256, LONG, [columns]),
    numbers(257, LONG, [rows]),
    numbers(258, SHORT, [type.bits]),
    numbers(259, SHORT, [1]),
    numbers(262, SHORT, [1]),
    text(270, describe(image)),
    numbers(277, SHORT, [1]),
    numbers(278, LONG, [rows]),
    numbers(279, LONG, [(rows * columns * type.bits) / 8]),
    rational(282, 1 / x.step),
    rational(283, 1 / y.step),
    ...(left === 0 ? [] : [rational(286, left * x.step)]),
    ...(top === 0 ? [] : [rational(287, top * y.step)]),
    numbers(296, SHORT, [1]),
    ...(colors ? [numbers(320, SHORT, Array.from(colors, wide))] : []),
    numbers(339, SHORT, [type.tiff]),
    ...(metadata ? [numbers(50838, LONG, metadata.counts), bytes(50839, metadata.block)] : []),
  ];
}

/** A component of a color with 16 bits. */
const wide = (component: number) => component * 257;

/** The words of ImageJ: its origin is in pixels, and the coordinate of pixel i is (i − origin) · step. */
function describe({ axes: [y, x], origin: [top, left] = [0, 0], range: { min, max }, note, stack }: TiffImage): string {
  const unit = UNITS[x.unit] ?? 'pixel';
  const yUnit = UNITS[y.unit] ?? 'pixel';
  const lines = [
    'ImageJ=1.54f',
    ...(stack?.lines ?? []),
    `unit=${unit}`,
    ...(yUnit === unit ? [] : [`yunit=${yUnit}`]),
    ...(left === 0 ? [] : [`xorigin=${-left}`]),
    ...(top === 0 ? [] : [`yorigin=${-top}`]),
    `min=${min}`,
    `max=${max}`,
    // Readers expect ASCII here.
    ...(note ? [`note=${note.replaceAll('µ', 'u')}`] : []),
  ];
  return [...lines, ''].join('\n');
}
