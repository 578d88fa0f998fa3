/** Finds the chunks of a file without a map: each gives its length, and the next starts at a multiple of 4,096. */

import { indexOfBytes } from '../../base/bytes.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type Chunk, readChunk } from './chunk.js';
import { CHUNK_MAGIC } from './magic.js';

const ALIGNMENT = 4096;
const BLOCK = 2 ** 20;
/** Chunks between two checks of the signal. */
const ABORT_EVERY = 256;

/** Yields every chunk in file order. Where the chain breaks, searches for the next magic number and adds a note. */
export function* walkChunks(source: ByteSource, notes: Notes, signal?: AbortSignal): Generator<Chunk, void> {
  let crossed = 0;
  let at = 0;
  for (let count = 0; at < source.size && count < LIMITS.nd2Chunks; count++) {
    if (count % ABORT_EVERY === 0) signal?.throwIfAborted();
    const chunk = readChunk(source, at);
    const complete = chunk !== undefined && chunk.payload + chunk.length <= source.size;
    if (chunk) {
      yield chunk;
      const next = Math.ceil((chunk.payload + chunk.length) / ALIGNMENT) * ALIGNMENT;
      if (complete && (next >= source.size || readChunk(source, next))) {
        at = next;
        continue;
      }
    }
    // The length of a chunk that reaches beyond the file may be wrong, so the search starts inside that chunk.
    const from = chunk ? (complete ? chunk.payload + chunk.length : chunk.payload) : at + 1;
    const found = searchChunk(source, from, LIMITS.nd2GapBytes - crossed, signal);
    if (found === undefined) {
      const end = from + LIMITS.nd2GapBytes - crossed;
      if (end < source.size)
        notes.add(
          asCorrupted(`No further data was found before byte ${grouped(end)}; the rest of the file was skipped.`),
        );
      return;
    }
    if (found - from >= ALIGNMENT) {
      notes.add(
        asCorrupted(`Bytes ${grouped(from)} to ${grouped(found)} do not belong to any chunk; the file is corrupted.`),
      );
    }
    crossed += found - from;
    at = found;
  }
  if (at < source.size) {
    notes.add(
      `The file has more than ${grouped(LIMITS.nd2Chunks)} chunks, which is the limit; frames and other data from ` +
        `byte ${grouped(at)} on were skipped.`,
    );
  }
}

/** Returns the offset of the first chunk within `length` bytes from `from`, at any alignment. */
function searchChunk(source: ByteSource, from: number, length: number, signal?: AbortSignal): number | undefined {
  const last = Math.min(source.size, from + length);
  // Blocks start small: the next chunk is usually near, and a hostile file may break the chain a million times.
  let size = ALIGNMENT;
  for (let start = from; start < last; start += size, size = Math.min(BLOCK, size * 4)) {
    signal?.throwIfAborted();
    // Blocks overlap, so that a magic number across two of them is found in the first.
    const bytes = source.read(start, Math.min(size + CHUNK_MAGIC.length - 1, source.size - start));
    let at = indexOfBytes(bytes, CHUNK_MAGIC);
    for (; at >= 0 && at < size; at = indexOfBytes(bytes, CHUNK_MAGIC, at + 1)) {
      if (readChunk(source, start + at)) return start + at;
    }
  }
  return undefined;
}
