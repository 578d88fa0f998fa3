import { SparseSource } from '../support/sparse-source.js';
import { layOut } from './lsm.js';

/** An LSM of any size with holes: all IFDs side by side, strips far apart. */
export interface LargeLsm {
  width: number;
  height: number;
  channels: number;
  scenes: number;
  T: number;
  Z: number;
  scanType: number;
  /** Bytes from one strip to the next, in writing order. */
  stride: number;
  /** The thumbnail is written before its image. */
  thumbnailFirst?: boolean;
  /** Where the file ends instead of behind its last strip. */
  end?: number;
  /** Offset that is written instead of the true one. */
  shift?: (offset: number) => number;
  /** Strips that are filled; the others are holes. */
  filled?: (strip: number) => boolean;
}

const ENTRIES = 11;
/** One IFD with its arrays and the values of its tags. */
const IFD_BYTES = 2 + 12 * ENTRIES + 4;
const THUMBNAIL_BYTES = 64;

/** Every sample of strip `c` of image `i`, in page order, is `1 + channels · i + c` (uint16, wrapping). */
export function largeLsm(spec: LargeLsm): SparseSource {
  const images = spec.scenes * spec.T * spec.Z;
  const { info } = layOut(infoOf(spec), 8);
  const arrays = 8 * spec.channels;
  const perPair = 2 * IFD_BYTES + arrays;
  const directory = 8 + info.length;
  const data = directory + images * perPair;
  const { strips, thumbnails, end } = place(spec, images, data);
  const head = new Uint8Array(data);
  const view = new DataView(head.buffer);
  head.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directory, true);
  head.set(info, 8);
  for (let image = 0; image < images; image++) {
    const at = directory + image * perPair;
    const own = strips.slice(image * spec.channels, (image + 1) * spec.channels);
    writeArrays(view, at + 2 * IFD_BYTES, own, spec);
    const tags = imageTags(spec, own, at + 2 * IFD_BYTES);
    if (image === 0) tags.push([34412, 1, info.length, 8]);
    writeIfd(view, at, tags, at + IFD_BYTES);
    const next = image + 1 < images ? at + perPair : 0;
    writeIfd(view, at + IFD_BYTES, thumbnailTags(thumbnails[image] as number), next);
  }
  return new SparseSource('large.lsm', spec.end ?? end, [{ offset: 0, bytes: head }, ...pixels(spec, strips)]);
}

function infoOf({ width, height, scenes, T, Z, scanType, channels }: LargeLsm) {
  const line = scanType === 2;
  const size = { X: width, Y: line ? 1 : height, Z, T: line ? height : T, P: scenes, C: channels };
  return { ...size, scanType, interval: 0.5, voxel: [1e-7, 1e-7, 1e-6] as [number, number, number] };
}

/** True offsets in page order, given out in the order of writing: time, position, depth. */
function place(spec: LargeLsm, images: number, start: number) {
  const strips: number[] = new Array(images * spec.channels);
  const thumbnails: number[] = new Array(images);
  let at = start;
  for (let t = 0; t < spec.T; t++) {
    for (let s = 0; s < spec.scenes; s++) {
      for (let z = 0; z < spec.Z; z++) {
        const image = (s * spec.T + t) * spec.Z + z;
        if (spec.thumbnailFirst) {
          thumbnails[image] = at;
          at += THUMBNAIL_BYTES;
        }
        for (let c = 0; c < spec.channels; c++) {
          strips[image * spec.channels + c] = at;
          at += spec.stride;
        }
        if (!spec.thumbnailFirst) {
          thumbnails[image] = at;
          at += THUMBNAIL_BYTES;
        }
      }
    }
  }
  return { strips, thumbnails, end: at };
}

type Entry = [code: number, type: number, count: number, value: number];

function imageTags(spec: LargeLsm, strips: number[], arraysAt: number): Entry[] {
  const outside = strips.length > 1;
  return [
    [254, 4, 1, 0],
    [256, 4, 1, spec.width],
    [257, 4, 1, spec.height],
    [258, 3, 1, 16],
    [259, 3, 1, 1],
    [273, 4, strips.length, outside ? arraysAt : stored(spec, strips[0] as number)],
    [277, 3, 1, strips.length],
    [279, 4, strips.length, outside ? arraysAt + 4 * strips.length : spec.width * spec.height * 2],
    [284, 3, 1, 2],
  ];
}

function thumbnailTags(offset: number): Entry[] {
  return [
    [254, 4, 1, 1],
    [256, 4, 1, 4],
    [257, 4, 1, 4],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [273, 4, 1, offset % 2 ** 32],
    [277, 3, 1, 1],
    [279, 4, 1, 16],
  ];
}

function writeArrays(view: DataView, at: number, strips: readonly number[], spec: LargeLsm): void {
  for (const [i, offset] of strips.entries()) {
    view.setUint32(at + 4 * i, stored(spec, offset), true);
    view.setUint32(at + 4 * (strips.length + i), spec.width * spec.height * 2, true);
  }
}

function stored(spec: LargeLsm, offset: number): number {
  return (spec.shift?.(offset) ?? offset) % 2 ** 32;
}

function writeIfd(view: DataView, at: number, entries: readonly Entry[], next: number): void {
  view.setUint16(at, entries.length, true);
  for (const [i, [code, type, count, value]] of entries.entries()) {
    const entry = at + 2 + 12 * i;
    view.setUint16(entry, code, true);
    view.setUint16(entry + 2, type, true);
    view.setUint32(entry + 4, count, true);
    view.setUint32(entry + 8, value, true);
  }
  view.setUint32(at + 2 + 12 * entries.length, next, true);
}

function pixels(spec: LargeLsm, strips: readonly number[]): { offset: number; bytes: Uint8Array }[] {
  const samples = spec.width * spec.height;
  const all = strips.map((offset, strip) => ({ offset, strip }));
  return all
    .filter(({ strip }) => spec.filled?.(strip) ?? true)
    .map(({ offset, strip }) => ({
      offset,
      bytes: new Uint8Array(new Uint16Array(samples).fill(strip + 1).buffer),
    }));
}
