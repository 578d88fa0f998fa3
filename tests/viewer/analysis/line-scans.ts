/** Line scans in which cells move at a known speed, and line scans in which nothing moves. */
import { random } from '../../support/differential.js';

export const gaussian = (next: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

export interface Flow {
  readonly rows: number;
  readonly columns: number;
  /** Mean speed, columns per line. */
  readonly speed: number;
  /** Part of the speed by which it swings, once in 700 lines. */
  readonly pulse: number;
  /** Standard deviation of the noise; cells are 60 darker than the plasma. */
  readonly noise: number;
  /** True for cells with edges, false for blurred ones. */
  readonly sharp: boolean;
  readonly seed: number;
}

/** Columns that a cell is wide. */
export const CELL = 7;
/** Places per column at which the brightness along the vessel is known. */
const FINE = 8;

/** Dark cells at random distances that flow over a pattern that stays in place. `speeds` has the columns of each line. */
export function flow({ rows, columns, speed, pulse, noise, sharp, seed }: Flow) {
  const next = random(seed);
  const gauss = gaussian(next);
  const speeds = Float64Array.from(
    { length: rows },
    (_, row) => speed * (1 + pulse * Math.sin((2 * Math.PI * row) / 700)),
  );
  const moved = new Float64Array(rows);
  for (let row = 1; row < rows; row++) moved[row] = moved[row - 1]! + speeds[row - 1]!;
  const from = -Math.max(0, moved[rows - 1]!) - CELL;
  const to = columns - Math.min(0, moved[rows - 1]!) + CELL;
  const vessel = new Float64Array(Math.ceil((to - from) * FINE)).fill(100);
  for (let at = from; at < to; at += CELL * (1.3 + 3 * next())) {
    const first = Math.max(0, Math.floor((at - from - 2 * CELL) * FINE));
    for (let i = first; i < Math.min(vessel.length, (at - from + 2 * CELL) * FINE); i++) {
      const distance = (i / FINE + from - at) / CELL;
      const dark = sharp ? Number(Math.abs(distance) < 0.5) : Math.exp(-4 * distance * distance);
      vessel[i] = vessel[i]! - 60 * dark;
    }
  }
  const data = Float32Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const place = vessel[Math.round((column - moved[row]! - from) * FINE)] ?? 100;
    return place + 5 * (column % 7) + 40 * bump(column, columns / 2, columns / 3) + noise * gauss();
  });
  return { data, speeds };
}

const bump = (at: number, middle: number, width: number) => Math.exp(-(((at - middle) / width) ** 2));

/** Rises within a few lines, as the calcium of a cell does, and falls within `fall` lines. */
const transient = (row: number, onset: number, fall: number) =>
  row < onset ? 0 : (1 - Math.exp((onset - row) / 6)) * Math.exp((onset - row) / fall);

interface Size {
  readonly rows: number;
  readonly columns: number;
}

type Brightness = (row: number, column: number) => number;

const scan = ({ rows, columns }: Size, value: Brightness) =>
  Float32Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));

/** Means over 3 × 3 samples, or over 3 columns: what optics and electronics make of white noise. */
function blurred(size: Size, lines: 0 | 1, next: () => number): Float32Array {
  const gauss = gaussian(next);
  const white = scan(size, () => 100 + 20 * gauss());
  const { rows, columns } = size;
  return scan(size, (row, column) => {
    let [sum, count] = [0, 0];
    for (let y = Math.max(0, row - lines); y <= Math.min(rows - 1, row + lines); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
        sum += white[y * columns + x]!;
        count += 1;
      }
    }
    return sum / count;
  });
}

function photons(mean: number, next: () => number): number {
  let count = -1;
  for (let product = 1; product > Math.exp(-mean); count++) product *= next();
  return count;
}

/** Several cells that light up at times and places of their own. */
function transients(size: Size, next: () => number): Float32Array {
  const gauss = gaussian(next);
  const cells = Array.from({ length: 6 }, () => ({
    onset: size.rows * next(),
    middle: size.columns * next(),
    width: size.columns * (0.05 + 0.3 * next()),
    height: 100 + 300 * next(),
    fall: 50 + 300 * next(),
  }));
  return scan(size, (row, column) =>
    cells.reduce(
      (sum, { onset, middle, width, height, fall }) =>
        sum + height * transient(row, onset, fall) * bump(column, middle, width),
      100 + 12 * gauss(),
    ),
  );
}

/** By name, scans in which nothing moves. */
export const STILL: Readonly<Record<string, (size: Size, seed: number) => Float32Array>> = {
  'white noise': (size, seed) => {
    const gauss = gaussian(random(seed));
    return scan(size, () => 100 + 20 * gauss());
  },
  'photon noise': (size, seed) => {
    const next = random(seed);
    return scan(size, () => photons(3, next));
  },
  'noise smoothed along the line': (size, seed) => blurred(size, 0, random(seed)),
  'noise smoothed in both directions': (size, seed) => blurred(size, 1, random(seed)),
  'a few bright samples': (size, seed) => {
    const next = random(seed);
    const gauss = gaussian(next);
    return scan(size, () => 100 + 5 * gauss() + (next() < 0.002 ? 400 : 0));
  },
  'lines of uneven brightness': (size, seed) => {
    const gauss = gaussian(random(seed));
    const lines = Array.from({ length: size.rows }, () => 10 * gauss());
    return scan(size, (row) => 100 + lines[row]! + 10 * gauss());
  },
  'a flickering light': (size, seed) => {
    const gauss = gaussian(random(seed));
    return scan(size, (row) => 100 + 20 * Math.sin(row / 9) + 5 * gauss());
  },
  'hum of the mains': ({ rows, columns }, seed) => {
    const gauss = gaussian(random(seed));
    const phase: Brightness = (row, column) => (2 * Math.PI * (row + column / columns)) / 17;
    return scan({ rows, columns }, (row, column) => 100 + 20 * Math.sin(phase(row, column)) + 5 * gauss());
  },
  'a flat field': ({ rows, columns }, seed) => {
    const gauss = gaussian(random(seed));
    return scan({ rows, columns }, (_, column) => 100 + 60 * bump(column, columns / 2, columns / 3) + 5 * gauss());
  },
  'a field that bleaches': ({ rows, columns }, seed) => {
    const gauss = gaussian(random(seed));
    const field = (column: number) => 50 + 100 * bump(column, columns / 3, columns / 5);
    const value: Brightness = (row, column) => field(column) * (0.5 + 0.5 * Math.exp((-2 * row) / rows));
    return scan({ rows, columns }, (row, column) => value(row, column) + 3 * gauss());
  },
  'the onset of a transient': ({ rows, columns }, seed) => {
    const next = random(seed);
    const gauss = gaussian(next);
    const onset = rows * next();
    const cell = (column: number) => 0.4 + bump(column, columns * 0.6, columns / 4);
    return scan({ rows, columns }, (row, column) => {
      return 100 + 300 * transient(row, onset, 200) * cell(column) + 15 * gauss();
    });
  },
  'transients of several cells': (size, seed) => transients(size, random(seed)),
};
