/** Groups subblocks into scenes by their coordinates. */
import { type AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { SampleType } from '../../model/samples/types.js';
import type { BlockShape, SubblockTable } from './blocks.js';
import type { DimensionLetter } from './entries.js';
import { commonSampleType, findPixelType, type PixelType } from './pixel-types.js';

/** The dimension of the rows of a plane: `T` or `Z` when the scan had no Y. */
export type RowAxis = 'Y' | 'T' | 'Z';

export interface CziChannel {
  /** Index along C. */
  c: number;
  type: PixelType;
}

export interface CziScene {
  /** Index along S; `undefined` when the file has no S. */
  s: number | undefined;
  /** Indices along those of V, R, I, B and H that take more than one value in the file. */
  folded: { letter: DimensionLetter; index: number }[];
  /** Indices in the block table, in the order of drawing: later ones lie on top. */
  blocks: Uint32Array;
  channels: CziChannel[];
  sampleType: SampleType;
  rowAxis: RowAxis;
  /** Smallest coordinates. */
  origin: Record<SceneAxis, number>;
  /** Extents of the image. */
  extent: Record<SceneAxis, number>;
  /** Shape of every plane: extents times the ratio. */
  rows: number;
  columns: number;
  /** Stored pixels per pixel of the image: not 1 only for super-resolution images stored in no other form. */
  ratio: { X: number; Y: number };
}

type SceneAxis = 'X' | 'Y' | 'Z' | 'T';
const AXES: readonly SceneAxis[] = ['X', 'Y', 'Z', 'T'];
/** Dimensions whose entries become scenes. */
const FOLDED: readonly DimensionLetter[] = ['V', 'R', 'I', 'B', 'H'];
/** Dimensions along which a subblock may hold more than one entry. */
const INSIDE: ReadonlySet<DimensionLetter> = new Set(['X', 'Y', 'Z', 'T', 'C']);

export interface CziArrangement {
  scenes: CziScene[];
  /** True when there is more than one entry along S. */
  severalScenes: boolean;
  /** Dimensions whose entries became scenes, with the number of entries. */
  folded: { letter: DimensionLetter; entries: number }[];
}

/**
 * Finds the scenes of a file.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function arrangeScenes(table: SubblockTable): CziArrangement {
  if (table.length === 0) throw decodeFailed(`${describeEmpty(table)}`);
  for (const shape of table.shapes) checkShape(shape);
  const counts = FOLDED.map((letter) => ({ letter, entries: countEntries(table, letter) }));
  const folded = counts.filter(({ entries }) => entries > 1);
  const letters: DimensionLetter[] = ['S', ...folded.map(({ letter }) => letter)];
  const groups = groupBlocks(table, letters);
  if (groups.length > LIMITS.scenes) {
    throw decodeFailed(`has ${grouped(groups.length)} scenes; the limit is ${grouped(LIMITS.scenes)}`);
  }
  const hasScenes = table.shapes.some(({ order }) => order.some((dimension) => dimension.name === 'S'));
  const scenes = groups.map((blocks) => arrangeScene(table, blocks, { hasScenes, folded }));
  return { scenes, severalScenes: new Set(scenes.map(({ s }) => s)).size > 1, folded };
}

function describeEmpty(table: SubblockTable): string {
  return table.pyramids > 0
    ? `contains only reduced copies of an image (${plural(table.pyramids, 'subblock')})`
    : 'contains no image';
}

function checkShape(shape: BlockShape): void {
  for (const { name: letter, size } of shape.order) {
    if (size > 1 && !INSIDE.has(letter)) {
      throw unsupported(`subblocks with ${grouped(size)} entries along ${letter} are not supported`);
    }
  }
}

/** Returns how many values the subblocks have along a dimension. */
function countEntries(table: SubblockTable, letter: DimensionLetter): number {
  const values = new Set<number>();
  for (let block = 0; block < table.length; block++) values.add(table.start(block, letter));
  return values.size;
}

/** Returns the blocks of each scene. Scenes are in ascending order of their indices along `letters`. */
function groupBlocks(table: SubblockTable, letters: readonly DimensionLetter[]): number[][] {
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
    return i < 0 ? 0 : a[i]! - b[i]!;
  };
  return [...groups.values()].sort((a, b) => compare(a.at, b.at)).map(({ blocks }) => blocks);
}

function arrangeScene(
  table: SubblockTable,
  all: readonly number[],
  { hasScenes, folded }: { hasScenes: boolean; folded: readonly { letter: DimensionLetter }[] },
): CziScene {
  const first = all[0]!;
  const full = all.filter((block) => !table.shape(block).reduced);
  const blocks = toDrawingOrder(table, full.length > 0 ? full : all);
  const ratio = full.length > 0 ? { X: 1, Y: 1 } : findRatio(table, blocks);
  const { origin, extent } = findBounds(table, blocks);
  const rowAxis = findRowAxis(table, blocks, extent);
  const channels = findChannels(table, blocks);
  const scene: CziScene = {
    s: hasScenes ? table.start(first, 'S') : undefined,
    folded: folded.map(({ letter }) => ({ letter, index: table.start(first, letter) })),
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
  checkExtents(scene);
  return scene;
}

/** Sorts blocks by M; equal ones keep the order of the directory. */
function toDrawingOrder(table: SubblockTable, blocks: readonly number[]): Uint32Array {
  const tile = (block: number) => table.start(block, 'M');
  const isSorted = blocks.every((block, i) => i === 0 || tile(blocks[i - 1]!) <= tile(block));
  return Uint32Array.from(isSorted ? blocks : [...blocks].sort((a, b) => tile(a) - tile(b)));
}

/** Returns the ratio of stored pixels to pixels of the image, for scenes without any block at full size. */
function findRatio(table: SubblockTable, blocks: Uint32Array): { X: number; Y: number } {
  const ratioOf = ({ size, stored }: BlockShape) => ({ X: stored.X / size.X, Y: stored.Y / size.Y });
  const first = ratioOf(table.shape(blocks[0]!));
  const isNear = (a: number, b: number) => Math.abs(a / b - 1) < 0.02;
  for (const block of blocks) {
    const shape = table.shape(block);
    const { X, Y } = ratioOf(shape);
    const isReducedElsewhere = shape.order.some((dimension) => {
      return dimension.name !== 'X' && dimension.name !== 'Y' && dimension.stored !== dimension.size;
    });
    if (isReducedElsewhere || !isNear(X, first.X) || !isNear(Y, first.Y)) {
      throw decodeFailed('contains only reduced copies of an image, in several sizes');
    }
  }
  return first;
}

function findBounds(table: SubblockTable, blocks: Uint32Array) {
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

/** In a scan without Y, the rows of a plane are lines along time, or along depth. */
function findRowAxis(table: SubblockTable, blocks: Uint32Array, extent: Record<SceneAxis, number>): RowAxis {
  if (extent.Y > 1) return 'Y';
  if (extent.T > 1) return 'T';
  if (extent.Z > 1) return 'Z';
  const has = (letter: DimensionLetter) => table.shape(blocks[0]!).order.some(({ name }) => name === letter);
  return !has('Y') && has('T') ? 'T' : 'Y';
}

/** Returns the channels that have any block, in ascending order. */
function findChannels(table: SubblockTable, blocks: Uint32Array): CziChannel[] {
  const types = new Map<number, PixelType>();
  for (const block of blocks) {
    const shape = table.shape(block);
    const type = findPixelType(shape.pixelType);
    const start = table.start(block, 'C');
    if (shape.size.C > LIMITS.channels) throw tooManyChannels();
    for (let c = start; c < start + shape.size.C; c++) {
      const previous = types.get(c);
      if (previous && previous !== type) {
        throw unsupported(`channel ${c + 1} has pixels of types ${previous.name} and ${type.name}`);
      }
      types.set(c, type);
    }
    if (types.size > LIMITS.channels) throw tooManyChannels();
  }
  return [...types].sort(([a], [b]) => a - b).map(([c, type]) => ({ c, type }));
}

function tooManyChannels(): AcqError {
  return decodeFailed(`has more than ${grouped(LIMITS.channels)} channels`);
}

function checkExtents(scene: CziScene): void {
  const { rows, columns, extent } = scene;
  if (rows < 1 || columns < 1)
    throw decodeFailed(`the subblocks cover ${grouped(rows)} × ${grouped(columns)} pixels; the file is corrupted`);
  for (const axis of ['T', 'Z'] as const) {
    const max = axis === scene.rowAxis ? LIMITS.planeSide : LIMITS.planes;
    if (extent[axis] > max) {
      const limit = `the limit is ${grouped(max)}`;
      throw decodeFailed(`the subblocks cover ${grouped(extent[axis])} entries along ${axis}; ${limit}`);
    }
  }
}
