/** Units of axes and the prefixes with which they are displayed. */

/** A displayed unit: `s`, `ms`, `µm`… */
export interface Scale {
  readonly unit: string;
  /** Displayed value of one base unit: 1000 for ms. */
  readonly factor: number;
}

/** Largest unit first. `from` is the smallest value in base units for which a unit is used. */
const SCALES: Record<string, readonly (Scale & { readonly from: number })[]> = {
  seconds: [
    { unit: 's', factor: 1, from: 1 },
    { unit: 'ms', factor: 1e3, from: 1e-3 },
    { unit: 'µs', factor: 1e6, from: 0 },
  ],
  micrometer: [
    { unit: 'mm', factor: 1e-3, from: 1e4 },
    { unit: 'µm', factor: 1, from: 1 },
    { unit: 'nm', factor: 1e3, from: 0 },
  ],
};

/** Returns the display unit for values of this size. A unit without prefixes is used as it is, without a name. */
export function scaleFor(unit: string, largest: number): Scale {
  const scales = SCALES[unit];
  if (scales === undefined) return { unit: '', factor: 1 };
  const fitting = scales.find(({ from }) => Math.abs(largest) >= from * (1 - 1e-9));
  return fitting ?? scales[scales.length - 1]!;
}

/** Returns the largest unit in which the value is 1 or more; undefined for a unit without prefixes. */
export function wholeScale(unit: string, value: number): Scale | undefined {
  const scales = SCALES[unit];
  return scales?.find(({ factor }) => value * factor >= 1 - 1e-9) ?? scales?.[scales.length - 1];
}

export function isPhysical(unit: string): boolean {
  return unit in SCALES;
}
