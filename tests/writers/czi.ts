/** Writes CZI files as the acquisition software lays them out; see `docs/formats/czi.md`. */

export interface CziDimension {
  name: string;
  start: number;
  size: number;
  /** Written as 0, which means the size, by default. */
  stored?: number;
}

export interface CziBlock {
  /** In memory order, the fastest first. */
  dims: CziDimension[];
  pixelType: number;
  /** As it is stored. */
  data: Uint8Array;
  /** Bytes of a hole in place of `data`. */
  hollow?: number;
  compression?: number;
  pyramid?: number;
  /** File of the set that holds the subblock. */
  part?: number;
  /** XML of the subblock. */
  metadata?: string;
  schema?: 'DV' | 'DE';
  /** Size of the data that the subblock claims. */
  claimed?: number;
}

export interface CziAttachment {
  type: string;
  name: string;
  payload: Uint8Array;
}

export interface CziSpec {
  blocks: CziBlock[];
  xml?: string;
  attachments?: CziAttachment[];
  /** False: the writer died before it wrote directory, metadata position and attachments. */
  finished?: boolean;
  /** A deleted segment behind the header. */
  deleted?: boolean;
  /** The directory lies in front of the subblocks, as ZEN writes it. */
  directoryFirst?: boolean;
  /** Written as used sizes 0. */
  unused?: boolean;
}

export const PIXEL_TYPES = {
  Gray8: 0,
  Gray16: 1,
  Gray32Float: 2,
  Bgr24: 3,
  Bgr48: 4,
  Bgr96Float: 8,
  Bgra32: 9,
  Gray64ComplexFloat: 10,
  Gray32: 12,
  Gray64Float: 13,
} as const;

interface Piece {
  offset: number;
  bytes: Uint8Array;
}

const HEADER_BYTES = 544;
const round32 = (n: number) => Math.ceil(n / 32) * 32;

/** One file of a set. */
class CziFileBuilder {
  readonly pieces: Piece[] = [];
  length = HEADER_BYTES;
  private readonly unused: boolean;

  constructor(unused: boolean) {
    this.unused = unused;
  }

  /** @returns position of the segment */
  segment(id: string, data: Uint8Array, hollow = 0): number {
    const position = this.length;
    const used = data.length + hollow;
    const allocated = round32(used);
    const head = segmentHead(id, allocated, this.unused ? 0 : used);
    this.pieces.push({ offset: position, bytes: head }, { offset: position + 32, bytes: data });
    this.length += 32 + allocated;
    return position;
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    for (const { offset, bytes: piece } of this.pieces) bytes.set(piece, offset);
    return bytes;
  }
}

function segmentHead(id: string, allocated: number, used: number): Uint8Array {
  const head = new Uint8Array(32);
  const view = new DataView(head.buffer);
  head.set(Buffer.from(id));
  view.setBigInt64(16, BigInt(allocated), true);
  view.setBigInt64(24, BigInt(used), true);
  return head;
}

/** A single file. */
export function writeCzi(spec: CziSpec): Uint8Array {
  return writeCziSet(spec)[0] as Uint8Array;
}

/** A file of any size, most of it holes. */
export function sparseCzi(spec: CziSpec): { size: number; pieces: Piece[] } {
  const [file] = buildSet(spec);
  return { size: file?.length ?? 0, pieces: file?.pieces ?? [] };
}

/** The main file and its parts 1, 2, …, as many as the blocks name. */
export function writeCziSet(spec: CziSpec): Uint8Array[] {
  return buildSet(spec).map((file) => file.bytes());
}

function buildSet(spec: CziSpec): CziFileBuilder[] {
  const count = spec.blocks.reduce((most, { part = 0 }) => Math.max(most, part), 0) + 1;
  const files = Array.from({ length: count }, () => new CziFileBuilder(spec.unused === true));
  const main = files[0] as CziFileBuilder;
  if (spec.deleted) main.segment('DELETED', new Uint8Array(100).fill(0xaa));
  // Its size is known before its content.
  const early = new Uint8Array(128 + spec.blocks.reduce((sum, block) => sum + entryLength(block), 0));
  const earlyAt = spec.directoryFirst ? main.segment('ZISRAWDIRECTORY', early) : undefined;
  const entries = spec.blocks.map((block) => {
    const file = files[block.part ?? 0] as CziFileBuilder;
    const entry = blockEntry(block, file.length);
    file.segment('ZISRAWSUBBLOCK', blockData(block, entry), block.hollow ?? 0);
    return entry;
  });
  const directoryData = Buffer.concat([counted(entries.length, 128), ...entries]);
  early.set(directoryData);
  const metadata = main.segment('ZISRAWMETADATA', metadataData(spec.xml ?? '<ImageDocument/>'));
  const finished = spec.finished !== false;
  const directory = finished ? (earlyAt ?? main.segment('ZISRAWDIRECTORY', directoryData)) : 0;
  const attachments = finished ? writeAttachments(main, spec.attachments ?? []) : 0;
  for (const [part, file] of files.entries()) {
    const head = fileHeader(part, part === 0 ? [directory, finished ? metadata : 0, attachments] : [0, 0, 0]);
    file.pieces.push({ offset: 0, bytes: head });
  }
  return files;
}

/** @returns position of their directory; 0 without any */
function writeAttachments(file: CziFileBuilder, attachments: readonly CziAttachment[]): number {
  const list = attachments.map((attachment) => {
    const entry = attachmentEntry(attachment, file.length);
    const data = new Uint8Array(256 + attachment.payload.length);
    new DataView(data.buffer).setInt32(0, attachment.payload.length, true);
    data.set(entry, 16);
    data.set(attachment.payload, 256);
    file.segment('ZISRAWATTACH', data);
    return entry;
  });
  return list.length > 0 ? file.segment('ZISRAWATTDIR', Buffer.concat([counted(list.length, 256), ...list])) : 0;
}

function counted(count: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setInt32(0, count, true);
  return bytes;
}

function fileHeader(part: number, positions: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(segmentHead('ZISRAWFILE', 512, 512));
  view.setInt32(32, 1, true);
  for (let i = 0; i < 16; i++) {
    bytes[48 + i] = i + 1;
    bytes[64 + i] = i + 1 + 16 * part;
  }
  view.setInt32(80, part, true);
  for (const [i, at] of [84, 92, 104].entries()) view.setBigInt64(at, BigInt(positions[i] ?? 0), true);
  return bytes;
}

function blockData(block: CziBlock, entry: Uint8Array): Uint8Array {
  const metadata = Buffer.from(block.metadata ?? '');
  const start = Math.max(256, 16 + entry.length);
  const data = new Uint8Array(start + metadata.length + block.data.length);
  const view = new DataView(data.buffer);
  view.setInt32(0, metadata.length, true);
  view.setBigInt64(8, BigInt(block.claimed ?? block.hollow ?? block.data.length), true);
  data.set(entry, 16);
  data.set(metadata, start);
  data.set(block.data, start + metadata.length);
  return data;
}

function entryLength({ schema, dims: { length } }: CziBlock): number {
  return schema === 'DE' ? 128 : 32 + 20 * length;
}

function blockEntry(block: CziBlock, position: number): Uint8Array {
  if (block.schema === 'DE') return blockEntryDe(block, position);
  const bytes = new Uint8Array(entryLength(block));
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('DV'));
  view.setInt32(2, block.pixelType, true);
  view.setBigInt64(6, BigInt(position), true);
  view.setInt32(14, block.part ?? 0, true);
  view.setInt32(18, block.compression ?? 0, true);
  bytes[22] = block.pyramid ?? 0;
  view.setInt32(28, block.dims.length, true);
  for (const [i, { name, start, size, stored = 0 }] of block.dims.entries()) {
    const at = 32 + 20 * i;
    bytes.set(Buffer.from(name), at);
    view.setInt32(at + 4, start, true);
    view.setInt32(at + 8, size, true);
    view.setInt32(at + 16, stored, true);
  }
  return bytes;
}

/** Start and size of each dimension in the fixed entry. */
const DE_PLACES: Record<string, [start: number, size: number]> = {
  X: [16, 20],
  Y: [24, 28],
  C: [32, 36],
  Z: [40, 44],
  T: [48, 52],
};

function blockEntryDe(block: CziBlock, position: number): Uint8Array {
  const bytes = new Uint8Array(128);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('DE'));
  view.setInt32(2, block.pixelType, true);
  for (const { name, start, size, stored } of block.dims) {
    const [startAt, sizeAt] = DE_PLACES[name] ?? [0, 0];
    view.setInt32(startAt, start, true);
    view.setInt32(sizeAt, size, true);
    if (name === 'X' || name === 'Y') view.setInt32(name === 'X' ? 6 : 10, stored ?? size, true);
  }
  view.setInt32(72, block.compression ?? 0, true);
  view.setBigInt64(80, BigInt(position), true);
  bytes.set(Buffer.from(block.dims.map(({ name }) => name).join('')), 92);
  return bytes;
}

function metadataData(xml: string): Uint8Array {
  const text = Buffer.from(xml);
  const data = new Uint8Array(256 + text.length);
  new DataView(data.buffer).setInt32(0, text.length, true);
  data.set(text, 256);
  return data;
}

function attachmentEntry({ type, name }: CziAttachment, position: number): Uint8Array {
  const bytes = new Uint8Array(128);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('A1'));
  view.setBigInt64(12, BigInt(position), true);
  bytes.set(Buffer.from(type), 40);
  bytes.set(Buffer.from(name), 48);
  return bytes;
}

/** Dimensions `X`, `Y`, … with starts 0, or `[start, size]`. */
export function dims(sizes: Record<string, number | readonly [start: number, size: number]>): CziDimension[] {
  return Object.entries(sizes).map(([name, value]) =>
    typeof value === 'number' ? { name, start: 0, size: value } : { name, start: value[0], size: value[1] },
  );
}

/** Little-endian 16-bit samples. */
export function words(count: number, value: (i: number) => number): Uint8Array {
  return new Uint8Array(Uint16Array.from({ length: count }, (_, i) => value(i)).buffer);
}

/** Payload of the `TimeStamps` attachment. */
export function timeStamps(values: readonly number[]): CziAttachment {
  const payload = new Uint8Array(8 + 8 * values.length);
  const view = new DataView(payload.buffer);
  view.setInt32(0, payload.length, true);
  view.setInt32(4, values.length, true);
  for (const [i, value] of values.entries()) view.setFloat64(8 + 8 * i, value, true);
  return { type: 'CZTIMS', name: 'TimeStamps', payload };
}

/** A Zstandard frame of stored blocks (RFC 8878): valid, and made without a compressor. */
export function zstdStored(bytes: Uint8Array): Uint8Array {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...u32(bytes.length)];
  const most = 100_000;
  for (let at = 0; at === 0 || at < bytes.length; at += most) {
    const part = bytes.subarray(at, at + most);
    const last = at + most >= bytes.length ? 1 : 0;
    frame.push(...u32((part.length << 3) | last).slice(0, 3), ...part);
  }
  return Uint8Array.from(frame);
}

function u32(value: number): number[] {
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
}

/** The header of the second Zstd method, with its flag for low and high bytes apart. */
export function zstd1(frame: Uint8Array, hiLo: boolean): Uint8Array {
  return Uint8Array.from([3, 1, hiLo ? 1 : 0, ...frame]);
}

/** All low bytes of 16-bit samples, then all high bytes. */
export function hiLo(bytes: Uint8Array): Uint8Array {
  const half = bytes.length / 2;
  return Uint8Array.from(bytes, (_, i) => bytes[i < half ? 2 * i : 2 * (i - half) + 1] as number);
}
