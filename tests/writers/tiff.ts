/**
 * Writes TIFF and BigTIFF fixtures: every byte order, sample width, layout, compression and predictor that the reader
 * knows, and a few deliberate oddities. Independent of the reader on purpose.
 */
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { encodeChunk } from './tiff-encode.js';

/** Value of an extra tag: numbers of `type`, text (ASCII, NUL added) or raw bytes. RATIONALs are `[num, den]` flat. */
export interface TagSpec {
  code: number;
  type: number;
  values?: readonly number[];
  text?: string;
  bytes?: Uint8Array;
  /** Written instead of the true count. */
  count?: number;
}

export interface PageSpec {
  width: number;
  height: number;
  /** Row-major samples of the page: one array per sample of a pixel (a bare array is one sample). */
  samples: SampleArray | readonly SampleArray[];
  /** Default: the width of the array's elements. Float32Array with 16 or 24 writes narrow floats. */
  bits?: number;
  /** 1 unsigned, 2 signed, 3 float. Default: the kind of the array. */
  sampleFormat?: number;
  /** Tag 259: 1 none, 5 LZW, 8 and 32946 deflate, 32773 PackBits; others need `encode`. */
  compression?: number;
  /** Compresses the bytes of one strip or tile: for codecs that are no part of this writer. */
  encode?: (chunk: ChunkBytes) => Uint8Array;
  predictor?: 1 | 2 | 3;
  /** PlanarConfiguration 2. */
  planar?: boolean;
  rowsPerStrip?: number;
  tile?: { width: number; height: number };
  photometric?: number;
  fillOrder?: 1 | 2;
  /** Further tags; one with the code of a standard tag replaces it. */
  tags?: readonly TagSpec[];
  /** Codes of standard tags that are left out. */
  omit?: readonly number[];
  /** Indices of strips or tiles that are written as offset 0, count 0. */
  sparse?: readonly number[];
  /** Pages of tag 330. */
  subIfds?: readonly PageSpec[];
  /** Planes without an IFD: uncompressed, right behind the page's own data. */
  extraPlanes?: readonly SampleArray[];
  /** Unused bytes between strips or tiles. */
  chunkGap?: number;
  /** Entries in falling order of their codes. */
  unsorted?: boolean;
}

/** One strip or tile ready for a codec. */
export interface ChunkBytes {
  bytes: Uint8Array;
  /** Pixels of a row and rows, samples of a pixel in this chunk. */
  width: number;
  rows: number;
  samples: number;
}

export interface TiffSpec {
  littleEndian?: boolean;
  big?: boolean;
  pages: readonly PageSpec[];
  /** Unused bytes behind the header. An odd number makes odd IFD offsets. */
  headerGap?: number;
  /** Where the IFDs are: before the data of their page (default), behind it, or all at the end of the file. */
  ifds?: 'first' | 'last' | 'end';
  /** Field type of StripOffsets and the like: 4 or 13 (default of classic files: 4), 16 or 18 (of BigTIFF: 16). */
  offsetType?: number;
  /** What the last IFD points to instead of 0: a page index (a circle) or `{ offset }`. */
  next?: number | { offset: number };
}

/** The bytes of a TIFF file. */
export function writeTiff(spec: TiffSpec): Uint8Array {
  return new TiffWriter(spec).write();
}

const FIELD_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/** Growing file image with patches. */
class Sink {
  length = 0;
  private buffer = new Uint8Array(4096);
  private readonly littleEndian: boolean;

  constructor(littleEndian: boolean) {
    this.littleEndian = littleEndian;
  }

  append(bytes: Uint8Array): number {
    const at = this.reserve(bytes.length);
    this.buffer.set(bytes, at);
    return at;
  }

  reserve(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(this.length, this.buffer.length * 2));
      larger.set(this.buffer);
      this.buffer = larger;
    }
    return at;
  }

  /** Writes an unsigned integer of 1, 2, 4 or 8 bytes. */
  patch(at: number, size: number, value: number): void {
    const view = new DataView(this.buffer.buffer);
    if (size === 8) view.setBigUint64(at, BigInt(value), this.littleEndian);
    else if (size === 4) view.setUint32(at, value, this.littleEndian);
    else if (size === 2) view.setUint16(at, value, this.littleEndian);
    else view.setUint8(at, value);
  }

  set(at: number, bytes: Uint8Array): void {
    this.buffer.set(bytes, at);
  }

  take(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }
}

/** A page whose data are known; its IFD may be written before or behind them. */
interface PreparedPage {
  spec: PageSpec;
  chunks: (Uint8Array | undefined)[];
  entries: { code: number; type: number; count: number; value: Uint8Array }[];
  /** Where the offsets of the chunks and of the SubIFDs were written. */
  offsetsAt: number;
  subIfdsAt: number;
}

class TiffWriter {
  private readonly spec: TiffSpec;
  private readonly littleEndian: boolean;
  private readonly big: boolean;
  private readonly offsetType: number;
  private readonly sink: Sink;
  /** A page that occurs many times is encoded once. */
  private readonly prepared = new Map<PageSpec, PreparedPage>();

  constructor(spec: TiffSpec) {
    this.spec = spec;
    this.littleEndian = spec.littleEndian ?? true;
    this.big = spec.big ?? false;
    this.offsetType = spec.offsetType ?? (this.big ? 16 : 4);
    this.sink = new Sink(this.littleEndian);
  }

  write(): Uint8Array {
    const { sink, spec } = this;
    let link = this.writeHeader();
    sink.reserve(spec.headerGap ?? 0);
    const ifds: number[] = [];
    const place = (page: PreparedPage, dataOffsets?: number[]) => {
      const { ifd, next } = this.writeIfd(page);
      sink.patch(link, this.pointer, ifd);
      ifds.push(ifd);
      link = next;
      if (dataOffsets) this.patchOffsets(page, dataOffsets);
    };
    const waiting: [PreparedPage, number[]][] = [];
    for (const pageSpec of spec.pages) {
      const page = this.prepare(pageSpec);
      if (spec.ifds === 'last') place(page, this.writeData(page));
      else if (spec.ifds === 'end') waiting.push([page, this.writeData(page)]);
      else {
        place(page);
        this.patchOffsets(page, this.writeData(page));
      }
      if (spec.ifds !== 'end') this.writeSubIfds(page);
    }
    for (const [page, offsets] of waiting) {
      place(page, offsets);
      this.writeSubIfds(page);
    }
    if (typeof spec.next === 'number') sink.patch(link, this.pointer, ifds[spec.next] as number);
    else if (spec.next) sink.patch(link, this.pointer, spec.next.offset);
    return sink.take();
  }

  private get pointer(): 4 | 8 {
    return this.big ? 8 : 4;
  }

  /** Returns the position of the pointer to the first IFD. */
  private writeHeader(): number {
    const { sink } = this;
    const mark = this.littleEndian ? 0x49 : 0x4d;
    sink.append(new Uint8Array([mark, mark]));
    sink.patch(sink.reserve(2), 2, this.big ? 43 : 42);
    if (this.big) {
      sink.patch(sink.reserve(2), 2, 8);
      sink.reserve(2);
    }
    return sink.reserve(this.pointer);
  }

  private prepare(spec: PageSpec): PreparedPage {
    const known = this.prepared.get(spec);
    if (known) return { ...known };
    const page = this.encodePage(spec);
    this.prepared.set(spec, page);
    return { ...page };
  }

  private encodePage(spec: PageSpec): PreparedPage {
    const chunks = cutChunks(spec).map((chunk, index) =>
      spec.sparse?.includes(index) ? undefined : encodeChunk(spec, chunk, this.littleEndian),
    );
    const counts = chunks.map((chunk) => chunk?.length ?? 0);
    const specs = standardTags(spec, counts, this.offsetType);
    const entries = specs.map((tag) => ({ code: tag.code, type: tag.type, ...this.encodeTag(tag) }));
    entries.sort((a, b) => (spec.unsorted ? b.code - a.code : a.code - b.code));
    return { spec, chunks, entries, offsetsAt: 0, subIfdsAt: 0 };
  }

  private encodeTag(tag: TagSpec): { count: number; value: Uint8Array } {
    if (tag.bytes) return { count: tag.count ?? tag.bytes.length / (FIELD_BYTES[tag.type] || 1), value: tag.bytes };
    if (tag.text !== undefined) {
      const value = new TextEncoder().encode(`${tag.text}\0`);
      return { count: tag.count ?? value.length, value };
    }
    const values = tag.values ?? [];
    const rational = tag.type === 5 || tag.type === 10;
    const size = rational ? 4 : FIELD_BYTES[tag.type] || 4;
    const value = new Uint8Array(values.length * size);
    const view = new DataView(value.buffer);
    for (const [i, number] of values.entries()) writeField(view, i * size, tag.type, number, this.littleEndian);
    return { count: tag.count ?? values.length / (rational ? 2 : 1), value };
  }

  private writeIfd(page: PreparedPage): { ifd: number; next: number } {
    const { sink } = this;
    const entrySize = this.big ? 20 : 12;
    const countSize = this.big ? 8 : 2;
    const ifd = sink.reserve(countSize + page.entries.length * entrySize + this.pointer);
    sink.patch(ifd, countSize, page.entries.length);
    for (const [i, entry] of page.entries.entries()) {
      const at = ifd + countSize + i * entrySize;
      sink.patch(at, 2, entry.code);
      sink.patch(at + 2, 2, entry.type);
      sink.patch(at + 4, this.pointer, entry.count);
      let valueAt = at + 4 + this.pointer;
      if (entry.value.length > this.pointer) {
        const outside = sink.append(entry.value);
        sink.patch(valueAt, this.pointer, outside);
        valueAt = outside;
      } else sink.set(valueAt, entry.value);
      if (entry.code === 273 || entry.code === 324) page.offsetsAt = valueAt;
      if (entry.code === 330) page.subIfdsAt = valueAt;
    }
    return { ifd, next: ifd + countSize + page.entries.length * entrySize };
  }

  private writeData(page: PreparedPage): number[] {
    const { sink } = this;
    const offsets = page.chunks.map((chunk) => {
      if (!chunk) return 0;
      sink.reserve(page.spec.chunkGap ?? 0);
      return sink.append(chunk);
    });
    for (const plane of page.spec.extraPlanes ?? []) {
      const whole = { ...page.spec, samples: plane, tags: [] };
      for (const chunk of cutChunks(whole)) sink.append(encodeChunk(whole, chunk, this.littleEndian));
    }
    return offsets;
  }

  private patchOffsets(page: PreparedPage, offsets: number[]): void {
    if (page.offsetsAt === 0) return;
    const replaced = page.spec.tags?.some((tag) => tag.code === 273 || tag.code === 324);
    if (replaced) return;
    const size = FIELD_BYTES[this.offsetType] as number;
    for (const [i, offset] of offsets.entries()) this.sink.patch(page.offsetsAt + i * size, size, offset);
  }

  private writeSubIfds(page: PreparedPage): void {
    for (const [i, spec] of (page.spec.subIfds ?? []).entries()) {
      const sub = this.prepare(spec);
      const { ifd } = this.writeIfd(sub);
      this.patchOffsets(sub, this.writeData(sub));
      this.writeSubIfds(sub);
      this.sink.patch(page.subIfdsAt + i * this.pointer, this.pointer, ifd);
    }
  }
}

function writeField(view: DataView, at: number, type: number, value: number, le: boolean): void {
  if (type === 16 || type === 18) view.setBigUint64(at, BigInt(value), le);
  else if (type === 17) view.setBigInt64(at, BigInt(value), le);
  else if (type === 12) view.setFloat64(at, value, le);
  else if (type === 11) view.setFloat32(at, value, le);
  else if (type === 3 || type === 8) view.setUint16(at, value & 0xffff, le);
  else if (type === 1 || type === 2 || type === 6 || type === 7) view.setUint8(at, value & 0xff);
  else view.setUint32(at, value >>> 0, le);
}

/** The planes of a page, one array per sample of a pixel. */
function samplePlanes(spec: PageSpec): readonly SampleArray[] {
  return ArrayBuffer.isView(spec.samples) ? [spec.samples] : spec.samples;
}

/** Bits of one stored sample. */
export function bitsOf(spec: PageSpec): number {
  return spec.bits ?? (samplePlanes(spec)[0] as SampleArray).BYTES_PER_ELEMENT * 8;
}

/** SampleFormat of a page. */
export function formatOf(spec: PageSpec): number {
  if (spec.sampleFormat !== undefined) return spec.sampleFormat;
  const array = samplePlanes(spec)[0];
  if (array instanceof Float32Array || array instanceof Float64Array) return 3;
  const signed = [Int8Array, Int16Array, Int32Array, BigInt64Array];
  return signed.some((kind) => array instanceof kind) ? 2 : 1;
}

/** Samples of one strip or tile, row by row, interleaved when chunky; tiles are filled up with zeros. */
export interface Chunk {
  width: number;
  rows: number;
  samples: number;
  values: SampleArray;
}

function cutChunks(spec: PageSpec): Chunk[] {
  const planes = samplePlanes(spec);
  const groups = spec.planar ? planes.map((plane) => [plane]) : [planes];
  const width = spec.tile?.width ?? spec.width;
  const height = spec.tile?.height ?? spec.rowsPerStrip ?? spec.height;
  const chunks: Chunk[] = [];
  for (const group of groups) {
    for (let y = 0; y < spec.height; y += height) {
      const rows = spec.tile ? height : Math.min(height, spec.height - y);
      for (let x = 0; x < spec.width; x += width) chunks.push(cutChunk(spec, group, { x, y, width, rows }));
    }
  }
  return chunks;
}

function cutChunk(
  spec: PageSpec,
  group: readonly SampleArray[],
  at: { x: number; y: number; width: number; rows: number },
): Chunk {
  const step = group.length;
  const first = group[0] as SampleArray;
  const values = new (first.constructor as new (length: number) => SampleArray)(at.width * at.rows * step);
  const columns = Math.min(at.width, spec.width - at.x);
  for (let r = 0; r < at.rows && at.y + r < spec.height; r++) {
    const from = (at.y + r) * spec.width + at.x;
    for (const [s, plane] of group.entries()) {
      for (let x = 0; x < columns; x++) values[(r * at.width + x) * step + s] = plane[from + x] as never;
    }
  }
  return { width: at.width, rows: at.rows, samples: group.length, values };
}

function standardTags(spec: PageSpec, counts: number[], offsetType: number): TagSpec[] {
  const samples = samplePlanes(spec).length;
  const zeros = counts.map(() => 0);
  const each = (value: number) => new Array<number>(samples).fill(value);
  const tags: TagSpec[] = [
    { code: 256, type: 4, values: [spec.width] },
    { code: 257, type: 4, values: [spec.height] },
    { code: 258, type: 3, values: each(bitsOf(spec)) },
    { code: 259, type: 3, values: [spec.compression ?? 1] },
    { code: 262, type: 3, values: [spec.photometric ?? (samples >= 3 ? 2 : 1)] },
    { code: 277, type: 3, values: [samples] },
    { code: 339, type: 3, values: each(formatOf(spec)) },
  ];
  if (spec.tile) {
    tags.push({ code: 322, type: 4, values: [spec.tile.width] }, { code: 323, type: 4, values: [spec.tile.height] });
    tags.push({ code: 324, type: offsetType, values: zeros }, { code: 325, type: 4, values: counts });
  } else {
    tags.push({ code: 278, type: 4, values: [spec.rowsPerStrip ?? spec.height] });
    tags.push({ code: 273, type: offsetType, values: zeros }, { code: 279, type: 4, values: counts });
  }
  if (spec.planar) tags.push({ code: 284, type: 3, values: [2] });
  if (spec.predictor) tags.push({ code: 317, type: 3, values: [spec.predictor] });
  if (spec.fillOrder) tags.push({ code: 266, type: 3, values: [spec.fillOrder] });
  if (spec.subIfds) {
    tags.push({ code: 330, type: offsetType >= 16 ? 18 : 13, values: spec.subIfds.map(() => 0) });
  }
  const extra = spec.tags ?? [];
  const kept = tags.filter(({ code }) => !spec.omit?.includes(code) && !extra.some((tag) => tag.code === code));
  return [...kept, ...extra];
}
