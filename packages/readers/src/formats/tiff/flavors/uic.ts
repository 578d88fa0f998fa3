/**
 * The private tags of MetaMorph STK (Universal Imaging): UIC1 33628, UIC2 33629, UIC3 33630. Their counts in the TIFF are
 * records instead of values: 8 bytes per record in UIC1 and UIC3, 24 in UIC2.
 */
import { latin1 } from '../../../base/bytes.js';
import { ignoreCorrupted } from '../../../base/errors.js';
import { wallClockOf } from '../../../model/metadata/dates.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { UIC2 } from './signs.js';

const UIC1 = 33628;
const UIC3 = 33630;

/** One plane of UIC2. */
export interface RawUicPlane {
  zDistance: number;
  createdDay: number;
  createdMilliseconds: number;
}

/** The settings of UIC1 that are used; `undefined` if missing or unusable. */
export interface RawUic1 {
  calibrated: boolean | undefined;
  xCalibration: number | undefined;
  yCalibration: number | undefined;
  units: string | undefined;
  /** If false, `minScale` and `maxScale` are the values shown as black and as white. */
  autoScale: boolean | undefined;
  minScale: number | undefined;
  maxScale: number | undefined;
  /** Name of the image. */
  name: string | undefined;
  /** `_IllumSetting_` by plane. */
  illumination: Map<number, string>;
  /** `_MagSetting_` by plane: the name of the objective, such as `20x`. */
  magnification: Map<number, string>;
  /** Offsets of lists with one value per plane, by their id. */
  planeLists: Map<number, number>;
}

/** Ids whose value is the offset of a list: StagePosition, StageLabel, AbsoluteZ, AbsoluteZValid. */
const PLANE_LISTS = new Set([28, 37, 40, 41]);
const PLANE_BYTES = 24;
const PAIR_BYTES = 8;
/** Pairs of UIC1 that are read. Files have a few dozen, and a few per plane if planes have properties. */
const MAX_PAIRS = 100_000;
const MAX_PROPERTIES = 4_096;
/** Planes whose records are read. The longest stacks have about 100,000. */
const MAX_PLANES = 1_000_000;

/** Returns the number of planes that the file claims, which is the count of UIC2. */
export function countClaimedPlanes(page: TiffPage): number {
  return page.tags.get(UIC2)?.count ?? 0;
}

/** Reads the first `count` planes of UIC2; returns `undefined` if the records are outside the file. */
export function readPlanes(file: TiffFile, page: TiffPage, count: number): RawUicPlane[] | undefined {
  const view = readRecords(file, page, UIC2, count * PLANE_BYTES);
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

/** Reads the wavelengths of the first `count` planes (UIC3), in nm if the microscope set them. */
export function readWavelengths(file: TiffFile, page: TiffPage, count: number): number[] | undefined {
  const view = readRecords(file, page, UIC3, count * PAIR_BYTES);
  if (!view) return undefined;
  return Array.from({ length: count }, (_, i) => divide(view, i * PAIR_BYTES, file.littleEndian));
}

/** Reads the settings of UIC1. */
export function readUic1(file: TiffFile, page: TiffPage): RawUic1 {
  const uic1: RawUic1 = {
    calibrated: undefined,
    xCalibration: undefined,
    yCalibration: undefined,
    units: undefined,
    autoScale: undefined,
    minScale: undefined,
    maxScale: undefined,
    name: undefined,
    illumination: new Map(),
    magnification: new Map(),
    planeLists: new Map(),
  };
  const pairs = Math.min(page.tags.get(UIC1)?.count ?? 0, MAX_PAIRS);
  const view = readRecords(file, page, UIC1, pairs * PAIR_BYTES);
  if (!view) return uic1;
  let properties = 0;
  for (let i = 0; i < pairs; i++) {
    const id = view.getUint32(i * PAIR_BYTES, file.littleEndian);
    const value = view.getUint32(i * PAIR_BYTES + 4, file.littleEndian);
    if (id === 0) uic1.autoScale = value !== 0;
    else if (id === 1) uic1.minScale = value;
    else if (id === 2) uic1.maxScale = value;
    else if (id === 3) uic1.calibrated = value !== 0;
    else if (id === 4) uic1.xCalibration = readRational(file, value);
    else if (id === 5) uic1.yCalibration = readRational(file, value);
    else if (id === 6) uic1.units = readText(file, value);
    else if (id === 7) uic1.name = readText(file, value);
    else if (PLANE_LISTS.has(id)) uic1.planeLists.set(id, value);
    else if (id === 49 && ++properties <= MAX_PROPERTIES) addProperty(file, value, uic1);
  }
  return uic1;
}

/**
 * True for the settings that Prairie View writes into plain TIFFs, whoever saved them again: 99 µm per pixel and the name
 * of a film (24 of 24 files).
 */
export function isPrairieUic1({ name, xCalibration, yCalibration }: RawUic1): boolean {
  return name === 'Gattaca' || (xCalibration === 99 && yCalibration === 99);
}

/** Returns the local clock of the microscope, from Julian day and milliseconds; `undefined` without a date. */
export function stkClock(plane: RawUicPlane | undefined) {
  const time = stkMilliseconds(plane);
  return time === undefined ? undefined : wallClockOf(time);
}

/**
 * Returns the milliseconds since 1970 of the same clock. Day 2440587 is 1970-01-01: MetaMorph counts from midnight, one
 * less than the Julian day number of the date (confirmed by the DateTime tag of a real file).
 */
export function stkMilliseconds(plane: RawUicPlane | undefined): number | undefined {
  if (!plane || plane.createdDay === 0 || plane.createdMilliseconds >= 86_400_000) return undefined;
  return (plane.createdDay - 2_440_587) * 86_400_000 + plane.createdMilliseconds;
}

/** Reads the value of a tag, which has more bytes than its count in the TIFF says. */
function readRecords(file: TiffFile, page: TiffPage, code: number, length: number): DataView | undefined {
  const tag = page.tags.get(code);
  if (!tag || length === 0 || length > MAX_PLANES * PLANE_BYTES) return undefined;
  return readView(file, tag.valueOffset, length);
}

function readView(file: TiffFile, offset: number, length: number): DataView | undefined {
  if (offset + length > file.source.size) return undefined;
  const bytes = ignoreCorrupted(() => file.source.read(offset, length));
  return bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readRational(file: TiffFile, offset: number): number | undefined {
  const view = readView(file, offset, 8);
  return view && divide(view, 0, file.littleEndian);
}

function divide(view: DataView, at: number, le: boolean): number {
  return view.getUint32(at, le) / view.getUint32(at + 4, le);
}

/** Reads a u32 length followed by Latin-1 text. */
function readText(file: TiffFile, offset: number): string | undefined {
  const length = readView(file, offset, 4)?.getUint32(0, file.littleEndian);
  if (length === undefined || length === 0 || length > 256) return undefined;
  const view = readView(file, offset + 4, length);
  return view && textAt(view, 0, length);
}

/** Reads a property of a plane: u32 plane, u8 length + name, u32 0, u8 type (2 is text), u8 length + text. */
function addProperty(file: TiffFile, offset: number, uic1: RawUic1): void {
  const available = Math.min(600, file.source.size - offset);
  const view = available >= 5 ? readView(file, offset, available) : undefined;
  if (!view) return;
  const nameLength = view.getUint8(4);
  const typeAt = 5 + nameLength + 4;
  if (typeAt + 2 > available || view.getUint8(typeAt) !== 2) return;
  const name = textAt(view, 5, nameLength);
  const length = view.getUint8(typeAt + 1);
  if (typeAt + 2 + length > available) return;
  const values = { _IllumSetting_: uic1.illumination, _MagSetting_: uic1.magnification };
  if (!Object.hasOwn(values, name)) return;
  values[name as keyof typeof values].set(view.getUint32(0, file.littleEndian), textAt(view, typeAt + 2, length));
}

function textAt(view: DataView, at: number, length: number): string {
  const text = latin1(new Uint8Array(view.buffer, view.byteOffset + at, length));
  return text.replace(/\0[\s\S]*$/, '').trim();
}
