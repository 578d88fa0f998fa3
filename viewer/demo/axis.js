/** Ticks and words of a physical axis. Pure functions. */

const WORDS = { seconds: 'time', micrometer: 'position' };
/** [factor of the step's unit, symbol], finest first. */
const SCALES = {
  seconds: [
    [1e6, 'µs'],
    [1e3, 'ms'],
    [1, 's'],
  ],
  micrometer: [
    [1e3, 'nm'],
    [1, 'µm'],
    [1e-3, 'mm'],
  ],
};

/** The unit in which an extent reads as a number of some size: 0.05 s as 50 ms. */
export function scaleOf(extent, unit) {
  const scales = SCALES[unit] ?? [[1, 'px']];
  return scales.findLast(([factor]) => extent * factor >= 1) ?? scales[0];
}

/** Round values from 0 to `extent`, at most `most` steps of 1, 2 or 5 times a power of ten. */
export function ticks(extent, most) {
  const rough = extent / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999_999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const count = Math.floor(extent / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => ({ at: i * step, text: (i * step).toFixed(digits) }));
}

/** Everything that is drawn along one side: places as fractions of its length, texts, and the title. */
export function describeAxis(axis, pixels, pixelsPerTick) {
  const extent = axis.size * axis.step;
  const [factor, symbol] = scaleOf(extent, axis.unit);
  const marks = ticks(extent * factor, pixels / pixelsPerTick);
  return {
    title: `${WORDS[axis.unit] ?? axis.name} (${symbol})`,
    marks: marks.map(({ at, text }) => ({ place: at / (extent * factor), text })),
  };
}

/** A position for reading: `1.234 s`. */
export function readPosition(axis, index) {
  if (!SCALES[axis.unit]) return '';
  const value = index * axis.step;
  const [factor, symbol] = scaleOf(axis.size * axis.step, axis.unit);
  const digits = Math.max(0, Math.ceil(-Math.log10(axis.step * factor)) + 1);
  return `${(value * factor).toFixed(digits)} ${symbol}`;
}
