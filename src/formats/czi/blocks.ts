/** Subblock entries, of the directory or of the subblocks themselves, in columns: a file may hold millions. */
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { int64, textAt } from './segments.js';

/** Letters of the dimensions, in the order of the columns of `starts`. */
export const DIMENSIONS = ['X', 'Y', 'Z', 'C', 'T', 'S', 'M', 'H', 'V', 'R', 'I', 'B'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface ShapeDimension {
  name: Dimension;
  /** Extent in the coordinates of the image. */
  size: number;
  /** Entries that are stored; less for a reduced copy. */
  stored: number;
}

/** What subblocks have in common. Files hold a handful of different ones. */
export interface BlockShape {
  pixelType: number;
  compression: number;
  /** Bytes of the entry. */
  entryBytes: number;
  /** In memory order, the fastest first. */
  order: readonly ShapeDimension[];
  /** By letter; 1 where the entry lacks it. */
  size: Readonly<Record<Dimension, number>>;
  stored: Readonly<Record<Dimension, number>>;
  /** Stored at another size than that of the image. */
  reduced: boolean;
}

const ENTRY_DV = 32;
const DIMENSION_DV = 20;
const ENTRY_DE = 128;
/** Far more letters than there are. */
const MAX_DIMENSIONS = 40;
const MAX_SHAPES = 100_000;

/** Entries of all subblocks that are no pyramid level. */
export class BlockTable {
  readonly shapes: BlockShape[] = [];
  length = 0;
  /** Entries of pyramid levels, which are left out. */
  pyramids = 0;
  private readonly known = new Map<string, number>();
  private positions = new Float64Array(64);
  private parts = new Int32Array(64);
  private shapeOf = new Uint32Array(64);
  private starts = new Int32Array(64 * DIMENSIONS.length);

  position(block: number): number {
    return this.positions[block] as number;
  }

  part(block: number): number {
    return this.parts[block] as number;
  }

  shape(block: number): BlockShape {
    return this.shapes[this.shapeOf[block] as number] as BlockShape;
  }

  start(block: number, dimension: Dimension): number {
    return this.starts[block * DIMENSIONS.length + DIMENSIONS.indexOf(dimension)] as number;
  }

  /** Gives one block another shape. */
  reshape(block: number, shape: BlockShape): void {
    this.shapeOf[block] = this.shapes.push(shape) - 1;
  }

  /** A table of the blocks for which `keep` says so; itself when that is all of them. */
  filter(keep: (block: number) => boolean): BlockTable {
    let dropped = false;
    for (let block = 0; block < this.length && !dropped; block++) dropped = !keep(block);
    if (!dropped) return this;
    const kept = new BlockTable();
    kept.shapes.push(...this.shapes);
    kept.pyramids = this.pyramids;
    for (let block = 0; block < this.length; block++) {
      if (!keep(block)) continue;
      const at = block * DIMENSIONS.length;
      kept.append(this.position(block), this.part(block), this.shapeOf[block] as number);
      kept.starts.set(this.starts.subarray(at, at + DIMENSIONS.length), (kept.length - 1) * DIMENSIONS.length);
    }
    return kept;
  }

  /**
   * Adds the entry at `at`.
   * @param position of the subblock, when the entry is the subblock's own
   * @returns bytes of the entry
   * @throws AcqError `decode_failed`
   */
  add(name: string, bytes: Uint8Array, view: DataView, at: number, position?: number): number {
    const schema = textAt(bytes, at, 2);
    if (schema !== 'DV' && schema !== 'DE') throw damaged(name, this.length, `is of unknown kind "${schema}"`);
    const entry = schema === 'DV' ? parseDv(name, this.length, bytes, view, at) : parseDe(name, this.length, view, at);
    if (entry.pyramid) {
      this.pyramids++;
      return entry.entryBytes;
    }
    this.append(position ?? entry.position, entry.part, this.shapeIndex(name, entry));
    const row = (this.length - 1) * DIMENSIONS.length;
    for (const { column, start } of entry.dimensions) this.starts[row + column] = start;
    return entry.entryBytes;
  }

  private append(position: number, part: number, shape: number): void {
    if (this.length === this.positions.length) this.grow();
    this.positions[this.length] = position;
    this.parts[this.length] = part;
    this.shapeOf[this.length] = shape;
    this.length++;
  }

  private grow(): void {
    if (this.length >= LIMITS.cziBlocks) throw decodeFailed('has more subblocks than any real file');
    const size = this.length * 2;
    const [positions, parts, shapeOf, starts] = [this.positions, this.parts, this.shapeOf, this.starts];
    this.positions = new Float64Array(size);
    this.positions.set(positions);
    this.parts = new Int32Array(size);
    this.parts.set(parts);
    this.shapeOf = new Uint32Array(size);
    this.shapeOf.set(shapeOf);
    this.starts = new Int32Array(size * DIMENSIONS.length);
    this.starts.set(starts);
  }

  private shapeIndex(name: string, entry: RawEntry): number {
    let key = `${entry.pixelType},${entry.compression},${entry.entryBytes}`;
    for (const { column, size, stored } of entry.dimensions) key += `;${column},${size},${stored}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.shapes.length >= MAX_SHAPES)
      throw decodeFailed(`${name}: its subblocks have more shapes than is credible`);
    this.known.set(key, this.shapes.length);
    this.shapes.push(toShape(entry));
    return this.shapes.length - 1;
  }
}

interface RawDimension {
  column: number;
  start: number;
  size: number;
  stored: number;
}

interface RawEntry {
  pixelType: number;
  position: number;
  part: number;
  compression: number;
  pyramid: boolean;
  entryBytes: number;
  dimensions: RawDimension[];
}

/** Parses a directory of `count` entries. @throws AcqError `decode_failed` */
export function parseDirectory(name: string, bytes: Uint8Array, count: number): BlockTable {
  const table = new BlockTable();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0, at = 0; i < count; i++) {
    if (at + ENTRY_DV > bytes.length) throw decodeFailed(`${name}: its directory ends before entry ${i} of ${count}`);
    at += table.add(name, bytes, view, at);
  }
  return table;
}

/** Bytes of the entry at `at`, without reading it. */
export function entryBytesAt(bytes: Uint8Array, view: DataView, at: number): number {
  return textAt(bytes, at, 2) === 'DE' ? ENTRY_DE : ENTRY_DV + DIMENSION_DV * view.getInt32(at + 28, true);
}

function parseDv(name: string, index: number, bytes: Uint8Array, view: DataView, at: number): RawEntry {
  const count = view.getInt32(at + 28, true);
  const entryBytes = ENTRY_DV + DIMENSION_DV * count;
  if (count < 0 || count > MAX_DIMENSIONS || at + entryBytes > bytes.length) {
    throw damaged(name, index, `claims ${count} dimensions`);
  }
  const dimensions: RawDimension[] = [];
  for (let p = at + ENTRY_DV; p < at + entryBytes; p += DIMENSION_DV) {
    const letter = String.fromCharCode(bytes[p] as number);
    const column = DIMENSIONS.indexOf(letter as Dimension);
    const size = view.getInt32(p + 8, true);
    const dimension = { column, start: view.getInt32(p + 4, true), size, stored: view.getInt32(p + 16, true) || size };
    if (size < 1 || dimension.stored < 1) throw damaged(name, index, `has size ${size} along ${letter}`);
    if (column < 0 && size > 1) throw damaged(name, index, `has an unknown dimension "${letter}"`);
    if (column < 0) continue;
    if (dimensions.some((other) => other.column === column)) throw damaged(name, index, `names ${letter} twice`);
    dimensions.push(dimension);
  }
  return {
    pixelType: view.getInt32(at + 2, true),
    position: int64(view, at + 6),
    part: view.getInt32(at + 14, true),
    compression: view.getInt32(at + 18, true),
    pyramid: bytes[at + 22] !== 0,
    entryBytes,
    dimensions,
  };
}

/** Where the fixed entry holds start and size of a dimension; further ones have a start only. */
const DE_FIELDS: Partial<Record<Dimension, { start: number; size?: number; stored?: number }>> = {
  X: { start: 16, size: 20, stored: 6 },
  Y: { start: 24, size: 28, stored: 10 },
  C: { start: 32, size: 36 },
  Z: { start: 40, size: 44 },
  T: { start: 48, size: 52 },
  S: { start: 56 },
  R: { start: 60 },
  I: { start: 64 },
  B: { start: 68 },
  M: { start: 76 },
  H: { start: 108 },
};

/** The first entry schema: the same facts in fixed places (ZISRAW specification, "DirectoryEntryDE"). */
function parseDe(name: string, index: number, view: DataView, at: number): RawEntry {
  if (at + ENTRY_DE > view.byteLength) throw damaged(name, index, 'is cut off');
  const letters = textAt(new Uint8Array(view.buffer, view.byteOffset + at, ENTRY_DE), 92, 16).toUpperCase();
  const order = new Set<string>([...letters.replace(/[^XYZCTSMHRIB]/g, ''), ...Object.keys(DE_FIELDS)]);
  const dimensions: RawDimension[] = [];
  for (const letter of order) {
    const fields = DE_FIELDS[letter as Dimension];
    if (!fields) continue;
    const size = fields.size === undefined ? 1 : view.getInt32(at + fields.size, true);
    const stored = fields.stored === undefined ? size : view.getInt32(at + fields.stored, true) || size;
    const column = DIMENSIONS.indexOf(letter as Dimension);
    // A size of 0 means that the dimension is not used.
    if (size < 0 || stored < 0) throw damaged(name, index, `has size ${size} along ${letter}`);
    if (size > 0) dimensions.push({ column, start: view.getInt32(at + fields.start, true), size, stored });
  }
  return {
    pixelType: view.getInt32(at + 2, true),
    position: int64(view, at + 80),
    part: view.getInt32(at + 88, true),
    compression: view.getInt32(at + 72, true),
    pyramid: dimensions.some(({ size, stored }) => stored < size),
    entryBytes: ENTRY_DE,
    dimensions,
  };
}

function toShape({ pixelType, compression, entryBytes, dimensions }: RawEntry): BlockShape {
  const ones = () => Object.fromEntries(DIMENSIONS.map((name) => [name, 1])) as Record<Dimension, number>;
  const size = ones();
  const stored = ones();
  const order = dimensions.map((raw) => ({
    name: DIMENSIONS[raw.column] as Dimension,
    size: raw.size,
    stored: raw.stored,
  }));
  for (const dimension of order) {
    size[dimension.name] = dimension.size;
    stored[dimension.name] = dimension.stored;
  }
  const reduced = order.some((dimension) => dimension.stored !== dimension.size);
  return { pixelType, compression, entryBytes, order, size, stored, reduced };
}

function damaged(name: string, index: number, what: string) {
  return decodeFailed(`${name}: subblock entry ${index} ${what}; the directory is damaged`);
}
