/** Finds the chunks of a file without a map: each says how long it is, the next begins at a multiple of 4096. */
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { type Chunk, readChunk } from './chunk.js';
import { CHUNK_MAGIC } from './magic.js';

const ALIGNMENT = 4096;
const BLOCK = 2 ** 20;
/** Chunks between two looks at the signal. */
const ABORT_EVERY = 256;

/** Every chunk in file order. Where the chain breaks, the next magic number is searched for and `warn` is told. */
export function* walkChunks(
  source: ByteSource,
  warn: (text: string) => void,
  signal?: AbortSignal,
): Generator<Chunk, void> {
  let crossed = 0;
  let at = 0;
  for (let count = 0; at < source.size && count < LIMITS.nd2Chunks; count++) {
    if (count % ABORT_EVERY === 0) signal?.throwIfAborted();
    const chunk = readChunk(source, at);
    if (chunk) {
      yield chunk;
      const end = chunk.payload + chunk.length;
      const next = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      if (end <= source.size && (next >= source.size || readChunk(source, next))) {
        at = next;
        continue;
      }
    }
    // A chunk that claims more than there is: its length may be what is damaged, so the search begins inside it.
    const complete = chunk && chunk.payload + chunk.length <= source.size;
    const from = chunk ? (complete ? chunk.payload + chunk.length : chunk.payload) : at + 1;
    const found = searchChunk(source, from, LIMITS.nd2GapBytes - crossed, signal);
    if (found === undefined) {
      const given = from + LIMITS.nd2GapBytes - crossed;
      if (given < source.size)
        warn(`No chunk was found up to byte ${given} of the file; what lies behind is left out.`);
      return;
    }
    if (found - from >= ALIGNMENT)
      warn(`Bytes ${from} to ${found} of the file belong to no chunk; the file is damaged.`);
    crossed += found - from;
    at = found;
  }
  if (at < source.size) warn(`Chunks from byte ${at} of the file on are left out: there are too many.`);
}

/** Place of the next chunk from `from` on, at any alignment, looking through at most `most` bytes. */
function searchChunk(source: ByteSource, from: number, most: number, signal?: AbortSignal): number | undefined {
  const last = Math.min(source.size, from + most);
  // Small at first: the next chunk is mostly near, and a hostile file may break the chain a million times.
  let length = ALIGNMENT;
  for (let start = from; start < last; start += length, length = Math.min(BLOCK, length * 4)) {
    signal?.throwIfAborted();
    // A magic number across two blocks is seen by the first one.
    const bytes = source.read(start, Math.min(length + CHUNK_MAGIC.length - 1, source.size - start));
    const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = block.indexOf(Buffer.from(CHUNK_MAGIC));
    for (; at >= 0 && at < length; at = block.indexOf(Buffer.from(CHUNK_MAGIC), at + 1)) {
      if (readChunk(source, start + at)) return start + at;
    }
  }
  return undefined;
}
