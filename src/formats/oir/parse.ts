/**
 * The OIR container, bytes to raw records: header, blocks, band tags, band names. All integers are little-endian.
 * No specification is public; `docs/formats/oir.md` says what each fact rests on.
 */
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';

export const MAGIC = 'OLYMPUSRAWFORMAT';
export const HEADER_BYTES = 96;
/** Length and kind in front of every block. */
export const BLOCK_HEADER_BYTES = 8;
/** Offset in the plane, length, length of the name: in front of the name of a band. */
const TAG_BYTES = 12;
/** Real names have 47 to 60 characters. */
const MAX_NAME = 512;
/** A tag with its name and the header of the pixel block behind it; longer ones cost a second read. */
const WINDOW = 128;
/** Read ahead when blocks are so small that single reads would cost more than the bytes between. */
const WIDE_WINDOW = 4096;
const NEAR = 2048;

/** Kinds of blocks. */
export const KIND = { documents: 0, frame: 1, thumbnail: 2, tag: 3, pixels: 4, separator: 5 } as const;
export const LAST_KIND = 5;

export interface RawHeader {
  /** File length as the writer recorded it; 0 while recording. */
  length: number;
  indexOffset: number;
  blockCount: number;
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function readHeader(source: ByteSource): RawHeader {
  if (source.size < HEADER_BYTES) {
    throw decodeFailed(`${source.name}: is cut off inside its header (${source.size} of ${HEADER_BYTES} bytes)`);
  }
  const bytes = source.read(0, HEADER_BYTES);
  if (!hasMagic(bytes)) throw unsupported(`${source.name}: is no OIR file; it does not start with ${MAGIC}`);
  const view = viewOf(bytes);
  return { length: uint64(view, 32), indexOffset: uint64(view, 40), blockCount: view.getUint32(48, true) };
}

export function hasMagic(bytes: Uint8Array): boolean {
  if (bytes.length < MAGIC.length) return false;
  for (let i = 0; i < MAGIC.length; i++) if (bytes[i] !== MAGIC.charCodeAt(i)) return false;
  return true;
}

/** Headers and tags through one small window, so that a chain of tiny blocks costs no read each. */
export class BlockReader {
  readonly source: ByteSource;
  private readonly buffer = new Uint8Array(WIDE_WINDOW);
  private start = 0;
  private length = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** `length` ≤ 4096 bytes at `offset`, fewer at the end of the file. Valid until the next call. */
  window(offset: number, length: number): DataView {
    if (offset < this.start || offset + length > this.start + this.length) this.fill(offset, length);
    const from = offset - this.start;
    const available = Math.max(0, Math.min(length, this.length - from));
    return new DataView(this.buffer.buffer, this.buffer.byteOffset + Math.min(from, this.length), available);
  }

  private fill(offset: number, length: number): void {
    const near = offset >= this.start && offset < this.start + this.length + NEAR;
    const wanted = Math.max(length, near ? WIDE_WINDOW : WINDOW);
    this.start = offset;
    this.length = Math.max(0, Math.min(wanted, WIDE_WINDOW, this.source.size - offset));
    if (this.length > 0) this.source.readInto(this.buffer.subarray(0, this.length), offset);
  }
}

export interface RawBlockHeader {
  /** Bytes behind the 8 of the header. */
  length: number;
  kind: number;
}

/** `undefined` when the file ends inside the header. */
export function readBlockHeader(reader: BlockReader, offset: number): RawBlockHeader | undefined {
  const view = reader.window(offset, BLOCK_HEADER_BYTES);
  if (view.byteLength < BLOCK_HEADER_BYTES) return undefined;
  return { length: view.getUint32(0, true), kind: view.getUint32(4, true) };
}

export interface RawTag {
  /** Where the first byte of the pixel block belongs in its plane. */
  planeOffset: number;
  /** Bytes of the pixel block that follows. */
  length: number;
  name: string;
}

/** The tag of the block at `offset`, whose payload has `payload` bytes; `undefined` when it is none. */
export function readTag(reader: BlockReader, offset: number, payload: number): RawTag | undefined {
  if (payload < TAG_BYTES + 1 || payload > TAG_BYTES + MAX_NAME) return undefined;
  const view = reader.window(offset + BLOCK_HEADER_BYTES, payload);
  if (view.byteLength < payload) return undefined;
  const nameLength = view.getUint32(8, true);
  if (nameLength > payload - TAG_BYTES) return undefined;
  let name = '';
  for (let i = 0; i < nameLength; i++) name += String.fromCharCode(view.getUint8(TAG_BYTES + i));
  return { planeOffset: view.getUint32(0, true), length: view.getUint32(4, true), name };
}

/** What a band name says. Axes are 1-based; 0 when the name lacks them. */
export interface RawBandName {
  /** Source of the reference image (`LSM0`) for `REF_…` names; `undefined` for bands of the recording. */
  reference: string | undefined;
  t: number;
  lambda: number;
  z: number;
  /** Axes of letters that are not known here, as they stand. */
  otherAxes: string;
  /** Channel id. */
  channel: string;
  number: number;
}

const PLANE_NAME = /^((?:[A-Za-z]+\d+)*)_?\d+_\d+_([^\0]+)_(\d+)$/;
const REFERENCE_NAME = /^REF_([^_]*)_([^\0]+)_(\d+)$/;
const AXIS = /([A-Za-z]+)(\d+)/y;

/** `undefined` for a name of another form. */
export function parseBandName(name: string): RawBandName | undefined {
  const blank = { t: 0, lambda: 0, z: 0, otherAxes: '' };
  const reference = REFERENCE_NAME.exec(name);
  if (reference) {
    const number = Number(reference[3]);
    if (!Number.isSafeInteger(number)) return undefined;
    return { ...blank, reference: reference[1] as string, channel: reference[2] as string, number };
  }
  const plane = PLANE_NAME.exec(name);
  if (!plane) return undefined;
  const parsed: RawBandName = { ...blank, reference: undefined, channel: plane[2] as string, number: Number(plane[3]) };
  const axesFit = parseAxes(plane[1] as string, parsed);
  return axesFit && Number.isSafeInteger(parsed.number) ? parsed : undefined;
}

/** In any order and any number of digits: `t001`, `l002z001`, `t12561z003`. */
function parseAxes(text: string, into: RawBandName): boolean {
  AXIS.lastIndex = 0;
  for (let match = AXIS.exec(text); match; match = AXIS.exec(text)) {
    const value = Number(match[2]);
    if (!Number.isSafeInteger(value)) return false;
    const letter = (match[1] as string).toLowerCase();
    if (letter === 't') into.t = value;
    else if (letter === 'l') into.lambda = value;
    else if (letter === 'z') into.z = value;
    else into.otherAxes += match[0];
  }
  return true;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Above 2^53 the value is no place in any file; it is still far outside, which is all that matters. */
export function uint64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}
