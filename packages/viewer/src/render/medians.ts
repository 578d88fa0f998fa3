/**
 * Medians of 3 × 3 cells, row by row. Cells beyond the border repeat the border. Neighbors share the sorted three cells of
 * each column, and the median of nine is the median of: the largest minimum, the median of the medians and the smallest
 * maximum.
 */
export class FloatMedians {
  readonly #values: Float32Array;
  readonly #rows: number;
  readonly #low: Float64Array;
  readonly #middle: Float64Array;
  readonly #high: Float64Array;
  readonly #medians: Float64Array;

  constructor(values: Float32Array, rows: number, columns: number) {
    this.#values = values;
    this.#rows = rows;
    const line = () => new Float64Array(columns);
    [this.#low, this.#middle, this.#high, this.#medians] = [line(), line(), line(), line()];
  }

  /** Returns the median around each cell of a row, in an array that the next call fills again. */
  around(row: number): Float64Array {
    const [values, lows, middles, highs, medians] = [this.#values, this.#low, this.#middle, this.#high, this.#medians];
    const columns = medians.length;
    const [top, middle, bottom] = rowsAround(row, this.#rows, columns);
    for (let c = 0; c < columns; c++) {
      const a = values[top + c]!;
      const b = values[middle + c]!;
      const d = values[bottom + c]!;
      lows[c] = smallest(a, b, d);
      highs[c] = largest(a, b, d);
      middles[c] = medianOf3(a, b, d);
    }
    for (let c = 0; c < columns; c++) {
      const left = c > 0 ? c - 1 : c;
      const right = c < columns - 1 ? c + 1 : c;
      const largestLow = largest(lows[left]!, lows[c]!, lows[right]!);
      const smallestHigh = smallest(highs[left]!, highs[c]!, highs[right]!);
      medians[c] = medianOf3(largestLow, medianOf3(middles[left]!, middles[c]!, middles[right]!), smallestHigh);
    }
    return medians;
  }
}

/** Stands for infinity among integers of 16 bits. */
const BEYOND = 65_536;

/** The same for integers of at most 16 bits, without branches, which noise would make the processor guess wrongly. */
export class IntegerMedians {
  readonly #values: Float32Array;
  readonly #rows: number;
  readonly #low: Int32Array;
  readonly #middle: Int32Array;
  readonly #high: Int32Array;
  readonly #medians: Int32Array;

  /** @param values integers, and infinities where a cell has no samples */
  constructor(values: Float32Array, rows: number, columns: number) {
    this.#values = values;
    this.#rows = rows;
    const line = () => new Int32Array(columns);
    [this.#low, this.#middle, this.#high, this.#medians] = [line(), line(), line(), line()];
  }

  /** Returns the median around each cell of a row, in an array that the next call fills again. */
  around(row: number): Int32Array {
    const [values, lows, middles, highs, medians] = [this.#values, this.#low, this.#middle, this.#high, this.#medians];
    const columns = medians.length;
    const [top, middle, bottom] = rowsAround(row, this.#rows, columns);
    for (let c = 0; c < columns; c++) {
      const a = toInteger(values[top + c]!);
      const b = toInteger(values[middle + c]!);
      const d = toInteger(values[bottom + c]!);
      const [low, high] = [min(a, b), max(a, b)];
      lows[c] = min(low, d);
      highs[c] = max(high, d);
      middles[c] = max(low, min(high, d));
    }
    for (let c = 0; c < columns; c++) {
      const left = c > 0 ? c - 1 : c;
      const right = c < columns - 1 ? c + 1 : c;
      const largestLow = max(max(lows[left]!, lows[c]!), lows[right]!);
      const smallestHigh = min(min(highs[left]!, highs[c]!), highs[right]!);
      const [a, b] = [middles[left]!, middles[c]!];
      const between = max(min(a, b), min(max(a, b), middles[right]!));
      medians[c] = max(min(largestLow, between), min(max(largestLow, between), smallestHigh));
    }
    return medians;
  }
}

/** Returns where the row above, the row and the row below begin. */
function rowsAround(row: number, rows: number, columns: number): [number, number, number] {
  return [Math.max(0, row - 1) * columns, row * columns, Math.min(rows - 1, row + 1) * columns];
}

function toInteger(value: number): number {
  return (value > BEYOND ? BEYOND : value < -BEYOND ? -BEYOND : value) | 0;
}

/** The smaller one of two integers whose difference fits into 32 bits. */
function min(a: number, b: number): number {
  const below = a - b;
  return b + (below & (below >> 31));
}

/** The larger one of two integers whose difference fits into 32 bits. */
function max(a: number, b: number): number {
  const below = a - b;
  return a - (below & (below >> 31));
}

function largest(a: number, b: number, c: number): number {
  const both = a > b ? a : b;
  return both > c ? both : c;
}

function smallest(a: number, b: number, c: number): number {
  const both = a < b ? a : b;
  return both < c ? both : c;
}

function medianOf3(a: number, b: number, c: number): number {
  if (a < b) return c < a ? a : c > b ? b : c;
  return c < b ? b : c > a ? a : c;
}
