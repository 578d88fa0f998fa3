/**
 * The private tags of MetaMorph STK (Universal Imaging): UIC1 33628, UIC2 33629, UIC3 33630. Their TIFF counts are
 * counts of records, not of values: 8 bytes a record in UIC1 and UIC3, 24 in UIC2.
 */
import { AcqError } from '../../../errors.js';
import { wallClockOf } from '../../../metadata/dates.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';

const UIC1 = 33628;
const UIC2 = 33629;
const UIC3 = 33630;

/** One plane of UIC2. */
export interface RawPlane {
  zDistance: number;
  createdDay: number;
  createdMilliseconds: number;
}

/** What UIC1 is read for; `undefined`: not there or unusable. */
export interface RawUic1 {
  calibrated: boolean | undefined;
  xCalibration: number | undefined;
  yCalibration: number | undefined;
  units: string | undefined;
  /** `AutoScale`, `MinScale`, `MaxScale`: the values shown as black and as white. */
  autoScale: boolean | undefined;
  minScale: number | undefined;
  maxScale: number | undefined;
  /** `_IllumSetting_` by plane. */
  illumination: Map<number, string>;
}

const PLANE_BYTES = 24;
const PAIR_BYTES = 8;
/** Pairs of UIC1 that are looked at: some dozen, and a few per plane where planes have properties. */
const MAX_PAIRS = 100_000;
const MAX_PROPERTIES = 4_096;
/** Planes whose records are read; the longest stacks have some 100,000. */
const MAX_PLANES = 1_000_000;

/** Planes that the file claims to have; the count of UIC2. */
export function claimedPlanes(page: TiffPage): number {
  return page.tags.get(UIC2)?.count ?? 0;
}

/** The first `count` planes of UIC2; `undefined` when the tag's records are not inside the file. */
export function readPlanes(file: TiffFile, page: TiffPage, count: number): RawPlane[] | undefined {
  const view = recordsOf(file, page, UIC2, count * PLANE_BYTES);
  if (!view) return undefined;
  const le = file.littleEndian;
  return Array.from({ length: count }, (_, i) => {
    const at = i * PLANE_BYTES;
    const denominator = view.getUint32(at + 4, le);
    return {
      zDistance: denominator === 0 ? 0 : view.getUint32(at, le) / denominator,
      createdDay: view.getUint32(at + 8, le),
      createdMilliseconds: view.getUint32(at + 12, le),
    };
  });
}

/** Wavelengths of the first `count` planes (UIC3), in nm where the microscope set them. */
export function readWavelengths(file: TiffFile, page: TiffPage, count: number): number[] | undefined {
  const view = recordsOf(file, page, UIC3, count * PAIR_BYTES);
  if (!view) return undefined;
  return Array.from({ length: count }, (_, i) => quotient(view, i * PAIR_BYTES, file.littleEndian));
}

export function readUic1(file: TiffFile, page: TiffPage): RawUic1 {
  const found: RawUic1 = {
    calibrated: undefined,
    xCalibration: undefined,
    yCalibration: undefined,
    units: undefined,
    autoScale: undefined,
    minScale: undefined,
    maxScale: undefined,
    illumination: new Map(),
  };
  const pairs = Math.min(page.tags.get(UIC1)?.count ?? 0, MAX_PAIRS);
  const view = recordsOf(file, page, UIC1, pairs * PAIR_BYTES);
  if (!view) return found;
  let properties = 0;
  for (let i = 0; i < pairs; i++) {
    const id = view.getUint32(i * PAIR_BYTES, file.littleEndian);
    const value = view.getUint32(i * PAIR_BYTES + 4, file.littleEndian);
    if (id === 0) found.autoScale = value !== 0;
    else if (id === 1) found.minScale = value;
    else if (id === 2) found.maxScale = value;
    else if (id === 3) found.calibrated = value !== 0;
    else if (id === 4) found.xCalibration = rationalAt(file, value);
    else if (id === 5) found.yCalibration = rationalAt(file, value);
    else if (id === 6) found.units = textAt(file, value);
    else if (id === 49 && ++properties <= MAX_PROPERTIES) readProperty(file, value, found.illumination);
  }
  return found;
}

/** Julian day number and milliseconds of the day, as the local clock of the microscope; `undefined` for no date. */
export function stkClock(plane: RawPlane | undefined) {
  const time = stkMilliseconds(plane);
  return time === undefined ? undefined : wallClockOf(time);
}

/**
 * Milliseconds since 1970 of the same clock. Day 2440587 is 1970-01-01: MetaMorph counts from midnight, one less than the
 * Julian day number of the date (checked with the DateTime tag of a real file).
 */
export function stkMilliseconds(plane: RawPlane | undefined): number | undefined {
  if (!plane || plane.createdDay === 0 || plane.createdMilliseconds >= 86_400_000) return undefined;
  return (plane.createdDay - 2_440_587) * 86_400_000 + plane.createdMilliseconds;
}

/** Bytes at the tag's value, which are more than the TIFF count says. */
function recordsOf(file: TiffFile, page: TiffPage, code: number, length: number): DataView | undefined {
  const tag = page.tags.get(code);
  if (!tag || length === 0 || length > MAX_PLANES * PLANE_BYTES) return undefined;
  return viewAt(file, tag.valueOffset, length);
}

function viewAt(file: TiffFile, offset: number, length: number): DataView | undefined {
  if (offset + length > file.source.size) return undefined;
  try {
    const bytes = file.source.read(offset, length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

function rationalAt(file: TiffFile, offset: number): number | undefined {
  const view = viewAt(file, offset, 8);
  return view && quotient(view, 0, file.littleEndian);
}

function quotient(view: DataView, at: number, le: boolean): number {
  return view.getUint32(at, le) / view.getUint32(at + 4, le);
}

/** u32 length, then Latin-1 text. */
function textAt(file: TiffFile, offset: number): string | undefined {
  const length = viewAt(file, offset, 4)?.getUint32(0, file.littleEndian);
  if (length === undefined || length === 0 || length > 256) return undefined;
  const view = viewAt(file, offset + 4, length);
  return view && latin1(view, 0, length);
}

/** A property of a plane: u32 plane, u8 length + name, u32 0, u8 type (2 is text), u8 length + text. */
function readProperty(file: TiffFile, offset: number, illumination: Map<number, string>): void {
  const available = Math.min(600, file.source.size - offset);
  const view = available >= 5 ? viewAt(file, offset, available) : undefined;
  if (!view) return;
  const nameLength = view.getUint8(4);
  const typeAt = 5 + nameLength + 4;
  if (typeAt + 2 > available || latin1(view, 5, nameLength) !== '_IllumSetting_' || view.getUint8(typeAt) !== 2) return;
  const length = view.getUint8(typeAt + 1);
  if (typeAt + 2 + length > available) return;
  illumination.set(view.getUint32(0, file.littleEndian), latin1(view, typeAt + 2, length));
}

function latin1(view: DataView, at: number, length: number): string {
  const text = Buffer.from(view.buffer, view.byteOffset + at, length).toString('latin1');
  return text.replace(/\0[\s\S]*$/, '').trim();
}
