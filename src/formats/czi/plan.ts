/** Finds the samples of the subblocks that make up a plane. */
import type { CziScene } from './arrange.js';
import type { BlockShape, BlockTable } from './blocks.js';
import type { Dimension } from './entries.js';
import type { PixelType } from './pixel-types.js';

/** A part of a plane, in pixels. */
export interface Rectangle {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** The part of one subblock that belongs to a plane. Offsets and strides in samples of the decoded subblock. */
export interface Piece extends Rectangle {
  block: number;
  type: PixelType;
  /** Index of the first sample of the first pixel. */
  offset: number;
  rowStride: number;
  columnStride: number;
}

export interface PlanePlan {
  /** In the order of drawing: later ones lie on top. */
  pieces: Piece[];
  /** True when one piece covers the plane. */
  covered: boolean;
}

/** Indices that a plane has in the coordinates of the subblocks. */
type PlaneIndices = [Dimension, number][];

/** Position of a plane in a scene. */
export interface PlanePosition {
  /** Index along C. */
  c: number;
  t: number;
  z: number;
}

export function planPlane(table: BlockTable, scene: CziScene, { c, t, z }: PlanePosition): PlanePlan {
  const at: PlaneIndices = [['C', c]];
  if (scene.rowAxis !== 'T') at.push(['T', scene.origin.T + t]);
  if (scene.rowAxis !== 'Z') at.push(['Z', scene.origin.Z + z]);
  const type = scene.channels.find((channel) => channel.c === c)?.type;
  const pieces: Piece[] = [];
  for (const block of scene.blocks) {
    const { size } = table.shape(block);
    const isInside = at.every(([letter, index]) => {
      const offset = index - table.start(block, letter);
      return offset >= 0 && offset < size[letter];
    });
    if (!isInside || !type) continue;
    pieces.push({
      block,
      type,
      ...placeBlock(table, block, scene),
      ...locateSamples(table, block, { at, scene, type }),
    });
  }
  const covered = pieces.some(({ rows, columns }) => rows === scene.rows && columns === scene.columns);
  return { pieces, covered };
}

/** Returns the rectangle of the plane that a block covers. */
function placeBlock(table: BlockTable, block: number, scene: CziScene): Rectangle {
  const { rowAxis, ratio, origin, rows, columns } = scene;
  const { stored } = table.shape(block);
  const row = table.start(block, rowAxis) - origin[rowAxis];
  const column = table.start(block, 'X') - origin.X;
  // Rounding of a ratio may move the last tile over the edge by a pixel.
  const clamp = (value: number, max: number) => Math.max(0, Math.min(value, max));
  return {
    row: clamp(rowAxis === 'Y' ? Math.round(row * ratio.Y) : row, rows - stored[rowAxis]),
    column: clamp(Math.round(column * ratio.X), columns - stored.X),
    rows: Math.min(stored[rowAxis], rows),
    columns: Math.min(stored.X, columns),
  };
}

/** Returns where a decoded block contains the samples of a plane. */
function locateSamples(
  table: BlockTable,
  block: number,
  { at, scene, type }: { at: PlaneIndices; scene: CziScene; type: PixelType },
): Pick<Piece, 'offset' | 'rowStride' | 'columnStride'> {
  const shape = table.shape(block);
  const strides = findStrides(shape, type);
  let offset = 0;
  for (const [letter, index] of at) offset += (index - table.start(block, letter)) * (strides[letter] ?? 0);
  return {
    offset,
    rowStride: strides[scene.rowAxis] ?? shape.stored.X * type.samples,
    columnStride: strides.X ?? type.samples,
  };
}

/** Returns the number of samples from one entry of each dimension to the next. */
function findStrides(shape: BlockShape, type: PixelType): Partial<Record<Dimension, number>> {
  const strides: Partial<Record<Dimension, number>> = {};
  let stride: number = type.samples;
  for (const { name, stored } of shape.order) {
    strides[name] = stride;
    stride *= stored;
  }
  return strides;
}

/** Returns the number of samples of a decoded subblock. */
export function countSamples(shape: BlockShape, type: PixelType): number {
  return shape.order.reduce<number>((product, { stored }) => product * stored, type.samples);
}
