/** Stripes in a window of a line scan: the direction that explains most of the variance, and how far it can be trusted. */

/** Samples of a window with a mean of 0. */
export interface Window {
  readonly values: Float64Array;
  readonly height: number;
  readonly width: number;
  readonly squares: number;
}

/**
 * A direction of stripes. `shift` is the number of columns that a stripe moves over the height of the window (`flat` is
 * false), or the number of lines that it takes over the width of the window (`flat` is true), so that both stay small.
 */
interface Direction {
  readonly flat: boolean;
  readonly shift: number;
}

/** Lines and columns of the reduced window on which the first search runs. */
const COARSE_LINES = 128;
const COARSE_COLUMNS = 64;
/** Columns or lines between two neighboring slopes of the first search, over the length of the window. */
const COARSE_STEP = 3;
/** The search ends when a step changes the far end of a stripe by less than this, in samples. */
const FINEST = 0.02;
/** A stripe that takes fewer lines than this to cross the window cannot be told from one that is everywhere at once. */
const MIN_CROSSING = 2;
/** Standard errors by which a correlation counts less: few stripes agree by chance. */
const CHANCE = 1.5;
/** Agreement of what is left without the pattern in place, from which on it is enough. */
const ENOUGH = 0.2;
/** Part of the variance that stripes explain where noise hides little. */
const CLEAR = 0.4;
/** Rounds of the power iteration. */
const ROUNDS = 8;

/** Returns the slope of the stripes, in columns per line, and its quality; NaN and 0 for a window without contrast. */
export function findStripes(window: Window): { slope: number; quality: number } {
  if (!(window.squares > 0)) return { slope: Number.NaN, quality: 0 };
  const small = reduce(window);
  const start = searchAll(small.window);
  const scale = start.flat
    ? (small.byLines * window.width) / (small.window.width * small.byColumns)
    : (small.byColumns * window.height) / (small.window.height * small.byLines);
  const direction = refine(window, { flat: start.flat, shift: start.shift * scale }, COARSE_STEP * scale);
  const { flat, shift } = direction;
  const slope = flat ? (shift === 0 ? Number.POSITIVE_INFINITY : window.width / shift) : shift / window.height;
  return { slope, quality: qualityOf(window, direction) };
}

/** Returns a window whose samples are averages of blocks, small enough for the first search. */
function reduce(window: Window): { readonly window: Window; readonly byLines: number; readonly byColumns: number } {
  const byLines = Math.max(1, Math.floor(window.height / COARSE_LINES));
  const byColumns = Math.max(1, Math.floor(window.width / COARSE_COLUMNS));
  if (byLines === 1 && byColumns === 1) return { window, byLines, byColumns };
  const [height, width] = [Math.floor(window.height / byLines), Math.floor(window.width / byColumns)];
  const values = new Float64Array(height * width);
  for (let t = 0; t < height * byLines; t++) {
    for (let x = 0; x < width * byColumns; x++) {
      const at = Math.floor(t / byLines) * width + Math.floor(x / byColumns);
      values[at] = values[at]! + window.values[t * window.width + x]! / (byLines * byColumns);
    }
  }
  return { window: withSquares(values, height, width), byLines, byColumns };
}

export function withSquares(values: Float64Array, height: number, width: number): Window {
  let squares = 0;
  for (const value of values) squares += value * value;
  return { values, height, width, squares };
}

/** Returns the best of all directions, in steps of `COARSE_STEP`. */
function searchAll(window: Window): Direction {
  const { height, width } = window;
  let best: Direction = { flat: false, shift: 0 };
  let highest = Number.NEGATIVE_INFINITY;
  const consider = (direction: Direction) => {
    const quality = explained(window, direction);
    if (quality <= highest) return;
    highest = quality;
    best = direction;
  };
  // Up to one column per line as shift over the height, from there on as shift over the width.
  for (let shift = -height; shift <= height; shift += COARSE_STEP) consider({ flat: false, shift });
  for (let shift = -width; shift <= width; shift += COARSE_STEP) consider({ flat: true, shift });
  return best;
}

/** Climbs to the maximum in ever smaller steps. */
function refine(window: Window, from: Direction, firstStep: number): Direction {
  let direction = from;
  let highest = explained(window, from);
  for (let step = firstStep; step > FINEST; step /= 2) {
    for (const by of [-step, step]) {
      const next = { ...direction, shift: direction.shift + by };
      const better = explained(window, next);
      if (better <= highest) continue;
      direction = next;
      highest = better;
      break;
    }
  }
  return direction;
}

/**
 * Returns how far a direction can be trusted, from 0 to 1. Stripes that move look the same in both halves of the window, not
 * in the mirrored direction, and not all alike in place. Noise fails the first, and what becomes brighter in place, as at
 * the onset of a calcium transient, the others.
 */
function qualityOf(window: Window, direction: Direction): number {
  if (direction.flat && Math.abs(direction.shift) < MIN_CROSSING) return 0;
  const along = explained(window, direction);
  const r = along > 0 ? agreement(window, direction) : 0;
  if (r <= 0) return 0;
  const mirrored = explained(window, { ...direction, shift: -direction.shift });
  const { share, rest } = splitInPlace(window);
  // Exponents: cells that cross the window in a few lines have something of both.
  const moving = (1 - clamp(mirrored / along) ** 2) * (1 - clamp(share / along) ** 6);
  // Where noise hides what stays in place, stripes must be seen beside it.
  const beside = Math.max(clamp(along / CLEAR), clamp(agreement(rest, direction) / ENOUGH));
  // Spearman and Brown: the whole window is twice as long as the halves.
  return ((2 * r) / (1 + r)) * moving * beside;
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));

/**
 * Finds the pattern that stays in place and changes its brightness, and explains most: the first singular vectors, by power
 * iteration. Returns its share of the variance, less what noise has, and the window without it.
 */
function splitInPlace({ values, height, width, squares }: Window): { share: number; rest: Window } {
  let pattern = values.slice(0, width);
  let brightness = new Float64Array(height);
  for (let round = 0; round < ROUNDS; round++) {
    brightness = new Float64Array(height);
    const next = new Float64Array(width);
    const length = Math.sqrt(pattern.reduce((sum, value) => sum + value * value, 0)) || 1;
    for (let t = 0; t < height; t++) {
      let sum = 0;
      for (let x = 0; x < width; x++) sum += (values[t * width + x]! * pattern[x]!) / length;
      for (let x = 0; x < width; x++) next[x] = next[x]! + sum * values[t * width + x]!;
      brightness[t] = sum;
    }
    pattern = pattern.map((value) => value / length);
    if (round < ROUNDS - 1) pattern = next;
  }
  const rest = values.map((value, i) => value - brightness[Math.floor(i / width)]! * pattern[i % width]!);
  const found = brightness.reduce((sum, value) => sum + value * value, 0) / squares;
  const chance = (Math.sqrt(height) + Math.sqrt(width)) ** 2 / (height * width);
  return { share: (found - chance) / (1 - chance), rest: withSquares(rest, height, width) };
}

/**
 * Returns the part of the variance that stripes of a direction explain, corrected for the number of stripes as adjusted
 * R² is, so that noise gives 0 for every direction.
 */
function explained(window: Window, direction: Direction): number {
  const { height, width, squares } = window;
  const { sums, weights } = project(window, direction, { rows: [0, height], columns: [0, width] });
  let between = 0;
  let used = 0;
  for (let bin = 0; bin < sums.length; bin++) {
    const weight = weights[bin]!;
    // A stripe that only touches a corner of the window says nothing.
    if (weight < 1) continue;
    between += (sums[bin]! * sums[bin]!) / weight;
    used += 1;
  }
  const total = window.values.length;
  return 1 - ((1 - between / squares) * (total - 1)) / Math.max(1, total - used);
}

/** Returns how well the profiles across the stripes agree in two halves of the window, for the worst of three ways to halve. */
function agreement(window: Window, direction: Direction): number {
  const parts = quarters(window, direction).map((part) => project(window, direction, part));
  const half = (a: number, b: number) => addProfiles(parts[a]!, parts[b]!);
  return Math.min(
    correlation(half(0, 2), half(1, 3)),
    correlation(half(0, 1), half(2, 3)),
    correlation(half(0, 3), half(1, 2)),
  );
}

interface StripePart {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

/** Cuts a window so that each stripe has a piece in each quarter: by lines, or by columns where stripes leave at the sides. */
function quarters({ height, width }: Window, { flat, shift }: Direction): StripePart[] {
  const byColumns = flat ? Math.abs(shift) < height : Math.abs(shift) > width;
  const cut = (size: number, part: number) => Math.floor((size * part) / 4);
  return [0, 1, 2, 3].map((part) =>
    byColumns
      ? { rows: [0, height], columns: [cut(width, part), cut(width, part + 1)] }
      : { rows: [cut(height, part), cut(height, part + 1)], columns: [0, width] },
  );
}

/** Sum and weight of the samples in each stripe. */
interface StripeSums {
  readonly sums: Float64Array;
  readonly weights: Float64Array;
}

function addProfiles(a: StripeSums, b: StripeSums): StripeSums {
  return {
    sums: a.sums.map((sum, i) => sum + b.sums[i]!),
    weights: a.weights.map((weight, i) => weight + b.weights[i]!),
  };
}

/** Returns the weighted correlation of the means, less what so few stripes have by chance. */
function correlation(one: StripeSums, other: StripeSums): number {
  let [count, all, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < one.sums.length; i++) {
    const [first, second] = [one.weights[i]!, other.weights[i]!];
    if (first < 1 || second < 1) continue;
    const weight = (first * second) / (first + second);
    const [x, y] = [one.sums[i]! / first, other.sums[i]! / second];
    count += 1;
    all += weight;
    a += weight * x;
    b += weight * y;
    aa += weight * x * x;
    bb += weight * y * y;
    ab += weight * x * y;
  }
  const [varianceA, varianceB] = [aa - (a * a) / all, bb - (b * b) / all];
  if (count < 4 || !(varianceA > 0 && varianceB > 0)) return 0;
  const r = (ab - (a * b) / all) / Math.sqrt(varianceA * varianceB);
  return r - (CHANCE * (1 - r * r)) / Math.sqrt(count);
}

/** Projects a part of a window; what its stripes are does not depend on the part. */
function project({ values, height, width }: Window, { flat, shift }: Direction, part: StripePart): StripeSums {
  // Stripes cross `steps` lines (or columns), each with `across` samples.
  const [steps, across] = flat ? [width, height] : [height, width];
  const [stepStride, acrossStride] = flat ? [1, width] : [width, 1];
  const [[firstStep, endStep], [first, end]] = flat ? [part.columns, part.rows] : [part.rows, part.columns];
  const reach = Math.ceil(Math.abs(shift)) + 1;
  const bins = across + 2 * reach + 1;
  const sums = new Float64Array(bins);
  const weights = new Float64Array(bins);
  for (let step = firstStep; step < endStep; step++) {
    const offset = reach - shift * ((step + 0.5) / steps - 0.5);
    const whole = Math.floor(offset);
    const share = offset - whole;
    const rest = 1 - share;
    let at = step * stepStride + first * acrossStride;
    for (let bin = whole + first; bin < whole + end; bin++, at += acrossStride) {
      const value = values[at]!;
      sums[bin] = sums[bin]! + rest * value;
      sums[bin + 1] = sums[bin + 1]! + share * value;
      weights[bin] = weights[bin]! + rest;
      weights[bin + 1] = weights[bin + 1]! + share;
    }
  }
  return { sums, weights };
}
