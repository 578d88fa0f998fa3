import type { Shape } from '../model/document.ts';
import { eachStretch, type PlaneRegion } from './region.ts';
import type { Slices } from './slices.ts';

export interface RankSearch {
  readonly part: PlaneRegion;
  readonly shape: Shape;
  /** Counts by the high half of the sortable key. */
  readonly high: Uint32Array;
  /** From 0. */
  readonly ranks: readonly number[];
}

/** Radix selection: the high half of the key is known, the low half is counted where it matters. */
export async function valuesOfRanks(
  keys: Uint32Array,
  data: Float32Array,
  { part, shape, high, ranks }: RankSearch,
  slices: Slices,
): Promise<number[]> {
  const places = ranks.map((rank) => place(high, rank));
  const low = new Map(places.map(({ bin }) => [bin, new Uint32Array(65_536)]));
  const gather = (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const key = sortable(keys[at]!);
      const counts = low.get(key >>> 16);
      if (counts && finite(data[at]!)) counts[key & 0xffff] = counts[key & 0xffff]! + 1;
    }
  };
  await eachStretch(part, shape, slices, gather, 0.5);
  return places.map(({ bin, rest }) => {
    const inner = place(low.get(bin)!, rest);
    return floatOf(((bin << 16) | inner.bin) >>> 0);
  });
}

/** The bin that holds the sample of a rank, and its rank within the bin. */
function place(counts: Uint32Array, rank: number): { bin: number; rest: number } {
  let rest = rank;
  let bin = 0;
  while (bin < counts.length - 1 && rest >= counts[bin]!) {
    rest -= counts[bin]!;
    bin += 1;
  }
  return { bin, rest };
}

/** Bits of a float32 as an unsigned integer of the same order. */
export function sortable(bits: number): number {
  return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
}

function floatOf(key: number): number {
  const bits = new Uint32Array([key & 0x80000000 ? key & 0x7fffffff : ~key]);
  return new Float32Array(bits.buffer)[0]!;
}

export function finite(value: number): boolean {
  return value - value === 0;
}
