/** Finds the samples of the subblocks that make up a plane. */
import type { Rectangle } from '../../model/samples/plane-target.js';
import type { CziScene } from './arrange.js';
import type { BlockShape, SubblockTable } from './blocks.js';
import type { DimensionLetter } from './entries.js';
import type { PixelType } from './pixel-types.js';

/** The part of one subblock that belongs to a plane. Offsets and strides in samples of the decoded subblock. */
export interface SubblockPiece extends Rectangle {
  block: number;
  type: PixelType;
  /** Index of the first sample of the first pixel. */
  offset: number;
  rowStride: number;
  columnStride: number;
}

export interface PlanePlan {
  /** In the order of drawing: later ones lie on top. */
  pieces: SubblockPiece[];
  /** True when one piece covers the plane. */
  covered: boolean;
}

/** Position of a plane in a scene. */
export interface PlanePosition {
  /** Index along C. */
  c: number;
  t: number;
  z: number;
}

/** The blocks of a scene by plane, so that planning a plane does not look at those of all others. */
interface SceneBlocks {
  /** Indices in `scene.blocks` of the blocks that belong to one plane, in order, by its coordinates. */
  ofPlane: Map<string, number[]>;
  /** Blocks that belong to several planes. */
  spanning: number[];
}

/** Plans the planes of one file. */
export class PlanePlanner {
  readonly table: SubblockTable;
  private readonly blocks = new Map<CziScene, SceneBlocks>();
  private readonly strides = new Map<BlockShape, Strides>();
  private last: { scene: CziScene; at: PlanePosition; plan: PlanePlan } | undefined;

  constructor(table: SubblockTable) {
    this.table = table;
  }

  plan(scene: CziScene, at: PlanePosition): PlanePlan {
    const { last } = this;
    if (last?.scene === scene && last.at.c === at.c && last.at.t === at.t && last.at.z === at.z) return last.plan;
    const type = scene.channels.find((channel) => channel.c === at.c)?.type;
    const pieces = type ? this.findBlocks(scene, at).map((block) => this.toPiece(block, scene, at, type)) : [];
    const covered = pieces.some(({ rows, columns }) => rows === scene.rows && columns === scene.columns);
    const plan = { pieces, covered };
    this.last = { scene, at: { ...at }, plan };
    return plan;
  }

  /** Returns the blocks of a plane in the order of drawing. */
  private findBlocks(scene: CziScene, at: PlanePosition): number[] {
    let blocks = this.blocks.get(scene);
    if (!blocks) {
      blocks = groupBlocks(this.table, scene);
      this.blocks.set(scene, blocks);
    }
    const single = blocks.ofPlane.get(planeKey(toIndices(scene, at))) ?? [];
    const spanning = blocks.spanning.filter((i) => this.spansPlane(scene.blocks[i]!, scene, at));
    const order = spanning.length === 0 ? single : [...single, ...spanning].sort((a, b) => a - b);
    return order.map((i) => scene.blocks[i]!);
  }

  private spansPlane(block: number, scene: CziScene, at: PlanePosition): boolean {
    const { size } = this.table.shape(block);
    return PLANE_DIMENSIONS.every((letter, i) => {
      if (letter === scene.rowAxis) return true;
      const offset = toIndices(scene, at)[i]! - this.table.start(block, letter);
      return offset >= 0 && offset < size[letter];
    });
  }

  private toPiece(block: number, scene: CziScene, at: PlanePosition, type: PixelType): SubblockPiece {
    const { table } = this;
    const shape = table.shape(block);
    let strides = this.strides.get(shape);
    if (strides?.samples !== type.samples) {
      strides = findStrides(shape, type);
      this.strides.set(shape, strides);
    }
    const { by } = strides;
    const indices = toIndices(scene, at);
    let offset = 0;
    for (const [i, letter] of PLANE_DIMENSIONS.entries()) {
      const stride = by[letter] ?? 0;
      if (letter !== scene.rowAxis && stride > 0) offset += (indices[i]! - table.start(block, letter)) * stride;
    }
    return {
      block,
      type,
      ...placeBlock(table, block, scene),
      offset,
      rowStride: by[scene.rowAxis] ?? shape.stored.X * type.samples,
      columnStride: by.X ?? type.samples,
    };
  }
}

/** The dimensions whose index tells planes apart, unless rows run along them. */
const PLANE_DIMENSIONS = ['C', 'T', 'Z'] as const;
type PlaneIndices = readonly [number, number, number];

/** Returns the indices of a plane in the coordinates of the subblocks; 0 for the dimension of the rows. */
function toIndices({ rowAxis, origin }: CziScene, { c, t, z }: PlanePosition): PlaneIndices {
  return [c, rowAxis === 'T' ? 0 : origin.T + t, rowAxis === 'Z' ? 0 : origin.Z + z];
}

function planeKey([c, t, z]: PlaneIndices): string {
  return `${c},${t},${z}`;
}

function groupBlocks(table: SubblockTable, { blocks, rowAxis }: CziScene): SceneBlocks {
  const ofPlane = new Map<string, number[]>();
  const spanning: number[] = [];
  const indexOf = (block: number, letter: (typeof PLANE_DIMENSIONS)[number]) =>
    letter === rowAxis ? 0 : table.start(block, letter);
  // Tiles of one plane follow each other: most have the key of the one before.
  let current: { indices: PlaneIndices; group: number[] } | undefined;
  for (const [i, block] of blocks.entries()) {
    const { size } = table.shape(block);
    if (PLANE_DIMENSIONS.some((letter) => letter !== rowAxis && size[letter] > 1)) {
      spanning.push(i);
      continue;
    }
    const indices: PlaneIndices = [indexOf(block, 'C'), indexOf(block, 'T'), indexOf(block, 'Z')];
    if (current?.indices.every((index, k) => index === indices[k]) !== true) {
      const key = planeKey(indices);
      const group = ofPlane.get(key) ?? [];
      ofPlane.set(key, group);
      current = { indices, group };
    }
    current!.group.push(i);
  }
  return { ofPlane, spanning };
}

/** Returns the rectangle of the plane that a block covers. */
function placeBlock(table: SubblockTable, block: number, scene: CziScene): Rectangle {
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

/** Samples from one entry of each dimension to the next, for pixels of `samples` samples. */
interface Strides {
  samples: number;
  by: Partial<Record<DimensionLetter, number>>;
}

function findStrides(shape: BlockShape, { samples }: PixelType): Strides {
  const by: Strides['by'] = {};
  let stride: number = samples;
  for (const { name, stored } of shape.order) {
    by[name] = stride;
    stride *= stored;
  }
  return { samples, by };
}

/** Returns the number of samples of a decoded subblock. */
export function countSamples(shape: BlockShape, type: PixelType): number {
  return shape.order.reduce<number>((product, { stored }) => product * stored, type.samples);
}
