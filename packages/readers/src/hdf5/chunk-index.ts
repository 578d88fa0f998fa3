/** Finds the chunks of a dataset in the five kinds of index (specification III.A.1, VII.A to VII.E). */
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { arrayIndex } from './chunk-arrays.js';
import { type ChunkGrid, type ChunkLocation, chunksAlong, gridKey, linearIndex } from './chunk-grid.js';
import type { Container } from './container.js';
import { treeRecords } from './tree2.js';

/**
 * Returns the chunks in a box of the grid by their `gridKey`. Chunks that were never written are missing.
 * @param low first chunk along each dimension
 * @param high last chunk along each dimension
 */
export function findChunks(
  file: Container,
  grid: ChunkGrid,
  low: number[],
  high: number[],
): Map<number, ChunkLocation> {
  const { index, address, chunkBytes } = grid.layout;
  if (address === undefined) return new Map();
  if (index.kind === 'tree1') return treeChunks(file, grid, address, low, high);
  if (index.kind === 'tree2') return tree2Chunks(file, grid, address, low, high);
  const place = (linear: number): ChunkLocation | undefined => {
    if (index.kind === 'implicit') return { address: address + linear * chunkBytes, size: chunkBytes, mask: 0 };
    return linear === 0 && index.kind === 'single'
      ? { address, size: index.size ?? chunkBytes, mask: index.mask }
      : undefined;
  };
  const lookup = index.kind === 'fixed' || index.kind === 'extensible' ? arrayIndex(file, grid, address) : undefined;
  const chunks = new Map<number, ChunkLocation>();
  for (const at of positionsIn(low, high)) {
    const chunk = lookup ? lookup(at) : place(linearIndex(at, chunksAlong(grid, 'maximum')));
    if (chunk) chunks.set(gridKey(grid, at), chunk);
  }
  return chunks;
}

/** Yields all positions of a box, last dimension fastest. */
function* positionsIn(low: readonly number[], high: readonly number[]): Generator<number[]> {
  const at = [...low];
  if (low.some((first, i) => first > high[i]!)) return;
  for (;;) {
    yield [...at];
    let i = at.length - 1;
    while (i >= 0 && at[i] === high[i]) {
      at[i] = low[i]!;
      i--;
    }
    if (i < 0) return;
    at[i] = at[i]! + 1;
  }
}

/** Walks only the branches whose keys reach into the box. Keys are in lexicographic order. */
function treeChunks(file: Container, grid: ChunkGrid, root: number, low: number[], high: number[]) {
  const chunks = new Map<number, ChunkLocation>();
  const seen = new Set<number>();
  const { chunk } = grid.layout;
  const rank = chunk.length;
  const keyBytes = 8 + 8 * (rank + 1);
  const walk = (address: number, expected: number | undefined): void => {
    if (seen.has(address))
      throw decodeFailed(`${file.where(address)} is listed twice in an index; the file is corrupted`);
    seen.add(address);
    const head = file.cursor(address, 8).expect('TREE');
    const type = head.u8();
    const level = head.u8();
    const entries = head.u16();
    if (type !== 1 || (expected !== undefined && level !== expected)) {
      throw decodeFailed(`${file.where(address)} is not a chunk index; the file is corrupted`);
    }
    const prefix = 8 + 2 * file.offsetSize;
    const cursor = file.cursor(address, prefix + entries * (keyBytes + file.offsetSize) + keyBytes).skip(prefix);
    const key = () => ({ size: cursor.u32(), mask: cursor.u32(), at: toPositions(cursor.take(8 * (rank + 1)), chunk) });
    let { size, mask, at } = key();
    for (let i = 0; i < entries; i++) {
      const child = cursor.address();
      const next = key();
      // Keys ascend. With two chunks at one position, another position would be empty.
      const ascends = i === entries - 1 || compare(next.at, at) > 0;
      if (child === undefined || !ascends)
        throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
      if (level === 0) {
        if (inBox(at, low, high)) chunks.set(gridKey(grid, at), { address: child, size, mask });
      } else if (compare(next.at, low) >= 0 && compare(at, high) <= 0) walk(child, level - 1);
      ({ size, mask, at } = next);
    }
  };
  walk(root, undefined);
  return chunks;
}

function toPositions(bytes: Uint8Array, chunk: readonly number[]): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return chunk.map((size, i) => Math.floor(Number(view.getBigUint64(8 * i, true)) / size));
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function inBox(at: readonly number[], low: readonly number[], high: readonly number[]): boolean {
  return at.every((position, i) => position >= low[i]! && position <= high[i]!);
}

/** Reads records of type 10 (no filters) and 11: address, [size, mask,] position in the grid. */
function tree2Chunks(file: Container, grid: ChunkGrid, root: number, low: number[], high: number[]) {
  const chunks = new Map<number, ChunkLocation>();
  const { chunkBytes, filters } = grid.layout;
  const rank = grid.shape.length;
  for (const record of treeRecords(file, root, [10, 11])) {
    const address = record.address();
    const sizeBytes = filters.length > 0 ? record.left - 4 - 8 * rank : 0;
    if (sizeBytes < 0 || sizeBytes > 8)
      throw decodeFailed(`${file.where(root)} is not a valid chunk index; the file is corrupted`);
    const size = sizeBytes > 0 ? record.uint(sizeBytes) : chunkBytes;
    const mask = sizeBytes > 0 ? record.u32() : 0;
    const at = Array.from({ length: rank }, () => record.uint(8));
    if (address !== undefined && inBox(at, low, high)) chunks.set(gridKey(grid, at), { address, size, mask });
  }
  if (chunks.size > LIMITS.hdf5Chunks)
    throw decodeFailed(
      `${file.where(root)} lists ${grouped(chunks.size)} chunks; the limit is ${grouped(LIMITS.hdf5Chunks)}`,
    );
  return chunks;
}
