const WRAP = 2 ** 32;

/**
 * Restores offsets of strips beyond 4 GB, which the file stores modulo 2³²: in the order in which the strips were written,
 * each step back means another 4 GB. Zeros stay, because those strips were never written.
 * @param stored offsets in writing order
 */
export function unwrapOffsets(stored: ArrayLike<number>): Float64Array {
  const offsets = new Float64Array(stored.length);
  let wrap = 0;
  let previous = 0;
  for (let i = 0; i < stored.length; i++) {
    const offset = stored[i]!;
    if (offset === 0) continue;
    if (offset < previous) wrap += WRAP;
    offsets[i] = offset + wrap;
    previous = offset;
  }
  return offsets;
}

/**
 * Yields images in the order in which they were written. Pages are listed position by position, but a time series visits
 * all positions before the next time point.
 */
export function* writingOrder(scenes: number, times: number, perTime: number): Generator<number> {
  for (let t = 0; t < times; t++) {
    for (let s = 0; s < scenes; s++) {
      for (let i = 0; i < perTime; i++) yield (s * times + t) * perTime + i;
    }
  }
}
