/** Subblocks to scenes: pure, from their coordinates alone. */

import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import type { SampleType } from '../../samples/types.js';
import type { BlockShape, BlockTable, Dimension } from './blocks.js';
import { commonSampleType, type PixelType, pixelTypeOf } from './pixel-types.js';

/** Dimension that the rows of a plane run along: `T` or `Z` when the scan had no Y. */
export type RowAxis = 'Y' | 'T' | 'Z';

export interface CziChannel {
  /** Index along C. */
  c: number;
  type: PixelType;
}

export interface CziScene {
  /** Index along S; undefined when the file has no scenes. */
  s: number | undefined;
  /** Indices along H, V, R, I, B, of those that take more than one value in the file. */
  folded: { letter: Dimension; index: number }[];
  /** Ids in the order of drawing: later ones lie on top. */
  blocks: Uint32Array;
  channels: CziChannel[];
  sampleType: SampleType;
  rowAxis: RowAxis;
  /** Smallest coordinates. */
  origin: Record<Axis, number>;
  /** Extents of the image. */
  extent: Record<Axis, number>;
  /** Rows and columns of every plane; extents times the ratio. */
  rows: number;
  columns: number;
  /** Stored pixels per pixel of the image; 1 but for super-resolution images that exist in no other form. */
  ratio: { X: number; Y: number };
}

type Axis = 'X' | 'Y' | 'Z' | 'T';
const AXES: readonly Axis[] = ['X', 'Y', 'Z', 'T'];
/** Dimensions that are served as scenes. */
const FOLDED: readonly Dimension[] = ['V', 'R', 'I', 'B', 'H'];
/** Dimensions along which a subblock may hold more than one entry. */
const INSIDE: ReadonlySet<Dimension> = new Set(['X', 'Y', 'Z', 'T', 'C']);

export interface Arrangement {
  scenes: CziScene[];
  /** There is more than one entry along S. */
  severalScenes: boolean;
  /** Letters of the dimensions that are served as scenes, with their numbers of entries. */
  folded: { letter: Dimension; entries: number }[];
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function arrangeScenes(name: string, table: BlockTable): Arrangement {
  if (table.length === 0) throw decodeFailed(`${name}: ${emptyText(table)}`);
  for (const shape of table.shapes) checkShape(name, shape);
  const folded = FOLDED.map((letter) => ({ letter, entries: distinct(table, letter) })).filter(
    ({ entries }) => entries > 1,
  );
  const letters: Dimension[] = ['S', ...folded.map(({ letter }) => letter)];
  const groups = groupBlocks(table, letters);
  if (groups.length > LIMITS.scenes)
    throw decodeFailed(`${name}: has ${groups.length} scenes, more than any real file`);
  const hasScenes = table.shapes.some(({ order }) => order.some((dimension) => dimension.name === 'S'));
  const scenes = groups.map((blocks) => arrangeScene(name, table, letters, hasScenes, blocks));
  return { scenes, severalScenes: new Set(scenes.map(({ s }) => s)).size > 1, folded };
}

function emptyText(table: BlockTable): string {
  return table.pyramids > 0
    ? `holds reduced copies of an image (${table.pyramids} subblocks), but not the image`
    : 'holds no image data';
}

function checkShape(name: string, shape: BlockShape): void {
  for (const { name: letter, size } of shape.order) {
    if (size > 1 && !INSIDE.has(letter)) {
      throw unsupported(`${name}: has subblocks with ${size} entries along ${letter}, which are not read here`);
    }
  }
}

function distinct(table: BlockTable, letter: Dimension): number {
  const values = new Set<number>();
  for (let block = 0; block < table.length; block++) values.add(table.start(block, letter));
  return values.size;
}

/** Ids of the blocks of each scene; scenes in ascending order of their indices, the first letter first. */
function groupBlocks(table: BlockTable, letters: readonly Dimension[]): number[][] {
  const groups = new Map<string, { at: number[]; blocks: number[] }>();
  for (let block = 0; block < table.length; block++) {
    const at = letters.map((letter) => table.start(block, letter));
    const key = at.join();
    const group = groups.get(key);
    if (group) group.blocks.push(block);
    else groups.set(key, { at, blocks: [block] });
  }
  const compare = (a: number[], b: number[]) => {
    const i = a.findIndex((value, k) => value !== b[k]);
    return i < 0 ? 0 : (a[i] as number) - (b[i] as number);
  };
  return [...groups.values()].sort((a, b) => compare(a.at, b.at)).map(({ blocks }) => blocks);
}

function arrangeScene(
  name: string,
  table: BlockTable,
  letters: readonly Dimension[],
  hasScenes: boolean,
  all: readonly number[],
): CziScene {
  const first = all[0] as number;
  const full = all.filter((block) => !table.shape(block).reduced);
  const blocks = inDrawingOrder(table, full.length > 0 ? full : all);
  const ratio = full.length > 0 ? { X: 1, Y: 1 } : commonRatio(name, table, blocks);
  const { origin, extent } = boundsOf(table, blocks);
  const rowAxis = rowAxisOf(table, blocks, extent);
  const channels = channelsOf(name, table, blocks);
  const scene: CziScene = {
    s: hasScenes ? table.start(first, 'S') : undefined,
    folded: letters.slice(1).map((letter) => ({ letter, index: table.start(first, letter) })),
    blocks,
    channels,
    sampleType: commonSampleType(new Set(channels.map(({ type }) => type.sample))),
    rowAxis,
    origin,
    extent,
    rows: rowAxis === 'Y' ? Math.round(extent.Y * ratio.Y) : extent[rowAxis],
    columns: Math.round(extent.X * ratio.X),
    ratio,
  };
  checkExtents(name, scene);
  return scene;
}

/** Ascending M; the order of the directory among equals. */
function inDrawingOrder(table: BlockTable, blocks: readonly number[]): Uint32Array {
  const tile = (block: number) => table.start(block, 'M');
  const sorted = blocks.every((block, i) => i === 0 || tile(blocks[i - 1] as number) <= tile(block));
  return Uint32Array.from(sorted ? blocks : [...blocks].sort((a, b) => tile(a) - tile(b)));
}

/** Without any block at full size, the stored pixels are the image, when all agree on their size. */
function commonRatio(name: string, table: BlockTable, blocks: Uint32Array): { X: number; Y: number } {
  const ratioOf = ({ size, stored }: BlockShape) => ({ X: stored.X / size.X, Y: stored.Y / size.Y });
  const first = ratioOf(table.shape(blocks[0] as number));
  const near = (a: number, b: number) => Math.abs(a / b - 1) < 0.02;
  for (const block of blocks) {
    const shape = table.shape(block);
    const { X, Y } = ratioOf(shape);
    const others = shape.order.some((one) => one.name !== 'X' && one.name !== 'Y' && one.stored !== one.size);
    if (others || !near(X, first.X) || !near(Y, first.Y)) {
      throw decodeFailed(`${name}: holds reduced copies of an image of several sizes, but not the image`);
    }
  }
  return first;
}

function boundsOf(table: BlockTable, blocks: Uint32Array) {
  const origin = { X: 0, Y: 0, Z: 0, T: 0 };
  const extent = { X: 1, Y: 1, Z: 1, T: 1 };
  for (const axis of AXES) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const block of blocks) {
      const start = table.start(block, axis);
      low = Math.min(low, start);
      high = Math.max(high, start + table.shape(block).size[axis]);
    }
    origin[axis] = low;
    extent[axis] = high - low;
  }
  return { origin, extent };
}

/** A scan without Y: the rows are lines, one after the other in time, or one below the other in depth. */
function rowAxisOf(table: BlockTable, blocks: Uint32Array, extent: Record<Axis, number>): RowAxis {
  if (extent.Y > 1) return 'Y';
  if (extent.T > 1) return 'T';
  if (extent.Z > 1) return 'Z';
  const has = (letter: Dimension) => table.shape(blocks[0] as number).order.some(({ name }) => name === letter);
  return !has('Y') && has('T') ? 'T' : 'Y';
}

/** Channels that have any block, ascending. */
function channelsOf(name: string, table: BlockTable, blocks: Uint32Array): CziChannel[] {
  const found = new Map<number, PixelType>();
  for (const block of blocks) {
    const shape = table.shape(block);
    const type = typeOf(name, shape);
    const start = table.start(block, 'C');
    if (shape.size.C > LIMITS.channels) throw decodeFailed(`${name}: has a subblock of ${shape.size.C} channels`);
    for (let c = start; c < start + shape.size.C; c++) {
      const known = found.get(c);
      if (known && known !== type) {
        throw unsupported(`${name}: channel ${c + 1} changes its pixels from ${known.name} to ${type.name}`);
      }
      found.set(c, type);
    }
    if (found.size > LIMITS.channels) throw decodeFailed(`${name}: has more than ${LIMITS.channels} channels`);
  }
  return [...found].sort(([a], [b]) => a - b).map(([c, type]) => ({ c, type }));
}

function typeOf(name: string, shape: BlockShape): PixelType {
  try {
    return pixelTypeOf(shape.pixelType);
  } catch (error) {
    throw unsupported(`${name}: ${(error as Error).message}`);
  }
}

function checkExtents(name: string, scene: CziScene): void {
  const { rows, columns, extent } = scene;
  if (rows < 1 || columns < 1 || rows > LIMITS.planeSide || columns > LIMITS.planeSide) {
    throw decodeFailed(`${name}: its subblocks span ${rows} × ${columns} pixels, which is beyond all reason`);
  }
  for (const axis of ['T', 'Z'] as const) {
    if (axis !== scene.rowAxis && extent[axis] > LIMITS.planes) {
      throw decodeFailed(
        `${name}: its subblocks span ${extent[axis]} entries along ${axis}, which is beyond all reason`,
      );
    }
  }
}
