/** Heaps contain the names of old groups, variable-length values, and the links and attributes of large objects. */
import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { type Container, checkSum } from './container.js';
import { Cursor } from './cursor.js';
import { bytesFor, treeRecords } from './tree2.js';

/** Reads the names of an old group (specification III.D). */
export function readLocalHeap(file: Container, address: number): Uint8Array {
  const cursor = file
    .cursor(address, 8 + 2 * file.lengthSize + file.offsetSize)
    .expect('HEAP')
    .skip(4);
  const size = cursor.length();
  cursor.length();
  const data = cursor.address();
  if (data === undefined) throw decodeFailed(`${file.where(address)} is a heap without data; the file is corrupted`);
  return file.read(data, size);
}

/** Collections that are kept. Values are stored in the order of writing, so few are in use at a time. */
const MAX_COLLECTIONS = 16;

/** Reads a variable-length value (specification III.E); `undefined` for one that was never written. */
export function readGlobalHeap(file: Container, collection: number, index: number): Uint8Array | undefined {
  const known = file.collections.get(collection);
  if (known) return known.get(index);
  const values = readCollection(file, collection);
  file.collections.set(collection, values);
  if (file.collections.size > MAX_COLLECTIONS) {
    file.collections.delete(file.collections.keys().next().value!);
  }
  return values.get(index);
}

function readCollection(file: Container, address: number): Map<number, Uint8Array> {
  const header = 8 + file.lengthSize;
  const size = file.cursor(address, header).expect('GCOL').skip(4).length();
  const cursor = file.cursor(address, size).skip(header);
  const values = new Map<number, Uint8Array>();
  while (cursor.left >= header) {
    const index = cursor.u16();
    const length = cursor.skip(6).length();
    if (index === 0) break;
    values.set(index, cursor.take(length));
    cursor.skip(Math.min(cursor.left, (8 - (length % 8)) % 8));
  }
  return values;
}

/** A fractal heap (specification III.G): returns objects by the ids in an index of names. */
export class FractalHeap {
  readonly idLength: number;
  private readonly file: Container;
  private readonly address: number;
  private readonly width: number;
  private readonly startBlock: number;
  private readonly maxDirect: number;
  private readonly offsetBytes: number;
  private readonly lengthBytes: number;
  private readonly rootBlock: number | undefined;
  private readonly rows: number;
  private readonly hugeTree: number | undefined;

  constructor(file: Container, address: number) {
    this.file = file;
    this.address = address;
    const headerBytes = 22 + 12 * file.lengthSize + 3 * file.offsetSize;
    const cursor = file.cursor(address, headerBytes + 4).expect('FRHP');
    cursor.skip(1);
    this.idLength = cursor.u16();
    const filterBytes = cursor.u16();
    cursor.skip(1);
    const maxManaged = cursor.u32();
    cursor.length();
    this.hugeTree = cursor.address();
    cursor.length();
    cursor.address();
    cursor.skip(8 * file.lengthSize);
    this.width = cursor.u16();
    this.startBlock = cursor.length();
    this.maxDirect = cursor.length();
    const maxBits = cursor.u16();
    cursor.skip(2);
    this.rootBlock = cursor.address();
    this.rows = cursor.u16();
    const isPower = (value: number) => value >= 1 && value <= 2 ** 40 && Number.isInteger(Math.log2(value));
    if (!isPower(this.startBlock) || !isPower(this.maxDirect) || this.width < 1 || maxBits > 64) {
      throw decodeFailed(`${file.where(address)} is not a valid heap; the file is corrupted`);
    }
    if (filterBytes > 0) throw unsupported('compressed names and attributes are not supported');
    checkSum(cursor.bytes, file.where(address));
    this.offsetBytes = Math.ceil(maxBits / 8);
    this.lengthBytes = Math.min(Math.ceil(Math.log2(this.maxDirect) / 8), bytesFor(maxManaged));
  }

  object(id: Uint8Array): Uint8Array {
    const cursor = new Cursor(id, this.file, `an id of the heap at ${grouped(this.address)}`);
    const flags = cursor.u8();
    const kind = (flags >> 4) & 3;
    if (kind === 2) return cursor.take((flags & 15) + 1);
    if (kind === 1) return this.huge(cursor);
    const offset = cursor.uint(this.offsetBytes);
    const length = cursor.uint(this.lengthBytes);
    if (this.rootBlock === undefined)
      throw decodeFailed(`${this.file.where(this.address)} is an empty heap; the file is corrupted`);
    const at = this.rows === 0 ? this.rootBlock + offset : this.find(this.rootBlock, this.rows, offset);
    return this.file.read(at, length);
  }

  /** Finds the address of an offset in the heap. Blocks of a row have one size, which doubles from row to row. */
  private find(block: number, rows: number, offset: number): number {
    const { file } = this;
    let before = 0;
    for (let row = 0; row < rows; row++) {
      const size = this.startBlock * 2 ** Math.max(0, row - 1);
      const span = size * this.width;
      if (offset >= before + span) {
        before += span;
        continue;
      }
      const column = Math.floor((offset - before) / size);
      const entry = 5 + file.offsetSize + this.offsetBytes + file.offsetSize * (row * this.width + column);
      file.cursor(block, 4).expect('FHIB');
      const child = file.cursor(block + entry, file.offsetSize).address();
      if (child === undefined) break;
      const inside = offset - before - column * size;
      if (size <= this.maxDirect) return child + inside;
      const childRows = Math.log2(size) - Math.log2(this.startBlock * this.width) + 1;
      // Every level has fewer rows than the one above.
      if (childRows >= rows) break;
      return this.find(child, childRows, inside);
    }
    throw decodeFailed(
      `${file.where(this.address)} does not contain an object at ${grouped(offset)}; the file is corrupted`,
    );
  }

  /** Reads an object too large for the heap. Its id is its address, or a key of an index. */
  private huge(id: Cursor): Uint8Array {
    const { file } = this;
    if (this.idLength - 1 >= file.offsetSize + file.lengthSize) {
      const address = id.address() ?? -1;
      return file.read(address, id.length());
    }
    const key = id.uint(Math.min(8, this.idLength - 1));
    for (const record of this.hugeTree === undefined ? [] : treeRecords(file, this.hugeTree, [1])) {
      const address = record.address() ?? -1;
      const length = record.length();
      if (record.length() === key) return file.read(address, length);
    }
    throw decodeFailed(`${file.where(this.address)} does not contain the large object ${key}; the file is corrupted`);
  }
}
