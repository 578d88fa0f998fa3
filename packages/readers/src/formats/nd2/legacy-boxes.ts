/** Finds the boxes of a JPEG 2000 ND2 file, usually by the map at its end. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';

export interface BoxMap {
  /** Offsets of boxes by the vendor's type, in file order. */
  boxes: ReadonlyMap<string, readonly number[]>;
  warnings: readonly string[];
}

export interface Box {
  type: string;
  payload: number;
  length: number;
}

const MAP_SIGNATURE = 'LABORATORY IMAGING ND BOX MAP 00';
const TAIL_BYTES = 40;
/** The vendor's type of an image in the map; the box itself has the standard type `jp2c`. */
export const IMAGE = 'LUNK';

/** Reads the map, or searches the file for images when it has no map. */
export function readBoxMap(source: ByteSource, signal?: AbortSignal): BoxMap {
  const mapped = mappedBoxes(source);
  if (mapped) return { boxes: mapped, warnings: [] };
  return {
    boxes: walkedBoxes(source, signal),
    warnings: [
      asCorrupted(
        'The box map at the end of the file is missing. Images are shown in file order: their channels, times and depths are assumed.',
      ),
    ],
  };
}

/**
 * Reads the map; `undefined` when there is none. An entry has two types of four letters and an offset; some writers add
 * four bytes.
 */
function mappedBoxes(source: ByteSource): Map<string, number[]> | undefined {
  if (source.size < TAIL_BYTES + 4) return undefined;
  const tail = source.read(source.size - TAIL_BYTES, TAIL_BYTES);
  if (latin1(tail, 0, 32) !== MAP_SIGNATURE) return undefined;
  const view = new DataView(tail.buffer, tail.byteOffset);
  const distance = view.getUint32(32, true) + view.getUint32(36, true) * 2 ** 32;
  const length = distance - TAIL_BYTES;
  if (!(length >= 4 && distance <= source.size && length <= LIMITS.metadataBytes)) return undefined;
  const bytes = source.read(source.size - distance, length);
  const map = new DataView(bytes.buffer, bytes.byteOffset);
  const count = map.getUint32(0);
  const stride = Math.floor((length - 4) / Math.max(1, count)) >= 16 ? 16 : 12;
  if (4 + count * stride > length) return undefined;
  const boxes = new Map<string, number[]>();
  for (let i = 0, at = 4; i < count; i++, at += stride) {
    const type = latin1(bytes, at + 4, at + 8);
    const offsets = boxes.get(type);
    if (offsets) offsets.push(map.getUint32(at + 8, true));
    else boxes.set(type, [map.getUint32(at + 8, true)]);
  }
  return boxes;
}

function walkedBoxes(source: ByteSource, signal: AbortSignal | undefined): Map<string, number[]> {
  const images: number[] = [];
  let at = 0;
  for (let n = 0; at < source.size && n < LIMITS.nd2Chunks; n++) {
    signal?.throwIfAborted();
    const box = readBox(source, at);
    if (!box) break;
    if (box.type === 'jp2c') images.push(at);
    at = box.payload + box.length;
  }
  return new Map([[IMAGE, images]]);
}

/** Reads the header of the box at `offset`; `undefined` when there is no complete box. */
export function readBox(source: ByteSource, offset: number): Box | undefined {
  if (offset + 8 > source.size) return undefined;
  const head = source.read(offset, Math.min(16, source.size - offset));
  const view = new DataView(head.buffer, head.byteOffset);
  let length = view.getUint32(0);
  let start = 8;
  if (length === 1 && head.length === 16) {
    length = view.getUint32(8) * 2 ** 32 + view.getUint32(12);
    start = 16;
  }
  if (length === 0) length = source.size - offset;
  if (length < start || offset + length > source.size) return undefined;
  return { type: latin1(head, 4, 8), payload: offset + start, length: length - start };
}

/** Reads the payload of the box at `offset`. @throws AcqError `decode_failed` when it is incomplete or above `limit` */
export function readBoxPayload(source: ByteSource, offset: number, limit: number): Uint8Array {
  const box = readBox(source, offset);
  if (!box) throw decodeFailed(`the box at byte ${grouped(offset)} is incomplete; the file is corrupted`);
  if (box.length > limit) {
    throw decodeFailed(
      `the box at byte ${grouped(offset)} has ${grouped(box.length)} bytes; the limit is ${grouped(limit)}`,
    );
  }
  return source.read(box.payload, box.length);
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
