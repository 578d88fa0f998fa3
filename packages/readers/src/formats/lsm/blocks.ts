/** Reads the blocks that the header points to. Each function returns `undefined` when the block is corrupted. */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';

/** Reads TimeStamps: size, number, then seconds as float64, one per time point or line. */
export function readTimeStamps(source: ByteSource, offset: number): Float64Array | undefined {
  const head = viewBlock(source, offset, 8);
  const count = head?.getInt32(4, true) ?? -1;
  if (!head || count < 0 || head.getInt32(0, true) !== 8 + 8 * count) return undefined;
  if (8 * count > LIMITS.metadataBytes) return undefined;
  const view = viewBlock(source, offset + 8, 8 * count);
  if (!view) return undefined;
  const stamps = new Float64Array(count);
  for (let i = 0; i < count; i++) stamps[i] = view.getFloat64(8 * i, true);
  return stamps;
}

/** Maximum size of ChannelColors. A thousand channels take a hundredth of it. */
const MAX_COLORS_BYTES = 2 ** 20;

/** Either list may differ in length from the channels. */
export interface RawChannelColors {
  names: string[];
  /** `0x00BBGGRR`. */
  colors: number[];
}

/**
 * Reads ChannelColors: size, number of colors, number of names, offsets of both from the start of the block. Colors are
 * four bytes each (red, green, blue, 0); names are a length and text.
 */
export function readChannelColors(source: ByteSource, offset: number): RawChannelColors | undefined {
  const size = viewBlock(source, offset, 4)?.getUint32(0, true) ?? 0;
  if (size < 24 || size > MAX_COLORS_BYTES) return undefined;
  const view = viewBlock(source, offset, size);
  if (!view) return undefined;
  const names = readNames(view, view.getUint32(16, true), view.getUint32(8, true));
  return names && { names, colors: readColors(view, view.getUint32(12, true), view.getUint32(4, true)) };
}

function readNames(view: DataView, start: number, count: number): string[] | undefined {
  const names: string[] = [];
  for (let at = start; names.length < count && at + 4 <= view.byteLength; ) {
    const length = view.getUint32(at, true);
    if (length === 0 || at + 4 + length > view.byteLength) return undefined;
    names.push(textAt(view, at + 4, length));
    at += 4 + length;
  }
  return names.length === count ? names : undefined;
}

function readColors(view: DataView, start: number, count: number): number[] {
  if (start === 0 || start + 4 * count > view.byteLength) return [];
  return Array.from({ length: count }, (_, i) => view.getUint32(start + 4 * i, true));
}

/** Reads the ChannelDataTypes of the first `channels` channels, coded like `dataType` of the header. */
export function readChannelDataTypes(source: ByteSource, offset: number, channels: number): number[] | undefined {
  const count = viewBlock(source, offset, 4)?.getUint32(0, true) ?? 0;
  if (count < channels) return undefined;
  const view = viewBlock(source, offset + 4, 4 * channels);
  return view && Array.from({ length: channels }, (_, i) => view.getUint32(4 * i, true));
}

/** Reads Positions: their number, then x, y and z of each in meters. `undefined` unless there are `count` of them. */
export function readPositions(
  source: ByteSource,
  offset: number,
  count: number,
): { x: number; y: number }[] | undefined {
  if (viewBlock(source, offset, 4)?.getUint32(0, true) !== count) return undefined;
  const view = viewBlock(source, offset + 4, 24 * count);
  if (!view) return undefined;
  const at = (i: number) => ({ x: view.getFloat64(24 * i, true), y: view.getFloat64(24 * i + 8, true) });
  return Array.from({ length: count }, (_, i) => at(i));
}

/** Reads text of `length` bytes, up to the first NUL. */
export function textAt(view: DataView, at: number, length: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  const end = bytes.indexOf(0);
  return decodeText(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Reads bytes of the file; `undefined` when they fall outside it, because a corrupted offset must not cost the image. */
function viewBlock(source: ByteSource, offset: number, length: number): DataView | undefined {
  if (offset < 8 || offset + length > source.size) return undefined;
  return new DataView(source.read(offset, length).buffer);
}
