/** From the numbers of a plane to grey values. Pure functions: no page is needed to test them. */

const BINS = 65_536;
/** A sample that stands out of its surroundings by this many standard deviations of the noise is not averaged away. */
const OUTLIER = 4;
/** Screen pixels on each side, along time, that are the surroundings. */
const SURROUNDINGS = 3;

/** Smallest and largest finite value, and whether all finite values are whole numbers. */
export function extent(plane) {
  let low = Infinity;
  let high = -Infinity;
  let whole = true;
  for (let i = 0; i < plane.length; i++) {
    const value = plane[i];
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    if (whole && value !== Math.floor(value)) whole = false;
  }
  return low > high ? { low: 0, high: 0, whole: true } : { low, high, whole };
}

/** Values below which the given fractions of all samples lie: exact for counts, to 1/65536 of the range otherwise. */
export function percentiles(plane, fractions) {
  const { low, high, whole } = extent(plane);
  const width = whole && high - low < BINS ? 1 : (high - low) / (BINS - 1) || 1;
  const counts = new Uint32Array(BINS);
  let total = 0;
  for (let i = 0; i < plane.length; i++) {
    const value = plane[i];
    if (!Number.isFinite(value)) continue;
    counts[Math.floor((value - low) / width)]++;
    total++;
  }
  return fractions.map((fraction) => {
    let left = fraction * (total - 1);
    for (let bin = 0; bin < BINS; bin++) {
      left -= counts[bin];
      if (left < 0) return low + bin * width;
    }
    return high;
  });
}

/** Black and white for display: 1 % and 99.5 % of the samples. */
export function autoContrast(plane) {
  const [black, white] = percentiles(plane, [0.01, 0.995]);
  return { black, white: white > black ? white : black + 1 };
}

/** Grey 0–255 of a value. */
export function toGrey(value, { black, white }) {
  return Math.round(255 * Math.min(1, Math.max(0, (value - black) / (white - black))));
}

/** Standard deviation of the noise: from differences of neighbouring lines, by their median. */
export function noiseOf(plane, rows, columns) {
  const pairs = (rows - 1) * columns;
  if (pairs <= 0) return 0;
  const stride = Math.max(1, Math.floor(pairs / 20_000));
  const differences = [];
  for (let i = 0; i < pairs; i += stride) {
    const difference = Math.abs(plane[i + columns] - plane[i]);
    if (Number.isFinite(difference)) differences.push(difference);
  }
  differences.sort((a, b) => a - b);
  const median = differences[differences.length >> 1] ?? 0;
  return median / (0.6745 * Math.SQRT2);
}

/**
 * The plane at screen size: at most `width` × `height`, never larger than the plane. Each pixel is the mean of its
 * samples; but when its highest (or lowest) sample is higher (lower) than is usual for the pixels around it, that sample
 * is shown, so that a spike of one line survives.
 * @returns {{width: number, height: number, values: Float32Array}}
 */
export function reduce(plane, [rows, columns], transposed, width, height) {
  const w = Math.min(width, transposed ? rows : columns);
  const h = Math.min(height, transposed ? columns : rows);
  const rowTo = scaleMap(rows, transposed ? w : h, transposed ? 1 : w);
  const columnTo = scaleMap(columns, transposed ? h : w, transposed ? w : 1);
  const sums = new Float64Array(w * h);
  const counts = new Uint32Array(w * h);
  const lows = new Float32Array(w * h).fill(Infinity);
  const highs = new Float32Array(w * h).fill(-Infinity);
  for (let r = 0, i = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++, i++) {
      const value = plane[i];
      if (Number.isNaN(value)) continue;
      const to = rowTo[r] + columnTo[c];
      sums[to] += value;
      counts[to]++;
      if (value < lows[to]) lows[to] = value;
      if (value > highs[to]) highs[to] = value;
    }
  }
  const limit = OUTLIER * noiseOf(plane, rows, columns);
  const alongTime = transposed ? { length: w, stride: 1 } : { length: h, stride: w };
  const usualHigh = runningMedian(highs, alongTime);
  const usualLow = runningMedian(lows, alongTime);
  const values = Float32Array.from(sums, (sum, i) => {
    if (counts[i] < 2) return counts[i] ? sum : NaN;
    const above = highs[i] - usualHigh[i];
    const below = usualLow[i] - lows[i];
    if (Math.max(above, below) > limit) return above >= below ? highs[i] : lows[i];
    return sum / counts[i];
  });
  return { width: w, height: h, values };
}

/** For each pixel the median of itself and its surroundings on a line of `length` pixels `stride` apart. */
function runningMedian(values, { length, stride }) {
  const medians = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = Math.floor(i / stride) % length;
    const around = [];
    for (let k = -SURROUNDINGS; k <= SURROUNDINGS; k++) {
      if (place + k >= 0 && place + k < length) around.push(values[i + k * stride]);
    }
    around.sort((a, b) => a - b);
    medians[i] = around[(around.length - 1) >> 1];
  }
  return medians;
}

/** For each source index its place on the other side, times `stride`. */
function scaleMap(from, to, stride) {
  return Int32Array.from({ length: from }, (_, i) => Math.floor((i * to) / from) * stride);
}
