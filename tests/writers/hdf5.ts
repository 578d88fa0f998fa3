/**
 * HDF5 files of two kinds: `old` as h5py and most programs write them (superblock 0, symbol tables, B-trees of version 1), and
 * `new` (superblock 3, checksums, link messages, arrays of chunks). Checked with h5py by `scripts/check-hdf5.py`.
 */
import { deflateSync } from 'node:zlib';
import { lookup3 } from '../../packages/readers/src/hdf5/checksum.js';
import { fletcher32 } from '../../packages/readers/src/hdf5/filters.js';
import { type Content, dataspace, type Encoded, encodeContent, word } from './hdf5-types.js';

/** `old fletcher32`: the checksum as HDF5 before 1.6.3 stored it, with the bytes of each half the other way round. */
export type FilterName =
  | 'gzip'
  | 'shuffle'
  | 'fletcher32'
  | 'old fletcher32'
  | 'lz4'
  | 'lzf'
  | 'blosc'
  | 'zstd'
  | 'zfp'
  | 'unheard';

export interface H5Dataset {
  data: Content;
  shape?: number[];
  attrs?: Record<string, Content>;
  /** Chunk sizes; without them the data are contiguous. */
  chunks?: number[];
  /** Infinity for a dimension without limit. */
  most?: number[];
  filters?: FilterName[];
  /** Bytes of one element. */
  fill?: Buffer;
  /** Chunks that are left out, by number in C order. */
  without?: number[];
  compact?: boolean;
  /** Space for this shape without any bytes: a hole, `data` only gives the type. */
  hole?: boolean;
  /** No space at all: never written. */
  never?: boolean;
  /**
   * Layout message as before HDF5 1.6.3, old kind only: version 1 of 1.4 and older, with its fill value message, or 2.
   */
  layout?: 1 | 2;
}

export interface H5Group {
  attrs?: Record<string, Content>;
  members?: Record<string, H5Node>;
}

export type H5Node = H5Group | H5Dataset | { soft: string } | { external: [file: string, path: string] };

export interface H5Options {
  kind?: 'old' | 'new';
  /** Bytes in front of the superblock: 0, 512, … */
  userBlock?: number;
}

const UNDEFINED = word(Number.POSITIVE_INFINITY);
/** Symbols of a symbol table and entries of a node of a group; chunks of a node. */
const SYMBOLS = 64;
const CHILDREN = 32;
const CHUNKS = 64;
const HEAP_BYTES = 16_384;
const INLINE = 4;

export function writeHdf5(root: H5Group, options: H5Options = {}): Uint8Array<ArrayBuffer> {
  const { size, pieces } = writeHdf5Pieces(root, options);
  const out = new Uint8Array(size);
  for (const { offset, bytes } of pieces) out.set(bytes, offset);
  return out;
}

/** The same as pieces with holes between them, for files larger than memory. */
export function writeHdf5Pieces(root: H5Group, options: H5Options = {}) {
  return new Writer(options).write(root);
}

class Writer {
  private readonly isNew: boolean;
  private readonly userBlock: number;
  private readonly pieces: { offset: number; bytes: Uint8Array }[] = [];
  private end: number;
  private heap: { address: number; objects: Buffer[]; used: number } | undefined;

  constructor({ kind = 'old', userBlock = 0 }: H5Options) {
    this.isNew = kind === 'new';
    this.userBlock = userBlock;
    this.end = this.isNew ? 48 : 96;
  }

  write(root: H5Group) {
    const address = this.object(root);
    this.writeHeap();
    const head = this.isNew ? this.superblock3(address) : this.superblock0(address);
    const pieces = [{ offset: 0, bytes: head as Uint8Array }, ...this.pieces].map(({ offset, bytes }) => ({
      offset: offset + this.userBlock,
      bytes,
    }));
    return { size: this.end + this.userBlock, pieces };
  }

  private superblock0(root: number): Buffer {
    const counts = Buffer.alloc(8);
    counts.writeUInt16LE(SYMBOLS / 2, 0);
    counts.writeUInt16LE(CHILDREN / 2, 2);
    const head = Buffer.from([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10, 0, 0, 0, 0, 0, 8, 8, 0]);
    const end = word(this.end + this.userBlock);
    const entry = [word(0), word(root), Buffer.alloc(24)];
    return Buffer.concat([head, counts, word(this.userBlock), UNDEFINED, end, UNDEFINED, ...entry]);
  }

  private superblock3(root: number): Buffer {
    const head = Buffer.from([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10, 3, 8, 8, 0]);
    return summed([head, word(this.userBlock), UNDEFINED, word(this.end + this.userBlock), word(root)]);
  }

  private put(bytes: Uint8Array): number {
    const offset = this.reserve(bytes.length);
    this.pieces.push({ offset, bytes });
    return offset;
  }

  private reserve(bytes: number): number {
    const offset = this.end;
    this.end += Math.ceil(bytes / 8) * 8;
    return offset;
  }

  /** Stores a text in the one collection of the file. */
  private readonly text = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    this.heap ??= { address: this.reserve(HEAP_BYTES), objects: [], used: 16 };
    const index = this.heap.objects.length + 1;
    const head = Buffer.alloc(16);
    head.writeUInt16LE(index, 0);
    head.writeBigUInt64LE(BigInt(bytes.length), 8);
    const object = padded(Buffer.concat([head, bytes]));
    this.heap.objects.push(object);
    this.heap.used += object.length;
    const place = Buffer.alloc(16);
    place.writeUInt32LE(bytes.length, 0);
    place.writeBigUInt64LE(BigInt(this.heap.address), 4);
    place.writeUInt32LE(index, 12);
    return place;
  };

  private writeHeap(): void {
    if (!this.heap) return;
    const { address, objects, used } = this.heap;
    if (used + 16 > HEAP_BYTES) throw new Error('the fixture has too many texts');
    const rest = Buffer.alloc(HEAP_BYTES - used);
    rest.writeBigUInt64LE(BigInt(rest.length), 8);
    const head = Buffer.concat([Buffer.from('GCOL\u0001\0\0\0', 'latin1'), word(HEAP_BYTES)]);
    this.pieces.push({ offset: address, bytes: Buffer.concat([head, ...objects, rest]) });
  }

  private object(node: H5Group | H5Dataset): number {
    const messages = 'data' in node ? this.dataset(node) : this.group(node);
    for (const [name, value] of Object.entries(node.attrs ?? {})) messages.push([0x0c, this.attribute(name, value)]);
    return this.header(messages);
  }

  private header(messages: [type: number, body: Buffer][]): number {
    if (this.isNew) {
      const bodies = messages.flatMap(([type, body]) => [
        Buffer.from([type, body.length & 255, body.length >> 8, 0]),
        body,
      ]);
      const all = Buffer.concat(bodies);
      const size = Buffer.alloc(4);
      size.writeUInt32LE(all.length);
      return this.put(summed([Buffer.from('OHDR\u0002\u0002', 'latin1'), size, all]));
    }
    const bodies = messages.flatMap(([type, body]) => {
      const full = padded(body);
      const head = Buffer.alloc(8);
      head.writeUInt16LE(type, 0);
      head.writeUInt16LE(full.length, 2);
      return [head, full];
    });
    const all = Buffer.concat(bodies);
    const prefix = Buffer.alloc(16);
    prefix.writeUInt8(1, 0);
    prefix.writeUInt16LE(messages.length, 2);
    prefix.writeUInt32LE(1, 4);
    prefix.writeUInt32LE(all.length, 8);
    return this.put(Buffer.concat([prefix, all]));
  }

  private attribute(name: string, value: Content): Buffer {
    const { type, shape, data } = encodeContent(value, this.text);
    const space = dataspace(shape, undefined, this.isNew ? 2 : 1);
    const title = Buffer.from(`${name}\0`);
    const head = Buffer.alloc(this.isNew ? 9 : 8);
    head.writeUInt8(this.isNew ? 3 : 1, 0);
    head.writeUInt16LE(title.length, 2);
    head.writeUInt16LE(type.length, 4);
    head.writeUInt16LE(space.length, 6);
    const parts = [title, type, space];
    return Buffer.concat([head, ...(this.isNew ? parts : parts.map(padded)), data]);
  }

  private group({ members = {} }: H5Group): [number, Buffer][] {
    const names = Object.keys(members).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    if (this.isNew) return this.newGroup(names, members);
    const heapAt = new Map<string, number>();
    const texts: Buffer[] = [Buffer.alloc(8)];
    let used = 8;
    const intern = (text: string): number => {
      heapAt.set(text, used);
      texts.push(padded(Buffer.from(`${text}\0`)));
      used += (texts.at(-1) as Buffer).length;
      return heapAt.get(text) as number;
    };
    const entries = names.map((name) => this.symbol(intern(name), members[name] as H5Node, intern));
    const tables: { address: number; last: string }[] = [];
    for (let first = 0; first < names.length; first += SYMBOLS) {
      const part = entries.slice(first, first + SYMBOLS);
      const head = Buffer.from('SNOD\u0001\0\0\0', 'latin1');
      head.writeUInt16LE(part.length, 6);
      const table = Buffer.concat([head, ...part], 8 + SYMBOLS * 40);
      tables.push({ address: this.put(table), last: names[first + part.length - 1]! });
    }
    if (tables.length > CHILDREN) throw new Error('the fixture has too many members');
    const keys = tables.flatMap(({ address, last }) => [word(address), word(heapAt.get(last) as number)]);
    const tree = Buffer.concat(
      [treeHead(0, 0, tables.length), word(0), ...keys],
      24 + CHILDREN * 8 + (CHILDREN + 1) * 8,
    );
    const data = Buffer.concat(texts);
    const heap = Buffer.concat([Buffer.from('HEAP\0\0\0\0'), word(data.length), word(1), word(this.put(data))]);
    return [[0x11, Buffer.concat([word(this.put(tree)), word(this.put(heap))])]];
  }

  private symbol(name: number, node: H5Node, intern: (text: string) => number): Buffer {
    const entry = Buffer.alloc(40);
    entry.writeBigUInt64LE(BigInt(name), 0);
    if ('external' in node) throw new Error('links to other files need the new kind');
    if ('soft' in node) {
      UNDEFINED.copy(entry, 8);
      entry.writeUInt32LE(2, 16);
      entry.writeUInt32LE(intern(node.soft), 24);
    } else word(this.object(node)).copy(entry, 8);
    return entry;
  }

  private newGroup(names: string[], members: Record<string, H5Node>): [number, Buffer][] {
    const links = names.map((name): [number, Buffer] => {
      const node = members[name] as H5Node;
      const title = Buffer.from(name);
      const head = (flags: number, kind: number[]) =>
        Buffer.concat([Buffer.from([1, flags, ...kind, title.length]), title]);
      const sized = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length & 255, bytes.length >> 8]), bytes]);
      if ('soft' in node) return [6, Buffer.concat([head(8, [1]), sized(Buffer.from(node.soft))])];
      if ('external' in node) {
        return [6, Buffer.concat([head(8, [64]), sized(Buffer.from(`\0${node.external.join('\0')}\0`))])];
      }
      return [6, Buffer.concat([head(0, []), word(this.object(node))])];
    });
    return [[2, Buffer.concat([Buffer.from([0, 0]), UNDEFINED, UNDEFINED])], [10, Buffer.from([0, 0])], ...links];
  }

  private dataset(node: H5Dataset): [number, Buffer][] {
    const content = encodeContent(node.data, this.text);
    const shape = node.shape ?? content.shape;
    const messages: [number, Buffer][] = [
      [1, dataspace(shape, node.most, this.isNew ? 2 : 1)],
      [3, content.type],
      ...fillMessages(node),
    ];
    if (node.filters?.length) messages.push([0x0b, this.filterMessage(node.filters, content.elementBytes)]);
    return [...messages, [8, this.layout(node, content, shape)]];
  }

  private layout(node: H5Dataset, content: Encoded, shape: number[]): Buffer {
    const bytes = shape.reduce((product, n) => product * n, content.elementBytes);
    if (node.layout && this.isNew) throw new Error('layouts before 1.6.3 need the old kind');
    if (node.chunks) return this.chunked(node, node.chunks, content, shape);
    if (node.layout) return this.oldLayout(node, node.layout, content, shape);
    if (node.compact) {
      const size = Buffer.alloc(2);
      size.writeUInt16LE(content.data.length);
      return Buffer.concat([Buffer.from([3, 0]), size, content.data]);
    }
    const address = node.never ? UNDEFINED : word(node.hole ? this.reserve(bytes) : this.put(content.data));
    return Buffer.concat([Buffer.from([3, 1]), address, word(bytes)]);
  }

  /** Versions 1 and 2, contiguous or compact: the sizes are those of the dataspace, in 32 bits. */
  private oldLayout(node: H5Dataset, version: 1 | 2, { data }: Encoded, shape: number[]): Buffer {
    const head = Buffer.from([version, shape.length, node.compact ? 0 : 1, 0, 0, 0, 0, 0]);
    const sizes = Buffer.from(Uint32Array.from(shape).buffer);
    if (node.compact) return Buffer.concat([head, sizes, Buffer.from(Uint32Array.of(data.length).buffer), data]);
    return Buffer.concat([head, node.never ? UNDEFINED : word(this.put(data)), sizes]);
  }

  private filterMessage(filters: FilterName[], elementBytes: number): Buffer {
    const parts = filters.map((name) => {
      const [id, values] = FILTERS[name](elementBytes);
      const title = id >= 256 || !this.isNew ? padded(Buffer.from(`${name}\0`)) : Buffer.alloc(0);
      const fields = id >= 256 || !this.isNew ? [id, title.length, 0, values.length] : [id, 0, values.length];
      const odd = !this.isNew && values.length % 2 === 1 ? [0] : [];
      return Buffer.concat([
        Buffer.from(Uint16Array.from(fields).buffer),
        title,
        Buffer.from(Uint32Array.from([...values, ...odd]).buffer),
      ]);
    });
    const head = this.isNew ? [2, filters.length] : [1, filters.length, 0, 0, 0, 0, 0, 0];
    return Buffer.concat([Buffer.from(head), ...parts]);
  }

  private chunked(node: H5Dataset, chunks: number[], content: Encoded, shape: number[]): Buffer {
    const stored: StoredChunk[] = [];
    const along = shape.map((n, i) => Math.ceil(n / chunks[i]!));
    const total = along.reduce((product, n) => product * n, 1);
    for (let n = 0; n < total; n++) {
      if (node.without?.includes(n)) continue;
      const at = indexAt(n, along);
      const plain = chunkBytes(content, shape, chunks, at);
      const bytes = (node.filters ?? []).reduce((data, filter) => encode(filter, data, content.elementBytes), plain);
      stored.push({
        at: at.map((i, k) => i * chunks[k]!),
        number: n,
        size: bytes.length,
        address: this.put(bytes),
      });
    }
    const dims = [...chunks, content.elementBytes];
    if (!this.isNew) {
      const words = Buffer.from(Uint32Array.from(dims).buffer);
      const head = node.layout ? [node.layout, dims.length, 2, 0, 0, 0, 0, 0] : [3, 2, dims.length];
      return Buffer.concat([Buffer.from(head), word(this.chunkTree(stored, chunks)), words]);
    }
    return this.newChunked(node, stored, dims, total, shape);
  }

  private newChunked(node: H5Dataset, stored: StoredChunk[], dims: number[], total: number, shape: number[]): Buffer {
    const filtered = (node.filters ?? []).length > 0;
    // HDF5 2.0 refuses a width that is larger than the largest size needs.
    const width = 1 + Math.floor(Math.log2(Math.max(...dims)) / 8);
    const sizes = dims.map((n) => word(n).subarray(0, width));
    const head = (flags: number) => Buffer.concat([Buffer.from([4, 2, flags, dims.length, width]), ...sizes]);
    const [first] = stored;
    if (total === 1 && !node.most) {
      const size = filtered ? Buffer.concat([word(first?.size ?? 0), Buffer.alloc(4)]) : Buffer.alloc(0);
      return Buffer.concat([head(filtered ? 2 : 0), Buffer.from([1]), size, first ? word(first.address) : UNDEFINED]);
    }
    const bytes = dims.reduce((product, n) => product * n, 1);
    const sizeBytes = Math.min(8, 1 + Math.floor((Math.floor(Math.log2(bytes)) + 8) / 8));
    const entries: Buffer[] = [];
    const none = Buffer.concat([UNDEFINED, Buffer.alloc(filtered ? sizeBytes + 4 : 0)]);
    for (const { at, address, size } of stored) {
      const sized = filtered ? [word(size).subarray(0, sizeBytes), Buffer.alloc(4)] : [];
      entries[arrayIndex(at, dims, shape, node.most ?? shape)] = Buffer.concat([word(address), ...sized]);
    }
    const most = (node.most ?? shape).map((limit, i) => (Number.isFinite(limit) ? limit : shape[i]!));
    const slots = most.reduce((product, n, i) => product * Math.ceil(n / dims[i]!), 1);
    for (let i = 0; i < slots; i++) entries[i] ??= none;
    if (node.most?.some((limit) => !Number.isFinite(limit))) {
      return Buffer.concat([
        head(0),
        Buffer.from([4, 32, INLINE, 16, 4, 10]),
        word(this.extensible(entries, filtered)),
      ]);
    }
    return Buffer.concat([head(0), Buffer.from([3, 10]), word(this.fixed(entries, filtered))]);
  }

  private fixed(entries: Buffer[], filtered: boolean): number {
    const client = filtered ? 1 : 0;
    const size = (entries[0] as Buffer).length;
    const header = this.reserve(28);
    const block = this.put(summed([Buffer.from('FADB\0', 'latin1'), Buffer.from([client]), word(header), ...entries]));
    const head = [Buffer.from('FAHD\0', 'latin1'), Buffer.from([client, size, 10]), word(entries.length), word(block)];
    this.pieces.push({ offset: header, bytes: summed(head) });
    return header;
  }

  /** 4 entries in the index block, then data blocks of 16, 32, 32, 32, 64 and 64. */
  private extensible(entries: Buffer[], filtered: boolean): number {
    const client = filtered ? 1 : 0;
    const size = (entries[0] as Buffer).length;
    const header = this.reserve(72);
    const filler = Buffer.concat([UNDEFINED, Buffer.alloc(size - 8)]);
    const upTo = (list: Buffer[], count: number) => Array.from({ length: count }, (_, i) => list[i] ?? filler);
    const blocks: Buffer[] = [];
    let from = INLINE;
    let before = 0;
    for (const count of [16, 32, 32, 32, 64, 64]) {
      const part = entries.slice(from, from + count);
      const offset = Buffer.alloc(4);
      offset.writeUInt32LE(before);
      const prefix = [Buffer.from('EADB\0', 'latin1'), Buffer.from([client]), word(header), offset];
      blocks.push(part.length > 0 ? word(this.put(summed([...prefix, ...upTo(part, count)]))) : UNDEFINED);
      from += count;
      before += count;
    }
    if (from < entries.length) throw new Error('the fixture has too many chunks');
    const supers = Array.from({ length: 32 - 4 + 1 - 4 }, () => UNDEFINED);
    const prefix = [Buffer.from('EAIB\0', 'latin1'), Buffer.from([client]), word(header)];
    const index = this.put(summed([...prefix, ...upTo(entries, INLINE), ...blocks, ...supers]));
    const data = blocks.filter((block) => block !== UNDEFINED).length;
    const counts = [0, 0, data, 0, entries.length, entries.length].map(word);
    const head = [Buffer.from('EAHD\0', 'latin1'), Buffer.from([client, size, 32, INLINE, 16, 4, 10]), ...counts];
    this.pieces.push({ offset: header, bytes: summed([...head, word(index)]) });
    return header;
  }

  private chunkTree(stored: StoredChunk[], chunks: number[]): number {
    const key = (at: number[], size: number) => {
      const sizes = Buffer.alloc(8);
      sizes.writeUInt32LE(size);
      return Buffer.concat([sizes, ...at.map(word), word(0)]);
    };
    const last = (stored.at(-1)?.at ?? chunks.map(() => 0)).map((offset, i) => offset + chunks[i]!);
    const keyBytes = 16 + 8 * chunks.length;
    let level = 0;
    let nodes = stored.map(({ at, size, address }) => ({ key: key(at, size), address }));
    for (;;) {
      const parents: typeof nodes = [];
      for (let first = 0; first === 0 || first < nodes.length; first += CHUNKS) {
        const part = nodes.slice(first, first + CHUNKS);
        const next = nodes[first + CHUNKS]?.key ?? key(last, 0);
        const body = part.flatMap((node) => [node.key, word(node.address)]);
        const bytes = Buffer.concat(
          [treeHead(1, level, part.length), ...body, next],
          24 + CHUNKS * 8 + (CHUNKS + 1) * keyBytes,
        );
        parents.push({ key: part[0]?.key ?? next, address: this.put(bytes) });
      }
      if (parents.length === 1) return (parents[0] as { address: number }).address;
      nodes = parents;
      level++;
    }
  }
}

/** Message 5, of version 1 always with a size; before it the older message 4, which is only a size and the value. */
function fillMessages({ fill, layout }: H5Dataset): [number, Buffer][] {
  const value = fill ?? Buffer.alloc(0);
  const sized = Buffer.concat([Buffer.from(Uint32Array.of(value.length).buffer), value]);
  if (layout === 1) return fill ? [[4, sized]] : [];
  if (layout === 2) return [[5, Buffer.concat([Buffer.from([1, 2, 0, 1]), sized])]];
  return [[5, Buffer.concat([Buffer.from([2, 2, 0, fill ? 1 : 0]), ...(fill ? [sized] : [])])]];
}

/** Number of a chunk in an array of chunks: over the largest shape, a dimension without limit slowest. */
function arrayIndex(at: number[], chunks: number[], shape: number[], most: number[]): number {
  const position = at.map((offset, i) => offset / chunks[i]!);
  const along = most.map((limit, i) => Math.ceil((Number.isFinite(limit) ? limit : shape[i]!) / chunks[i]!));
  const growing = most.findIndex((limit) => !Number.isFinite(limit));
  const order = position.map((_, i) => i).sort((a, b) => Number(b === growing) - Number(a === growing) || a - b);
  return order.reduce((index, i) => index * along[i]! + position[i]!, 0);
}

interface StoredChunk {
  at: number[];
  number: number;
  size: number;
  address: number;
}

const FILTERS: Record<FilterName, (elementBytes: number) => [id: number, values: number[]]> = {
  gzip: () => [1, [4]],
  shuffle: (elementBytes) => [2, [elementBytes]],
  fletcher32: () => [3, []],
  'old fletcher32': () => [3, []],
  lzf: () => [32000, [4, 261, 60]],
  lz4: () => [32004, [0]],
  blosc: (elementBytes) => [32001, [2, 2, elementBytes, 0, 5, 1, 0]],
  zstd: () => [32015, [3]],
  zfp: () => [32013, [1]],
  unheard: () => [32099, []],
};

function encode(filter: FilterName, data: Buffer, elementBytes: number): Buffer {
  if (filter === 'gzip') return deflateSync(data);
  if (filter === 'shuffle') return shuffled(data, elementBytes);
  if (filter === 'lz4') return lz4Chunk(data);
  if (filter === 'lzf') return lzfLiterals(data);
  if (filter === 'blosc') return bloscStored(data, elementBytes);
  if (filter === 'zstd') return zstdStored(data);
  if (filter !== 'fletcher32' && filter !== 'old fletcher32') return data;
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(fletcher32(data));
  if (filter === 'old fletcher32') sum.swap16();
  return Buffer.concat([data, sum]);
}

function shuffled(data: Buffer, elementBytes: number): Buffer {
  const count = data.length / elementBytes;
  const out = Buffer.alloc(data.length);
  for (let i = 0; i < data.length; i++) out[(i % elementBytes) * count + Math.floor(i / elementBytes)] = data[i]!;
  return out;
}

/** Two blocks: the first as literals of LZ4, the second as it is. */
function lz4Chunk(data: Buffer): Buffer {
  const blockSize = Math.max(1, Math.ceil(data.length / 2));
  const head = Buffer.alloc(12);
  head.writeBigUInt64BE(BigInt(data.length));
  head.writeUInt32BE(blockSize, 8);
  const sized = (bytes: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const rest = data.subarray(blockSize);
  return Buffer.concat([
    head,
    sized(lz4Literals(data.subarray(0, blockSize))),
    ...(rest.length > 0 ? [sized(rest)] : []),
  ]);
}

function lz4Literals(data: Buffer): Buffer {
  if (data.length < 15) return Buffer.concat([Buffer.from([data.length << 4]), data]);
  const more = data.length - 15;
  const lengths = [...new Array(Math.floor(more / 255)).fill(255), more % 255];
  return Buffer.concat([Buffer.from([0xf0, ...lengths]), data]);
}

/** A Blosc buffer whose bytes are stored as they are. */
function bloscStored(data: Buffer, elementBytes: number): Buffer {
  const head = Buffer.from([2, 1, 0x02, elementBytes, ...new Array(12).fill(0)]);
  head.writeUInt32LE(data.length, 4);
  head.writeUInt32LE(data.length, 8);
  head.writeUInt32LE(data.length + 16, 12);
  return Buffer.concat([head, data]);
}

/** A Zstandard frame of one raw block that states its size. */
function zstdStored(data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(data.length, 5);
  head.writeUIntLE((data.length << 3) | 1, 9, 3);
  return Buffer.concat([head, data]);
}

function lzfLiterals(data: Buffer): Buffer {
  const runs: Buffer[] = [];
  for (let at = 0; at < data.length; at += 32) {
    const part = data.subarray(at, at + 32);
    runs.push(Buffer.from([part.length - 1]), part);
  }
  return Buffer.concat(runs);
}

/** A full chunk; beyond the edge of the array it holds 0xEE, which nobody should see. */
function chunkBytes({ data, elementBytes }: Encoded, shape: number[], chunks: number[], at: number[]): Buffer {
  const count = chunks.reduce((product, n) => product * n, 1);
  const out = Buffer.alloc(count * elementBytes, 0xee);
  for (let n = 0; n < count; n++) {
    const inside = indexAt(n, chunks).map((i, k) => i + at[k]! * chunks[k]!);
    if (inside.some((i, k) => i >= shape[k]!)) continue;
    const from = inside.reduce((index, i, k) => index * shape[k]! + i, 0) * elementBytes;
    data.copy(out, n * elementBytes, from, from + elementBytes);
  }
  return out;
}

/** Position of entry `n` in C order. */
function indexAt(n: number, shape: readonly number[]): number[] {
  const at: number[] = new Array(shape.length);
  let rest = n;
  for (let i = shape.length - 1; i >= 0; i--) {
    at[i] = rest % shape[i]!;
    rest = Math.floor(rest / shape[i]!);
  }
  return at;
}

function treeHead(type: number, level: number, entries: number): Buffer {
  const head = Buffer.from(`TREE${String.fromCharCode(type, level)}\0\0`, 'latin1');
  head.writeUInt16LE(entries, 6);
  return Buffer.concat([head, UNDEFINED, UNDEFINED]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes], Math.ceil(bytes.length / 8) * 8);
}

function summed(parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(lookup3(body));
  return Buffer.concat([body, sum]);
}
