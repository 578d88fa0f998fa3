import { decodeFailed } from '../errors.js';
import { LIMITS } from '../io/limits.js';
import { decodeOffsets } from './field-values.js';
import { pageLabel } from './page-label.js';
import { TAG } from './tags.js';
import type { PageLayout, TiffFile, TiffPage } from './types.js';

/** Where the strips or tiles of a page are; plane by plane when the layout is planar. */
export interface ChunkTable {
  /** Chunks side by side: 1 for strips. */
  across: number;
  down: number;
  /** Chunks of one plane (planar) or of the page (chunky): `across` × `down`. */
  perPlane: number;
  offsets: Float64Array;
  /** Stored bytes; of uncompressed chunks what their geometry needs. */
  counts: Float64Array;
  /** The page lists no byte counts: they were derived. */
  derived: boolean;
}

type Tags = Pick<TiffPage, 'tags' | 'bytes' | 'ifdOffset' | 'index'>;

/**
 * Offsets and byte counts of every chunk, both checked to be inside the file except for sparse chunks (0, 0).
 * @throws AcqError `decode_failed` when the table is missing, too short or points outside the file
 */
export function chunkTable(file: TiffFile, page: TiffPage): ChunkTable {
  const { layout } = page;
  const where = pageLabel(file, page);
  const grid = chunkGrid(layout, where);
  const planes = layout.planar ? layout.samplesPerPixel : 1;
  const needed = grid.perPlane * planes;
  if (needed > LIMITS.tiffChunks) {
    throw decodeFailed(`${where}: claims ${needed} ${chunkWord(layout)}s, more than ${LIMITS.tiffChunks}`);
  }
  const offsets = readList(file, page, OFFSET_TAGS, layout.tiled);
  if (!offsets || offsets.length < needed) {
    const found = offsets?.length ?? 0;
    throw decodeFailed(`${where}: names ${found} of its ${needed} ${chunkWord(layout)}s; it is damaged or unfinished`);
  }
  const listed = readList(file, page, COUNT_TAGS, layout.tiled);
  if (listed && listed.length < needed) {
    throw decodeFailed(`${where}: gives the size of ${listed.length} of its ${needed} ${chunkWord(layout)}s`);
  }
  const table = { ...grid, offsets, counts: listed ?? new Float64Array(needed), derived: !listed };
  settleCounts(file, layout, table, needed, where);
  return table;
}

/** Rows of chunk row `index`: strips end with the image, tiles are always whole. */
export function chunkRows(layout: PageLayout, index: number): number {
  return layout.tiled ? layout.chunkHeight : Math.min(layout.chunkHeight, layout.height - index * layout.chunkHeight);
}

/** Samples in one row of a chunk: interleaved ones count each. */
export function rowSamples(layout: PageLayout): number {
  return layout.chunkWidth * (layout.planar ? 1 : layout.samplesPerPixel);
}

/** Bytes of one row of a chunk. Packed rows start at a byte. */
export function rowBytes(layout: PageLayout): number {
  return Math.ceil((rowSamples(layout) * layout.bits) / 8);
}

export function chunkWord(layout: PageLayout): 'tile' | 'strip' {
  return layout.tiled ? 'tile' : 'strip';
}

const OFFSET_TAGS = { strips: TAG.stripOffsets, tiles: TAG.tileOffsets };
const COUNT_TAGS = { strips: TAG.stripByteCounts, tiles: TAG.tileByteCounts };

/** Some writers list their tiles under the strip tags; libtiff reads those too. */
function readList(
  file: TiffFile,
  page: Tags,
  codes: { strips: number; tiles: number },
  tiled: boolean,
): Float64Array | undefined {
  const [own, other] = tiled ? [codes.tiles, codes.strips] : [codes.strips, codes.tiles];
  const code = page.tags.has(own) ? own : other;
  const tag = page.tags.get(code);
  const bytes = page.bytes(code);
  return tag && bytes && decodeOffsets(bytes, tag.type, file.littleEndian);
}

function chunkGrid(layout: PageLayout, where: string) {
  const across = Math.ceil(layout.width / layout.chunkWidth);
  const down = Math.ceil(layout.height / layout.chunkHeight);
  if (across * down > LIMITS.tiffChunks) {
    throw decodeFailed(`${where}: claims ${across * down} ${chunkWord(layout)}s, more than ${LIMITS.tiffChunks}`);
  }
  return { across, down, perPlane: across * down };
}

/**
 * Uncompressed chunks are as long as their geometry says: a larger count is padding, 0 a count that was never filled
 * in, and libtiff ignores the count of a page with a single strip. Any other short count means missing samples.
 * Counts of compressed chunks may be missing, too large (cut at the end of the file) but not outside it.
 */
function settleCounts(file: TiffFile, layout: PageLayout, table: ChunkTable, needed: number, where: string): void {
  const { offsets, counts, across, perPlane } = table;
  const { size } = file.source;
  const bytesPerRow = rowBytes(layout);
  let ends: Float64Array | undefined;
  for (let i = 0; i < needed; i++) {
    const offset = offsets[i] as number;
    const count = counts[i] as number;
    if (offset === 0 && count === 0 && !table.derived) continue;
    const raw = chunkRows(layout, Math.floor((i % perPlane) / across)) * bytesPerRow;
    const label = () => `${where}: ${chunkWord(layout)} ${i + 1} of ${needed} at offset ${offset}`;
    if (!(offset >= 8 && offset < size))
      throw decodeFailed(`${label()} is no place for pixels; the file ends at ${size}`);
    if (layout.compression === 1) {
      if (offset + raw > size) throw decodeFailed(`${label()} needs ${raw} bytes, but the file ends at ${size}`);
      if (count < raw && count !== 0 && perPlane > 1) {
        throw decodeFailed(`${label()} has ${count} bytes of the ${raw} that its pixels need`);
      }
      counts[i] = raw;
    } else {
      ends ??= count === 0 ? offsets.slice(0, needed).sort() : undefined;
      const stored = count === 0 && ends ? nextAfter(ends, offset, size) - offset : count;
      // No codec in use more than doubles its input; a missing count must not mean "the rest of a 50 GB file".
      const most = count === 0 ? raw * 2 + 65_536 : LIMITS.chunkBytes;
      counts[i] = Math.min(stored, size - offset, most);
    }
  }
}

/** The first of the ascending `sorted` above `offset`, else `end`. */
export function nextAfter(sorted: Float64Array, offset: number, end: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) > offset) high = middle;
    else low = middle + 1;
  }
  return sorted[low] ?? end;
}

/** Decoded bytes that one stored byte can stand for at most (deflate 1032; an LZW code 3839 bytes in 12 bits). */
const EXPANSION: Record<number, number> = { 1: 1, 5: 2560, 8: 1032, 32946: 1032, 50013: 1032, 32773: 64 };

/**
 * Refuses a page whose single sample plane could not come out of a file of this size, before anybody allocates it.
 * Sparse pages are exempt.
 */
export function checkPlausible(file: TiffFile, page: Tags, layout: PageLayout, where: string): void {
  const ratio = EXPANSION[layout.compression];
  if (ratio === undefined) return;
  const bytes = Math.ceil((layout.width * layout.height * layout.bits) / 8);
  if (bytes <= file.source.size * ratio) return;
  const offsets = readList(file, page, OFFSET_TAGS, layout.tiled);
  if (offsets?.includes(0)) return;
  throw decodeFailed(
    `${where}: claims ${layout.width} × ${layout.height} pixels, ${bytes} bytes, ` +
      `but the file has only ${file.source.size}; it is truncated or damaged`,
  );
}
