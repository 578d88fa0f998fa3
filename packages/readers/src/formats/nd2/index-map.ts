/** Where every chunk of the file is: from the map at its end, or from a walk along the chunks when there is no map. */

import { lastIndexOfBytes, toLatin1 } from '../../base/bytes.js';
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted, asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type Chunk, frameName, frameNumber, frameNumberIn, readChunk } from './chunk.js';
import { walkChunks } from './walk.js';

export interface ChunkIndex {
  /** Chunk offsets by frame number. */
  readonly frames: ReadonlyMap<number, number>;
  /** Offsets of all other chunks by name. */
  readonly named: ReadonlyMap<string, number>;
  /** True when the chunks were found by a walk instead of the map. */
  readonly walked: boolean;
  readonly warnings: readonly string[];
}

const MAP_SIGNATURE = 'ND2 CHUNK MAP SIGNATURE 0000001!';
const MAP_NAME = 'ND2 FILEMAP SIGNATURE NAME 0001!';
/** Bytes at the end of the file that are searched for the map's signature when it is not at the very end. */
const TAIL_BYTES = 4 * 2 ** 20;

/** @throws AcqError `decode_failed` when no chunk at all can be found */
export function openIndex(source: ByteSource, signal?: AbortSignal): ChunkIndex {
  const mapped = readMap(source);
  if (mapped && matchesFile(source, mapped)) return mapped;
  const problem = mapped
    ? 'does not match the file'
    : 'is missing, probably because the recording or a copy of it was interrupted';
  const walked = walkFile(source, signal);
  if (walked.frames.size + walked.named.size === 0) {
    throw decodeFailed('the file does not contain any data chunks; it is corrupted');
  }
  const warning = asCorrupted(
    `The chunk map at the end of the file ${problem}. The frames were found by searching the whole file.`,
  );
  return { ...walked, warnings: [warning, ...walked.warnings] };
}

/**
 * Returns the index with the frames that the map does not list although they are in the file. Only an index that has
 * fewer frames than the `counted` ones of the header is completed.
 */
export function withUnmappedFrames(
  source: ByteSource,
  index: ChunkIndex,
  counted: number,
  signal?: AbortSignal,
): ChunkIndex {
  if (index.walked || index.frames.size >= counted) return index;
  const frames = new Map(index.frames);
  for (const [number, offset] of walkFile(source, signal).frames) {
    if (!frames.has(number)) frames.set(number, offset);
  }
  const warnings = [...index.warnings];
  const added = frames.size - index.frames.size;
  if (added > 0) {
    warnings.push(
      asInconsistent(
        `The chunk map does not list ${plural(added, 'frame')} that the file contains. All frames are shown.`,
      ),
    );
  }
  if (frames.size < counted) {
    warnings.push(
      asIncomplete(`The header says ${plural(counted, 'frame')}, but the file has ${grouped(frames.size)}.`),
    );
  }
  return { ...index, frames, warnings };
}

function walkFile(source: ByteSource, signal: AbortSignal | undefined): ChunkIndex {
  const builder = new IndexBuilder();
  for (const chunk of walkChunks(source, builder.notes, signal)) builder.add(chunk);
  return builder.toIndex(true);
}

class IndexBuilder {
  readonly notes = new Notes();
  private readonly frames = new Map<number, number>();
  private readonly named = new Map<string, number>();

  /** Adds a chunk. It replaces an earlier one of the same name, because files are appended to. */
  add({ name, offset }: Pick<Chunk, 'name' | 'offset'>): void {
    const number = frameNumber(name);
    if (number === undefined) this.named.set(name, offset);
    else this.addFrame(number, offset);
  }

  /** Like `add`. A recording has thousands of frames, whose names need not become strings. */
  addFrame(number: number, offset: number): void {
    if (number < LIMITS.nd2Chunks) this.frames.set(number, offset);
    else this.notes.add(`Frames numbered ${grouped(LIMITS.nd2Chunks)} or higher were skipped; this is the limit.`);
  }

  toIndex(walked: boolean): ChunkIndex {
    return { frames: this.frames, named: this.named, walked, warnings: this.notes.list() };
  }
}

/** Reads the map at the end of the file; `undefined` when it is missing or unreadable. */
function readMap(source: ByteSource): ChunkIndex | undefined {
  const offset = findMap(source);
  const chunk = offset === undefined ? undefined : readChunk(source, offset);
  if (chunk?.name !== MAP_NAME || chunk.payload + chunk.length > source.size) return undefined;
  if (chunk.length > LIMITS.metadataBytes) return undefined;
  return parseMap(source.read(chunk.payload, chunk.length));
}

/** The signature and the offset of the map are the last 40 bytes, unless something was appended to the file. */
function findMap(source: ByteSource): number | undefined {
  if (source.size < 40) return undefined;
  const exact = offsetBehindSignature(source.read(source.size - 40, 40), 0);
  if (exact !== undefined) return exact;
  const tail = source.read(Math.max(0, source.size - TAIL_BYTES), Math.min(source.size, TAIL_BYTES));
  const at = lastIndexOfBytes(tail, toLatin1(MAP_SIGNATURE));
  return at < 0 ? undefined : offsetBehindSignature(tail, at);
}

function offsetBehindSignature(bytes: Uint8Array, at: number): number | undefined {
  if (at + 40 > bytes.length) return undefined;
  const text = String.fromCharCode(...bytes.subarray(at, at + MAP_SIGNATURE.length));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return text === MAP_SIGNATURE ? readUint64(view, at + MAP_SIGNATURE.length) : undefined;
}

/**
 * Parses a map: for each chunk its name up to the `!`, its offset and its size, without gaps, and the signature at the
 * end. The size is not used, because old files repeat the offset in its place.
 */
function parseMap(bytes: Uint8Array): ChunkIndex | undefined {
  const builder = new IndexBuilder();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (let entries = 0; entries < LIMITS.nd2Chunks; entries++) {
    const end = bytes.indexOf(0x21, at);
    if (end < 0 || end - at > 1024) return undefined;
    const frame = frameNumberIn(bytes, at, end);
    const name = frame === undefined ? String.fromCharCode(...bytes.subarray(at, end + 1)) : undefined;
    if (name === MAP_SIGNATURE) return builder.toIndex(false);
    if (end + 17 > bytes.length) return undefined;
    const offset = readUint64(view, end + 1);
    if (name !== undefined) builder.add({ name, offset });
    else builder.addFrame(frame!, offset);
    at = end + 17;
  }
  return undefined;
}

/** True when the image attributes and the first frame are at the offsets that the map gives. */
function matchesFile(source: ByteSource, index: ChunkIndex): boolean {
  const [first] = index.frames;
  const samples = [...index.named].filter(([name]) => /^ImageAttributes(LV)?!$/.test(name));
  if (samples.length === 0 || !first) return false;
  samples.push([frameName(first[0]), first[1]]);
  return samples.every(([name, offset]) => readChunk(source, offset)?.name === name);
}

function readUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
