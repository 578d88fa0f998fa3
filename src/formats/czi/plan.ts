/** Which samples of which subblocks make up a plane. Pure. */
import type { CziScene } from './arrange.js';
import type { BlockShape, BlockTable, Dimension } from './blocks.js';
import type { PixelType } from './pixel-types.js';

/** The part of one subblock that belongs to a plane. Offsets and strides in samples of the decoded subblock. */
export interface Piece {
  block: number;
  type: PixelType;
  /** First sample of the part, for the first sample of its pixel. */
  offset: number;
  rowStride: number;
  columnStride: number;
  /** Place in the plane. */
  row: number;
  column: number;
  rows: number;
  columns: number;
}

export interface PlanePlan {
  /** In the order of drawing. */
  pieces: Piece[];
  /** One piece covers the plane. */
  covered: boolean;
}

/** @param c index along C */
export function planPlane(table: BlockTable, scene: CziScene, c: number, t: number, z: number): PlanePlan {
  const at: Partial<Record<Dimension, number>> = { C: c };
  if (scene.rowAxis !== 'T') at.T = scene.origin.T + t;
  if (scene.rowAxis !== 'Z') at.Z = scene.origin.Z + z;
  const wanted = Object.entries(at) as [Dimension, number][];
  const type = scene.channels.find((channel) => channel.c === c)?.type;
  const pieces: Piece[] = [];
  for (const block of scene.blocks) {
    const shape = table.shape(block);
    const inside = wanted.every(([letter, index]) => {
      const offset = index - table.start(block, letter);
      return offset >= 0 && offset < shape.size[letter];
    });
    if (inside && type) pieces.push(pieceOf(table, scene, block, type, wanted));
  }
  const covered = pieces.some(({ rows, columns }) => rows === scene.rows && columns === scene.columns);
  return { pieces, covered };
}

function pieceOf(
  table: BlockTable,
  scene: CziScene,
  block: number,
  type: PixelType,
  wanted: readonly [Dimension, number][],
): Piece {
  const shape = table.shape(block);
  const strides = stridesOf(shape, type);
  let offset = 0;
  for (const [letter, index] of wanted) offset += (index - table.start(block, letter)) * (strides[letter] ?? 0);
  const { rowAxis, ratio, origin } = scene;
  const row = table.start(block, rowAxis) - origin[rowAxis];
  const column = table.start(block, 'X') - origin.X;
  const piece = {
    row: rowAxis === 'Y' ? Math.round(row * ratio.Y) : row,
    column: Math.round(column * ratio.X),
    rows: shape.stored[rowAxis],
    columns: shape.stored.X,
  };
  // Rounding of a ratio may move the last tile over the edge by a pixel.
  piece.row = Math.max(0, Math.min(piece.row, scene.rows - piece.rows));
  piece.column = Math.max(0, Math.min(piece.column, scene.columns - piece.columns));
  return {
    ...piece,
    rows: Math.min(piece.rows, scene.rows),
    columns: Math.min(piece.columns, scene.columns),
    block,
    type,
    offset,
    rowStride: strides[rowAxis] ?? shape.stored.X * type.samples,
    columnStride: strides.X ?? type.samples,
  };
}

/** Samples from one entry of each dimension to the next. */
function stridesOf(shape: BlockShape, type: PixelType): Partial<Record<Dimension, number>> {
  const strides: Partial<Record<Dimension, number>> = {};
  let stride: number = type.samples;
  for (const { name, stored } of shape.order) {
    strides[name] = stride;
    stride *= stored;
  }
  return strides;
}

/** Samples of a whole decoded subblock. */
export function samplesOf(shape: BlockShape, type: PixelType): number {
  return shape.order.reduce<number>((product, { stored }) => product * stored, type.samples);
}
