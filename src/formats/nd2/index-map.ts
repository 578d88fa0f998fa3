/** Where every chunk of the file is: the map at its end, or a walk from chunk to chunk when there is none. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { type Chunk, frameNumber, readChunk } from './chunk.js';
import { walkChunks } from './walk.js';

export interface ChunkIndex {
  /** Chunk offsets by frame number. */
  frames: Map<number, number>;
  /** Offsets of all other chunks by name. */
  named: Map<string, number>;
  /** True when the chunks were found one by one. */
  walked: boolean;
  warnings: string[];
}

const MAP_SIGNATURE = 'ND2 CHUNK MAP SIGNATURE 0000001!';
const MAP_NAME = 'ND2 FILEMAP SIGNATURE NAME 0001!';
const TOO_MANY = `Frames with numbers from ${LIMITS.nd2Chunks} on are left out.`;
/** Bytes at the end of the file in which the signature of the map is looked for when it is not at its very end. */
const TAIL_BYTES = 4 * 2 ** 20;

/** @throws AcqError `decode_failed` when no chunk at all can be found */
export function openIndex(source: ByteSource, signal?: AbortSignal): ChunkIndex {
  const mapped = readMap(source);
  if (mapped && isTrue(source, mapped)) return mapped;
  const index = emptyIndex();
  index.walked = true;
  const reason = mapped ? 'does not fit the file' : 'is missing: the recording or a copy of it was interrupted';
  index.warnings.push(`The chunk map at the end of the file ${reason}. The chunks were found one by one.`);
  addWalked(index, source, signal);
  if (index.frames.size + index.named.size === 0) {
    throw decodeFailed(`${source.name}: none of its chunks can be found; it is damaged`);
  }
  return index;
}

/** Adds the frames that a map leaves out though they are in the file; returns how many. */
export function addUnmappedFrames(index: ChunkIndex, source: ByteSource, signal?: AbortSignal): number {
  const before = index.frames.size;
  const found = emptyIndex();
  addWalked(found, source, signal);
  for (const [number, offset] of found.frames) if (!index.frames.has(number)) index.frames.set(number, offset);
  return index.frames.size - before;
}

function emptyIndex(): ChunkIndex {
  return { frames: new Map(), named: new Map(), walked: false, warnings: [] };
}

/** A later chunk of one name replaces an earlier one: files are appended to. */
function addWalked(index: ChunkIndex, source: ByteSource, signal: AbortSignal | undefined): void {
  const { warnings } = index;
  for (const chunk of walkChunks(source, (text) => warnings.push(text), signal)) addChunk(index, chunk);
}

function addChunk(index: ChunkIndex, { name, offset }: Pick<Chunk, 'name' | 'offset'>): void {
  const number = frameNumber(name);
  if (number === undefined) index.named.set(name, offset);
  else if (number < LIMITS.nd2Chunks) index.frames.set(number, offset);
  else if (!index.warnings.includes(TOO_MANY)) index.warnings.push(TOO_MANY);
}

/** `undefined` when there is no map, or none that can be read. */
function readMap(source: ByteSource): ChunkIndex | undefined {
  const offset = mapOffset(source);
  const chunk = offset === undefined ? undefined : readChunk(source, offset);
  if (chunk?.name !== MAP_NAME || chunk.payload + chunk.length > source.size) return undefined;
  if (chunk.length > LIMITS.metadataBytes) return undefined;
  return parseMap(source.read(chunk.payload, chunk.length));
}

/** The signature and the place of the map are the last 40 bytes; something may have been appended to them. */
function mapOffset(source: ByteSource): number | undefined {
  if (source.size < 40) return undefined;
  const exact = signatureAt(source.read(source.size - 40, 40), 0);
  if (exact !== undefined) return exact;
  const bytes = source.read(Math.max(0, source.size - TAIL_BYTES), Math.min(source.size, TAIL_BYTES));
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = tail.lastIndexOf(MAP_SIGNATURE, undefined, 'latin1');
  return at < 0 ? undefined : signatureAt(tail, at);
}

function signatureAt(bytes: Uint8Array, at: number): number | undefined {
  if (at + 40 > bytes.length) return undefined;
  const text = String.fromCharCode(...bytes.subarray(at, at + MAP_SIGNATURE.length));
  return text === MAP_SIGNATURE ? u64(bytes, at + MAP_SIGNATURE.length) : undefined;
}

/**
 * Entries of a map: name up to its `!`, offset, size, with nothing between, and the signature at the end. The size is
 * not used: old files hold the offset in its place.
 */
export function parseMap(bytes: Uint8Array): ChunkIndex | undefined {
  const index = emptyIndex();
  let at = 0;
  for (let entries = 0; entries < LIMITS.nd2Chunks; entries++) {
    const end = bytes.indexOf(0x21, at);
    if (end < 0 || end - at > 1024) return undefined;
    const name = String.fromCharCode(...bytes.subarray(at, end + 1));
    if (name === MAP_SIGNATURE) return index;
    if (end + 17 > bytes.length) return undefined;
    addChunk(index, { name, offset: u64(bytes, end + 1) });
    at = end + 17;
  }
  return undefined;
}

/** The map's attributes and its first frame are where it says. */
function isTrue(source: ByteSource, index: ChunkIndex): boolean {
  const [first] = index.frames;
  const samples = [...index.named].filter(([name]) => /^ImageAttributes(LV)?!$/.test(name));
  if (samples.length === 0 || !first) return false;
  samples.push([`ImageDataSeq|${first[0]}!`, first[1]]);
  return samples.every(([name, offset]) => readChunk(source, offset)?.name === name);
}

function u64(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
  return view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
}
