import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { differenceBytes } from './color-differences.js';
import { decodeOffsets } from './field-values.js';
import { pageLabel } from './page-label.js';
import { TAG } from './tags.js';
import type { PageLayout, TiffFile, TiffPage } from './types.js';

/** The locations of the strips or tiles of a page; plane by plane if the layout is planar. */
export interface ChunkTable {
  /** Chunks side by side: 1 for strips. */
  across: number;
  down: number;
  /** Chunks of one plane (planar) or of the page (chunky): `across` × `down`. */
  perPlane: number;
  offsets: Float64Array;
  /** Stored bytes. For uncompressed chunks, the bytes that their geometry needs. */
  counts: Float64Array;
  /** True if the page lists no byte counts and they were derived. */
  derived: boolean;
}

/** Tables that are longer are not read when a file is opened. */
const MAX_CHECKED_CHUNKS = 4_096;

type ChunkTags = Pick<TiffPage, 'tags' | 'bytes' | 'ifdOffset' | 'index'>;

/**
 * Reads the offsets and byte counts of all chunks. Checks that they are inside the file, except for sparse chunks (0, 0).
 * @throws AcqError `decode_failed` if the table is missing, too short or points outside the file
 */
export function readChunkTable(file: TiffFile, page: TiffPage): ChunkTable {
  const { layout } = page;
  const where = pageLabel(page);
  const grid = chunkGrid(layout, where);
  const planes = layout.planar ? layout.samplesPerPixel : 1;
  const needed = grid.perPlane * planes;
  checkChunkCount(needed, layout, where);
  const offsets = readList(file, page, OFFSET_TAGS, layout.tiled);
  if (!offsets || offsets.length < needed) {
    throw decodeFailed(
      `${where}: lists ${grouped(offsets?.length ?? 0)} of its ${grouped(needed)} ${chunkWord(layout)}s; the file is corrupted or incomplete`,
    );
  }
  const listed = readList(file, page, COUNT_TAGS, layout.tiled);
  if (listed && listed.length < needed) {
    throw decodeFailed(
      `${where}: lists the sizes of ${grouped(listed.length)} of its ${grouped(needed)} ${chunkWord(layout)}s; the file is corrupted`,
    );
  }
  const table = { ...grid, offsets, counts: listed ?? new Float64Array(needed), derived: !listed };
  settleCounts(file, layout, table, needed, where);
  return table;
}

/**
 * Returns where the data of a page end at least, which may be behind the end of the file. 0 for a page of many chunks.
 * @throws AcqError `decode_failed` if the tables are missing or too short
 */
export function endOfData(file: TiffFile, page: TiffPage): number {
  const tables = [OFFSET_TAGS, COUNT_TAGS].flatMap(({ strips, tiles }) => [strips, tiles]);
  const endOfTables = Math.max(
    ...tables.map((code) => page.tags.get(code)).map((tag) => (tag ? tag.valueOffset + tag.byteLength : 0)),
  );
  if (endOfTables > file.source.size) return endOfTables;
  const { layout } = page;
  const grid = chunkGrid(layout, pageLabel(page));
  const offsets = readList(file, page, OFFSET_TAGS, layout.tiled);
  if (!offsets || offsets.length > MAX_CHECKED_CHUNKS) return 0;
  return offsets.reduce((end, offset, i) => {
    // Counts of compressed chunks may be too large.
    const rows = chunkRows(layout, Math.floor((i % grid.perPlane) / grid.across));
    const bytes = layout.compression === 1 ? chunkBytes(layout, rows) : 1;
    return offset === 0 ? end : Math.max(end, offset + bytes);
  }, 0);
}

/** Returns the rows of chunk row `index`. The last strip ends with the image; tiles always have their full height. */
export function chunkRows(layout: PageLayout, index: number): number {
  return layout.tiled ? layout.chunkHeight : Math.min(layout.chunkHeight, layout.height - index * layout.chunkHeight);
}

/** Returns the samples in one row of a chunk. Interleaved samples each count. */
export function rowSamples(layout: PageLayout): number {
  return layout.chunkWidth * (layout.planar ? 1 : layout.samplesPerPixel);
}

/** Returns the bytes in one row of a chunk. Packed rows start at a byte boundary. */
export function rowBytes(layout: PageLayout): number {
  return Math.ceil((rowSamples(layout) * layout.bits) / 8);
}

/** Returns the bytes of `rows` rows of a chunk before compression. */
export function chunkBytes(layout: PageLayout, rows: number): number {
  const { colorDifferences, chunkWidth } = layout;
  return colorDifferences ? differenceBytes(chunkWidth, rows, colorDifferences) : rows * rowBytes(layout);
}

/** True when the stored bytes of a page are its samples. */
export function isPlain({ compression, predictor, colorDifferences }: PageLayout): boolean {
  return compression === 1 && predictor === 1 && !colorDifferences;
}

/** Returns how many bands of rows are decoded one by one. */
export function bandsOf(layout: PageLayout): number {
  return isPlain(layout) ? layout.height : Math.ceil(layout.height / layout.chunkHeight);
}

export function chunkWord(layout: PageLayout): 'tile' | 'strip' {
  return layout.tiled ? 'tile' : 'strip';
}

const OFFSET_TAGS = { strips: TAG.stripOffsets, tiles: TAG.tileOffsets };
const COUNT_TAGS = { strips: TAG.stripByteCounts, tiles: TAG.tileByteCounts };

/** Some writers list their tiles under the strip tags, which libtiff reads as well. */
function readList(
  file: TiffFile,
  page: ChunkTags,
  codes: { strips: number; tiles: number },
  tiled: boolean,
): Float64Array | undefined {
  const [usual, other] = tiled ? [codes.tiles, codes.strips] : [codes.strips, codes.tiles];
  const code = page.tags.has(usual) ? usual : other;
  const tag = page.tags.get(code);
  const bytes = page.bytes(code);
  return tag && bytes && decodeOffsets(bytes, tag.type, file.littleEndian);
}

/** Returns how many strips or tiles stand beside and below each other. @throws AcqError `decode_failed` above the limit */
export function chunkGrid(layout: PageLayout, where: string) {
  const across = Math.ceil(layout.width / layout.chunkWidth);
  const down = Math.ceil(layout.height / layout.chunkHeight);
  checkChunkCount(across * down, layout, where);
  return { across, down, perPlane: across * down };
}

function checkChunkCount(count: number, layout: PageLayout, where: string): void {
  if (count <= LIMITS.tiffChunks) return;
  throw decodeFailed(
    `${where} has ${grouped(count)} ${chunkWord(layout)}s; the limit is ${grouped(LIMITS.tiffChunks)}`,
  );
}

/**
 * Checks the offsets and corrects the counts in place. The length of uncompressed chunks follows from their geometry: a
 * larger count is padding, 0 is a count that was never filled in, and libtiff ignores the count of a single strip. Any
 * other short count means missing samples. Counts of compressed chunks may be missing, or too large at the end of the file.
 */
function settleCounts(file: TiffFile, layout: PageLayout, table: ChunkTable, needed: number, where: string): void {
  const { offsets, counts, across, perPlane } = table;
  const { size } = file.source;
  let ends: Float64Array | undefined;
  for (let i = 0; i < needed; i++) {
    const offset = offsets[i]!;
    const count = counts[i]!;
    if (offset === 0 && count === 0 && !table.derived) continue;
    const raw = chunkBytes(layout, chunkRows(layout, Math.floor((i % perPlane) / across)));
    const label = () =>
      `${where}: ${chunkWord(layout)} ${grouped(i + 1)} of ${grouped(needed)} at offset ${grouped(offset)}`;
    if (!(offset >= 8 && offset < size))
      throw decodeFailed(`${label()} falls outside the file, which ends at ${grouped(size)}`);
    if (layout.compression === 1) {
      if (offset + raw > size)
        throw decodeFailed(`${label()} needs ${grouped(raw)} bytes, but the file ends at ${grouped(size)}`);
      if (count < raw && count !== 0 && perPlane > 1) {
        throw decodeFailed(`${label()} has ${grouped(count)} bytes, but its pixels need ${grouped(raw)}`);
      }
      counts[i] = raw;
    } else {
      ends ??= count === 0 ? offsets.slice(0, needed).sort() : undefined;
      const stored = count === 0 && ends ? nextAfter(ends, offset, size) - offset : count;
      // No codec in use more than doubles its input. A missing count must not mean the rest of a 50 GB file.
      const max = count === 0 ? raw * 2 + 65_536 : LIMITS.chunkBytes;
      counts[i] = Math.min(stored, size - offset, max);
    }
  }
}

/** Returns the first value of the ascending `sorted` above `offset`, or `end`. */
export function nextAfter(sorted: Float64Array, offset: number, end: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! > offset) high = middle;
    else low = middle + 1;
  }
  return sorted[low] ?? end;
}

/** Maximum decoded bytes per stored byte (deflate 1,032; an LZW code of 12 bits encodes up to 3,839 bytes). */
const EXPANSION: Record<number, number> = { 1: 1, 5: 2560, 8: 1032, 32946: 1032, 50013: 1032, 32773: 64 };

/**
 * Refuses a page whose plane is too large to be stored in a file of this size, before the plane is allocated. Sparse
 * pages are exempt.
 * @throws AcqError `decode_failed`
 */
export function checkPlausible(file: TiffFile, page: ChunkTags, layout: PageLayout, where: string): void {
  const ratio = EXPANSION[layout.compression];
  if (ratio === undefined) return;
  const bytes = Math.ceil((layout.width * layout.height * layout.bits) / 8);
  if (bytes <= file.source.size * ratio) return;
  const offsets = readList(file, page, OFFSET_TAGS, layout.tiled);
  if (offsets?.includes(0)) return;
  throw decodeFailed(
    `${where} has ${grouped(layout.width)} × ${grouped(layout.height)} pixels (${grouped(bytes)} bytes), ` +
      `but the file has only ${grouped(file.source.size)} bytes; it is truncated or corrupted`,
  );
}
