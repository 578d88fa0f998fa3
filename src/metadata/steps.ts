import type { AcquisitionInfo, Step, StepOrigin, Unit } from '../acquisition.js';
import { addNote, type Notes } from '../notes.js';
import { isUncalibrated, unitMeaning } from './units.js';

/** Unit of a dimension without calibration. */
export type UncalibratedUnit = 'Pixels' | 'Planes' | 'Frames' | 'Scenes';

/**
 * Steps that are served, and that a request may give. From 1 pm to a million kilometers, from 1 fs to 30 million years:
 * anything else, such as the smallest number that a float can hold, is a mistake.
 */
const STEP_RANGE = { micrometer: { min: 1e-6, max: 1e15 }, other: { min: 1e-15, max: 1e15 } } as const;

/** The smallest and the largest step that a unit can have. */
function stepRange(unit: Unit): { min: number; max: number } {
  return unit === 'micrometer' ? STEP_RANGE.micrometer : STEP_RANGE.other;
}

/** `between 1e-15 and 1e15 for seconds`. */
export function describeStepRange(unit: Unit): string {
  const { min, max } = stepRange(unit);
  const [from, to] = [min, max].map((limit) => limit.toExponential().replace('+', ''));
  return `between ${from} and ${to} for ${unit}`;
}

export function isUsableStep(step: number, unit: Unit): boolean {
  const { min, max } = stepRange(unit);
  return step >= min && step <= max;
}

/** The step of a dimension without calibration: 1 `Pixels` (X, Y), `Planes` (Z), `Frames` (T), `Scenes` (S). */
export function defaultStep(unit: UncalibratedUnit = 'Pixels'): Step {
  return { step: 1, unit, origin: 'default' };
}

/**
 * Makes a step that is already in the contract's units; `undefined` unless it is a positive number. One that its unit
 * cannot have becomes uncalibrated, with a warning, when the acquisition is opened.
 */
export function makeStep(step: number, unit: 'micrometer' | 'seconds', origin: StepOrigin = 'file'): Step | undefined {
  return Number.isFinite(step) && step > 0 ? { step, unit, origin } : undefined;
}

export interface StepOptions {
  /** What the step is of, for the warning: `X step`, `PhysicalSizeX`. */
  what: string;
  /** Receives why a step that the file does state is not used. */
  warnings: string[] | Notes;
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
    addNote(
      options.warnings,
      `${options.what}: the unit "${clip(unitText)}" is not one of ${options.expect === 'seconds' ? 'time' : 'length'}` +
        ` that can be converted; ${inFallback(fallback.unit)}`,
    );
    return fallback;
  }
  const step = makeStep(value * meaning.factor, meaning.unit, options.origin ?? 'file');
  if (step && isUsableStep(step.step, step.unit)) return step;
  addNote(
    options.warnings,
    `${options.what}: ${value} ${clip(unitText)} is not a possible step; ${inFallback(fallback.unit)}`,
  );
  return fallback;
}

const UNCALIBRATED = { T: 'Frames', Z: 'Planes', Y: 'Pixels', X: 'Pixels' } as const;

/** Makes every step of an acquisition that its unit cannot have uncalibrated, with a warning for its scene. */
export function dropUnusableSteps({ scenes }: AcquisitionInfo): void {
  for (const scene of scenes) {
    const { reference, sizes, warnings } = scene;
    scene.steps = usableSteps(scene.steps, (name, problem) => {
      // Files fill in what they do not have, such as the distance of a single section, with anything.
      if (sizes[name] > 1 || name === 'Y' || name === 'X') warnings.push(`${name} step: ${problem}`);
    });
    if (!reference) continue;
    reference.steps = usableSteps(reference.steps, (name, problem) => {
      warnings.push(`${name} step of the reference image: ${problem}`);
    });
  }
}

/** A copy: scenes may share their steps. */
function usableSteps<T extends Partial<Record<keyof typeof UNCALIBRATED, Step>>>(
  steps: T,
  report: (name: keyof typeof UNCALIBRATED, problem: string) => void,
): T {
  const usable = { ...steps };
  for (const name of Object.keys(UNCALIBRATED) as (keyof typeof UNCALIBRATED)[]) {
    const found = steps[name];
    if (!found || isUsableStep(found.step, found.unit)) continue;
    usable[name] = defaultStep(UNCALIBRATED[name]);
    report(name, `${found.step} ${found.unit} is not a possible step; ${inFallback(UNCALIBRATED[name])}`);
  }
  return usable;
}

function inFallback(unit: Unit): string {
  return `the axis is in ${unit}`;
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
