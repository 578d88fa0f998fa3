/** MetaMorph STK: one IFD, planes behind each other, private tags whose counts count records. */
import type { SampleArray } from '../../src/samples/types.js';
import { type TagSpec, type TiffSpec, writeTiff } from './tiff.js';

export interface StkPlane {
  /** Distance to the next plane: numerator and denominator. */
  z?: [number, number];
  /** Julian day and milliseconds of the day. */
  created?: [number, number];
  wavelength?: number;
  /** `_IllumSetting_` of UIC1. */
  illumination?: string;
}

export interface StkSpec {
  width: number;
  height: number;
  planes: { samples: SampleArray; info: StkPlane }[];
  calibration?: { on?: boolean; x: [number, number]; y: [number, number]; units: string };
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

function uic1Blocks({ calibration, planes, scale }: StkSpec): Uic1Entry[] {
  const entries: Uic1Entry[] = (scale ?? []).map((value, id) => ({ id, value }));
  if (calibration) {
    entries.push({ id: 3, value: calibration.on === false ? 0 : 0xffffffff });
    entries.push({ id: 4, value: 0, block: u32(...calibration.x) });
    entries.push({ id: 5, value: 0, block: u32(...calibration.y) });
    const text = Buffer.from(`${calibration.units}\0`, 'latin1');
    entries.push({ id: 6, value: 0, block: Buffer.concat([u32(text.length), text]) });
  }
  planes.forEach(({ info }, index) => {
    if (info.illumination === undefined) return;
    const name = Buffer.from('_IllumSetting_');
    const value = Buffer.from(info.illumination, 'latin1');
    const parts = [u32(index), Buffer.of(name.length), name, u32(0), Buffer.of(2, value.length), value];
    entries.push({ id: 49, value: 0, block: Buffer.concat(parts) });
  });
  return entries;
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

function u32(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(i * 4, value, true);
  });
  return bytes;
}
