/** The file as HDF5 sees it: a superblock, addresses relative to its base, blocks of metadata anywhere. */
import { decodeFailed, unsupported } from '../errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { LIMITS } from '../io/limits.js';
import { ByteCache } from '../samples/byte-cache.js';
import { lookup3 } from './checksum.js';
import { Cursor } from './cursor.js';

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
/** Metadata are read in pages of this size, the last ones used are kept. */
const PAGE = 4096;
const PAGES_KEPT = 1024;

/** Whether the head of a file has the signature of HDF5, at its start or behind a user block of up to 2 KiB. */
export function isHdf5(head: Uint8Array): boolean {
  return signatureAt(head) !== undefined;
}

/** Offset of the signature: 0, 512, 1024, 2048 (HDF5 file format specification 3.0, II.A). */
function signatureAt(head: Uint8Array): number | undefined {
  return [0, 512, 1024, 2048].find((at) => SIGNATURE.every((byte, i) => head[at + i] === byte));
}

export class Container {
  readonly source: ByteSource;
  readonly name: string;
  readonly offsetSize: number;
  readonly lengthSize: number;
  /** Address of the root group's object header. */
  readonly root: number;
  /** Decoded chunks in which several planes lie, by their address. */
  readonly kept = new ByteCache<number, Uint8Array>(KEPT_BYTES, ({ length }) => length);
  /** Parsed collections of values of variable length, by their address. */
  readonly collections = new Map<number, ReadonlyMap<number, Uint8Array>>();
  private readonly base: number;
  /** Bytes of texts that may still be read. */
  private textLeft: number = LIMITS.hdf5TextBytes;
  private readonly pages = new Map<number, Uint8Array>();

  /** @throws AcqError `decode_failed` for a file that is damaged or cut off, `unsupported_format` for an unknown version */
  constructor(source: ByteSource, name = source.name) {
    this.source = source;
    this.name = name;
    const head = source.read(0, Math.min(PAGE, source.size));
    const start = signatureAt(head);
    if (start === undefined) throw unsupported(`${name}: has no HDF5 signature; it is no HDF5 file`);
    const version = head[start + 8] ?? 255;
    if (version > 3) throw unsupported(`${name}: has an HDF5 superblock of version ${version}; 0 to 3 are read`);
    const block = parseSuperblock(head, start, version, name);
    this.offsetSize = block.offsetSize;
    this.lengthSize = block.lengthSize;
    this.base = block.base;
    this.root = block.root;
    // A file that is still being written may be longer than it says, never shorter.
    if (block.end !== undefined && block.end > source.size) {
      throw decodeFailed(
        `${name}: should have ${block.end} bytes but has ${source.size}; it was cut off or not closed, copy it again`,
      );
    }
  }

  /** Bytes behind an address. @throws AcqError `decode_failed` when they are not inside the file */
  read(address: number, length: number): Uint8Array {
    const at = this.position(address, length);
    if (length > PAGE) {
      if (length > LIMITS.hdf5BlockBytes) {
        throw decodeFailed(`${this.name}: claims a block of ${length} bytes at ${address}; it is damaged`);
      }
      return this.source.read(at, length);
    }
    const first = Math.floor(at / PAGE);
    const from = at - first * PAGE;
    const page = this.page(first);
    if (from + length <= page.length) return page.subarray(from, from + length);
    const joined = new Uint8Array(length);
    joined.set(page.subarray(from));
    joined.set(this.page(first + 1).subarray(0, from + length - page.length), page.length - from);
    return joined;
  }

  cursor(address: number, length: number): Cursor {
    return new Cursor(this.read(address, length), this, this.where(address));
  }

  /** Position in the file of `length` bytes behind an address. */
  position(address: number, length: number): number {
    const at = this.base + address;
    if (!Number.isSafeInteger(at + length) || address < 0 || length < 0 || at + length > this.source.size) {
      throw decodeFailed(
        `${this.name}: needs ${length} bytes at ${address}, but ends at ${this.source.size}; it is damaged or cut off`,
      );
    }
    return at;
  }

  /** Counts a name or text that becomes memory of its own. @throws AcqError `decode_failed` beyond all reason */
  spendText(bytes: number): void {
    this.textLeft -= bytes;
    if (this.textLeft >= 0) return;
    throw decodeFailed(`${this.name}: has more than ${LIMITS.hdf5TextBytes} bytes of names and texts; it is damaged`);
  }

  where(address: number): string {
    return `${this.name}: the block at ${address}`;
  }

  private page(index: number): Uint8Array {
    const known = this.pages.get(index);
    if (known) {
      this.pages.delete(index);
      this.pages.set(index, known);
      return known;
    }
    const start = index * PAGE;
    const page = this.source.read(start, Math.min(PAGE, this.source.size - start));
    this.pages.set(index, page);
    if (this.pages.size > PAGES_KEPT) this.pages.delete(this.pages.keys().next().value as number);
    return page;
  }
}

/** Bytes of decoded chunks that a file keeps. */
const KEPT_BYTES = 32 * 2 ** 20;

/** Compares the checksum in the last four bytes of a block. @throws AcqError `decode_failed` */
export function checkSum(block: Uint8Array, where: string): void {
  const end = block.length - 4;
  const stored = new DataView(block.buffer, block.byteOffset, block.length).getUint32(end, true);
  if (lookup3(block.subarray(0, end)) !== stored)
    throw decodeFailed(`${where} does not have its checksum; it is damaged`);
}

interface Superblock {
  offsetSize: number;
  lengthSize: number;
  base: number;
  end: number | undefined;
  root: number;
}

/** Versions 0 to 3 (specification II.A). */
function parseSuperblock(head: Uint8Array, start: number, version: number, name: string): Superblock {
  const sizesAt = start + (version < 2 ? 13 : 9);
  const [offsetSize = 0, lengthSize = 0] = head.subarray(sizesAt, sizesAt + 2);
  if (![2, 4, 8].includes(offsetSize) || ![2, 4, 8].includes(lengthSize)) {
    throw decodeFailed(`${name}: has addresses of ${offsetSize} and sizes of ${lengthSize} bytes; it is damaged`);
  }
  const where = `${name}: the superblock`;
  const cursor = new Cursor(head, { offsetSize, lengthSize }, where, start);
  cursor.skip([24, 28, 12, 12][version] as number);
  const stated = cursor.address() ?? start;
  // A user block in front that was added or taken away later: what counts is where the signature is.
  const base = start;
  const shift = base - stated;
  cursor.address();
  const end = cursor.address();
  if (version < 2) cursor.skip(2 * offsetSize);
  const root = cursor.address();
  if (version >= 2) checkSum(head.subarray(start, cursor.at + 4), where);
  if (root === undefined || root === Number.POSITIVE_INFINITY) throw decodeFailed(`${where} names no root group`);
  return { offsetSize, lengthSize, base, end: end === undefined ? undefined : end + shift, root };
}
