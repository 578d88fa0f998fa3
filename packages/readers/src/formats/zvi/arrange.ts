/** Arranges planes in scenes by their indices. Pure. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted, asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { countAre, grouped } from '../../base/wording.js';
import type { SampleType } from '../../model/samples/types.js';
import { storedBytes } from '../../model/samples/types.js';
import { INDEX, type RawPlane } from './parse.js';

/** What all planes of a scene share. */
export interface PlaneForm {
  width: number;
  height: number;
  sampleType: SampleType;
  /** Samples of a pixel: stored blue, green, red and opacity if there are several. */
  samples: number;
}

export interface ZviScene {
  name: string;
  form: PlaneForm;
  /** The stored indices along each axis, in ascending order. */
  Z: readonly number[];
  C: readonly number[];
  T: readonly number[];
  /** Returns a plane; `undefined` for one that the file does not have. `channel` counts stored planes, not their samples. */
  planeAt(place: StoredPlace): RawPlane | undefined;
  /** In the order of the file; never empty. */
  planes: readonly RawPlane[];
  notes: Notes;
}

export interface StoredPlace {
  channel: number;
  t: number;
  z: number;
}

/** Numbers of the vendor for how pixels are stored. */
const FORMATS: Readonly<Record<number, [sampleType: SampleType, samples: number]>> = {
  1: ['uint8', 3],
  2: ['uint8', 4],
  3: ['uint8', 1],
  // Its name is that of a signed type, but cameras count from 0 and other programs read it as unsigned.
  4: ['uint16', 1],
  5: ['int32', 1],
  6: ['float32', 1],
  7: ['float64', 1],
  8: ['uint16', 3],
  9: ['int32', 3],
};

/** Indices that make scenes, with their names. */
const SCENE_AXES: readonly (readonly [index: number, name: string])[] = [
  [INDEX.S, 'Scene'],
  [INDEX.P, 'Position'],
  [INDEX.V, 'Row'],
  [INDEX.U, 'Column'],
  [INDEX.A, 'Acquisition'],
];

/**
 * Returns a scene for each position, with the planes in it.
 * @throws AcqError `unsupported_format` for other samples, `decode_failed` for more channels or planes than the limits
 */
export function arrange(planes: readonly RawPlane[]): ZviScene[] {
  const ranks = SCENE_AXES.map(([index]) => new Map(distinct(planes, index).map((value, rank) => [value, rank])));
  const groups = new Map<string, { ranks: number[]; planes: RawPlane[] }>();
  for (const plane of planes) {
    const own = SCENE_AXES.map(([index], axis) => ranks[axis]!.get(plane.indices[index]!)!);
    const key = own.join();
    const group = groups.get(key);
    if (group) group.planes.push(plane);
    else groups.set(key, { ranks: own, planes: [plane] });
  }
  const sorted = [...groups.values()].sort((a, b) => compare(a.ranks, b.ranks));
  return sorted.map((group) => {
    const parts = SCENE_AXES.flatMap(([, name], axis) =>
      ranks[axis]!.size > 1 ? [`${name} ${group.ranks[axis]! + 1}`] : [],
    );
    return toScene(parts.join(', '), group.planes);
  });
}

function compare(a: readonly number[], b: readonly number[]): number {
  const axis = a.findIndex((rank, i) => rank !== b[i]);
  return axis < 0 ? 0 : a[axis]! - b[axis]!;
}

function distinct(planes: readonly RawPlane[], index: number): number[] {
  return [...new Set(planes.map(({ indices }) => indices[index]!))].sort((a, b) => a - b);
}

function toScene(name: string, planes: readonly RawPlane[]): ZviScene {
  const form = formOf(planes[0]!);
  const [Z, C, T] = [INDEX.Z, INDEX.C, INDEX.T].map((index) => distinct(planes, index)) as [
    number[],
    number[],
    number[],
  ];
  checkSizes(C.length * form.samples, C.length * Z.length * T.length);
  const notes = new Notes();
  const [rankZ, rankC, rankT] = [Z, C, T].map((values) => new Map(values.map((value, rank) => [value, rank])));
  const numberOf = ({ channel, t, z }: StoredPlace) => (t * Z.length + z) * C.length + channel;
  const byNumber = new Map<number, RawPlane>();
  let again = 0;
  for (const plane of planes) {
    const { indices } = plane;
    const place = { z: rankZ!.get(indices[INDEX.Z]!)!, t: rankT!.get(indices[INDEX.T]!)! };
    const number = numberOf({ ...place, channel: rankC!.get(indices[INDEX.C]!)! });
    if (byNumber.has(number)) again++;
    else byNumber.set(number, plane);
  }
  if (again > 0) {
    notes.add(asInconsistent(`${countAre(again, 'plane')} at the place of another one, and was skipped.`));
  }
  noteMissing(C.length * Z.length * T.length - byNumber.size, notes);
  noteForms(form, planes, notes);
  return { ...{ name, form, Z, C, T, planes, notes }, planeAt: (place) => byNumber.get(numberOf(place)) };
}

/** A few planes may have numbers that are those of any number of planes. */
function checkSizes(channels: number, planes: number): void {
  if (channels > LIMITS.channels) {
    throw decodeFailed(`the planes are of ${grouped(channels)} channels; the limit is ${grouped(LIMITS.channels)}`);
  }
  if (planes > LIMITS.planes) {
    throw decodeFailed(`the planes are numbered as ${grouped(planes)}; the limit is ${grouped(LIMITS.planes)}`);
  }
}

function noteMissing(missing: number, notes: Notes): void {
  if (missing > 0) notes.add(asIncomplete(`${countAre(missing, 'plane')} missing and shown as zeros.`));
}

function noteForms(form: PlaneForm, planes: readonly RawPlane[], notes: Notes): void {
  const others = planes.filter((plane) => !isOfForm(plane, form)).length;
  if (others > 0) {
    notes.add(
      asCorrupted(
        `${grouped(others)} of ${grouped(planes.length)} planes ${others === 1 ? 'has' : 'have'} other samples than the first one and cannot be read.`,
      ),
    );
  }
}

/** True for a plane with the shape and the samples of a scene. */
export function isOfForm(plane: RawPlane, { width, height, sampleType, samples }: PlaneForm): boolean {
  const own = FORMATS[plane.pixelFormat];
  if (plane.width !== width || plane.height !== height || own?.[1] !== samples) return false;
  return typeOf(plane, own) === sampleType && isConsistent(plane, own);
}

/** @throws AcqError `unsupported_format` */
function formOf(plane: RawPlane): PlaneForm {
  const { width, height, pixelFormat, bytesPerPixel } = plane;
  const format = FORMATS[pixelFormat];
  if (!format || !isConsistent(plane, format)) {
    throw unsupported(
      `the pixels have format ${pixelFormat} and ${grouped(bytesPerPixel)} bytes each, which is not supported. ` +
        'Export the image as TIFF in AxioVision or ZEN.',
    );
  }
  return { width, height, sampleType: typeOf(plane, format), samples: format[1] };
}

function isConsistent({ bytesPerPixel, compression }: RawPlane, [type, samples]: [SampleType, number]): boolean {
  return compression === 'jpeg' || bytesPerPixel === storedBytes(type) * samples;
}

/** JPEG has 8 bits, whatever the pixels had. */
function typeOf({ compression }: RawPlane, [type]: [SampleType, number]): SampleType {
  return compression === 'jpeg' ? 'uint8' : type;
}
