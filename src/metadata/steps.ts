import type { Step, StepOrigin, Unit } from '../acquisition.js';
import { isUncalibrated, unitMeaning } from './units.js';

/** Unit of a dimension without calibration. */
export type UncalibratedUnit = 'Pixels' | 'Planes' | 'Frames' | 'Scenes';

/** Anything smaller is no distance or period that a microscope scans with: 1 pm, 1 fs. */
const SMALLEST = { micrometer: 1e-6, seconds: 1e-15 } as const;

/** The step of a dimension without calibration: 1 `Pixels` (X, Y), `Planes` (Z), `Frames` (T), `Scenes` (S). */
export function defaultStep(unit: UncalibratedUnit = 'Pixels'): Step {
  return { step: 1, unit, origin: 'default' };
}

/** A step already in the contract's units; `undefined` when it is no usable number. */
export function makeStep(step: number, unit: 'micrometer' | 'seconds', origin: StepOrigin = 'file'): Step | undefined {
  return Number.isFinite(step) && step >= SMALLEST[unit] ? { step, unit, origin } : undefined;
}

export interface StepOptions {
  /** What the step is of, for the warning: `X step`, `PhysicalSizeX`. */
  what: string;
  /** Receives why a step that the file does state is not used. */
  warnings: string[];
  /** Unit when the step is missing or unusable. */
  fallback?: UncalibratedUnit;
  origin?: StepOrigin;
  /** The only meaning that makes sense: µm for X, seconds for T. */
  expect?: 'micrometer' | 'seconds';
}

/**
 * Step from a value and a unit text of a file, converted to micrometer or seconds. A missing value, or a unit that says
 * "pixel", gives the default step in silence; a value or a unit that cannot be used gives it with a warning.
 */
export function fileStep(value: number | undefined, unitText: string | undefined, options: StepOptions): Step {
  const fallback = defaultStep(options.fallback);
  if (value === undefined || unitText === undefined || isUncalibrated(unitText)) return fallback;
  const meaning = unitMeaning(unitText);
  if (!meaning || (options.expect !== undefined && meaning.unit !== options.expect)) {
    options.warnings.push(
      `${options.what}: the unit "${clip(unitText)}" is not one of ${options.expect === 'seconds' ? 'time' : 'length'}` +
        ` that can be converted; ${inFallback(fallback.unit)}`,
    );
    return fallback;
  }
  const step = makeStep(value * meaning.factor, meaning.unit, options.origin ?? 'file');
  if (step) return step;
  options.warnings.push(`${options.what}: ${value} ${clip(unitText)} is no usable step; ${inFallback(fallback.unit)}`);
  return fallback;
}

function inFallback(unit: Unit): string {
  return `the axis is in ${unit}`;
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
