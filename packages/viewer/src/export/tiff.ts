/**
 * One plane, or a stack of them, as TIFF in the type of its samples (TIFF 6.0, SampleFormat), calibrated for ImageJ and Fiji: pixels per unit in the
 * resolution tags, and the units, which may differ, in the description (`unit`, `yunit`).
 */

import type { Plane } from '@acquisition-store/client/contract/open.js';
import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { littleEndianBytes } from './bytes.ts';
import { type SampleType, sampleType } from './sample-type.ts';

type Axis = Plane['axes'][number];

const BYTE = 1;
const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const ASCII = 2;
const UNITS: Record<string, string> = { seconds: 'sec', micrometer: 'micron' };
/** Max offset of a classic TIFF, which is a 32-bit number. */
const MAX_OFFSET = 0xffff_ffff;

interface TiffImage {
  readonly shape: Shape;
  readonly axes: readonly [Axis, Axis];
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
  readonly metadata: { readonly counts: readonly number[]; readonly block: Uint8Array<ArrayBuffer> } | null;
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
  const [rows, columns] = image.shape;
  const [top, left] = image.origin ?? [0, 0];
  const description = ascii(describe(image));
  const [y, x] = image.axes;
  const { colors = null, metadata = null } = image.stack ?? {};
  const entries: Entry[] = [
    [256, LONG, 1, columns],
    [257, LONG, 1, rows],
    [258, SHORT, 1, type.bits],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 1],
    [270, ASCII, description.length, description],
    [273, LONG, 1, 0],
    [277, SHORT, 1, 1],
    [278, LONG, 1, rows],
    [279, LONG, 1, (rows * columns * type.bits) / 8],
    [282, RATIONAL, 1, rational(1 / x.step)],
    [283, RATIONAL, 1, rational(1 / y.step)],
    ...(top === 0 && left === 0
      ? []
      : [[286, RATIONAL, 1, rational(left * x.step)] as Entry, [287, RATIONAL, 1, rational(top * y.step)] as Entry]),
    [296, SHORT, 1, 1],
    ...(colors ? [[320, SHORT, colors.length, littleEndianBytes(Uint16Array.from(colors, wide))] as Entry] : []),
    [339, SHORT, 1, type.tiff],
  ];
  if (metadata) {
    const counts = littleEndianBytes(Uint32Array.from(metadata.counts));
    entries.push([50838, LONG, metadata.counts.length, counts], [50839, BYTE, metadata.block.length, metadata.block]);
  }
  return writeDirectory(entries);
}

/** A component of a color with 16 bits. */
const wide = (component: number) => component * 257;

type Entry = [tag: number, type: number, count: number, value: number | Uint8Array<ArrayBuffer>];

/** Returns the header, the directory and the values that do not fit into it. The strip follows. */
function writeDirectory(entries: Entry[]): Uint8Array<ArrayBuffer> {
  const directory = 8 + 2 + entries.length * 12 + 4;
  const outside = entries.map(([, , , value]) => (value instanceof Uint8Array && value.length > 4 ? even(value) : 0));
  const bytes = new Uint8Array(directory + outside.reduce((sum, length) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  view.setUint16(8, entries.length, true);
  let place = directory;
  entries.forEach(([tag, type, count, value], i) => {
    const at = 10 + i * 12;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, count, true);
    if (tag === 273) view.setUint32(at + 8, bytes.length, true);
    else if (typeof value === 'number') view.setUint32(at + 8, value, true);
    else if (value.length <= 4) bytes.set(value, at + 8);
    else {
      view.setUint32(at + 8, place, true);
      bytes.set(value, place);
      place += even(value);
    }
  });
  return bytes;
}

const even = ({ length }: Uint8Array) => length + (length % 2);

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

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`) as Uint8Array<ArrayBuffer>;
}

/** Returns a value as a fraction of two 32-bit numbers, with nine or more exact digits. */
function rational(value: number): Uint8Array<ArrayBuffer> {
  const denominator = value >= 1 ? Math.max(1, Math.floor(MAX_OFFSET / value / 2)) : MAX_OFFSET - 1;
  const scale = Math.min(denominator, 1e9);
  const numerator = value === 0 ? 0 : Math.min(MAX_OFFSET, Math.max(1, Math.round(value * scale)));
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, numerator, true);
  view.setUint32(4, Math.round(scale), true);
  return bytes;
}
