/** The subblocks of a file, in columns: a file may have millions. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { DIMENSIONS, type DimensionLetter, MIN_ENTRY_BYTES, parseEntry, type RawCziEntry } from './entries.js';
import { viewOf } from './segments.js';

export interface ShapeDimension {
  name: DimensionLetter;
  /** Extent in the coordinates of the image. */
  size: number;
  /** Pixels or entries that are stored; fewer for a reduced copy. */
  stored: number;
}

/** The properties that many subblocks share. A file has only a few different shapes. */
export interface BlockShape {
  pixelType: number;
  compression: number;
  /** Size of the directory entry in bytes. */
  entryBytes: number;
  /** In memory order, the fastest first. */
  order: readonly ShapeDimension[];
  /** By letter; 1 where the entry lacks it. */
  size: Readonly<Record<DimensionLetter, number>>;
  stored: Readonly<Record<DimensionLetter, number>>;
  /** Stored with fewer or more pixels than it covers in the image. */
  reduced: boolean;
}

const MAX_SHAPES = 100_000;

/** All subblocks except pyramid levels, by index in the order of the directory. */
export class SubblockTable {
  readonly shapes: BlockShape[] = [];
  length = 0;
  /** Number of pyramid levels, which are skipped. */
  pyramids = 0;
  private readonly shapeIndices = new Map<string, number>();
  private positions = new Float64Array(64);
  private parts = new Int32Array(64);
  private shapeOf = new Uint32Array(64);
  private starts = new Int32Array(64 * DIMENSIONS.length);

  position(block: number): number {
    return this.positions[block]!;
  }

  part(block: number): number {
    return this.parts[block]!;
  }

  shape(block: number): BlockShape {
    return this.shapes[this.shapeOf[block]!]!;
  }

  start(block: number, dimension: DimensionLetter): number {
    return this.starts[block * DIMENSIONS.length + DIMENSIONS.indexOf(dimension)]!;
  }

  /** Gives one block another shape. */
  reshape(block: number, shape: BlockShape): void {
    this.shapeOf[block] = this.shapes.push(shape) - 1;
  }

  /** Returns a table of the blocks that `keep` accepts; the same table when it accepts all. */
  filter(keep: (block: number) => boolean): SubblockTable {
    let dropped = false;
    for (let block = 0; block < this.length && !dropped; block++) dropped = !keep(block);
    if (!dropped) return this;
    const kept = new SubblockTable();
    kept.shapes.push(...this.shapes);
    kept.pyramids = this.pyramids;
    for (let block = 0; block < this.length; block++) {
      if (!keep(block)) continue;
      const at = block * DIMENSIONS.length;
      kept.append(this.position(block), this.part(block), this.shapeOf[block]!);
      kept.starts.set(this.starts.subarray(at, at + DIMENSIONS.length), (kept.length - 1) * DIMENSIONS.length);
    }
    return kept;
  }

  /**
   * Adds a subblock; counts it only when it is a pyramid level.
   * @param position where the entry was found, when that was in the subblock itself
   * @throws AcqError `decode_failed` when there are too many
   */
  add(entry: RawCziEntry, position = entry.position): void {
    if (entry.pyramid) {
      this.pyramids++;
      return;
    }
    this.append(position, entry.part, this.shapeIndex(entry));
    const row = (this.length - 1) * DIMENSIONS.length;
    for (const { column, start } of entry.dimensions) this.starts[row + column] = start;
  }

  private append(position: number, part: number, shape: number): void {
    if (this.length === this.positions.length) this.grow();
    this.positions[this.length] = position;
    this.parts[this.length] = part;
    this.shapeOf[this.length] = shape;
    this.length++;
  }

  private grow(): void {
    if (this.length >= LIMITS.cziBlocks) {
      throw decodeFailed(`has more than ${grouped(LIMITS.cziBlocks)} subblocks`);
    }
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

  private shapeIndex(entry: RawCziEntry): number {
    let key = `${entry.pixelType},${entry.compression},${entry.entryBytes}`;
    for (const { column, size, stored } of entry.dimensions) key += `;${column},${size},${stored}`;
    const index = this.shapeIndices.get(key);
    if (index !== undefined) return index;
    if (this.shapes.length >= MAX_SHAPES) {
      throw decodeFailed(`subblocks have more than ${grouped(MAX_SHAPES)} different shapes`);
    }
    this.shapeIndices.set(key, this.shapes.length);
    this.shapes.push(toShape(entry));
    return this.shapes.length - 1;
  }
}

/**
 * Parses a directory of `count` entries.
 * @throws AcqError `decode_failed`
 */
export function parseDirectory(bytes: Uint8Array, count: number): SubblockTable {
  const table = new SubblockTable();
  const view = viewOf(bytes);
  for (let i = 0, at = 0; i < count; i++) {
    if (at + MIN_ENTRY_BYTES > bytes.length) {
      throw decodeFailed(`the directory ends after ${grouped(i)} of ${grouped(count)} entries`);
    }
    const entry = parseEntry(view, at);
    table.add(entry);
    at += entry.entryBytes;
  }
  return table;
}

function toShape({ pixelType, compression, entryBytes, dimensions }: RawCziEntry): BlockShape {
  const ones = () => Object.fromEntries(DIMENSIONS.map((name) => [name, 1])) as Record<DimensionLetter, number>;
  const size = ones();
  const stored = ones();
  const order = dimensions.map((raw) => ({ name: DIMENSIONS[raw.column]!, size: raw.size, stored: raw.stored }));
  for (const dimension of order) {
    size[dimension.name] = dimension.size;
    stored[dimension.name] = dimension.stored;
  }
  const reduced = order.some((dimension) => dimension.stored !== dimension.size);
  return { pixelType, compression, entryBytes, order, size, stored, reduced };
}
