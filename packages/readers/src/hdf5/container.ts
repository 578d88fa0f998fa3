/** The low level of an HDF5 file: superblock, addresses relative to its base, and blocks of metadata. */
import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped, plural } from '../base/wording.js';
import type { ByteSource } from '../io/byte-source.js';
import { ByteCache } from '../model/samples/byte-cache.js';
import { lookup3 } from './checksum.js';
import { Cursor } from './cursor.js';

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
/** Metadata are read in pages of this size. The most recent ones are kept. */
const PAGE = 4096;
const MAX_PAGES = 1024;

/** True when the head of a file has the HDF5 signature, at its start or after a user block of up to 2 KiB. */
export function isHdf5(head: Uint8Array): boolean {
  return findSignature(head) !== undefined;
}

/** Returns the offset of the signature: 0, 512, 1024 or 2048 (HDF5 file format specification 3.0, II.A). */
function findSignature(head: Uint8Array): number | undefined {
  return [0, 512, 1024, 2048].find((at) => SIGNATURE.every((byte, i) => head[at + i] === byte));
}

export class Container {
  readonly source: ByteSource;
  readonly offsetSize: number;
  readonly lengthSize: number;
  /** Address of the root group's object header. */
  readonly root: number;
  /** Decoded chunks that contain several planes, by address. */
  readonly kept = new ByteCache<number, Uint8Array>(KEPT_BYTES, ({ length }) => length);
  /** Parsed collections of variable-length values, by address. */
  readonly collections = new Map<number, ReadonlyMap<number, Uint8Array>>();
  private readonly base: number;
  /** Bytes of names and texts that may still be read. */
  private textLeft: number = LIMITS.hdf5TextBytes;
  private readonly pages = new Map<number, Uint8Array>();

  /** @throws AcqError `decode_failed` for a corrupted or truncated file, `unsupported_format` for an unknown version */
  constructor(source: ByteSource) {
    this.source = source;
    const head = source.read(0, Math.min(PAGE, source.size));
    const start = findSignature(head);
    if (start === undefined) throw unsupported('is not an HDF5 file (the signature is missing)');
    const version = head[start + 8] ?? 255;
    if (version > 3) throw unsupported(`HDF5 superblock version ${version} is not supported (only 0 to 3)`);
    const block = parseSuperblock(head, start, version);
    this.offsetSize = block.offsetSize;
    this.lengthSize = block.lengthSize;
    this.base = block.base;
    this.root = block.root;
    // A file that is still being written may be longer than its superblock says, never shorter.
    if (block.end !== undefined && block.end > source.size) {
      throw decodeFailed(
        `the file is truncated: ${grouped(source.size)} of ${grouped(block.end)} bytes. Copy it again, or close it in the program that writes it.`,
      );
    }
  }

  /** Reads bytes at an address. @throws AcqError `decode_failed` outside the file */
  read(address: number, length: number): Uint8Array {
    const at = this.position(address, length);
    if (length > PAGE) {
      if (length > LIMITS.hdf5BlockBytes) {
        throw decodeFailed(
          `the block at ${grouped(address)} has ${grouped(length)} bytes; the limit is ${grouped(LIMITS.hdf5BlockBytes)}. The file is corrupted.`,
        );
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

  /** Reads the values of an array. Small ones lie beside each other, and beside the metadata: a page has several. */
  readValues(address: number, length: number): Uint8Array {
    return length <= PAGE ? this.read(address, length) : this.source.read(this.position(address, length), length);
  }

  cursor(address: number, length: number): Cursor {
    return new Cursor(this.read(address, length), this, this.where(address));
  }

  /** Returns the offset in the file of `length` bytes at an address. @throws AcqError `decode_failed` outside the file */
  position(address: number, length: number): number {
    const at = this.base + address;
    if (!Number.isSafeInteger(at + length) || address < 0 || length < 0 || at + length > this.source.size) {
      // Addresses of 64 bits that are too large for any file are Infinity.
      const isPossible = Number.isSafeInteger(address) && Number.isSafeInteger(length);
      const what = isPossible ? `${plural(length, 'byte')} at ${grouped(address)}` : 'some data';
      throw decodeFailed(
        `${what} would lie outside of the file (${grouped(this.source.size)} bytes); it is corrupted or truncated`,
      );
    }
    return at;
  }

  /** Counts a name or text against the limit of the file. @throws AcqError `decode_failed` */
  spendText(bytes: number): void {
    this.textLeft -= bytes;
    if (this.textLeft >= 0) return;
    throw decodeFailed(
      `contains more than ${grouped(LIMITS.hdf5TextBytes)} bytes of names and texts; the file is corrupted`,
    );
  }

  where(address: number): string {
    return `the block at ${grouped(address)}`;
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
    if (this.pages.size > MAX_PAGES) this.pages.delete(this.pages.keys().next().value!);
    return page;
  }
}

/** Bytes of decoded chunks that a file keeps. */
const KEPT_BYTES = 32 * 2 ** 20;

/** Verifies the checksum in the last four bytes of a block. @throws AcqError `decode_failed` */
export function checkSum(block: Uint8Array, where: string): void {
  const end = block.length - 4;
  const stored = new DataView(block.buffer, block.byteOffset, block.length).getUint32(end, true);
  if (lookup3(block.subarray(0, end)) !== stored)
    throw decodeFailed(`${where} has a checksum mismatch; the file is corrupted`);
}

interface Superblock {
  offsetSize: number;
  lengthSize: number;
  base: number;
  end: number | undefined;
  root: number;
}

/** Parses superblock versions 0 to 3 (specification II.A). */
function parseSuperblock(head: Uint8Array, start: number, version: number): Superblock {
  const sizesAt = start + (version < 2 ? 13 : 9);
  const [offsetSize = 0, lengthSize = 0] = head.subarray(sizesAt, sizesAt + 2);
  if (![2, 4, 8].includes(offsetSize) || ![2, 4, 8].includes(lengthSize)) {
    throw decodeFailed(
      `the superblock has addresses of ${grouped(offsetSize)} bytes and sizes of ${grouped(lengthSize)}; the file is corrupted`,
    );
  }
  const where = 'the superblock';
  const cursor = new Cursor(head, { offsetSize, lengthSize }, where, start);
  cursor.skip([24, 28, 12, 12][version]!);
  const recorded = cursor.address() ?? start;
  // A user block may have been added or removed later. The position of the signature is right.
  const base = start;
  const shift = base - recorded;
  cursor.address();
  const end = cursor.address();
  if (version < 2) cursor.skip(2 * offsetSize);
  const root = cursor.address();
  if (version >= 2) checkSum(head.subarray(start, cursor.at + 4), where);
  if (root === undefined || root === Number.POSITIVE_INFINITY)
    throw decodeFailed(`${where} has an invalid root group; the file is corrupted`);
  return { offsetSize, lengthSize, base, end: end === undefined ? undefined : end + shift, root };
}
