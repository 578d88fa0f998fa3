/** Returns the median of numbers in ascending order; `undefined` without any. */
export function medianOfSorted(sorted: ArrayLike<number>): number | undefined {
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return (sorted[middle - 1]! + upper) / 2;
}

/** Returns all indices below `size`, or `max` > 1 of them that are evenly spread, with both ends. */
export function spreadIndices(size: number, max: number): number[] {
  if (size <= max) return Array.from({ length: size }, (_, index) => index);
  return Array.from({ length: max }, (_, i) => Math.round((i * (size - 1)) / (max - 1)));
}
