/** Returns the median of numbers in ascending order; `undefined` without any. */
export function medianOfSorted(sorted: ArrayLike<number>): number | undefined {
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return (sorted[middle - 1]! + upper) / 2;
}
