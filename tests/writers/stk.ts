/** MetaMorph STK: one IFD, planes behind each other, private tags whose counts count records. */
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { type TagSpec, type TiffSpec, writeTiff } from './tiff.js';

export interface StkPlane {
  /** Distance to the next plane: numerator and denominator. */
  z?: [number, number];
  /** Julian day and milliseconds of the day. */
  created?: [number, number];
  wavelength?: number;
  /** `_IllumSetting_` of UIC1. */
  illumination?: string;
  /** `_MagSetting_` of UIC1. */
  magnification?: string;
  /** StagePosition, in thousandths of a micrometer. */
  stage?: [x: number, y: number];
  /** StageLabel. */
  label?: string;
  /** AbsoluteZ: numerator and denominator. */
  focus?: [number, number];
  /** AbsoluteZValid. */
  isFocusValid?: boolean;
}

export interface StkSpec {
  width: number;
  height: number;
  planes: { samples: SampleArray; info: StkPlane }[];
  calibration?: { on?: boolean; x: [number, number]; y: [number, number]; units: string };
  /** Name of the image (UIC1). */
  name?: string;
  /** Offsets of the lists of positions are in UIC1 instead of UIC4. */
  positionsInUic1?: boolean;
  /** `AutoScale`, `MinScale`, `MaxScale`. */
  scale?: [auto: number, min: number, max: number];
  /** Written as the count of UIC2 instead of the number of planes. */
  claimed?: number;
  tags?: TagSpec[];
  compression?: number;
  rowsPerStrip?: number;
}

export function writeStk(spec: StkSpec): Uint8Array {
  // The values of UIC1 are offsets in the file; the length of the TIFF does not depend on them.
  const blocks = uic1Blocks(spec);
  const base = writeTiff(tiffOf(spec, blocks, 0)).length;
  const file = writeTiff(tiffOf(spec, blocks, base));
  const tail = Buffer.concat(blocks.flatMap(({ block }) => (block ? [block] : [])));
  return Buffer.concat([file, tail]);
}

interface Uic1Entry {
  id: number;
  /** The value itself, when there is no block behind the file. */
  value: number;
  block?: Uint8Array;
}

function uic1Blocks({ calibration, planes, scale, name, positionsInUic1 }: StkSpec): Uic1Entry[] {
  const entries: Uic1Entry[] = (scale ?? []).map((value, id) => ({ id, value }));
  if (calibration) {
    entries.push({ id: 3, value: calibration.on === false ? 0 : 0xffffffff });
    entries.push({ id: 4, value: 0, block: u32(...calibration.x) });
    entries.push({ id: 5, value: 0, block: u32(...calibration.y) });
    entries.push({ id: 6, value: 0, block: pascalText(calibration.units) });
  }
  if (name !== undefined) entries.push({ id: 7, value: 0, block: pascalText(name) });
  const addProperty = (index: number, key: string, text: string | undefined) => {
    if (text === undefined) return;
    const value = Buffer.from(text, 'latin1');
    const parts = [u32(index), Buffer.of(key.length), Buffer.from(key), u32(0), Buffer.of(2, value.length), value];
    entries.push({ id: 49, value: 0, block: Buffer.concat(parts) });
  };
  planes.forEach(({ info }, index) => {
    addProperty(index, '_IllumSetting_', info.illumination);
    addProperty(index, '_MagSetting_', info.magnification);
  });
  if (positionsInUic1) for (const { id, bytes } of positionLists(planes)) entries.push({ id, value: 0, block: bytes });
  return entries;
}

function pascalText(text: string): Uint8Array {
  const bytes = Buffer.from(`${text}\0`, 'latin1');
  return Buffer.concat([u32(bytes.length), bytes]);
}

/** The lists with one value per plane that some plane has: StagePosition, StageLabel, AbsoluteZ, AbsoluteZValid. */
function positionLists(planes: StkSpec['planes']): { id: number; bytes: Uint8Array }[] {
  const list = (id: number, isUsed: (info: StkPlane) => boolean, value: (info: StkPlane) => Uint8Array) =>
    planes.some(({ info }) => isUsed(info))
      ? [{ id, bytes: Buffer.concat(planes.map(({ info }) => value(info))) }]
      : [];
  return [
    ...list(
      28,
      ({ stage }) => stage !== undefined,
      ({ stage: [x, y] = [0, 0] }) => u32(x >>> 0, 1000, y >>> 0, 1000),
    ),
    ...list(
      37,
      ({ label }) => label !== undefined,
      ({ label }) => pascalText(label ?? ''),
    ),
    ...list(
      40,
      ({ focus }) => focus !== undefined,
      ({ focus: [above, below] = [0, 1] }) => u32(above >>> 0, below),
    ),
    ...list(
      41,
      ({ focus }) => focus !== undefined,
      ({ isFocusValid = true }) => u32(isFocusValid ? 1 : 0),
    ),
  ];
}

function tiffOf(spec: StkSpec, blocks: Uic1Entry[], base: number): TiffSpec {
  const { planes } = spec;
  let at = base;
  const pairs = blocks.flatMap(({ id, value, block }) => {
    const pair = [id, block ? at : value];
    at += block?.length ?? 0;
    return pair;
  });
  const uic2 = planes.flatMap(({ info }) => [
    ...(info.z ?? [0, 1]),
    ...(info.created ?? [0, 0]),
    ...(info.created ?? [0, 0]),
  ]);
  const tags: TagSpec[] = [{ code: 33629, type: 5, count: spec.claimed ?? planes.length, bytes: u32(...uic2) }];
  if (blocks.length > 0) tags.push({ code: 33628, type: 4, count: blocks.length, bytes: u32(...pairs) });
  if (planes.some(({ info }) => info.wavelength !== undefined)) {
    const values = planes.flatMap(({ info }) => [info.wavelength ?? 0, 1]);
    tags.push({ code: 33630, type: 5, count: planes.length, bytes: u32(...values) });
  }
  const lists = spec.positionsInUic1 ? [] : positionLists(planes);
  if (lists.length > 0) {
    const bytes = Buffer.concat([...lists.flatMap((list) => [u16(list.id), list.bytes]), u16(0)]);
    tags.push({ code: 33631, type: 4, count: planes.length, bytes });
  }
  const [first, ...rest] = planes.map(({ samples }) => samples);
  return {
    pages: [
      {
        width: spec.width,
        height: spec.height,
        samples: first as SampleArray,
        extraPlanes: rest,
        tags: [...tags, ...(spec.tags ?? [])],
        ...(spec.compression ? { compression: spec.compression } : {}),
        ...(spec.rowsPerStrip ? { rowsPerStrip: spec.rowsPerStrip } : {}),
      },
    ],
  };
}

function u16(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function u32(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(i * 4, value, true);
  });
  return bytes;
}
