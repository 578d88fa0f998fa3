/**
 * Parses the records of the OIR container: header, blocks, band tags, band names. All integers are little-endian.
 * No specification is public; `docs/formats/oir.md` names the source of each fact.
 */
import { decodeFailed, unsupported } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { isOir, MAGIC } from './magic.js';

export const HEADER_BYTES = 96;
/** Length and kind, before the payload of every block. */
export const BLOCK_HEADER_BYTES = 8;
/** Before the name of a band: offset in the plane, length, length of the name. */
const TAG_BYTES = 12;
/** Real names have 47 to 60 characters. */
const MAX_NAME = 512;
/** Bytes of a tag with its name and the header of the pixel block after it; a longer tag costs a second read. */
const WINDOW = 128;
/** Bytes to read ahead when blocks are so small that single reads would cost more than the bytes between them. */
const WIDE_WINDOW = 4096;
/** Bytes after a window within which the next block counts as small. */
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
    throw decodeFailed(`is truncated inside the header (${grouped(source.size)} of ${grouped(HEADER_BYTES)} bytes)`);
  }
  const bytes = source.read(0, HEADER_BYTES);
  if (!isOir(bytes)) throw unsupported(`is not an OIR file; it does not start with ${MAGIC}`);
  const view = toView(bytes);
  return { length: uint64(view, 32), indexOffset: uint64(view, 40), blockCount: view.getUint32(48, true) };
}

/** Reads headers and tags through one small window, so that tiny blocks do not cost a read each. */
export class BlockReader {
  readonly source: ByteSource;
  readonly names = new BandNames();
  private readonly buffer = new Uint8Array(WIDE_WINDOW);
  private start = 0;
  private length = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Returns `length` ≤ 4,096 bytes at `offset`, fewer at the end of the file. Valid until the next call. */
  window(offset: number, length: number): DataView {
    if (offset < this.start || offset + length > this.start + this.length) this.fill(offset, length);
    const from = offset - this.start;
    const available = Math.max(0, Math.min(length, this.length - from));
    return new DataView(this.buffer.buffer, this.buffer.byteOffset + Math.min(from, this.length), available);
  }

  private fill(offset: number, length: number): void {
    const near = offset >= this.start && offset < this.start + this.length + NEAR;
    const window = Math.max(length, near ? WIDE_WINDOW : WINDOW);
    this.start = offset;
    this.length = Math.max(0, Math.min(window, WIDE_WINDOW, this.source.size - offset));
    if (this.length > 0) this.source.readInto(this.buffer.subarray(0, this.length), offset);
  }
}

interface RawBlockHeader {
  /** Bytes of the payload, after the 8 bytes of the header. */
  length: number;
  kind: number;
}

/** Returns `undefined` when the file ends inside the header. */
export function readBlockHeader(reader: BlockReader, offset: number): RawBlockHeader | undefined {
  const view = reader.window(offset, BLOCK_HEADER_BYTES);
  if (view.byteLength < BLOCK_HEADER_BYTES) return undefined;
  return { length: view.getUint32(0, true), kind: view.getUint32(4, true) };
}

interface RawTag {
  /** Where the first byte of the pixel block belongs in its plane. */
  planeOffset: number;
  /** Bytes of the pixel block that follows. */
  length: number;
  name: string;
}

/** Reads the tag of the block at `offset` with `payload` bytes; `undefined` when the block is not a tag. */
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

/** The parts of a band name. Axes are 1-based; 0 when the name does not have them. */
export interface RawBandName {
  /** Source of the reference image (`LSM0`) for `REF_…` names; `undefined` for bands of the recording. */
  reference: string | undefined;
  t: number;
  lambda: number;
  z: number;
  /** Axes with other letters, as they are written. */
  otherAxes: string;
  /** Channel id. */
  channel: string;
  number: number;
}

type BandAxes = Pick<RawBandName, 't' | 'lambda' | 'z' | 'otherAxes'>;

const NO_AXES: BandAxes = { t: 0, lambda: 0, z: 0, otherAxes: '' };
const PLANE = /^((?:[A-Za-z]+\d+)*)_?\d+_\d+_([^\0]+)$/;
const REFERENCE = /^REF_([^_]*)_([^\0]+)$/;
const MAX_KNOWN_NAMES = 64;
const AXIS = /([A-Za-z]+)(\d+)/y;

/** Parses the names of bands. Remembers the parts before the number, which most bands of a file share. */
export class BandNames {
  private readonly known = new Map<string, BandGroup | undefined>();

  /** Returns `undefined` for a name of another form. */
  parse(name: string): RawBandName | undefined {
    const end = name.lastIndexOf('_');
    const number = parseDigits(name, end + 1);
    if (end < 0 || number === undefined) return undefined;
    const group = this.group(name.slice(0, end));
    if (!group) return undefined;
    const { reference, t, lambda, z, otherAxes, channel } = group;
    return { reference, t, lambda, z, otherAxes, channel, number };
  }

  private group(text: string): BandGroup | undefined {
    const known = this.known.get(text);
    if (known) return known;
    const group = parseGroup(text);
    // Every frame has names of its own.
    if (this.known.size >= MAX_KNOWN_NAMES) this.known.clear();
    this.known.set(text, group);
    return group;
  }
}

/** A name without its number. */
type BandGroup = Omit<RawBandName, 'number'>;

function parseGroup(text: string): BandGroup | undefined {
  const reference = text.startsWith('REF_') ? REFERENCE.exec(text) : null;
  if (reference) return { ...NO_AXES, reference: reference[1]!, channel: reference[2]! };
  const plane = PLANE.exec(text);
  const axes = plane ? parseAxes(plane[1]!) : undefined;
  return axes && { ...axes, reference: undefined, channel: plane![2]! };
}

/** Parses the digits from `start` to the end; `undefined` for anything else, and for a number that is not exact. */
function parseDigits(text: string, start: number): number | undefined {
  let value = 0;
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return start < text.length && Number.isSafeInteger(value) ? value : undefined;
}

/** Parses axes in any order, with any number of digits: `t001`, `l002z001`, `t12561z003`. */
function parseAxes(text: string): BandAxes | undefined {
  const axes = { ...NO_AXES };
  AXIS.lastIndex = 0;
  for (let match = AXIS.exec(text); match; match = AXIS.exec(text)) {
    const value = Number(match[2]);
    if (!Number.isSafeInteger(value)) return undefined;
    const letter = match[1]!.toLowerCase();
    if (letter === 't') axes.t = value;
    else if (letter === 'l') axes.lambda = value;
    else if (letter === 'z') axes.z = value;
    else axes.otherAxes += match[0];
  }
  return axes;
}

export function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads an offset. Above 2^53 it is rounded, and still far outside of any file. */
export function uint64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}
