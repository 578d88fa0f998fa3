/**
 * The shortest decimal number that is the same 32-bit float: 5e-7 for what a file holds as 4.99999987…e-7. Numbers that
 * are no 32-bit floats come back as they are.
 */
export function shortestDecimal(value: number): number {
  if (!Number.isFinite(value) || Math.fround(value) !== value) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** Removes the digits that a product or quotient adds: 1.2 for 1.2000000000000002. */
export function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}
