/** Fixed and extensible arrays of chunk addresses (specification VII.C and VII.D). */
import { decodeFailed } from '../base/errors.js';
import { type ChunkGrid, type ChunkLocation, chunksAlong, linearIndex } from './chunk-grid.js';
import { type Container, checkSum } from './container.js';
import type { Cursor } from './cursor.js';

type Lookup = (at: readonly number[]) => ChunkLocation | undefined;

/** Entries of an array: one address each, with size and filter mask when the chunks are filtered. */
interface Entries {
  file: Container;
  chunkBytes: number;
  filtered: boolean;
  size: number;
}

/** Returns a function that finds the chunk at a position of the grid. */
export function arrayIndex(file: Container, grid: ChunkGrid, address: number): Lookup {
  const place =
    grid.layout.index.kind === 'fixed' ? fixedArray(file, grid, address) : extensibleArray(file, grid, address);
  const along = chunksAlong(grid, 'maximum');
  if (grid.layout.index.kind === 'fixed') return (at) => place(linearIndex(at, along));
  // The unlimited dimension varies slowest in the array.
  const growing = Math.max(
    0,
    grid.maxShape.findIndex((limit) => !Number.isFinite(limit)),
  );
  const reorder = (list: readonly number[]) => [list[growing]!, ...list.filter((_, i) => i !== growing)];
  return (at) => place(linearIndex(reorder(at), reorder(along)));
}

function readEntry(entries: Entries, address: number): ChunkLocation | undefined {
  const { file, filtered, size, chunkBytes } = entries;
  const cursor = file.cursor(address, size);
  const at = cursor.address();
  if (at === undefined) return undefined;
  if (!filtered) return { address: at, size: chunkBytes, mask: 0 };
  return { address: at, size: cursor.uint(size - file.offsetSize - 4), mask: cursor.u32() };
}

function parseEntries(file: Container, grid: ChunkGrid, client: number, size: number, address: number): Entries {
  const filtered = client === 1;
  const extra = size - file.offsetSize;
  if (filtered ? extra < 5 || extra > 12 : extra !== 0)
    throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
  return { file, chunkBytes: grid.layout.chunkBytes, filtered, size };
}

function fixedArray(file: Container, grid: ChunkGrid, address: number): (index: number) => ChunkLocation | undefined {
  const header = file
    .cursor(address, 12 + file.lengthSize + file.offsetSize)
    .expect('FAHD')
    .skip(1);
  checkSum(header.bytes, file.where(address));
  const client = header.u8();
  const entries = parseEntries(file, grid, client, header.u8(), address);
  const pageEntries = 2 ** Math.min(header.u8(), 52);
  const count = header.length();
  const block = header.address();
  if (block === undefined) return () => undefined;
  file.cursor(block, 4).expect('FADB');
  const start = block + 6 + file.offsetSize;
  const pages = count > pageEntries ? Math.ceil(count / pageEntries) : 0;
  const listed = pages > 0 ? Math.ceil(pages / 8) : count * entries.size;
  checkSum(file.read(block, start - block + listed + 4), file.where(block));
  return (index) => {
    if (index >= count) return undefined;
    if (pages === 0) return readEntry(entries, start + index * entries.size);
    const page = Math.floor(index / pageEntries);
    const bitmapBytes = Math.ceil(pages / 8);
    if (!hasPage(file, start, page)) return undefined;
    const pageStart = start + bitmapBytes + 4 + page * (pageEntries * entries.size + 4);
    return readEntry(entries, pageStart + (index % pageEntries) * entries.size);
  };
}

/** True when a page was written. */
function hasPage(file: Container, bitmap: number, page: number): boolean {
  const [byte = 0] = file.read(bitmap + Math.floor(page / 8), 1);
  return (byte & (0x80 >> (page % 8))) !== 0;
}

interface ArrayHeader {
  entries: Entries;
  inline: number;
  minimum: number;
  /** Super blocks whose data blocks are listed in the index block. */
  direct: number;
  dataBlocks: number;
  pageEntries: number;
  offsetBytes: number;
  indexBlock: number;
}

function extensibleArray(
  file: Container,
  grid: ChunkGrid,
  address: number,
): (index: number) => ChunkLocation | undefined {
  const cursor = file
    .cursor(address, 16 + 6 * file.lengthSize + file.offsetSize)
    .expect('EAHD')
    .skip(1);
  checkSum(cursor.bytes, file.where(address));
  const client = cursor.u8();
  const entries = parseEntries(file, grid, client, cursor.u8(), address);
  const maxBits = cursor.u8();
  const inline = cursor.u8();
  const minimum = cursor.u8();
  const pointers = cursor.u8();
  const pageEntries = 2 ** Math.min(cursor.u8(), 52);
  const indexBlock = cursor.skip(6 * file.lengthSize).address();
  if (indexBlock === undefined) return () => undefined;
  const isPower = (value: number) => value >= 1 && Number.isInteger(Math.log2(value));
  if (!isPower(minimum) || !isPower(pointers) || pointers < 2 || maxBits > 64) {
    throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
  }
  file.cursor(indexBlock, 4).expect('EAIB');
  const header: ArrayHeader = {
    entries,
    inline,
    minimum,
    direct: 2 * Math.log2(pointers),
    dataBlocks: 2 * (pointers - 1),
    pageEntries,
    offsetBytes: Math.ceil(maxBits / 8),
    indexBlock,
  };
  return (index) => extensibleEntry(header, index);
}

/** Finds an entry. Super block k has 2^⌊k/2⌋ data blocks of minimum · 2^⌈k/2⌉ entries. */
function extensibleEntry(header: ArrayHeader, index: number): ChunkLocation | undefined {
  const { entries, inline, minimum, indexBlock } = header;
  const { file } = entries;
  const start = indexBlock + 6 + file.offsetSize;
  if (index < inline) return readEntry(entries, start + index * entries.size);
  const rest = index - inline;
  const k = Math.floor(Math.log2(Math.floor(rest / minimum) + 1));
  const perBlock = minimum * 2 ** Math.ceil(k / 2);
  const inSuper = rest - minimum * (2 ** k - 1);
  const number = Math.floor(inSuper / perBlock);
  const blocksBefore = countBlocksBefore(k);
  const pointersAt = start + inline * entries.size;
  if (k < header.direct) {
    const block = file.cursor(pointersAt + (blocksBefore + number) * file.offsetSize, file.offsetSize).address();
    return block === undefined ? undefined : inDataBlock(header, block, inSuper % perBlock, perBlock, () => true);
  }
  const superAt = pointersAt + (header.dataBlocks + k - header.direct) * file.offsetSize;
  const superBlock = file.cursor(superAt, file.offsetSize).address();
  if (superBlock === undefined) return undefined;
  return inSuperBlock(header, superBlock, { k, perBlock, number, within: inSuper % perBlock });
}

/** Returns the number of data blocks in the super blocks before k. */
function countBlocksBefore(k: number): number {
  let blocks = 0;
  for (let i = 0; i < k; i++) blocks += 2 ** Math.floor(i / 2);
  return blocks;
}

interface InSuper {
  k: number;
  perBlock: number;
  number: number;
  within: number;
}

function inSuperBlock(header: ArrayHeader, address: number, { k, perBlock, number, within }: InSuper) {
  const { file } = header.entries;
  file.cursor(address, 4).expect('EASB');
  const start = address + 6 + file.offsetSize + header.offsetBytes;
  const pages = perBlock > header.pageEntries ? perBlock / header.pageEntries : 0;
  const bitmapBytes = Math.ceil(pages / 8);
  const blocks = 2 ** Math.floor(k / 2);
  const cursor: Cursor = file.cursor(start + blocks * bitmapBytes + number * file.offsetSize, file.offsetSize);
  const block = cursor.address();
  if (block === undefined) return undefined;
  return inDataBlock(header, block, within, perBlock, (page) => hasPage(file, start + number * bitmapBytes, page));
}

function inDataBlock(
  { entries, pageEntries, offsetBytes }: ArrayHeader,
  address: number,
  index: number,
  count: number,
  written: (page: number) => boolean,
): ChunkLocation | undefined {
  const { file } = entries;
  file.cursor(address, 4).expect('EADB');
  const start = address + 6 + file.offsetSize + offsetBytes;
  if (count <= pageEntries) return readEntry(entries, start + index * entries.size);
  const page = Math.floor(index / pageEntries);
  if (!written(page)) return undefined;
  return readEntry(entries, start + 4 + page * (pageEntries * entries.size + 4) + (index % pageEntries) * entries.size);
}
