import { fromKey, toKey } from '@acquisition-store/readers/derive/analysis/order-keys.js';
import type { Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { eachStretch, type PlaneRegion } from './region.ts';
import type { Slices } from './slices.ts';

interface RankSearch {
  readonly part: PlaneRegion;
  readonly shape: Shape;
  /** Counts by the upper 16 bits of the sortable key. */
  readonly high: Uint32Array;
  /** Ranks, starting at 0. */
  readonly ranks: readonly number[];
}

/** Returns the samples with the given ranks by radix selection: counts the lower 16 bits where needed. */
export async function findRanks(
  data: Float32Array,
  { part, shape, high, ranks }: RankSearch,
  slices: Slices,
): Promise<number[]> {
  const keys = bitsOf(data);
  const bins = ranks.map((rank) => findBin(high, rank));
  const low = new Map(bins.map(({ bin }) => [bin, new Uint32Array(65_536)]));
  const gather = (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const key = toKey(keys[at]!);
      const counts = low.get(key >>> 16);
      if (counts && isFiniteSample(data[at]!)) counts[key & 0xffff] = counts[key & 0xffff]! + 1;
    }
  };
  await eachStretch(part, shape, slices, gather, 0.5);
  return bins.map(({ bin, rest }) => {
    const inner = findBin(low.get(bin)!, rest);
    return fromKey(((bin << 16) | inner.bin) >>> 0);
  });
}

/** Returns what is added to integers of 8 and 16 bits to count them in 65,536 bins. */
export function integerOffset(data: Samples): number {
  return data instanceof Int8Array || data instanceof Int16Array ? 32_768 : 0;
}

/** Returns the integers with the given ranks, starting at 0, from their counts. */
export function integersOfRanks(counts: Uint32Array, ranks: readonly number[], offset: number): number[] {
  return ranks.map((rank) => findBin(counts, rank).bin - offset);
}

/** Returns the bin of a rank and the rank within that bin. */
function findBin(counts: Uint32Array, rank: number): { bin: number; rest: number } {
  let rest = rank;
  let bin = 0;
  while (bin < counts.length - 1 && rest >= counts[bin]!) {
    rest -= counts[bin]!;
    bin += 1;
  }
  return { bin, rest };
}

export function bitsOf({ buffer, byteOffset, length }: Float32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

export function isFiniteSample(value: number): boolean {
  return value - value === 0;
}
