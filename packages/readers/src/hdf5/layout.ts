/** Parses how a dataset is stored: layout, filters and fill value (specification IV.A.2.e, f, i, l). */
import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import type { Container } from './container.js';
import { Cursor } from './cursor.js';
import { countElements, type Dataspace, type Datatype } from './datatype.js';
import { bodyOf, MESSAGE, type Message } from './header.js';

export interface Filter {
  id: number;
  name: string;
  values: number[];
}

/** The kind of index that lists the addresses of the chunks. */
export type IndexKind =
  | { kind: 'tree1' }
  | { kind: 'single'; size: number | undefined; mask: number }
  | { kind: 'implicit' }
  | { kind: 'fixed' }
  | { kind: 'extensible' }
  | { kind: 'tree2' };

export interface ChunkedLayout {
  kind: 'chunked';
  /** Elements of a chunk along each dimension. */
  chunk: number[];
  /** Bytes of a chunk without filters. */
  chunkBytes: number;
  index: IndexKind;
  /** Address of the index; `undefined` when no chunk was ever written. */
  address: number | undefined;
  filters: Filter[];
  /** True when chunks that extend beyond the array were stored without filters. */
  plainEdges: boolean;
}

export type DataLayout =
  | { kind: 'compact'; data: Uint8Array }
  | { kind: 'contiguous'; address: number | undefined }
  | ChunkedLayout;

/** @throws AcqError `unsupported_format` for virtual and external storage, `decode_failed` */
export function parseLayout(
  file: Container,
  messages: readonly Message[],
  type: Datatype,
  space: Dataspace,
  what: string,
): DataLayout {
  if (messages.some((entry) => entry.type === MESSAGE.externalStorage)) {
    throw unsupported(`${what}: the values are in another file (external storage), which is not supported`);
  }
  const message = messages.find((entry) => entry.type === MESSAGE.layout);
  if (!message) throw decodeFailed(`${what}: the layout is missing; the file is corrupted`);
  const cursor = new Cursor(bodyOf(file, message), file, what);
  const version = cursor.u8();
  if (version < 1 || version > 5)
    throw unsupported(`${what}: layout version ${version} is not supported (only 1 to 5)`);
  const stored = version < 3 ? storedBefore163(cursor, what) : storedSince163(cursor, version, file, what);
  const bytes = countElements(space.shape, what) * type.size;
  if (stored.kind === 'compact') {
    const { data } = stored;
    if (!space.empty && data.length < bytes)
      throw decodeFailed(`${what} is truncated: ${grouped(data.length)} of ${grouped(bytes)} bytes`);
    return stored;
  }
  if (stored.kind === 'contiguous') {
    if (stored.address !== undefined && !space.empty) file.position(stored.address, bytes);
    return stored;
  }
  return checkChunks({ ...stored, filters: parseFilters(file, messages, what) }, type, space, what);
}

/**
 * Parses layout versions 1 and 2, of HDF5 before 1.6.3. The sizes of a contiguous dataset are skipped: they have only 32
 * bits, while those of the dataspace are always right.
 */
function storedBefore163(cursor: Cursor, what: string): DataLayout {
  const dimensions = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  const address = kind === 0 ? undefined : cursor.address();
  const sizes = Array.from({ length: dimensions }, () => cursor.u32());
  if (kind === 0) return { kind: 'compact', data: cursor.take(cursor.u32()) };
  if (kind === 1) return { kind: 'contiguous', address };
  if (kind === 2) return chunkedIn(sizes, { kind: 'tree1' }, address);
  throw decodeFailed(`${what} has the invalid layout class ${kind}; the file is corrupted`);
}

/** Parses layout versions 3 to 5. */
function storedSince163(cursor: Cursor, version: number, file: Container, what: string): DataLayout {
  const kind = cursor.u8();
  if (kind === 0) return { kind: 'compact', data: cursor.take(cursor.u16()) };
  if (kind === 1) return { kind: 'contiguous', address: cursor.address() };
  if (kind === 3)
    throw unsupported(`${what}: virtual datasets are not supported (the values are in other datasets or files)`);
  if (kind !== 2) throw decodeFailed(`${what} has the invalid layout class ${kind}; the file is corrupted`);
  return version === 3 ? chunked3(cursor) : chunked4(cursor, file, what);
}

function chunkedIn(chunk: number[], index: IndexKind, address: number | undefined, plainEdges = false): ChunkedLayout {
  return { kind: 'chunked', chunk, chunkBytes: 0, index, address, filters: [], plainEdges };
}

function chunked3(cursor: Cursor): ChunkedLayout {
  const dimensions = cursor.u8();
  const address = cursor.address();
  const chunk = Array.from({ length: dimensions }, () => cursor.u32());
  return chunkedIn(chunk, { kind: 'tree1' }, address);
}

function chunked4(cursor: Cursor, file: Container, what: string): ChunkedLayout {
  const flags = cursor.u8();
  const dimensions = cursor.u8();
  const width = cursor.u8();
  const chunk = Array.from({ length: dimensions }, () => cursor.uint(width));
  const index = parseIndex(cursor, flags, file, what);
  return chunkedIn(chunk, index, cursor.address(), (flags & 1) !== 0);
}

function parseIndex(cursor: Cursor, flags: number, file: Container, what: string): IndexKind {
  const type = cursor.u8();
  if (type === 1) {
    const filtered = (flags & 2) !== 0;
    const size = filtered ? cursor.uint(file.lengthSize) : undefined;
    return { kind: 'single', size, mask: filtered ? cursor.u32() : 0 };
  }
  if (type === 2) return { kind: 'implicit' };
  if (type === 3) return cursor.skip(1) && { kind: 'fixed' };
  if (type === 4) return cursor.skip(5) && { kind: 'extensible' };
  if (type === 5) return cursor.skip(6) && { kind: 'tree2' };
  throw decodeFailed(`${what} has the invalid chunk index type ${type}; the file is corrupted`);
}

/** Checks the chunk sizes. The last one is the size of an element. */
function checkChunks(layout: ChunkedLayout, type: Datatype, space: Dataspace, what: string): ChunkedLayout {
  const chunk = layout.chunk.slice(0, -1);
  const elementBytes = layout.chunk.at(-1);
  const sound = chunk.length === space.shape.length && chunk.every((size) => size >= 1) && elementBytes === type.size;
  const chunkBytes = countElements(chunk, what) * type.size;
  if (!sound || chunkBytes < 1) throw decodeFailed(`${what}: the chunks do not match the shape; the file is corrupted`);
  if (chunkBytes > LIMITS.chunkBytes) {
    throw unsupported(
      `${what}: the chunks are ${chunk.map(grouped).join(' × ')} (${grouped(chunkBytes)} bytes); the limit is ${grouped(LIMITS.chunkBytes)} bytes. ` +
        'Convert the file to smaller chunks (h5repack).',
    );
  }
  return { ...layout, chunk, chunkBytes };
}

/** Parses the filter pipeline message, versions 1 and 2. */
function parseFilters(file: Container, messages: readonly Message[], what: string): Filter[] {
  const message = messages.find((entry) => entry.type === MESSAGE.filters);
  if (!message) return [];
  const cursor = new Cursor(bodyOf(file, message), file, `${what}: its filters`);
  const version = cursor.u8();
  const count = cursor.u8();
  // A chunk's filter mask has 32 bits, which is also the limit of HDF5.
  if (count > 32) throw decodeFailed(`${what}: lists ${grouped(count)} filters; the limit is 32`);
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => {
    const id = cursor.u16();
    const nameBytes = version === 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const valueCount = cursor.u16();
    const name = cursor.text(version === 1 ? Math.ceil(nameBytes / 8) * 8 : nameBytes);
    const values = Array.from({ length: valueCount }, () => cursor.u32());
    if (version === 1 && valueCount % 2 === 1) cursor.skip(Math.min(4, cursor.left));
    return { id, name, values };
  });
}

/** Returns the bytes of an element that was never written; zeros without a fill value. */
export function parseFill(file: Container, messages: readonly Message[], size: number): Uint8Array {
  const none = new Uint8Array(size);
  const message =
    messages.find((entry) => entry.type === MESSAGE.fill) ?? messages.find((entry) => entry.type === MESSAGE.oldFill);
  if (!message) return none;
  const cursor = new Cursor(bodyOf(file, message), file, 'a fill value');
  if (message.type === MESSAGE.oldFill) return sized(cursor, size) ?? none;
  const version = cursor.u8();
  if (version === 3) return cursor.u8() & 0x20 ? (sized(cursor, size) ?? none) : none;
  const defined = cursor.skip(2).u8();
  return version === 1 || defined > 0 ? (sized(cursor, size) ?? none) : none;
}

function sized(cursor: Cursor, size: number): Uint8Array | undefined {
  if (cursor.left < 4) return undefined;
  const length = cursor.u32();
  return length === size ? cursor.take(length) : undefined;
}
