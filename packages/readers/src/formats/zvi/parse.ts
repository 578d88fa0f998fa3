/** Parses the structures of ZVI files: which planes there are, and where their samples begin. */

import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { asCorrupted, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type OleFile, openOle } from '../../io/ole.js';
import { readTags, type TagList } from './tags.js';
import { ValueReader } from './values.js';

/** How the samples of a plane are stored. */
export type Compression = 'none' | 'zlib' | 'jpeg';

/** The header of a plane. */
export interface RawPlane {
  /** Storage in the container: `Image/Item(3)`. */
  storage: string;
  /** U, V, Z, C, T, S, P and A: numbers that need not follow each other. */
  indices: readonly number[];
  width: number;
  height: number;
  bytesPerPixel: number;
  pixelFormat: number;
  validBits: number;
  compression: Compression;
  /** Where the samples begin, and the size of the stream. */
  offset: number;
  size: number;
}

export interface RawZvi {
  ole: OleFile;
  tags: TagList;
  /** In the order of their numbers; never empty. */
  planes: RawPlane[];
  notes: Notes;
}

/** Index of U, V, Z, … in `indices`. */
export const INDEX = { U: 0, V: 1, Z: 2, C: 3, T: 4, S: 5, P: 6, A: 7 } as const;

/** Values before the block of indices, and between it and the header of the samples. */
const VALUES_BEFORE = 11;
const VALUES_BETWEEN = 5;
/** Index of the number of planes among the values of the image. */
const COUNT = 8;
/** Bytes of the indices: of old versions, the last one is missing. */
const MIN_INDICES = 7;
const HEADER_BYTES = 28;
/** In front of a zlib stream: `WZL`, a byte, and four more. */
const WZL_BYTES = 8;
/** Headers have 324 bytes, unless the vendor's program wrote long names in them. */
const MAX_HEADER = 16_384;

/** @throws AcqError `decode_failed` when the file has no plane that can be read */
export function parseZvi(source: ByteSource): RawZvi {
  const ole = openOle(source);
  const notes = new Notes();
  if (![...ole.streams.keys()].some(isImageStream)) {
    throw unsupported('is an OLE compound file, but not a ZVI: it has no streams of images');
  }
  const items = findItems(ole);
  const planes: RawPlane[] = [];
  let failure: AcqError | undefined;
  for (const storage of items.length > 0 ? items : ['Image']) {
    try {
      planes.push(parsePlane(ole, storage));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failure ??= error;
      notes.add(quoteError(`${storage} cannot be read and was skipped`, error));
    }
  }
  if (planes.length === 0) throw failure ?? decodeFailed('contains no planes');
  const tags = readTags(ole, 'Image');
  if (tags.stopped) notes.add(quoteError('The tags of the image can be read only in part', tags.stopped));
  if (items.length > 0) noteCount(ole, items.length, notes);
  noteShort(planes, notes);
  return { ole, tags, planes, notes };
}

/** True for the path of a stream that only files of this format have: of a plane, or of the image. */
export function isImageStream(path: string): boolean {
  return /^Image\/(?:Item\(\d{1,9}\)\/)?Contents$/.test(path);
}

function findItems(ole: OleFile): string[] {
  const numbers = [...ole.streams.keys()].flatMap((path) => {
    const number = /^Image\/Item\((\d{1,9})\)\/Contents$/.exec(path)?.[1];
    return number === undefined ? [] : [number];
  });
  return numbers.sort((a, b) => Number(a) - Number(b)).map((number) => `Image/Item(${number})`);
}

/** Only the start of the stream is looked up: there may be thousands of planes. */
function parsePlane(ole: OleFile, storage: string): RawPlane {
  const path = `${storage}/Contents`;
  const size = ole.streams.get(path)?.size ?? 0;
  const stream = ole.open(path, MAX_HEADER);
  if (!stream) throw decodeFailed(`${path} is missing`);
  const bytes = stream.read(0, stream.size);
  const reader = new ValueReader(bytes);
  for (let i = 0; i < VALUES_BEFORE; i++) reader.next();
  const indices = toIndices(reader.next().value);
  for (let i = 0; i < VALUES_BETWEEN; i++) reader.next();
  const at = reader.take(HEADER_BYTES, 'header of the samples');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const field = (index: number) => view.getInt32(at + 4 * index, true);
  const plane = {
    ...{ storage, indices, size },
    ...{ width: field(1), height: field(2), bytesPerPixel: field(4), pixelFormat: field(5), validBits: field(6) },
  };
  if (plane.width < 1 || plane.height < 1) {
    throw decodeFailed(`the header says ${grouped(plane.width)} × ${grouped(plane.height)} pixels`);
  }
  const start = bytes.subarray(reader.position);
  const compression = findCompression(plane.validBits, start);
  return { ...plane, compression, offset: reader.position + (compression === 'zlib' ? WZL_BYTES : 0) };
}

function toIndices(value: unknown): number[] {
  if (!(value instanceof Uint8Array) || value.length < 4 * MIN_INDICES) {
    throw decodeFailed('the indices of the plane are missing');
  }
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  return Object.values(INDEX).map((index) => (4 * index + 4 <= value.length ? view.getInt32(4 * index, true) : 0));
}

/** Compressed samples have 0 or 1 valid bits, and a signature. */
function findCompression(validBits: number, [a, b, c]: Uint8Array): Compression {
  if (validBits !== 0 && validBits !== 1) return 'none';
  if (a === 0x57 && b === 0x5a && c === 0x4c) return 'zlib';
  return a === 0xff && b === 0xd8 && c === 0xff ? 'jpeg' : 'none';
}

/** The image says how many planes it has. */
function noteCount(ole: OleFile, found: number, notes: Notes): void {
  let count: number;
  try {
    const stream = ole.open('Image/Contents', MAX_HEADER);
    if (!stream) return;
    const reader = new ValueReader(stream.read(0, stream.size));
    for (let i = 0; i < COUNT; i++) reader.next();
    count = reader.integer('the number of planes');
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The number of planes cannot be read', error));
    return;
  }
  if (count !== found) {
    notes.add(asInconsistent(`The image says it has ${plural(count, 'plane')}, but the file has ${grouped(found)}.`));
  }
}

function noteShort(planes: readonly RawPlane[], notes: Notes): void {
  const short = planes.filter(
    ({ compression, width, height, bytesPerPixel, offset, size }) =>
      compression === 'none' && offset + width * height * bytesPerPixel > size,
  );
  if (short.length === 0) return;
  const of = `${grouped(short.length)} of ${plural(planes.length, 'plane')}`;
  notes.add(asCorrupted(`${of} end before their last row and cannot be read. Copy the file again.`));
}
