/**
 * ROI files of ImageJ, as `ij.io.RoiDecoder` and `RoiEncoder` of 1.53t have them. A header of 64 bytes, big-endian: "Iout",
 * version, type, bounds as 16-bit integers, number of points, ends of a line or bounds as float32, width of the line (34),
 * size of a composite (36), color (40), subtype (48), options (50), position (56), and the place of a second header (60)
 * with C, Z, T (4, 8, 12), place and length of the name (16, 20) and the width of the line as float32 (36). Points follow
 * the first header: all x, then all y, as integers from the bounds; with subpixel resolution again as float32.
 */

export type RoiType =
  | 'polygon'
  | 'rectangle'
  | 'oval'
  | 'line'
  | 'freeline'
  | 'polyline'
  | 'freehand'
  | 'traced'
  | 'angle'
  | 'point';

export interface Roi {
  readonly type: RoiType;
  /** Empty without one. */
  readonly name: string;
  /**
   * Corners of a rectangle or oval, ends of a line, otherwise all points. In areas (0, 0) is the corner of the first pixel,
   * in lines and points its center.
   */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Width of a line in pixels; 0 when it is not set. */
  readonly width: number;
  /** Numbers from 1; 0 for all channels, sections or time points. */
  readonly c: number;
  readonly z: number;
  readonly t: number;
  /** Number of the plane in a stack without C, Z and T; 0 for all. */
  readonly position: number;
  /** What the points do not say, in a word or two; empty without. */
  readonly change: string;
}

/** Why a ROI cannot be read, in a word or two. */
export class RoiError extends Error {}

/** Max points of one ROI, so that a hostile file does not stop the page. */
const MAX_ROI_POINTS = 8_192;
const MAX_ROI_NAME = 256;

const HEADER = 64;
const VERSION = 227;
const SPLINE = 1;
const SUBPIXEL = 128;
const TYPES: readonly (RoiType | null)[] = [
  ...(['polygon', 'rectangle', 'oval', 'line', 'freeline', 'polyline', null] as const),
  ...(['freehand', 'traced', 'angle', 'point'] as const),
];
/** Subtypes whose points do not say what they are. */
const SUBTYPES: Readonly<Record<number, string>> = { 1: 'text', 4: 'image' };

/** @throws RoiError for what is not a ROI, ends early, or has no counterpart here */
export function readRoi(bytes: Uint8Array): Roi {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER || view.getUint32(0) !== 0x496f7574) throw new RoiError('not a ROI of ImageJ');
  const type = TYPES[view.getUint8(6)];
  const subtype = view.getUint16(48);
  const label = SUBTYPES[subtype];
  if (label !== undefined) throw new RoiError(label);
  if (view.getInt32(36) > 0) throw new RoiError('composite');
  if (type === undefined || type === null) throw new RoiError('of an unknown type');
  const position = count(view.getInt32(56));
  return { type, points: readPoints(view, type), ...readSecond(view), position, change: changeOf(view, type) };
}

function changeOf(view: DataView, type: RoiType): string {
  if ((view.getUint16(50) & SPLINE) !== 0) return 'straight pieces instead of a curve';
  if (type === 'rectangle' && view.getUint16(54) > 0) return 'corners not rounded';
  return type === 'angle' ? 'a polyline instead of an angle' : '';
}

function readPoints(view: DataView, type: RoiType): Roi['points'] {
  const isFine = (view.getUint16(50) & SUBPIXEL) !== 0 && view.getUint16(4) >= 222;
  if (type === 'line') return finite([floatPair(view, 18), floatPair(view, 26)]);
  const [top, left, bottom, right] = [8, 10, 12, 14].map((at) => integer(view, at)) as [number, number, number, number];
  if (type === 'rectangle' || type === 'oval') {
    if (!isFine) return ordered([left, top], [right, bottom]);
    const [[x, y], [width, height]] = finite([floatPair(view, 18), floatPair(view, 26)]) as [Pair, Pair];
    return ordered([x, y], [x + width, y + height]);
  }
  const n = view.getUint16(16) || view.getInt32(18);
  if (!(n > 0 && n <= MAX_ROI_POINTS)) throw new RoiError(`with ${n} points`);
  const size = isFine ? 12 * n : 4 * n;
  if (HEADER + size > view.byteLength) throw new RoiError('truncated');
  return finite(
    Array.from({ length: n }, (_, i): Pair => {
      const at = HEADER + 4 * n + 4 * i;
      if (isFine) return [view.getFloat32(at), view.getFloat32(at + 4 * n)];
      return [left + integer(view, HEADER + 2 * i), top + integer(view, HEADER + 2 * (n + i))];
    }),
  );
}

type Pair = readonly [number, number];

function ordered(first: Pair, last: Pair): Roi['points'] {
  if (last[0] > first[0] && last[1] > first[1]) return [first, last];
  throw new RoiError('empty');
}

/** Coordinates of files that are not corrupted stay far below. */
const MAX_COORDINATE = 1e7;

function finite(points: readonly Pair[]): Roi['points'] {
  if (points.every((point) => point.every((value) => Math.abs(value) <= MAX_COORDINATE))) return points;
  throw new RoiError('with coordinates that are not numbers');
}

function floatPair(view: DataView, at: number): Pair {
  return [view.getFloat32(at), view.getFloat32(at + 4)];
}

/** ImageJ reads values below −5,000 as those of images above 32,767 pixels. */
function integer(view: DataView, at: number): number {
  const value = view.getInt16(at);
  return value < -5000 ? value + 65_536 : value;
}

function count(value: number): number {
  return value > 0 && value <= 1_000_000 ? value : 0;
}

/** Reads name, position and width of the line, as far as they are there. */
function readSecond(view: DataView): Pick<Roi, 'name' | 'width' | 'c' | 'z' | 't'> {
  const at = view.getInt32(60);
  const width = view.getUint16(34);
  if (!(at >= HEADER && at + 40 <= view.byteLength)) return { name: '', width, c: 0, z: 0, t: 0 };
  const [c, z, t] = [4, 8, 12].map((offset) => count(view.getInt32(at + offset))) as [number, number, number];
  const fine = view.getFloat32(at + 36);
  const start = view.getInt32(at + 16);
  const length = Math.min(view.getInt32(at + 20), MAX_ROI_NAME);
  const isInside = start >= HEADER && length > 0 && start + 2 * length <= view.byteLength;
  const letters = isInside ? Array.from({ length }, (_, i) => view.getUint16(start + 2 * i)) : [];
  return { name: String.fromCharCode(...letters), width: fine > 0 && fine <= 1e6 ? fine : width, c, z, t };
}

/** Returns a file that ImageJ reads. `color` is red, green and blue in one number. */
export function writeRoi(roi: Omit<Roi, 'position' | 'change'>, color: number): Uint8Array<ArrayBuffer> {
  const { type, points, name, width, c, z, t } = roi;
  const isBox = type === 'rectangle' || type === 'oval';
  const listed = isBox || type === 'line' ? [] : points;
  const n = listed.length;
  const second = HEADER + 12 * n;
  const nameAt = second + HEADER;
  const view = new DataView(new ArrayBuffer(nameAt + 2 * name.length));
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))];
  const [right, bottom] = [Math.ceil(Math.max(...xs)), Math.ceil(Math.max(...ys))];
  // Integers of 16 bits are too short for long line scans.
  const isFine = n > 0 || (isBox && (right > 32_767 || bottom > 32_767));
  view.setUint32(0, 0x496f7574);
  view.setUint16(4, VERSION);
  view.setUint8(6, TYPES.indexOf(type));
  for (const [i, value] of [top, left, bottom, right, n].entries()) view.setInt16(8 + 2 * i, value);
  const floats = isBox && isFine ? [left, top, right - left, bottom - top] : type === 'line' ? points.flat() : [];
  for (const [i, value] of floats.entries()) view.setFloat32(18 + 4 * i, value);
  view.setUint16(34, Math.round(width));
  view.setUint32(40, 0xff000000 + color);
  view.setUint16(50, isFine ? SUBPIXEL : 0);
  view.setInt32(60, second);
  for (const [i, [x, y]] of listed.entries()) {
    view.setInt16(HEADER + 2 * i, Math.floor(x) - left);
    view.setInt16(HEADER + 2 * (n + i), Math.floor(y) - top);
    view.setFloat32(HEADER + 4 * (n + i), x);
    view.setFloat32(HEADER + 4 * (2 * n + i), y);
  }
  const numbers = [c, z, t, name === '' ? 0 : nameAt, name.length];
  for (const [i, value] of numbers.entries()) view.setInt32(second + 4 + 4 * i, value);
  view.setFloat32(second + 36, width);
  for (let i = 0; i < name.length; i++) view.setUint16(nameAt + 2 * i, name.charCodeAt(i));
  return new Uint8Array(view.buffer);
}
