import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';

/** Fields of CZ_LSMINFO under Zeiss's names. Fields behind the end of a short structure are 0. */
export interface RawLsmInfo {
  dimensions: { X: number; Y: number; Z: number; C: number; T: number; P: number; M: number };
  /** 0 channels differ, 1 8 bits, 2 12 bits in 16, 3 16 bits, 5 float. */
  dataType: number;
  /** Metres. */
  voxel: { X: number; Y: number; Z: number };
  scanType: number;
  /** 0 original scan data. */
  typeOfData: number;
  /** Seconds, 0 when not set. */
  timeInterval: number;
  /** Absolute places of the blocks in the file, 0 without one. */
  offsets: { channelColors: number; channelDataTypes: number; scanInformation: number; timeStamps: number };
}

const MAGICS = [0x0300494c, 0x0400494c];

/** @returns `undefined` when the bytes do not start with one of the two magic numbers */
export function parseLsmInfo(bytes: Uint8Array): RawLsmInfo | undefined {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!MAGICS.includes(view.getUint32(0, true))) return undefined;
  const end = Math.min(bytes.length, Math.max(8, view.getInt32(4, true)));
  const count = (at: number) => (at + 4 <= end ? Math.max(0, view.getInt32(at, true)) : 0);
  const word = (at: number) => (at + 4 <= end ? view.getUint32(at, true) : 0);
  const real = (at: number) => (at + 8 <= end ? view.getFloat64(at, true) : 0);
  return {
    dimensions: { X: count(8), Y: count(12), Z: count(16), C: count(20), T: count(24), P: count(264), M: count(268) },
    dataType: count(28),
    voxel: { X: real(40), Y: real(48), Z: real(56) },
    scanType: 90 <= end ? view.getUint16(88, true) : 0,
    typeOfData: word(92),
    timeInterval: real(112),
    offsets: {
      channelColors: word(108),
      channelDataTypes: word(120),
      scanInformation: word(124),
      timeStamps: word(132),
    },
  };
}

/** What stands for a header that cannot be used. */
export const NO_INFO: RawLsmInfo = {
  dimensions: { X: 0, Y: 0, Z: 0, C: 0, T: 0, P: 0, M: 0 },
  dataType: 0,
  voxel: { X: 0, Y: 0, Z: 0 },
  scanType: 0,
  typeOfData: 0,
  timeInterval: 0,
  offsets: { channelColors: 0, channelDataTypes: 0, scanInformation: 0, timeStamps: 0 },
};

/**
 * TimeStamps: size, number, then seconds as float64, one per time point or line.
 * @returns `undefined` when the block is no such block
 */
export function readTimeStamps(source: ByteSource, offset: number): Float64Array | undefined {
  const head = blockAt(source, offset, 8);
  const count = head?.getInt32(4, true) ?? -1;
  if (!head || count < 0 || head.getInt32(0, true) !== 8 + 8 * count) return undefined;
  if (8 * count > LIMITS.metadataBytes) return undefined;
  const view = blockAt(source, offset + 8, 8 * count);
  if (!view) return undefined;
  const stamps = new Float64Array(count);
  for (let i = 0; i < count; i++) stamps[i] = view.getFloat64(8 * i, true);
  return stamps;
}

/** Colors and names of a thousand channels take a hundredth of it. */
const COLORS_BYTES = 2 ** 20;

/** ChannelColors: names, and colors as `0x00BBGGRR`. Either list may have another length than the channels. */
export interface RawChannelColors {
  names: string[];
  colors: number[];
}

/**
 * ChannelColors: size, number of colors, number of names, offsets of both from the start of the block; colors are four
 * bytes each (red, green, blue, 0), names a length and text.
 * @returns `undefined` when the block is no such block
 */
export function readChannelColors(source: ByteSource, offset: number): RawChannelColors | undefined {
  const size = blockAt(source, offset, 4)?.getUint32(0, true) ?? 0;
  if (size < 24 || size > COLORS_BYTES) return undefined;
  const view = blockAt(source, offset, size);
  if (!view) return undefined;
  const names = namesIn(view, view.getUint32(16, true), view.getUint32(8, true));
  return names && { names, colors: colorsIn(view, view.getUint32(12, true), view.getUint32(4, true)) };
}

function namesIn(view: DataView, start: number, count: number): string[] | undefined {
  const names: string[] = [];
  for (let at = start; names.length < count && at + 4 <= view.byteLength; ) {
    const length = view.getUint32(at, true);
    if (length === 0 || at + 4 + length > view.byteLength) return undefined;
    names.push(textOf(view, at + 4, length));
    at += 4 + length;
  }
  return names.length === count ? names : undefined;
}

function colorsIn(view: DataView, start: number, count: number): number[] {
  if (start === 0 || start + 4 * count > view.byteLength) return [];
  return Array.from({ length: count }, (_, i) => view.getUint32(start + 4 * i, true));
}

/** ChannelDataTypes, coded like `dataType`, of the first `channels` channels. */
export function readChannelDataTypes(source: ByteSource, offset: number, channels: number): number[] | undefined {
  const count = blockAt(source, offset, 4)?.getUint32(0, true) ?? 0;
  if (count < channels) return undefined;
  const view = blockAt(source, offset + 4, 4 * channels);
  return view && Array.from({ length: channels }, (_, i) => view.getUint32(4 * i, true));
}

/** Text of `length` bytes, up to the first NUL. */
export function textOf(view: DataView, at: number, length: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  const end = bytes.indexOf(0);
  return decodeText(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Bytes of the file, `undefined` where it has none: a damaged offset costs its block, not the image. */
function blockAt(source: ByteSource, offset: number, length: number): DataView | undefined {
  if (offset < 8 || offset + length > source.size) return undefined;
  return new DataView(source.read(offset, length).buffer);
}
