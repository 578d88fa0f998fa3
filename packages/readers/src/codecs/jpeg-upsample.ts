/** One component of a decoded JPEG image: `height` rows of `width` samples, `stride` apart. */
export interface ComponentPlane {
  samples: Uint8Array | Uint16Array;
  width: number;
  height: number;
  stride: number;
}

/**
 * Writes a component to every `step`-th sample of an image that is `across` × `down` times as large, as libjpeg does: doubled samples
 * are interpolated, others repeated, and all are with `repeat`.
 */
export function upsample(
  plane: ComponentPlane,
  { across, down, repeat }: { across: number; down: number; repeat: boolean },
  out: { samples: Uint8Array | Uint16Array; width: number; height: number; at: number; step: number },
): void {
  // Of two samples or fewer, libjpeg repeats them.
  const isDoubled = across === 2 ? plane.width > 2 && down <= 2 : across === 1 && down === 2;
  const isSmooth = isDoubled && !repeat;
  const row = new Int32Array(plane.width);
  const { samples, width, height, at, step } = out;
  for (let y = 0; y < height; y++) {
    const from = Math.floor(y / down);
    const isUpper = y % 2 === 0;
    const near = isSmooth && down === 2 ? clampRow(isUpper ? from - 1 : from + 1, plane.height) : from;
    const weights = isSmooth && down === 2 ? 4 : 1;
    for (let x = 0; x < plane.width; x++) {
      const own = plane.samples[from * plane.stride + x]!;
      row[x] = weights === 1 ? own : own * 3 + plane.samples[near * plane.stride + x]!;
    }
    let to = at + y * width * step;
    for (let x = 0; x < width; x++, to += step) {
      if (!isSmooth) samples[to] = row[Math.floor(x / across)]!;
      else if (across === 1) samples[to] = (row[x]! + (isUpper ? 1 : 2)) >> 2;
      else samples[to] = between(row, x, weights);
    }
  }
}

function clampRow(row: number, height: number): number {
  return Math.min(Math.max(row, 0), height - 1);
}

/** A sample of a doubled row: three parts of its own, one of the neighbor on its side. */
function between(row: Int32Array, x: number, weights: number): number {
  const own = x >> 1;
  const isLeft = (x & 1) === 0;
  const other = isLeft ? own - 1 : own + 1;
  if (weights === 1) {
    if (other < 0 || other >= row.length) return row[own]!;
    return (row[own]! * 3 + row[other]! + (isLeft ? 1 : 2)) >> 2;
  }
  const round = isLeft ? 8 : 7;
  if (other < 0 || other >= row.length) return (row[own]! * 4 + round) >> 4;
  return (row[own]! * 3 + row[other]! + round) >> 4;
}
