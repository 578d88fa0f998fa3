/** Writes Zeiss LSM fixtures on top of the TIFF writer: header, its blocks, thumbnails, and the usual violations. */
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { type PageSpec, type TagSpec, writeTiff } from './tiff.js';
import { encodeLzw } from './tiff-encode.js';

/** Fields of CZ_LSMINFO and its blocks. */
export interface LsmInfoSpec {
  magic?: number;
  /** Structure size that is written; fields behind it are cut off. */
  size?: number;
  X?: number;
  Y?: number;
  Z?: number;
  C?: number;
  T?: number;
  P?: number;
  M?: number;
  dataType?: number;
  /** Metres. */
  voxel?: [number, number, number];
  scanType?: number;
  typeOfData?: number;
  /** Seconds. */
  interval?: number;
  stamps?: readonly number[];
  /** Number of time stamps that is written instead of the true one. */
  stampCount?: number;
  names?: readonly string[];
  /** Red, green, blue and the fourth byte, by channel; green without. */
  colors?: readonly (readonly number[])[];
  dataTypes?: readonly number[];
  scan?: readonly ScanEntry[];
  /** Meters. */
  positions?: readonly (readonly [x: number, y: number, z: number])[];
  origin?: readonly [x: number, y: number, z: number];
  /** Absolute offsets that are written instead of the true ones, by their place in the structure. */
  offsets?: Record<number, number>;
}

/** An entry of ScanInformation: text, float64 or int32; without a value it opens a block. */
export interface ScanEntry {
  id: number;
  text?: string;
  real?: number;
  long?: number;
}

const SCAN_END: ScanEntry = { id: 0xffffffff };
const RECORDING: ScanEntry = { id: 0x10000000 };

/** Entries of a recording, closed. */
export function recording(...entries: ScanEntry[]): ScanEntry[] {
  return [RECORDING, ...entries, SCAN_END];
}

/** The list of data channels. */
export function dataChannels(...channels: { name: string; acquired: boolean; color?: number }[]): ScanEntry[] {
  const each = channels.flatMap(({ name, acquired, color }) => [
    { id: 0xd0000000 },
    { id: 0xd0000001, text: name },
    ...(color === undefined ? [] : [{ id: 0xd0000004, long: color }]),
    { id: 0xd0000017, long: acquired ? -1 : 0 },
    SCAN_END,
  ]);
  return [{ id: 0xc0000000 }, ...each, SCAN_END];
}

export interface LsmSpec {
  width: number;
  rows: number;
  /** Images; by default as many as the header announces. */
  images?: number;
  channels?: number;
  /** Sample of an image; float, when `bits` is 32. */
  value(at: { image: number; channel: number; y: number; x: number }): number;
  bits?: 8 | 16 | 32;
  info: LsmInfoSpec;
  /** Samples of a pixel side by side. */
  interleaved?: boolean;
  /** LZW with the byte counts of the pixels; `open` leaves out the end code as well. */
  lzw?: 'closed' | 'open';
  predictor?: 2;
  /** Without thumbnails between the images. */
  bare?: boolean;
  /** Where the blocks of the header are. */
  blocks?: 'front' | 'end';
  /** Changes to every image page. */
  page?: (page: PageSpec, image: number) => PageSpec;
  thumbnail?: (page: PageSpec, image: number) => PageSpec;
}

/** The bytes of an LSM file. */
export function writeLsm(spec: LsmSpec): Uint8Array {
  const front = spec.blocks !== 'end';
  const bare = layOut(spec.info, 8);
  const pages = (info: Uint8Array) => ({ pages: allPages(spec, info), headerGap: front ? bare.blocks.length : 0 });
  const length = writeTiff(pages(bare.info)).length;
  const { info, blocks } = front ? bare : layOut(spec.info, length);
  const bytes = writeTiff(pages(info));
  if (!front) return Uint8Array.from([...bytes, ...blocks]);
  bytes.set(blocks, 8);
  return bytes;
}

function allPages(spec: LsmSpec, info: Uint8Array): PageSpec[] {
  const { T = 1, Z = 1, P = 1, M = 1 } = spec.info;
  const count = spec.images ?? T * Z * Math.max(1, P) * Math.max(1, M);
  const pages: PageSpec[] = [];
  for (let image = 0; image < count; image++) {
    pages.push(imagePage(spec, image, image === 0 ? info : undefined));
    const thumbnail: PageSpec = {
      width: 4,
      height: 4,
      samples: [new Uint8Array(16).fill(7), new Uint8Array(16).fill(8), new Uint8Array(16).fill(9)],
      planar: true,
      tags: [{ code: 254, type: 4, values: [1] }],
    };
    if (!spec.bare) pages.push(spec.thumbnail?.(thumbnail, image) ?? thumbnail);
  }
  return pages;
}

function imagePage(spec: LsmSpec, image: number, info: Uint8Array | undefined): PageSpec {
  const { width, rows, channels = 1, bits = 16, interleaved = false, lzw } = spec;
  const samples = Array.from({ length: channels }, (_, channel) => channelSamples(spec, image, channel));
  const raw = (width * rows * bits) / 8;
  const tags: TagSpec[] = [{ code: 254, type: 4, values: [0] }];
  if (info) tags.push({ code: 34412, type: 1, bytes: info });
  if (lzw) {
    const strips = interleaved ? 1 : channels;
    tags.push({ code: 279, type: 4, values: new Array<number>(strips).fill(interleaved ? raw * channels : raw) });
  }
  const page: PageSpec = {
    width,
    height: rows,
    samples,
    planar: !interleaved && channels > 1,
    photometric: 3,
    tags,
    omit: [278, 339],
    ...(lzw ? { compression: 5, encode: ({ bytes }) => encodeLzw(bytes, lzw === 'closed') } : {}),
    ...(spec.predictor ? { predictor: spec.predictor } : {}),
  };
  return spec.page?.(page, image) ?? page;
}

/** Samples of one channel of one image. */
function channelSamples(spec: LsmSpec, image: number, channel: number): SampleArray {
  const { width, rows, bits = 16 } = spec;
  const values = Array.from({ length: width * rows }, (_, i) =>
    spec.value({ image, channel, y: Math.floor(i / width), x: i % width }),
  );
  if (bits === 8) return Uint8Array.from(values);
  return bits === 16 ? Uint16Array.from(values) : Float32Array.from(values);
}

/** The structure with its offsets, and the blocks as they lie in the file from `base` on. */
export function layOut(spec: LsmInfoSpec, base: number): { info: Uint8Array; blocks: Uint8Array } {
  const parts: Uint8Array[] = [];
  const offsets = new Map<number, number>();
  let at = base;
  const add = (field: number, bytes: Uint8Array | undefined) => {
    if (!bytes) return;
    offsets.set(field, at);
    parts.push(bytes);
    at += bytes.length;
  };
  add(132, spec.stamps && timeStamps(spec.stamps, spec.stampCount));
  add(108, spec.names && channelColors(spec.names, spec.colors));
  add(120, spec.dataTypes && words([spec.dataTypes.length, ...spec.dataTypes]));
  add(376, spec.positions && stagePositions(spec.positions));
  add(124, spec.scan && scanInformation(spec.scan));
  for (const [field, offset] of Object.entries(spec.offsets ?? {})) offsets.set(Number(field), offset);
  const blocks = new Uint8Array(at - base);
  let written = 0;
  for (const part of parts) {
    blocks.set(part, written);
    written += part.length;
  }
  return { info: structure(spec, offsets), blocks };
}

function structure(spec: LsmInfoSpec, offsets: ReadonlyMap<number, number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(392));
  const { voxel = [0, 0, 0], size = 392 } = spec;
  view.setUint32(0, spec.magic ?? 0x0400494c, true);
  view.setInt32(4, size, true);
  const counts = [spec.X ?? 0, spec.Y ?? 0, spec.Z ?? 1, spec.C ?? 0, spec.T ?? 1, spec.dataType ?? 2];
  for (const [i, count] of counts.entries()) view.setInt32(8 + 4 * i, count, true);
  for (const [i, step] of voxel.entries()) view.setFloat64(40 + 8 * i, step, true);
  for (const [i, meters] of (spec.origin ?? []).entries()) view.setFloat64(64 + 8 * i, meters, true);
  view.setUint16(88, spec.scanType ?? 0, true);
  view.setUint32(92, spec.typeOfData ?? 0, true);
  view.setFloat64(112, spec.interval ?? 0, true);
  view.setInt32(264, spec.P ?? 0, true);
  view.setInt32(268, spec.M ?? 0, true);
  for (const [field, offset] of offsets) view.setUint32(field, offset, true);
  return new Uint8Array(view.buffer).slice(0, Math.max(8, size));
}

function timeStamps(stamps: readonly number[], count = stamps.length): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 + 8 * stamps.length));
  view.setInt32(0, 8 + 8 * stamps.length, true);
  view.setInt32(4, count, true);
  for (const [i, stamp] of stamps.entries()) view.setFloat64(8 + 8 * i, stamp, true);
  return new Uint8Array(view.buffer);
}

function stagePositions(positions: NonNullable<LsmInfoSpec['positions']>): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 + 24 * positions.length));
  view.setUint32(0, positions.length, true);
  for (const [i, meters] of positions.flat().entries()) view.setFloat64(4 + 8 * i, meters, true);
  return new Uint8Array(view.buffer);
}

function channelColors(names: readonly string[], colors: LsmInfoSpec['colors']): Uint8Array {
  const texts = names.map((name) => Buffer.from(`${name}\0`, 'latin1'));
  const namesAt = 24 + 4 * names.length;
  const size = texts.reduce((sum, text) => sum + 4 + text.length, namesAt);
  const bytes = new Uint8Array(size);
  bytes.set(words([size, names.length, names.length, 24, namesAt, 0]));
  let at = namesAt;
  for (const [i, text] of texts.entries()) {
    bytes.set(colors?.[i] ?? [0, 255, 0, 0], 24 + 4 * i);
    bytes.set(words([text.length]), at);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}

function scanInformation(entries: readonly ScanEntry[]): Uint8Array {
  const parts = entries.map(({ id, text, real, long }) => {
    if (text !== undefined) return entry(id, 2, Buffer.from(`${text}\0`, 'latin1'));
    if (real !== undefined) return entry(id, 5, new Uint8Array(new Float64Array([real]).buffer));
    return long === undefined ? entry(id, 0, new Uint8Array()) : entry(id, 4, words([long]));
  });
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function entry(id: number, type: number, payload: Uint8Array): Uint8Array {
  return Uint8Array.from([...words([id, type, payload.length]), ...payload]);
}

function words(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [i, value] of values.entries()) view.setUint32(4 * i, value >>> 0, true);
  return new Uint8Array(view.buffer);
}
