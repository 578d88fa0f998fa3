import type { Notes } from '../../base/notes.js';
import { shorten } from '../../base/wording.js';
import type { AcquisitionInfo, SceneInfo, Step, StepOrigin, Unit } from '../acquisition.js';
import { inUnit, isUncalibrated, unitMeaning } from './units.js';

/** Unit of a dimension without calibration. */
export type UncalibratedUnit = 'Pixels' | 'Planes' | 'Frames' | 'Scenes';

/**
 * Steps that are served, and that a request may give. From 1 pm to a million kilometers, from 1 fs to 30 million years:
 * anything else, such as the smallest float, is a mistake.
 */
const STEP_RANGE = { micrometer: { min: 1e-6, max: 1e15 }, other: { min: 1e-15, max: 1e15 } } as const;

/** Returns the smallest and the largest step in a unit. */
function stepRange(unit: Unit): { min: number; max: number } {
  return unit === 'micrometer' ? STEP_RANGE.micrometer : STEP_RANGE.other;
}

/** Returns a text such as `between 1e-15 and 1e15 for seconds`. */
export function describeStepRange(unit: Unit): string {
  const { min, max } = stepRange(unit);
  const [from, to] = [min, max].map((limit) => limit.toExponential().replace('+', ''));
  return `between ${from} and ${to} for ${unit}`;
}

/** True if the step is within the range of its unit. */
export function isUsableStep(step: number, unit: Unit): boolean {
  const { min, max } = stepRange(unit);
  return step >= min && step <= max;
}

/** Returns the step of a dimension without calibration: 1 `Pixels` (X, Y), `Planes` (Z), `Frames` (T), `Scenes` (S). */
export function defaultStep(unit: UncalibratedUnit = 'Pixels'): Step {
  return { step: 1, unit, origin: 'default' };
}

/**
 * Makes a step in the units of the contract; returns `undefined` unless it is a positive number. A step outside the range
 * of its unit is replaced, with a warning, when the acquisition is opened.
 */
export function makeStep(step: number, unit: 'micrometer' | 'seconds', origin: StepOrigin = 'file'): Step | undefined {
  return Number.isFinite(step) && step > 0 ? { step, unit, origin } : undefined;
}

export interface StepOptions {
  /** Name of the step in warnings: `X step`, `PhysicalSizeX`. */
  what: string;
  /** Receives a warning if the step in the file cannot be used. */
  warnings: Notes;
  /** Unit if the step is missing or unusable. */
  fallback?: UncalibratedUnit;
  origin?: StepOrigin;
  /** The only valid kind of unit: µm for X, seconds for T. */
  expect?: 'micrometer' | 'seconds';
}

/**
 * Converts a value and a unit text from a file to a step in micrometers or seconds. Returns the default step if the value
 * is missing or the unit says "pixel", and also, with a warning, if the value or the unit cannot be used.
 */
export function fileStep(value: number | undefined, unitText: string | undefined, options: StepOptions): Step {
  const fallback = defaultStep(options.fallback);
  if (value === undefined || unitText === undefined || isUncalibrated(unitText)) return fallback;
  const meaning = unitMeaning(unitText);
  if (!meaning || (options.expect !== undefined && meaning.unit !== options.expect)) {
    options.warnings.add(
      `${options.what}: the unit "${shorten(unitText)}" is not a known unit of ` +
        `${options.expect === 'seconds' ? 'time' : 'length'}; ${describeFallback(fallback.unit)}`,
    );
    return fallback;
  }
  const step = makeStep(inUnit(value, meaning), meaning.unit, options.origin ?? 'file');
  if (step && isUsableStep(step.step, step.unit)) return step;
  options.warnings.add(
    `${options.what}: ${value} ${shorten(unitText)} is not a valid step; ${describeFallback(fallback.unit)}`,
  );
  return fallback;
}

const UNCALIBRATED = { T: 'Frames', Z: 'Planes', Y: 'Pixels', X: 'Pixels' } as const;

/** Replaces every step outside the range of its unit by the default step, and adds a warning to the scene. */
export function dropUnusableSteps({ scenes }: AcquisitionInfo): void {
  for (const scene of scenes) {
    const { reference, sizes, warnings } = scene;
    scene.steps = usableSteps(scene.steps, (name, problem) => {
      // Files write arbitrary values for steps that do not exist, such as the distance of a single section.
      if (sizes[name] > 1 || name === 'Y' || name === 'X') warnOfStep(scene, name, problem);
    });
    if (!reference) continue;
    reference.steps = usableSteps(reference.steps, (name, problem) => {
      warnings.push(`${name} step of the reference image: ${problem}`);
    });
  }
}

/** Steps of light microscopes: 1 nm to 1 cm, 1 µs to a week. */
const PLAUSIBLE = {
  micrometer: { min: 1e-3, max: 1e4, below: 'below 1 nm', above: 'above 1 cm' },
  seconds: { min: 1e-6, max: 7 * 86_400, below: 'below 1 µs', above: 'above a week' },
} as const;

/**
 * Adds a warning for each step in the plane, or in time, that cannot be of a light microscope. It is served as it is: electron
 * microscopes and slow cameras are real.
 */
export function noteImplausibleSteps({ scenes }: AcquisitionInfo): void {
  for (const scene of scenes) {
    const { steps, sizes } = scene;
    for (const name of ['T', 'Y', 'X'] as const) {
      const { step, unit, origin } = steps[name];
      if (origin === 'default' || sizes[name] < 2 || (unit !== 'micrometer' && unit !== 'seconds')) continue;
      const { min, max, below, above } = PLAUSIBLE[unit];
      const problem = step < min ? below : step > max ? above : undefined;
      if (problem === undefined) continue;
      const shown = `${Number(step.toPrecision(4))} ${unit === 'seconds' ? 's' : 'µm'}`;
      warnOfStep(
        scene,
        name,
        `${shown} is ${problem}, which is unusual for a light microscope. Check the calibration.`,
      );
    }
  }
}

/** Whoever enters another step takes the warning back. */
function warnOfStep(scene: SceneInfo, axis: 'T' | 'Z' | 'Y' | 'X', problem: string): void {
  const warning = `${axis} step: ${problem}`;
  scene.warnings.push(warning);
  scene.axisWarnings = { ...scene.axisWarnings, [axis]: [...(scene.axisWarnings?.[axis] ?? []), warning] };
}

/** Returns a copy, because scenes may share their steps. */
function usableSteps<T extends Partial<Record<keyof typeof UNCALIBRATED, Step>>>(
  steps: T,
  report: (name: keyof typeof UNCALIBRATED, problem: string) => void,
): T {
  const usable = { ...steps };
  for (const name of Object.keys(UNCALIBRATED) as (keyof typeof UNCALIBRATED)[]) {
    const current = steps[name];
    if (!current || isUsableStep(current.step, current.unit)) continue;
    usable[name] = defaultStep(UNCALIBRATED[name]);
    report(name, `${current.step} ${current.unit} is not a valid step; ${describeFallback(UNCALIBRATED[name])}`);
  }
  return usable;
}

function describeFallback(unit: Unit): string {
  return `the axis is in ${unit}`;
}
